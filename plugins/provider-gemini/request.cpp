#include "request.hpp"

#include <foxwedge/call.hpp>

#include "common/transcript.hpp"

namespace gemini {

using foxwedge::plugin::Array;
using foxwedge::plugin::object;

std::string path_of(std::string_view model, bool stream) {
    for (char c : model)
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              c == '.' || c == '_' || c == '-' || c == '/' || c == '@'))
            throw foxwedge::plugin::Failure(FOXWEDGE_E_INVALID, "invalid_request",
                                            "'" + std::string(model) + "' is no name of a model");
    std::string path = model.find('/') == model.npos ? "/models/" : "/";
    path += model;
    return path + (stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

namespace {

class Body {
public:
    explicit Body(const Value& request)
        : request_(request), family_(provider_kit::family_of(request.string("model"))) {}

    Value make() {
        Value body = object({{"contents", contents()}});
        if (const auto system = request_.string("system"); !system.empty())
            body.set("systemInstruction", object({{"parts", Array{text_part(system)}}}));
        if (auto list = tools(); !list.empty()) {
            body.set("tools", Array{object({{"functionDeclarations", std::move(list)}})});
            body.set("toolConfig", object({{"functionCallingConfig", calling()}}));
        }
        Value config = object();
        if (const auto* most = request_.find("maxTokens"); most && most->is_integer())
            config.set("maxOutputTokens", *most);
        if (const auto* heat = request_.find("temperature"); heat && heat->is_number())
            config.set("temperature", *heat);
        if (const auto& output = request_["output"]; output.is_object()) {
            config.set("responseMimeType", "application/json");
            config.set("responseJsonSchema", output["schema"]);
        }
        if (const auto& own = request_["options"]; own.is_object()) {
            for (const auto& [key, value] : own.object())
                if (key != "generationConfig") body.set(key, value);
            if (const auto& more = own["generationConfig"]; more.is_object())
                for (const auto& [name, setting] : more.object()) config.set(name, setting);
        }
        if (!config.object().empty()) body.set("generationConfig", std::move(config));
        return body;
    }

private:
    static Value text_part(std::string_view text) { return object({{"text", text}}); }

    Array tools() const {
        Array out;
        for (const auto& tool : request_.array("tools")) {
            Value declaration = object(
                {{"name", tool.string("name")}, {"description", tool.string("description")}});
            if (tool["inputSchema"].is_object())
                declaration.set("parametersJsonSchema", tool["inputSchema"]);
            out.push_back(std::move(declaration));
        }
        return out;
    }

    Value calling() const {
        const auto& choice = request_["toolChoice"];
        if (choice.is_object())
            return object(
                {{"mode", "ANY"}, {"allowedFunctionNames", Array{Value(choice.string("name"))}}});
        const auto word = request_.string("toolChoice", "auto");
        return object({{"mode", word == "required" ? "ANY" : word == "none" ? "NONE" : "AUTO"}});
    }

    /// Roles alternate on this wire: neighbours of one role become one content.
    Array contents() {
        Array out;
        for (const auto& message : request_.array("messages")) {
            const bool model = message.string("role") == "assistant";
            if (model) ids_.turn();
            Array parts;
            bool signed_call = false;
            for (const auto& block : message.array("content")) {
                if (model)
                    own_part(block, parts, signed_call);
                else
                    their_parts(block, parts);
            }
            if (parts.empty()) continue;
            const std::string_view role = model ? "model" : "user";
            if (!out.empty() && out.back().string("role") == role) {
                auto& before = const_cast<Value&>(out.back()["parts"]).array();
                for (auto& part : parts) before.push_back(std::move(part));
            } else {
                out.push_back(object({{"role", role}, {"parts", std::move(parts)}}));
            }
        }
        return out;
    }

    void own_part(const Value& block, Array& parts, bool& signed_call) {
        const auto type = block.string("type");
        const auto& opaque = provider_kit::own_opaque(block, transcript_format, family_);
        Value part;
        if (opaque["part"].is_object()) {
            part = opaque["part"]; // a server-side tool: as it came
        } else if (type == "text" && !block.string("text").empty()) {
            part = text_part(block.string("text"));
        } else if (type == "reasoning" && opaque.is_object()) {
            part = text_part(block.string("text"));
            part.set("thought", true);
        } else if (type == "tool_call") {
            part = object(
                {{"functionCall",
                  object({{"id", ids_.call(block.string("id"))},
                          {"name", block.string("name")},
                          {"args", provider_kit::arguments_object(block.string("arguments"))}})}});
        } else {
            return;
        }
        if (const auto signature = opaque.string("signature"); !signature.empty())
            part.set("thoughtSignature", signature);
        if (type == "tool_call" && !std::exchange(signed_call, true) &&
            !part.find("thoughtSignature") && family_.rfind("gemini-3", 0) == 0)
            part.set("thoughtSignature", not_ours); // else the whole request is refused
        parts.push_back(std::move(part));
    }

    void their_parts(const Value& block, Array& parts) {
        const auto type = block.string("type");
        if (type == "text") {
            if (!block.string("text").empty()) parts.push_back(text_part(block.string("text")));
        } else if (type == "image" || type == "audio") {
            parts.push_back(inline_data(block.string("mimeType"), block.string("data")));
        } else if (type == "resource" && block["resource"].find("blob")) {
            parts.push_back(inline_data(block["resource"].string("mimeType"),
                                        block["resource"].string("blob")));
        } else if (type == "resource" || type == "resource_link") {
            parts.push_back(text_part(provider_kit::resource_text(block)));
        } else if (type == "tool_result") {
            const auto member = block.boolean("isError", false) ? "error" : "result";
            parts.push_back(
                object({{"functionResponse",
                         object({{"id", ids_.result(block.string("callId"))},
                                 {"name", block.string("name")},
                                 {"response", object({{member, provider_kit::plain_text(block.array(
                                                                   "content"))}})}})}}));
            for (const auto& inner : block.array("content"))
                if (inner.string("type") == "image") their_parts(inner, parts);
        }
    }

    static Value inline_data(std::string_view mime_type, std::string_view data) {
        return object({{"inlineData", object({{"mimeType", mime_type}, {"data", data}})}});
    }

    /// What the vendor documents for calls that another model made.
    static constexpr const char* not_ours = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";

    const Value& request_;
    const std::string family_;
    provider_kit::WireIds ids_;
};

} // namespace

Value make_body(const Value& request) {
    return Body(request).make();
}

} // namespace gemini
