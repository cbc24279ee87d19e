// What a capability's tool answers: a value, or a refusal as a result with isError and
// details.code, never a failed step.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include <foxwedge/json.hpp>

namespace capability_kit {

using foxwedge::plugin::Value;

/// Thrown by what a tool does; `failure` makes the result of it.
struct Refused {
    std::string code, message;
    Value details; ///< pointer, limit, revision, …; an object or null
};

/// `input_validation` at a member of the arguments; `field` is a JSON pointer without its slash.
[[noreturn]] inline void refuse(std::string_view field, std::string message,
                                Value limit = nullptr) {
    Value details =
        foxwedge::plugin::object({{"pointer", field.empty() ? "" : '/' + std::string(field)}});
    if (!limit.is_null()) details.set("limit", std::move(limit));
    throw Refused{"input_validation", std::move(message), std::move(details)};
}

inline Value text_block(std::string_view text) {
    using foxwedge::plugin::array, foxwedge::plugin::object;
    return array({object({{"type", "text"}, {"text", text}})});
}

/// A value as text and as structured content; `details` as they are.
inline Value success(Value done, Value details) {
    Value out = foxwedge::plugin::object({{"content", text_block(to_text(done))}});
    out.set("structuredContent", std::move(done));
    out.set("details", std::move(details));
    return out;
}

inline Value failure(const Refused& refused) {
    Value details = foxwedge::plugin::object({{"code", refused.code}});
    if (refused.details.is_object())
        for (const auto& [name, value] : refused.details.object()) details.set(name, value);
    return foxwedge::plugin::object({{"content", text_block(refused.code + ": " + refused.message)},
                                     {"isError", true},
                                     {"details", std::move(details)}});
}

} // namespace capability_kit
