#include "decoder.hpp"

#include "common/transcript.hpp"
#include "request.hpp"

namespace gemini {

using foxwedge::plugin::object;

provider_kit::Complaint Decoder::complaint(const Value& body) const {
    // An error of a stream may come as a list of one.
    const auto& list = body.is_array() && !body.array().empty() ? body.array().front() : body;
    const auto& error = list["error"];
    provider_kit::Complaint out;
    out.status = static_cast<int>(error.integer("code", 0));
    out.type = error.string("status");
    out.message = error.string("message");
    for (const auto& detail : error.array("details")) {
        if (detail.string("reason") == "API_KEY_INVALID") out.type = "invalid_api_key";
        const auto delay = detail.string("retryDelay"); // "34.5s"
        if (delay.empty() || delay.back() != 's') continue;
        if (const auto seconds = provider_kit::parse_seconds(delay.substr(0, delay.size() - 1)))
            out.retry_ms = *seconds < 0 ? -1 : static_cast<std::int64_t>(*seconds * 1000);
    }
    return out;
}

bool Decoder::event(std::string_view, std::string_view data) {
    const auto body = provider_kit::parse_answer(data);
    const auto before = content_.size();
    whole(body);
    return content_.size() != before || open_ || ended();
}

void Decoder::whole(const Value& body) {
    if (body["error"].is_object()) throw provider_kit::failure_of(complaint(body));
    if (const auto model = body.string("modelVersion"); !model.empty()) model_ = model;
    if (const auto id = body.string("responseId"); !id.empty()) id_ = id;
    blocked_ = body["promptFeedback"].string("blockReason", blocked_);
    if (!body.array("candidates").empty()) {
        const auto& candidate = body.array("candidates").front();
        for (const auto& one : candidate["content"].array("parts")) part(one);
        finish_ = candidate.string("finishReason", finish_);
    }
    if (const auto& usage = body["usageMetadata"]; usage.find("promptTokenCount")) {
        const auto cached = usage.integer("cachedContentTokenCount", 0);
        const auto prompt = usage.integer("promptTokenCount", 0);
        const auto thoughts = usage.integer("thoughtsTokenCount", 0);
        usage_ = object({{"input", prompt >= cached ? prompt - cached : prompt},
                         {"output", usage.integer("candidatesTokenCount", 0) + thoughts},
                         {"cacheRead", cached},
                         {"cacheWrite", 0},
                         {"reasoning", thoughts}});
        preview(FOXWEDGE_EVENT_USAGE, usage_);
    }
}

void Decoder::text(std::string_view type, const Value& part) {
    const auto words = part.string("text");
    const auto signature = part.string("thoughtSignature");
    if (words.empty() && signature.empty()) return;
    preview(type == "text" ? FOXWEDGE_EVENT_TEXT : FOXWEDGE_EVENT_REASONING,
            object({{"text", words}}));
    if (!open_ || content_.back().string("type") != type) {
        content_.push_back(object({{"type", type}, {"text", ""}}));
        if (type == "reasoning")
            content_.back().set("opaque", provider_kit::make_opaque(transcript_format, family_));
    }
    auto& block = content_.back();
    block.set("text", std::string(block.string("text")) + std::string(words));
    open_ = signature.empty(); // a signature covers what stands before it
    if (open_) return;
    auto opaque = provider_kit::make_opaque(transcript_format, family_);
    opaque.set("signature", signature);
    block.set("opaque", std::move(opaque));
}

void Decoder::part(const Value& part) {
    if (part["text"].is_string())
        return text(part.boolean("thought", false) ? "reasoning" : "text", part);
    open_ = false;
    auto opaque = provider_kit::make_opaque(transcript_format, family_);
    const auto signature = part.string("thoughtSignature");
    Value block;
    if (const auto& call = part["functionCall"]; call.is_object()) {
        const auto arguments = call["args"].is_null() ? std::string() : to_text(call["args"]);
        block = object({{"type", "tool_call"},
                        {"id", call.string("id")},
                        {"name", call.string("name")},
                        {"arguments", arguments}});
        preview(FOXWEDGE_EVENT_TOOL_CALL, object({{"index", calls_++},
                                                  {"id", call.string("id")},
                                                  {"name", call.string("name")},
                                                  {"arguments", arguments}}));
        if (!signature.empty()) opaque.set("signature", signature);
    } else if (const auto& data = part["inlineData"]; data.is_object()) {
        block = object({{"type", "image"},
                        {"mimeType", data.string("mimeType")},
                        {"data", data.string("data")}});
        opaque.set("part", part);
    } else {
        block = object({{"type", "reasoning"}, {"text", ""}});
        opaque.set("part", part);
    }
    if (opaque.object().size() > 2) block.set("opaque", std::move(opaque));
    content_.push_back(std::move(block));
}

Value Decoder::result() {
    if (!ended()) throw provider_kit::cut_off("the provider's answer has no finish reason");
    std::string_view stop = calls_ > 0 ? "tool_use" : "end";
    if (!blocked_.empty()) stop = "content_filter";
    for (const auto* reason :
         {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR",
          "LANGUAGE", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"})
        if (finish_ == reason) stop = "content_filter";
    if (finish_ == "MAX_TOKENS") stop = "length";
    // A call that the model itself spoilt: MALFORMED_FUNCTION_CALL comes without one.
    if (content_.empty() && stop == "end") throw provider_kit::empty_response();
    Value out = object({{"content", content_}, {"stop", stop}});
    if (usage_.is_object()) out.set("usage", usage_);
    out.set("model", model_);
    out.set("responseId", id_);
    return out;
}

} // namespace gemini
