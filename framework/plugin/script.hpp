// The seam to sandboxed scripts: the host owns the child, plugins only talk to it.
#pragma once
#include <functional>
#include <memory>

#include "base/json.hpp"
#include "base/stop.hpp"

namespace foxwedge::plugin {

/// A script under way. Ends with its handle.
class Script {
public:
    virtual ~Script() = default;
    /// {"request": {"id", "hook", "arguments"}} or {"done": {"value" | "error"}}.
    virtual Result<Json> next(const Until&) = 0;
    /// {"id", "value", "budget"?}.
    virtual Status answer(const Json&) = 0;
};

/// Starts one from {"source", "args", "limits", "seed", "now"}.
using ScriptStarter = std::function<Result<std::unique_ptr<Script>>(const Json&, const Until&)>;

} // namespace foxwedge::plugin
