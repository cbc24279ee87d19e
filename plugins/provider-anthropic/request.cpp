#include "request.hpp"

#include "common/schema.hpp"
#include "common/transcript.hpp"

namespace anthropic {

namespace {

using foxwedge::plugin::Array;
using foxwedge::plugin::object;
using provider_kit::WireIds;

class Body {
public:
    Body(const Value& request, const RequestOptions& options)
        : request_(request), options_(options),
          family_(provider_kit::family_of(request.string("model"))) {}

    Value make() {
        Value body = object({{"model", request_.string("model")},
                             {"max_tokens", request_.integer("maxTokens", options_.max_tokens)},
                             {"stream", options_.stream}});
        if (const auto system = request_.string("system"); !system.empty()) {
            Value text = object({{"type", "text"}, {"text", system}});
            mark(text);
            body.set("system", Array{std::move(text)});
        }
        if (auto list = tools(); !list.empty()) {
            mark(list.back());
            body.set("tools", std::move(list));
            body.set("tool_choice", tool_choice());
        }
        if (const auto* temperature = request_.find("temperature");
            temperature && temperature->is_number())
            body.set("temperature", *temperature);
        if (const auto& output = request_["output"]; output.is_object())
            body.set(
                "output_config",
                object({{"format",
                         object({{"type", "json_schema"},
                                 {"schema", provider_kit::reduced_schema(output["schema"])}})}}));
        body.set("messages", messages());
        if (const auto& own = request_["options"]; own.is_object())
            for (const auto& [key, value] : own.object())
                if (options_.keep_reasoning || key != "thinking") body.set(key, value);
        return body;
    }

private:
    /// All up to here is the same bytes in the next turn.
    void mark(Value& block) const {
        if (options_.prompt_cache) block.set("cache_control", object({{"type", "ephemeral"}}));
    }

    Array tools() const {
        Array out;
        for (const auto& tool : request_.array("tools")) {
            Value schema = tool["inputSchema"];
            if (!schema.is_object()) schema = object();
            if (!schema.find("type")) schema.set("type", "object");
            out.push_back(object({{"name", tool.string("name")},
                                  {"description", tool.string("description")},
                                  {"input_schema", std::move(schema)}}));
        }
        return out;
    }

    Value tool_choice() const {
        const auto& choice = request_["toolChoice"];
        if (choice.is_object()) return object({{"type", "tool"}, {"name", choice.string("name")}});
        const auto word = request_.string("toolChoice", "auto");
        return object({{"type", word == "required" ? "any" : word == "none" ? "none" : "auto"}});
    }

    /// Neighbours of one role become one message: results and what the user says next belong
    /// together on this wire.
    Array messages() {
        Array out;
        for (const auto& message : request_.array("messages")) {
            const bool assistant = message.string("role") == "assistant";
            if (assistant) ids_.turn();
            Array blocks;
            for (const auto& block : message.array("content"))
                if (auto wire = assistant ? own_block(block) : their_block(block); !wire.is_null())
                    blocks.push_back(std::move(wire));
            if (blocks.empty()) continue;
            const std::string_view role = assistant ? "assistant" : "user";
            if (!out.empty() && out.back().string("role") == role) {
                auto& content = const_cast<Value&>(out.back()["content"]).array();
                for (auto& block : blocks) content.push_back(std::move(block));
            } else {
                out.push_back(object({{"role", role}, {"content", std::move(blocks)}}));
            }
        }
        mark_end(out);
        return out;
    }

    /// Two marks that walk with the conversation: what the last call wrote, this one reads.
    void mark_end(Array& messages) const {
        int left = 2;
        for (auto message = messages.rbegin(); message != messages.rend() && left > 0; ++message) {
            if (message->string("role") != "user") continue;
            auto& content = const_cast<Value&>((*message)["content"]).array();
            mark(content.back());
            --left;
        }
    }

    /// A block of the model's own.
    Value own_block(const Value& block) {
        const auto type = block.string("type");
        const auto& opaque = provider_kit::own_opaque(block, transcript_format, family_);
        if (type == "tool_call") {
            Value wire =
                object({{"type", "tool_use"},
                        {"id", ids_.call(block.string("id"))},
                        {"name", block.string("name")},
                        {"input", provider_kit::arguments_object(block.string("arguments"))}});
            if (const auto& extra = opaque["extra"]; extra.is_object())
                for (const auto& [key, value] : extra.object()) wire.set(key, value);
            return wire;
        }
        // Thinking, server tools and cited texts go back as they came, or not at all.
        if (const auto& raw = opaque["block"]; raw.is_object()) {
            const auto kind = raw.string("type");
            const bool thinking = kind == "thinking" || kind == "redacted_thinking";
            return thinking && !options_.keep_reasoning ? Value() : raw;
        }
        if (type == "text") return text_block(block.string("text"));
        return {};
    }

    Value their_block(const Value& block) {
        const auto type = block.string("type");
        if (type == "text") return text_block(block.string("text"));
        if (type == "tool_result") {
            Array content;
            for (const auto& part : block.array("content"))
                if (auto wire = their_block(part); !wire.is_null())
                    content.push_back(std::move(wire));
            return object({{"type", "tool_result"},
                           {"tool_use_id", ids_.result(block.string("callId"))},
                           {"content", std::move(content)},
                           {"is_error", block.boolean("isError", false)}});
        }
        if (type == "image")
            return object({{"type", "image"},
                           {"source", base64(block.string("mimeType"), block.string("data"))}});
        if (type == "resource") {
            const auto& resource = block["resource"];
            if (resource.string("mimeType") == "application/pdf" && resource.find("blob"))
                return object({{"type", "document"},
                               {"source", base64("application/pdf", resource.string("blob"))}});
            return text_block(provider_kit::resource_text(block));
        }
        if (type == "resource_link") return text_block(provider_kit::resource_text(block));
        if (type == "audio") return text_block(provider_kit::plain_text({block}));
        return {};
    }

    static Value base64(std::string_view media_type, std::string_view data) {
        return object({{"type", "base64"}, {"media_type", media_type}, {"data", data}});
    }
    /// The API refuses texts of blanks only.
    static Value text_block(std::string_view text) {
        if (text.find_first_not_of(" \t\r\n") == text.npos) return {};
        return object({{"type", "text"}, {"text", text}});
    }

    const Value& request_;
    const RequestOptions options_;
    const std::string family_;
    WireIds ids_;
};

} // namespace

Value make_body(const Value& request, const RequestOptions& options) {
    return Body(request, options).make();
}

bool has_reasoning(const Value& request) {
    for (const auto& message : request.array("messages"))
        for (const auto& block : message.array("content"))
            if (block.string("type") == "reasoning" && block["opaque"].is_object()) return true;
    return false;
}

} // namespace anthropic
