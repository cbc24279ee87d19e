// ${env:NAME}, ${env:NAME:-default}, ${file:path}, ${secret:NAME}; ${input…} is left for the run.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/result.hpp"
#include "config/codec.hpp"

namespace foxwedge::config {

using Lookup = std::function<std::optional<std::string>(std::string_view)>;

struct Sources {
    Lookup environment;
    /// The text of a file named in the value at `pointer`, or why not.
    std::function<Result<std::string>(std::string_view path, const std::string& pointer)> file;
};

/// Fills in every text of `value` once. Secret-bearing fields (headers, env, token, secrets) keep
/// their references; `${secret:}` elsewhere is a problem.
void substitute(Json& value, const Sources&, Reading&);

/// Fills in one secret-bearing text at the moment of use. `secret` gives a secret's value.
Result<std::string>
resolve_reference(std::string_view text, const Lookup& environment,
                  const std::function<Result<std::string>(std::string_view)>& secret);

/// The names of secrets that a text refers to.
std::set<std::string> secrets_named_in(std::string_view text);

} // namespace foxwedge::config
