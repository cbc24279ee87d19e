#include "compose/fork_output.hpp"

#include "base/json.hpp"
#include "contracts/provider.hpp"

namespace foxwedge::compose {
namespace {

Result<std::string> answer_of_model(Json given) {
    if (given.is_string()) {
        JsonArray content{JsonObject{{"type", "text"}, {"text", given.get_string()}}};
        given = JsonObject{{"content", std::move(content)}, {"stop", "end"}};
    }
    const auto read = generated_from_json(given);
    if (!read || !array_member(given, "content"))
        return permanent("invalid_output",
                         "the output of a model step is a text, or an answer with \"content\" and "
                         "\"stop\"" +
                             (read ? std::string() : ": " + read.error().message));
    return to_text(given);
}

Result<std::string> decision(Json given) {
    if (given.is_string())
        given = JsonObject{{"answer", given.get_string()}, {"decidedBy", "user:fork"}};
    if (string_member(given, "answer")) return to_text(given);
    return permanent("invalid_output", "the output of a gate is a word, as \"approve\", or an "
                                       "object with \"answer\"");
}

} // namespace

Result<std::string> output_for(std::span<const journal::Record> records, std::string_view step,
                               std::string_view json) {
    FOXWEDGE_TRY(given, parse_json(json));
    for (const auto& record : records) {
        if (record.key.name != step) continue;
        if (record.key.kind == "model") return answer_of_model(std::move(given));
        if (record.key.kind == "gate") return decision(std::move(given));
    }
    return to_text(given);
}

} // namespace foxwedge::compose
