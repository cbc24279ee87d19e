// What a call may ask people and models on behalf of the outside. Implemented over the run engine
// (agent layer), used by the MCP client.
#pragma once
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"

namespace foxwedge {

/// The code of the Error of a question that nobody wants answered any more.
inline constexpr const char* taken_back_code = "taken_back";

/// Questions of one call, in MCP's own words. Every answer is on record before it is given: a call
/// that is begun again must ask the same questions in the same order, and gets the same answers.
/// Used by the thread that runs the call. Error `parked`: the call ends with this error and comes
/// again once a person has answered.
class Questions {
public:
    virtual ~Questions() = default;

    /// What the call kept before it parked; null in its first round.
    virtual Json kept() const = 0;
    /// Keeps it durably, in place of what was kept before.
    virtual Status keep(const Json&) = 0;

    /// The result of `elicitation/create` (a person decides, by the commands that decide approvals)
    /// or `sampling/createMessage` (a provider answers, where the host allows it: else
    /// `not_allowed`). With `hold` the run stays active meanwhile, at most that long: then the
    /// question ends and {"action": "cancel", "unanswered": true} is its answer. Once `taken_back`
    /// is requested nobody wants the answer any more: an open question is withdrawn, error
    /// `taken_back`; a later attempt that asks the same asks it anew.
    virtual Result<Json> ask(std::string_view method, const Json& params,
                             std::optional<Millis> hold = std::nullopt,
                             const std::stop_token& taken_back = {}) = 0;
};

} // namespace foxwedge
