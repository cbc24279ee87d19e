#include <algorithm>

#include "contracts/provider.hpp"
#include "contracts/shape.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view request_code = "invalid_request";
constexpr std::string_view answer_code = "invalid_response";
constexpr std::string_view stops[] = {"end",     "tool_use",       "length",
                                      "refusal", "content_filter", "pause"};

} // namespace

Json to_json(const GenerateRequest& request) {
    JsonObject out;
    out["model"] = request.model;
    out["system"] = request.system;
    out["messages"] = to_json(request.messages);
    JsonArray tools;
    tools.reserve(request.tools.size());
    for (const ToolForModel& tool : request.tools)
        tools.push_back(JsonObject{{"name", tool.name},
                                   {"description", tool.description},
                                   {"inputSchema", tool.input_schema}});
    out["tools"] = std::move(tools);
    out["toolChoice"] = request.tool_choice;
    if (!request.output.is_null()) out["output"] = request.output;
    if (request.max_tokens) out["maxTokens"] = *request.max_tokens;
    if (request.temperature) out["temperature"] = *request.temperature;
    out["options"] = request.options.is_null() ? Json(JsonObject()) : request.options;
    out["idempotencyKey"] = request.idempotency_key;
    return out;
}

Result<GenerateRequest> generate_request_from_json(const Json& value) {
    if (!value.is_object()) return shape_error(request_code, "", "must be an object");
    GenerateRequest request;
    FOXWEDGE_TRY(model, text_or_empty(value, "model", request_code, ""));
    FOXWEDGE_TRY(system, text_or_empty(value, "system", request_code, ""));
    FOXWEDGE_TRY(key, text_or_empty(value, "idempotencyKey", request_code, ""));
    request.model = std::move(model);
    request.system = std::move(system);
    request.idempotency_key = std::move(key);
    const Json* messages = member(value, "messages");
    if (!messages) return shape_error(request_code, "/messages", "is missing");
    FOXWEDGE_TRY(read, messages_from_json(*messages, "/messages"));
    request.messages = std::move(read);
    if (const JsonArray* tools = array_member(value, "tools")) {
        for (std::size_t i = 0; i < tools->size(); ++i) {
            const std::string here = pointer_append("/tools", i);
            FOXWEDGE_TRY(name, text_at((*tools)[i], "name", request_code, here));
            FOXWEDGE_TRY(description,
                         text_or_empty((*tools)[i], "description", request_code, here));
            const Json* schema = member((*tools)[i], "inputSchema");
            request.tools.push_back({std::move(name), std::move(description),
                                     schema ? *schema : Json(JsonObject{{"type", "object"}})});
        }
    }
    if (const Json* choice = member(value, "toolChoice")) request.tool_choice = *choice;
    if (const Json* output = member(value, "output")) request.output = *output;
    request.max_tokens = integer_member(value, "maxTokens");
    request.temperature = number_member(value, "temperature");
    if (const Json* options = member(value, "options")) request.options = *options;
    return request;
}

Json to_json(const Generated& answer) {
    JsonObject out;
    JsonArray content;
    content.reserve(answer.content.size());
    for (const Block& block : answer.content) content.push_back(to_json(block));
    out["content"] = std::move(content);
    out["stop"] = answer.stop;
    out["usage"] = to_json(answer.usage);
    if (!answer.model.empty()) out["model"] = answer.model;
    if (!answer.response_id.empty()) out["responseId"] = answer.response_id;
    return out;
}

Result<Generated> generated_from_json(const Json& value) {
    if (!value.is_object()) return shape_error(answer_code, "", "must be an object");
    Generated answer;
    const JsonArray* content = array_member(value, "content");
    if (!content) return shape_error(answer_code, "/content", "must be a list of blocks");
    for (std::size_t i = 0; i < content->size(); ++i) {
        FOXWEDGE_TRY(block, block_from_json((*content)[i], pointer_append("/content", i)));
        answer.content.push_back(std::move(block));
    }
    FOXWEDGE_TRY(stop, text_at(value, "stop", answer_code, ""));
    if (std::find(std::begin(stops), std::end(stops), stop) == std::end(stops))
        return shape_error(answer_code, "/stop", "no reason to stop is called \"" + stop + "\"");
    answer.stop = std::move(stop);
    if (const Json* usage = member(value, "usage")) answer.usage = usage_from_json(*usage);
    FOXWEDGE_TRY(model, text_or_empty(value, "model", answer_code, ""));
    FOXWEDGE_TRY(id, text_or_empty(value, "responseId", answer_code, ""));
    answer.model = std::move(model);
    answer.response_id = std::move(id);
    return answer;
}

} // namespace foxwedge
