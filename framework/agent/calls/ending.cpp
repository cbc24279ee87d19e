#include "agent/calls/ending.hpp"

#include <algorithm>

#include "agent/tool.hpp"
#include "contracts/resource_card.hpp"

namespace foxwedge::agent {
namespace {

/// Codes of errors that a model can put right: the call is finished, not failed.
constexpr std::string_view correctable[] = {"invalid",   "unsupported",    "unknown_tool",
                                            "tool_gone", "invalid_params", "unanswered"};

bool is_correctable(const Error& error) {
    return std::find(std::begin(correctable), std::end(correctable), error.code) !=
           std::end(correctable);
}

std::vector<Block> one_text(std::string text) {
    std::vector<Block> out;
    out.push_back(text_block(std::move(text)));
    return out;
}

/// Longer texts inside of what cannot be shown are data: files, pictures.
constexpr std::size_t longest_inside = 200;

Json abridged(const Json& value) {
    if (value.is_string() && value.get_string().size() > longest_inside)
        return Json("(" + std::to_string(value.get_string().size()) + " bytes)");
    if (value.is_array()) {
        JsonArray out;
        for (const Json& each : value.get_array()) out.push_back(abridged(each));
        return Json(std::move(out));
    }
    if (!value.is_object()) return value;
    JsonObject out;
    for (const auto& [key, each] : value.get_object()) out[key] = abridged(each);
    return Json(std::move(out));
}

bool has_texts(const Json& object, std::initializer_list<const char*> keys) {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const char* key) { return string_member(object, key).has_value(); });
}

/// True for what a result may hold, whole: a provider refuses a request with half a picture, and
/// that would be the end of the run.
bool is_content(const Json& block) {
    const auto type = string_member(block, "type").value_or("");
    if (type == "text") return has_texts(block, {"text"});
    if (type == "image" || type == "audio") return has_texts(block, {"mimeType", "data"});
    if (type == "resource_link") return has_texts(block, {"uri"});
    const Json* resource = type == "resource" ? member(block, "resource") : nullptr;
    return resource && has_texts(*resource, {"uri"}) &&
           (has_texts(*resource, {"text"}) || has_texts(*resource, {"blob"}));
}

/// A tool may send any block; a model is told what it gets and what it does not.
Block shown_block(const Json& block) {
    if (is_content(block))
        if (auto known = block_from_json(block)) return *std::move(known);
    return text_block("[a content block that cannot be shown: " + to_text(abridged(block)) + "]");
}

CallRecord told(const Error& error) {
    CallRecord record;
    record.refused = error.code;
    record.model = one_text(error.message);
    record.tool_error = true;
    return record;
}

} // namespace

std::vector<Block> blocks_of(const ToolResult& result) {
    if (result.content.empty() && result.structured) return one_text(to_text(*result.structured));
    std::vector<Block> out;
    out.reserve(result.content.size());
    for (const Json& one : result.content) out.push_back(shown_block(one));
    return out;
}

std::vector<Block> CallRecord::shown() const {
    if (model) return *model;
    return result ? blocks_of(*result) : std::vector<Block>();
}

Json to_json(const CallRecord& record) {
    JsonObject out;
    if (record.result) out["toolResult"] = to_json(*record.result);
    if (record.model) {
        JsonArray blocks;
        for (const Block& block : *record.model) blocks.push_back(to_json(block));
        out["model"] = std::move(blocks);
    }
    if (!record.refused.empty()) out["refused"] = record.refused;
    if (!record.arguments.is_null()) out["arguments"] = record.arguments;
    if (!record.warnings.empty()) {
        JsonArray warnings;
        for (const std::string& one : record.warnings) warnings.push_back(Json(one));
        out["warnings"] = std::move(warnings);
    }
    if (!(record.sampled.usage == Usage())) out["sampled"] = to_json(record.sampled);
    return out;
}

CallRecord call_record_from_json(const Json& value, bool tool_error) {
    CallRecord record;
    record.tool_error = tool_error;
    const Json* result = member(value, "toolResult");
    const JsonArray* model = array_member(value, "model");
    if (!result && !model) {
        record.result = result_of(value);
        return record;
    }
    if (result) {
        auto read = tool_result_from_json(*result);
        record.result = read ? *std::move(read) : result_of(*result);
    }
    if (model) {
        record.model.emplace();
        for (const Json& one : *model) {
            auto block = block_from_json(one);
            record.model->push_back(block ? *std::move(block) : text_block(to_text(one)));
        }
    }
    record.refused = string_member(value, "refused").value_or("");
    if (const Json* arguments = member(value, "arguments")) record.arguments = *arguments;
    if (const Json* sampled = member(value, "sampled")) record.sampled = spent_from_json(*sampled);
    return record;
}

CallRecord refusal(std::string code, std::string text) {
    CallRecord record;
    record.refused = std::move(code);
    record.model = one_text(std::move(text));
    record.tool_error = true;
    return record;
}

Result<CallRecord> ending(Result<ToolResult> answer, Origin origin, bool return_errors) {
    if (!answer) {
        Error error = std::move(answer).error();
        if (is_correctable(error)) return told(error);
        const bool at_once = error.certainty == Certainty::done_with_error ||
                             error.certainty == Certainty::permanent;
        if (return_errors && origin == Origin::mcp && at_once && error.code != parked_code &&
            error.code != "cancelled")
            return told(error);
        return error;
    }
    CallRecord record;
    record.tool_error = answer->is_error;
    if (answer->is_error && origin == Origin::mcp && !return_errors) {
        // Memoising a broken call as a result would leave no replay able to get past it.
        Error error;
        error.code = "tool_failed";
        error.message = text_of(blocks_of(*answer));
        if (error.message.empty()) error.message = "the tool answered with an error and no text";
        error.certainty = Certainty::done_with_error;
        return error;
    }
    // Where content is empty the model's text is made by us, so it is recorded too.
    if (answer->content.empty() && answer->structured) record.model = blocks_of(*answer);
    record.result = *std::move(answer);
    if (auto dropped = drop_misfit_card(*record.result); !dropped.empty())
        record.warnings.push_back(std::move(dropped));
    return record;
}

} // namespace foxwedge::agent
