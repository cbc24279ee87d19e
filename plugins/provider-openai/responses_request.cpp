#include "responses_request.hpp"

#include "chat_request.hpp"
#include "common/schema.hpp"
#include "common/transcript.hpp"

namespace openai {

using foxwedge::plugin::Array;
using foxwedge::plugin::object;

bool is_reasoning_model(std::string_view model) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (model.size() > 1 && model[0] == 'o' && digit(model[1])) return true;
    if (model.find("codex") != model.npos) return true;
    return model.size() > 4 && model.substr(0, 4) == "gpt-" && digit(model[4]) &&
           (model[4] >= '5' || (model.size() > 5 && digit(model[5])));
}

namespace {

class ResponsesBody {
public:
    ResponsesBody(const Value& request, const ResponsesOptions& options)
        : request_(request), options_(options),
          family_(provider_kit::family_of(request.string("model"))) {}

    Value make() {
        Value body = object({{"model", request_.string("model")}});
        if (const auto system = request_.string("system"); !system.empty())
            body.set("instructions", system);
        body.set("input", input());
        if (options_.stream) body.set("stream", true);
        if (options_.at_home) {
            body.set("store", false);
            if (is_reasoning_model(request_.string("model")))
                body.set("include", Array{Value("reasoning.encrypted_content")});
        }
        if (auto list = tools(); !list.empty()) {
            body.set("tools", std::move(list));
            const auto& choice = request_["toolChoice"];
            if (choice.is_object())
                body.set("tool_choice",
                         object({{"type", "function"}, {"name", choice.string("name")}}));
            else
                body.set("tool_choice", request_.string("toolChoice", "auto"));
        }
        if (const auto& output = request_["output"]; output.is_object()) {
            const auto& schema = output["schema"];
            body.set("text",
                     object({{"format", object({{"type", "json_schema"},
                                                {"name", plain_name(output.string("name"))},
                                                {"schema", schema},
                                                {"strict", provider_kit::fits_strict(schema)}})}}));
        }
        if (const auto* most = request_.find("maxTokens"); most && most->is_integer())
            body.set("max_output_tokens", *most);
        if (const auto* heat = request_.find("temperature"); heat && heat->is_number())
            body.set("temperature", *heat);
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
            if (!parameters.find("type")) parameters.set("type", "object");
            if (!parameters.find("properties")) parameters.set("properties", object());
            // Left out it means true here, and most schemas do not fit that.
            out.push_back(object({{"type", "function"},
                                  {"name", tool.string("name")},
                                  {"description", tool.string("description")},
                                  {"parameters", std::move(parameters)},
                                  {"strict", false}}));
        }
        return out;
    }

    Array input() {
        Array out;
        for (const auto& message : request_.array("messages")) {
            const auto role = message.string("role");
            if (role == "assistant") ids_.turn();
            if (role == "user")
                out.push_back(
                    object({{"role", "user"}, {"content", parts(message.array("content"))}}));
            else
                for (const auto& block : message.array("content"))
                    if (auto item = role == "assistant" ? own_item(block) : result(block);
                        !item.is_null())
                        out.push_back(std::move(item));
        }
        return out;
    }

    Value own_item(const Value& block) {
        const auto type = block.string("type");
        const auto& opaque = provider_kit::own_opaque(block, transcript_format, family_);
        if (type == "reasoning") {
            const auto& item = opaque["item"]; // as it came, or not at all
            return item.is_object() ? item : Value();
        }
        Value out;
        if (const auto& extra = opaque["extra"]; extra.is_object()) out = extra;
        if (type == "text") {
            if (block.string("text").empty()) return {};
            out.set("type", "message");
            out.set("role", "assistant");
            out.set("content",
                    Array{object({{"type", "output_text"}, {"text", block.string("text")}})});
        } else if (type == "tool_call") {
            out.set("type", "function_call");
            out.set("call_id", ids_.call(block.string("id")));
            out.set("name", block.string("name"));
            out.set("arguments",
                    to_text(provider_kit::arguments_object(block.string("arguments"))));
        } else {
            return {};
        }
        return out;
    }

    Value result(const Value& block) {
        if (block.string("type") != "tool_result") return {};
        return object({{"type", "function_call_output"},
                       {"call_id", ids_.result(block.string("callId"))},
                       {"output", parts(block.array("content"))}});
    }

    /// A text where there is nothing else, else a list of parts.
    static Value parts(const Array& blocks) {
        bool only_text = true;
        for (const auto& block : blocks) only_text = only_text && block.string("type") != "image";
        if (only_text) return provider_kit::plain_text(blocks);
        Array out;
        for (const auto& block : blocks)
            if (block.string("type") == "image")
                out.push_back(
                    object({{"type", "input_image"},
                            {"image_url", "data:" + std::string(block.string("mimeType")) +
                                              ";base64," + std::string(block.string("data"))}}));
            else
                out.push_back(
                    object({{"type", "input_text"}, {"text", provider_kit::plain_text({block})}}));
        return out;
    }

    const Value& request_;
    const ResponsesOptions& options_;
    const std::string family_;
    provider_kit::WireIds ids_;
};

} // namespace

Value make_responses_body(const Value& request, const ResponsesOptions& options) {
    return ResponsesBody(request, options).make();
}

} // namespace openai
