// The verbs of one configured component, wherever it runs: in this process or in a box.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "contracts/call.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/running_call.hpp"

namespace foxwedge::plugin {

enum class Verb : std::uint8_t {
    list_tools,
    run_tool,
    describe,
    generate,
    count_tokens,
    check,
    plan
};
const char* to_string(Verb) noexcept;

struct VerbRequest {
    Verb verb;
    std::string_view json;       ///< arguments, request or subject; "" where the verb has none
    std::string_view name;       ///< run_tool: the tool
    std::uint32_t placement = 0; ///< check
};

/// Any thread, calls may overlap: instances are made as they are needed.
class Endpoint {
public:
    virtual ~Endpoint() = default;
    virtual Ended call(const VerbRequest&, Call&) = 0;
    /// Of a guardrail: the placements that it wants.
    virtual std::uint32_t placements() const = 0;
    virtual const Component& component() const = 0;
    /// "plugin capability-kv": for messages.
    virtual std::string name() const = 0;

    /// What `describe` gave, which is the same for the life of an instance and of all that are made
    /// with this configuration: every run needs it, so it is asked for once.
    std::optional<Json> description() const {
        const std::lock_guard lock(mutex_);
        return description_;
    }
    void keep_description(Json given) {
        const std::lock_guard lock(mutex_);
        description_ = std::move(given);
    }

private:
    mutable std::mutex mutex_;
    std::optional<Json> description_;
};

} // namespace foxwedge::plugin
