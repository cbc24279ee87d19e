#include "decoder.hpp"

#include "common/transcript.hpp"
#include "request.hpp"

namespace anthropic {

using foxwedge::plugin::Array;
using foxwedge::plugin::object;
using provider_kit::cut_off;

void Decoder::preview(std::uint32_t event, Value payload) const {
    if (emit_) emit_(event, payload);
}

bool Decoder::event(std::string_view, std::string_view data) {
    const auto event = provider_kit::parse_answer(data);
    const auto type = event.string("type");
    if (type == "ping") return false;
    if (type == "message_start") {
        const auto& message = event["message"];
        model_ = message.string("model");
        id_ = message.string("id");
        usage(message["usage"]);
    } else if (type == "content_block_start") {
        start(event);
    } else if (type == "content_block_delta") {
        delta(event);
    } else if (type == "message_delta") {
        stop_ = event["delta"].string("stop_reason", stop_);
        usage(event["usage"]);
    } else if (type == "message_stop") {
        ended_ = true;
    } else if (type == "error") {
        throw provider_kit::failure_of(complaint(event));
    }
    return true;
}

void Decoder::start(const Value& event) {
    const auto& raw = event["content_block"];
    Block block{raw,
                std::string(raw.string("text", raw.string("thinking"))),
                {},
                std::string(raw.string("signature")),
                false};
    const auto index = blocks_.size();
    if (raw.string("type") == "tool_use")
        preview(FOXWEDGE_EVENT_TOOL_CALL,
                object({{"index", index}, {"id", raw.string("id")}, {"name", raw.string("name")}}));
    blocks_.push_back(std::move(block));
}

Decoder::Block& Decoder::block_at(const Value& event) {
    const auto index = event.integer("index", -1);
    if (index < 0 || static_cast<std::size_t>(index) >= blocks_.size())
        throw cut_off("the provider continued a content block that it never began");
    return blocks_[static_cast<std::size_t>(index)];
}

void Decoder::delta(const Value& event) {
    auto& block = block_at(event);
    const auto& delta = event["delta"];
    const auto type = delta.string("type");
    if (type == "text_delta") {
        block.text += delta.string("text");
        preview(FOXWEDGE_EVENT_TEXT, object({{"text", delta.string("text")}}));
    } else if (type == "thinking_delta") {
        block.text += delta.string("thinking");
        preview(FOXWEDGE_EVENT_REASONING, object({{"text", delta.string("thinking")}}));
    } else if (type == "signature_delta") {
        block.signature += delta.string("signature");
    } else if (type == "input_json_delta") {
        block.has_input = true;
        block.input += delta.string("partial_json");
        if (block.raw.string("type") == "tool_use" && !delta.string("partial_json").empty())
            preview(FOXWEDGE_EVENT_TOOL_CALL,
                    object({{"index", event.integer("index", 0)},
                            {"arguments", delta.string("partial_json")}}));
    } else if (type == "citations_delta") {
        auto& raw = block.raw;
        if (!raw["citations"].is_array()) raw.set("citations", Array());
        const_cast<Value&>(raw["citations"]).push(delta["citation"]);
    }
}

void Decoder::usage(const Value& usage) {
    if (!usage.is_object()) return;
    if (!usage_.is_object())
        usage_ = object(
            {{"input", 0}, {"output", 0}, {"cacheRead", 0}, {"cacheWrite", 0}, {"reasoning", 0}});
    // Later figures are the final ones; a figure that is missing or null keeps the earlier one.
    const auto take = [&](const Value& from, std::string_view theirs, std::string_view ours) {
        if (const auto* n = from.find(theirs); n && n->is_integer()) usage_.set(ours, n->integer());
    };
    take(usage, "input_tokens", "input");
    take(usage, "output_tokens", "output");
    take(usage, "cache_read_input_tokens", "cacheRead");
    take(usage, "cache_creation_input_tokens", "cacheWrite");
    take(usage["output_tokens_details"], "thinking_tokens", "reasoning");
    preview(FOXWEDGE_EVENT_USAGE, usage_);
}

void Decoder::whole(const Value& body) {
    if (body.string("type") == "error") throw provider_kit::failure_of(complaint(body));
    if (!body["content"].is_array()) throw cut_off("the provider's answer has no content");
    model_ = body.string("model");
    id_ = body.string("id");
    stop_ = body.string("stop_reason");
    for (const auto& raw : body.array("content")) {
        Block block{raw,
                    std::string(raw.string("text", raw.string("thinking"))),
                    {},
                    std::string(raw.string("signature")),
                    false};
        blocks_.push_back(std::move(block));
    }
    usage(body["usage"]);
    ended_ = true;
}

Value Decoder::neutral(const Block& block) const {
    const auto type = block.raw.string("type");
    Value raw = block.raw;
    if (type == "tool_use") {
        Value out =
            object({{"type", "tool_call"},
                    {"id", raw.string("id")},
                    {"name", raw.string("name")},
                    // Streamed input is the model's own text; a whole answer has a value only.
                    {"arguments", block.has_input ? block.input : to_text(raw["input"])}});
        Value extra;
        for (const auto& [key, value] : raw.object())
            if (key != "type" && key != "id" && key != "name" && key != "input")
                extra.set(key, value);
        if (extra.is_object()) {
            auto opaque = provider_kit::make_opaque(transcript_format, family_);
            opaque.set("extra", std::move(extra));
            out.set("opaque", std::move(opaque));
        }
        return out;
    }
    if (type == "text" && !raw["citations"].is_array())
        return object({{"type", "text"}, {"text", block.text}});
    if (raw.find("text") && type == "text") raw.set("text", block.text);
    if (type == "thinking") {
        raw.set("thinking", block.text);
        raw.set("signature", block.signature);
    }
    if (block.has_input) raw.set("input", provider_kit::arguments_object(block.input));
    auto opaque = provider_kit::make_opaque(transcript_format, family_);
    opaque.set("block", std::move(raw));
    Value out = object({{"type", type == "text" ? "text" : "reasoning"},
                        {"text", type == "text" || type == "thinking" ? block.text : ""}});
    out.set("opaque", std::move(opaque));
    return out;
}

Value Decoder::result() {
    Array content;
    for (const auto& block : blocks_) {
        if (block.raw.string("type") == "text" && block.text.empty()) continue;
        content.push_back(neutral(block));
    }
    std::string_view stop = "end";
    if (stop_ == "tool_use")
        stop = "tool_use";
    else if (stop_ == "max_tokens" || stop_ == "model_context_window_exceeded")
        stop = "length";
    else if (stop_ == "refusal")
        stop = "refusal";
    else if (stop_ == "pause_turn")
        stop = "pause";
    if (content.empty() && stop == "end") throw provider_kit::empty_response();
    Value out = object({{"content", std::move(content)}, {"stop", stop}});
    if (usage_.is_object()) out.set("usage", usage_);
    out.set("model", model_);
    out.set("responseId", id_);
    return out;
}

provider_kit::Complaint Decoder::complaint(const Value& body) const {
    const auto& error = body["error"];
    return {0, std::string(error.string("type")), std::string(error.string("message"))};
}

} // namespace anthropic
