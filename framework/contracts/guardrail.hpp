// Checks that can stop or change what passes by.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contracts/call.hpp"
#include "contracts/message.hpp"

namespace foxwedge {

enum class Placement : std::uint32_t {
    input = 1,
    tool_args = 2,
    tool_result = 4,
    output = 8,
    tool_definition = 16
};
const char* to_string(Placement) noexcept; ///< "input", "tool-args", …
std::optional<Placement> placement(std::string_view);

struct GuardrailVerdict {
    enum class Action : std::uint8_t { allow, deny, replace, require_approval, stop };
    Action action = Action::deny; ///< closed unless somebody opened it
    std::string message, risk, reason;
    Json value;      ///< replace: of the shape of what it replaces
    Json violations; ///< array or null
};
Json to_json(const GuardrailVerdict&);
/// Anything that is not a well-formed verdict is an error, which callers treat as a deny.
Result<GuardrailVerdict> guardrail_verdict_from_json(const Json&);

/// Any thread, calls may overlap.
class Guardrail {
public:
    virtual ~Guardrail() = default;
    virtual std::uint32_t placements() const = 0; ///< bits of Placement
    virtual Result<GuardrailVerdict> check(Placement, const Json& subject, Call&) = 0;
};

} // namespace foxwedge
