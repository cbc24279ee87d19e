#include "chat_decoder.hpp"

#include "chat_request.hpp"
#include "common/transcript.hpp"

namespace openai {

using foxwedge::plugin::Array;
using foxwedge::plugin::object;

provider_kit::Complaint complaint_of(const Value& body) {
    const auto& error = body.find("error") ? body["error"] : body;
    if (error.is_string()) return {0, {}, error.string()};
    provider_kit::Complaint out;
    out.message = error.string("message", body.string("message"));
    out.type = error.string("type");
    const auto& code = error["code"];
    if (code.is_string()) out.type = code.string() + " " + out.type;
    if (code.is_integer()) out.status = static_cast<int>(code.integer());
    if (const auto raw = error["metadata"].string("raw"); !raw.empty())
        out.message += ": " + std::string(raw); // what stands behind OpenRouter
    return out;
}

Value usage_of(const Value& usage) {
    if (!usage.is_object()) return {};
    const auto& prompt = usage["prompt_tokens_details"];
    const auto cached =
        prompt.integer("cached_tokens", usage.integer("prompt_cache_hit_tokens", 0));
    const auto input = usage.integer("prompt_tokens", 0);
    return object(
        {{"input", input >= cached ? input - cached : input},
         {"output", usage.integer("completion_tokens", 0)},
         {"cacheRead", cached},
         {"cacheWrite", prompt.integer("cache_write_tokens", 0)},
         {"reasoning", usage["completion_tokens_details"].integer("reasoning_tokens", 0)}});
}

provider_kit::Complaint ChatDecoder::complaint(const Value& body) const {
    return complaint_of(body);
}

bool ChatDecoder::event(std::string_view, std::string_view data) {
    if (data == "[DONE]") return done_ = true;
    const auto chunk = provider_kit::parse_answer(data);
    if (!chunk.is_object()) return false; // data: null
    if (const auto& error = chunk["error"]; !error.is_null())
        throw provider_kit::failure_of(complaint_of(chunk));
    if (const auto model = chunk.string("model"); !model.empty()) model_ = model;
    if (id_.empty()) id_ = chunk.string("id");
    usage(chunk["usage"]);
    if (usage_.is_null()) usage(chunk["x_groq"]["usage"]);
    bool content = false;
    for (const auto& choice : chunk.array("choices")) {
        if (choice.integer("index", 0) != 0) continue; // one answer was asked for
        content = message(choice["delta"]) || content;
        finish(choice);
    }
    return content || finished_;
}

void ChatDecoder::whole(const Value& body) {
    if (const auto& error = body["error"]; !error.is_null())
        throw provider_kit::failure_of(complaint_of(body));
    if (!body["choices"].is_array())
        throw provider_kit::cut_off("the provider's answer has no choices");
    model_ = body.string("model");
    id_ = body.string("id");
    usage(body["usage"]);
    if (!body.array("choices").empty()) {
        const auto& choice = body.array("choices").front();
        message(choice["message"]);
        finish(choice);
    }
    done_ = true;
}

bool ChatDecoder::message(const Value& message) {
    bool some = reasoning(message.string("reasoning_content"), "reasoning_content");
    // OpenRouter sends the same words twice, under both names.
    if (!some) some = reasoning(message.string("reasoning"), "reasoning");
    details(message["reasoning_details"]);
    some = content(message["content"]) || some;
    if (const auto refusal = message.string("refusal"); !refusal.empty()) {
        refusal_ += refusal;
        some = true;
    }
    for (const auto& piece : message.array("tool_calls")) some = tool_call(piece) || some;
    if (const auto& old = message["function_call"]; old.is_object())
        some = tool_call(object({{"index", 0}, {"function", old}})) || some;
    return some;
}

/// A text, or Mistral's list of texts and thoughts.
bool ChatDecoder::content(const Value& content) {
    if (content.is_string()) return text(content.string());
    if (!content.is_array()) return false;
    bool some = false;
    for (const auto& part : content.array()) {
        const auto type = part.string("type");
        if (type == "text") some = text(part.string("text")) || some;
        if (type != "thinking") continue;
        for (const auto& thought : part.array("thinking"))
            some = reasoning(thought.string("text"), "") || some;
    }
    return some;
}

bool ChatDecoder::text(std::string_view text) {
    if (text.empty()) return false;
    text_ += text;
    if (emit_) emit_(FOXWEDGE_EVENT_TEXT, object({{"text", text}}));
    return true;
}

bool ChatDecoder::reasoning(std::string_view text, std::string_view field) {
    if (text.empty()) return false;
    reasoning_ += text;
    if (reasoning_field_.empty()) reasoning_field_ = field;
    if (emit_) emit_(FOXWEDGE_EVENT_REASONING, object({{"text", text}}));
    return true;
}

/// Pieces of one detail share an index; texts grow, the rest is set.
void ChatDecoder::details(const Value& list) {
    if (!list.is_array()) return;
    for (const auto& piece : list.array()) {
        const auto index = piece.integer("index", -1);
        Value* open = nullptr;
        if (details_.is_array() && index >= 0)
            for (auto& known : details_.array())
                if (known.integer("index", -1) == index &&
                    known.string("type") == piece.string("type"))
                    open = &known;
        if (!open) {
            details_.push(piece);
            continue;
        }
        for (const auto& [key, value] : piece.object()) {
            const bool grows = key == "text" || key == "summary" || key == "data";
            if (grows && value.is_string())
                open->set(key, std::string(open->string(key)) + value.string());
            else if (!value.is_null())
                open->set(key, value);
        }
    }
}

bool ChatDecoder::tool_call(const Value& piece) {
    const auto at = calls_.add(piece);
    if (!emit_) return true;
    Value delta = object({{"index", at}});
    if (const auto id = piece.string("id"); !id.empty()) delta.set("id", id);
    const auto& function = piece["function"];
    if (const auto name = function.string("name"); !name.empty()) delta.set("name", name);
    if (const auto arguments = function.string("arguments"); !arguments.empty())
        delta.set("arguments", arguments);
    emit_(FOXWEDGE_EVENT_TOOL_CALL, delta);
    return true;
}

void ChatDecoder::usage(const Value& usage) {
    auto neutral = usage_of(usage);
    if (neutral.is_null()) return;
    usage_ = std::move(neutral); // the last one counts
    if (emit_) emit_(FOXWEDGE_EVENT_USAGE, usage_);
}

void ChatDecoder::finish(const Value& choice) {
    const auto reason = choice.string("finish_reason");
    if (reason.empty()) return;
    if (reason == "error")
        throw provider_kit::failure_of({0, "server_error", "the model behind the provider failed"});
    stop_ = reason;
    finished_ = true;
}

Value ChatDecoder::result() {
    Array content;
    if (!reasoning_.empty() || details_.is_array()) {
        Value block = object({{"type", "reasoning"}, {"text", reasoning_}});
        auto opaque = provider_kit::make_opaque(transcript_format, family_);
        if (!reasoning_field_.empty()) opaque.set("field", reasoning_field_);
        if (details_.is_array()) opaque.set("details", details_);
        block.set("opaque", std::move(opaque));
        content.push_back(std::move(block));
    }
    const auto& words = text_.empty() ? refusal_ : text_;
    if (!words.empty()) content.push_back(object({{"type", "text"}, {"text", words}}));
    for (auto& call : calls_.take())
        content.push_back(object({{"type", "tool_call"},
                                  {"id", std::move(call.id)},
                                  {"name", std::move(call.name)},
                                  {"arguments", std::move(call.arguments)}}));
    std::string_view stop = calls_.empty() ? "end" : "tool_use";
    if (stop_ == "length" || stop_ == "model_length")
        stop = "length";
    else if (stop_ == "content_filter")
        stop = "content_filter";
    else if (!refusal_.empty() && calls_.empty())
        stop = "refusal";
    if (content.empty() && stop == "end") throw provider_kit::empty_response();
    Value out = object({{"content", std::move(content)}, {"stop", stop}});
    if (usage_.is_object()) out.set("usage", usage_);
    out.set("model", model_);
    out.set("responseId", id_);
    return out;
}

} // namespace openai
