#include "responses_decoder.hpp"

#include "chat_decoder.hpp"
#include "chat_request.hpp"
#include "common/transcript.hpp"

namespace openai {

using foxwedge::plugin::Array;
using foxwedge::plugin::object;

provider_kit::Complaint ResponsesDecoder::complaint(const Value& body) const {
    return complaint_of(body);
}

bool ResponsesDecoder::event(std::string_view, std::string_view data) {
    if (data == "[DONE]") return false; // some add it out of habit
    const auto event = provider_kit::parse_answer(data);
    const auto type = event.string("type");
    if (type == "response.completed" || type == "response.incomplete" ||
        type == "response.failed") {
        whole(event["response"]);
    } else if (type == "error") {
        throw provider_kit::failure_of(complaint_of(event));
    } else if (type == "response.output_item.done") {
        items_.push_back(event["item"]);
    } else {
        return preview(type, event);
    }
    return true;
}

bool ResponsesDecoder::preview(std::string_view type, const Value& event) const {
    const auto emit = [&](std::uint32_t number, const Value& payload) {
        if (emit_) emit_(number, payload);
        return true;
    };
    const auto delta = object({{"text", event.string("delta")}});
    if (type == "response.output_text.delta") return emit(FOXWEDGE_EVENT_TEXT, delta);
    if (type == "response.reasoning_text.delta" || type == "response.reasoning_summary_text.delta")
        return emit(FOXWEDGE_EVENT_REASONING, delta);
    const auto index = event.integer("output_index", 0);
    if (type == "response.function_call_arguments.delta")
        return emit(FOXWEDGE_EVENT_TOOL_CALL,
                    object({{"index", index}, {"arguments", event.string("delta")}}));
    const auto& item = event["item"];
    if (type == "response.output_item.added" && item.string("type") == "function_call")
        return emit(FOXWEDGE_EVENT_TOOL_CALL, object({{"index", index},
                                                      {"id", item.string("call_id")},
                                                      {"name", item.string("name")}}));
    return type != "keepalive";
}

void ResponsesDecoder::opaque(Value& block, std::string_view member, Value data) const {
    auto own = provider_kit::make_opaque(transcript_format, family_);
    own.set(member, std::move(data));
    block.set("opaque", std::move(own));
}

void ResponsesDecoder::message(const Value& item) {
    std::string text;
    for (const auto& part : item.array("content")) {
        const auto type = part.string("type");
        if (type == "output_text" || type == "text") text += part.string("text");
        if (type != "refusal") continue;
        refused_ = true;
        text += part.string("refusal");
    }
    if (text.empty()) return;
    Value block = object({{"type", "text"}, {"text", text}});
    Value extra = object();
    for (const auto& [key, value] : item.object())
        if (key == "id" || key == "status" || key == "phase") extra.set(key, value);
    opaque(block, "extra", std::move(extra));
    content_.push_back(std::move(block));
}

void ResponsesDecoder::whole(const Value& response) {
    if (const auto& error = response["error"]; !error.is_null())
        throw provider_kit::failure_of(complaint_of(response));
    if (response.string("status").empty())
        throw provider_kit::cut_off("the provider's answer has no status");
    model_ = response.string("model");
    id_ = response.string("id");
    status_ = response.string("status");
    incomplete_ = response["incomplete_details"].string("reason");
    if (status_ == "failed")
        throw provider_kit::failure_of({0, "server_error", "the provider failed without a reason"});
    const auto& output = response.array("output").empty() ? items_ : response.array("output");
    for (const auto& item : output) {
        const auto type = item.string("type");
        if (type == "message") {
            message(item);
        } else if (type == "function_call") {
            calls_ = true;
            Value block = object({{"type", "tool_call"},
                                  {"id", item.string("call_id")},
                                  {"name", item.string("name")},
                                  {"arguments", item.string("arguments")}});
            Value extra = object();
            for (const auto& [key, value] : item.object())
                if (key == "id" || key == "status") extra.set(key, value);
            opaque(block, "extra", std::move(extra));
            content_.push_back(std::move(block));
        } else {
            std::string text;
            const auto member = item.array("content").empty() ? "summary" : "content";
            if (type == "reasoning")
                for (const auto& part : item.array(member)) text += part.string("text");
            Value block = object({{"type", "reasoning"}, {"text", text}});
            opaque(block, "item", item);
            content_.push_back(std::move(block));
        }
    }
    if (const auto& usage = response["usage"]; usage.is_object()) {
        const auto cached = usage["input_tokens_details"].integer("cached_tokens", 0);
        const auto input = usage.integer("input_tokens", 0);
        usage_ =
            object({{"input", input >= cached ? input - cached : input},
                    {"output", usage.integer("output_tokens", 0)},
                    {"cacheRead", cached},
                    {"cacheWrite", usage["input_tokens_details"].integer("cache_write_tokens", 0)},
                    {"reasoning", usage["output_tokens_details"].integer("reasoning_tokens", 0)}});
        if (emit_) emit_(FOXWEDGE_EVENT_USAGE, usage_);
    }
    ended_ = true;
}

Value ResponsesDecoder::result() {
    std::string_view stop = calls_ ? "tool_use" : refused_ ? "refusal" : "end";
    if (status_ == "incomplete")
        stop = incomplete_ == "content_filter" ? "content_filter" : "length";
    if (content_.empty() && stop == "end") throw provider_kit::empty_response();
    Value out = object({{"content", content_}, {"stop", stop}});
    if (usage_.is_object()) out.set("usage", usage_);
    out.set("model", model_);
    out.set("responseId", id_);
    return out;
}

} // namespace openai
