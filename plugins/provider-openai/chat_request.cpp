#include "chat_request.hpp"

#include "common/schema.hpp"
#include "common/transcript.hpp"

namespace openai {

using foxwedge::plugin::Array;
using foxwedge::plugin::object;

std::string plain_name(std::string_view name) {
    std::string out(name.substr(0, 64));
    for (char& c : out)
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              c == '_' || c == '-'))
            c = '_';
    return out.empty() ? "answer" : out;
}

namespace {

class ChatBody {
public:
    ChatBody(const Value& request, const ChatOptions& options)
        : request_(request), options_(options),
          family_(provider_kit::family_of(request.string("model"))) {}

    Value make() {
        Value body = object({{"model", request_.string("model")}});
        body.set("messages", messages());
        if (options_.stream) {
            body.set("stream", true);
            if (options_.stream_usage)
                body.set("stream_options", object({{"include_usage", true}}));
        }
        if (auto list = tools(); !list.empty()) {
            body.set("tools", std::move(list));
            if (auto choice = tool_choice(); !choice.is_null())
                body.set("tool_choice", std::move(choice));
        }
        if (const auto& output = request_["output"]; output.is_object()) {
            const auto& schema = output["schema"];
            body.set(
                "response_format",
                object({{"type", "json_schema"},
                        {"json_schema", object({{"name", plain_name(output.string("name"))},
                                                {"schema", schema},
                                                {"strict", provider_kit::fits_strict(schema)}})}}));
        }
        if (const auto* most = request_.find("maxTokens"); most && most->is_integer())
            body.set(options_.max_tokens_field, *most);
        if (const auto* temperature = request_.find("temperature");
            temperature && temperature->is_number())
            body.set("temperature", *temperature);
        if (const auto& own = request_["options"]; own.is_object())
            for (const auto& [key, value] : own.object()) body.set(key, value);
        return body;
    }

private:
    Array tools() const {
        Array out;
        for (const auto& tool : request_.array("tools")) {
            Value parameters = tool["inputSchema"];
            if (!parameters.is_object()) parameters = object({{"type", "object"}});
            // Servers refuse an object schema that says nothing of its members.
            if (!parameters.find("type")) parameters.set("type", "object");
            if (!parameters.find("properties")) parameters.set("properties", object());
            out.push_back(object({{"type", "function"},
                                  {"function", object({{"name", tool.string("name")},
                                                       {"description", tool.string("description")},
                                                       {"parameters", std::move(parameters)}})}}));
        }
        return out;
    }

    Value tool_choice() const {
        const auto& choice = request_["toolChoice"];
        if (choice.is_object())
            return object(
                {{"type", "function"}, {"function", object({{"name", choice.string("name")}})}});
        const auto word = request_.string("toolChoice", "auto");
        return word == "auto" ? Value() : Value(word);
    }

    Array messages() {
        Array out;
        if (const auto system = request_.string("system"); !system.empty())
            out.push_back(object({{"role", options_.system_role}, {"content", system}}));
        for (const auto& message : request_.array("messages")) {
            const auto role = message.string("role");
            if (role == "tool") {
                results(message, out);
                continue;
            }
            show_images(out);
            if (role == "assistant")
                out.push_back(said(message));
            else
                out.push_back(
                    object({{"role", "user"}, {"content", content(message.array("content"))}}));
        }
        show_images(out);
        return out;
    }

    Value said(const Value& message) {
        ids_.turn();
        Value out = object({{"role", "assistant"}, {"content", nullptr}});
        std::string text;
        Value calls;
        for (const auto& block : message.array("content")) {
            const auto type = block.string("type");
            if (type == "text") text += block.string("text");
            if (type == "reasoning") reasoning(block, out);
            if (type != "tool_call") continue;
            Value function =
                object({{"name", block.string("name")},
                        {"arguments",
                         to_text(provider_kit::arguments_object(block.string("arguments")))}});
            const auto& opaque = provider_kit::own_opaque(block, transcript_format, family_);
            Value call = object({{"id", ids_.call(block.string("id"))},
                                 {"type", "function"},
                                 {"function", std::move(function)}});
            if (const auto& extra = opaque["extra"]; extra.is_object())
                for (const auto& [key, value] : extra.object()) call.set(key, value);
            calls.push(std::move(call));
        }
        if (!text.empty() || calls.is_null()) out.set("content", text);
        if (!calls.is_null()) out.set("tool_calls", std::move(calls));
        return out;
    }

    /// Servers that think aloud want it back under the name that they gave it.
    void reasoning(const Value& block, Value& out) const {
        const auto& opaque = provider_kit::own_opaque(block, transcript_format, family_);
        if (const auto field = opaque.string("field"); !field.empty())
            out.set(field, std::string(out.string(field)) + std::string(block.string("text")));
        if (const auto& details = opaque["details"]; details.is_array())
            out.set("reasoning_details", details);
    }

    /// Results are texts on this wire; their images follow as a message of the user's.
    void results(const Value& message, Array& out) {
        for (const auto& block : message.array("content")) {
            if (block.string("type") != "tool_result") continue;
            out.push_back(object({{"role", "tool"},
                                  {"tool_call_id", ids_.result(block.string("callId"))},
                                  {"content", provider_kit::plain_text(block.array("content"))}}));
            for (const auto& part : block.array("content"))
                if (part.string("type") == "image") images_.push_back(part_of(part));
        }
    }
    void show_images(Array& out) {
        if (auto images = std::exchange(images_, {}); !images.empty())
            out.push_back(object({{"role", "user"}, {"content", std::move(images)}}));
    }

    static Value content(const Array& blocks) {
        bool only_text = true;
        for (const auto& block : blocks) {
            const auto type = block.string("type");
            only_text = only_text && type != "image" && type != "audio";
        }
        if (only_text) return provider_kit::plain_text(blocks);
        Array parts;
        for (const auto& block : blocks) parts.push_back(part_of(block));
        return parts;
    }

    static Value part_of(const Value& block) {
        const auto type = block.string("type");
        const auto mime = std::string(block.string("mimeType"));
        if (type == "image")
            return object(
                {{"type", "image_url"},
                 {"image_url", object({{"url", "data:" + mime + ";base64," +
                                                   std::string(block.string("data"))}})}});
        if (type == "audio")
            return object(
                {{"type", "input_audio"},
                 {"input_audio", object({{"data", block.string("data")},
                                         {"format", mime == "audio/mpeg" ? "mp3" : "wav"}})}});
        return object({{"type", "text"}, {"text", provider_kit::plain_text({block})}});
    }

    const Value& request_;
    const ChatOptions& options_;
    const std::string family_;
    provider_kit::WireIds ids_;
    Array images_; // of results, not shown yet
};

} // namespace

Value make_chat_body(const Value& request, const ChatOptions& options) {
    return ChatBody(request, options).make();
}

} // namespace openai
