#include "agent/calls/arguments.hpp"

#include "base/text.hpp"

namespace foxwedge::agent {

Result<JsonObject> parse_arguments(std::string_view text) {
    if (trimmed(text).empty()) return JsonObject();
    auto value = parse_json(text);
    if (!value)
        return permanent("invalid_arguments",
                         "The arguments are not valid JSON: " + value.error().message);
    if (!value->is_object())
        return permanent("invalid_arguments", "The arguments must be a JSON object.");
    return std::move(value->get_object());
}

} // namespace foxwedge::agent
