#include "wire_requests.hpp"

namespace foxwedge::test {
namespace {

/// A part that no token count of ours covers.
struct Uncounted {};

std::string text_at(const Json& value, const char* key) {
    return std::string(string_member(value, key).value_or(""));
}

const JsonArray& list_at(const Json& value, const char* key) {
    static const JsonArray none;
    const JsonArray* list = array_member(value, key);
    return list ? *list : none;
}

Block call(std::string name, std::string arguments) {
    Block block;
    block.type = Block::Type::tool_call;
    block.name = std::move(name);
    block.arguments = std::move(arguments);
    return block;
}

Block result(std::string text) {
    Block block;
    block.type = Block::Type::tool_result;
    block.content.push_back(text_block(std::move(text)));
    return block;
}

/// A text, or a list of parts of text.
std::string joined(const Json& content) {
    if (content.is_string()) return std::string(view(content.get_string()));
    std::string out;
    if (!content.is_array()) return out;
    for (const Json& part : content.get_array()) {
        if (!string_member(part, "text")) throw Uncounted();
        out += text_at(part, "text");
    }
    return out;
}

void add(GenerateRequest& to, Role role, std::vector<Block> content) {
    to.messages.push_back({role, std::move(content)});
}

void tool(GenerateRequest& to, const Json& described, const char* schema_key) {
    const Json* schema = member(described, schema_key);
    to.tools.push_back({text_at(described, "name"), text_at(described, "description"),
                        schema ? *schema : Json(JsonObject())});
}

void shape(GenerateRequest& to, const Json* schema) {
    if (schema && schema->is_object()) to.output = JsonObject{{"schema", *schema}};
}

std::vector<Block> anthropic_blocks(const Json& content) {
    std::vector<Block> out;
    if (content.is_string()) return {text_block(std::string(view(content.get_string())))};
    for (const Json& part : content.get_array()) {
        const std::string type = text_at(part, "type");
        if (type == "text") {
            out.push_back(text_block(text_at(part, "text")));
        } else if (type == "tool_use") {
            out.push_back(call(text_at(part, "name"), to_text(*member(part, "input"))));
        } else if (type == "tool_result") {
            const Json* inner = member(part, "content");
            out.push_back(result(inner ? joined(*inner) : ""));
        } else if (type == "thinking") {
            out.push_back(text_block(text_at(part, "thinking")));
        } else if (type == "redacted_thinking") {
            Block block;
            block.type = Block::Type::other;
            block.raw = part;
            out.push_back(std::move(block));
        } else {
            throw Uncounted();
        }
    }
    return out;
}

void anthropic(GenerateRequest& to, const Json& body) {
    if (const Json* system = member(body, "system")) to.system = joined(*system);
    for (const Json& one : list_at(body, "tools")) {
        if (const auto type = string_member(one, "type"); type && *type != "custom")
            throw Uncounted();
        tool(to, one, "input_schema");
    }
    for (const Json& message : list_at(body, "messages"))
        add(to, text_at(message, "role") == "assistant" ? Role::assistant : Role::user,
            anthropic_blocks(*member(message, "content")));
    const Json* config = member(body, "output_config");
    const Json* format = config ? member(*config, "format") : nullptr;
    if (format) shape(to, member(*format, "schema"));
}

void chat(GenerateRequest& to, const Json& body) {
    for (const Json& one : list_at(body, "tools")) {
        const Json* function = member(one, "function");
        if (!function) throw Uncounted();
        tool(to, *function, "parameters");
    }
    for (const Json& message : list_at(body, "messages")) {
        const std::string role = text_at(message, "role");
        const Json* content = member(message, "content");
        const std::string text = content ? joined(*content) : "";
        if (role == "system" || role == "developer") {
            to.system += text;
            continue;
        }
        std::vector<Block> blocks;
        if (role == "tool")
            blocks.push_back(result(text));
        else if (!text.empty())
            blocks.push_back(text_block(text));
        for (const Json& one : list_at(message, "tool_calls")) {
            const Json& function = *member(one, "function");
            blocks.push_back(call(text_at(function, "name"), text_at(function, "arguments")));
        }
        add(to, role == "assistant" ? Role::assistant : Role::user, std::move(blocks));
    }
    const Json* format = member(body, "response_format");
    const Json* described = format ? member(*format, "json_schema") : nullptr;
    if (described) shape(to, member(*described, "schema"));
}

void responses(GenerateRequest& to, const Json& body) {
    if (member(body, "prompt")) throw Uncounted();
    to.system = text_at(body, "instructions");
    for (const Json& one : list_at(body, "tools")) {
        if (text_at(one, "type") != "function") throw Uncounted();
        tool(to, one, "parameters");
    }
    const Json* input = member(body, "input");
    if (input && input->is_string()) return add(to, Role::user, anthropic_blocks(*input));
    for (const Json& item : list_at(body, "input")) {
        const std::string type = text_at(item, "type");
        if (type == "function_call")
            add(to, Role::assistant, {call(text_at(item, "name"), text_at(item, "arguments"))});
        else if (type == "function_call_output")
            add(to, Role::tool, {result(joined(*member(item, "output")))});
        else if (type.empty() || type == "message")
            add(to, Role::user, {text_block(joined(*member(item, "content")))});
        else
            add(to, Role::assistant, {text_block(to_text(item))});
    }
}

void gemini(GenerateRequest& to, const Json& body) {
    if (const Json* system = member(body, "systemInstruction"))
        to.system = joined(*member(*system, "parts"));
    for (const Json& one : list_at(body, "tools")) {
        if (list_at(one, "functionDeclarations").empty()) throw Uncounted();
        for (const Json& function : list_at(one, "functionDeclarations"))
            tool(to, function,
                 member(function, "parameters") ? "parameters" : "parametersJsonSchema");
    }
    for (const Json& message : list_at(body, "contents")) {
        std::vector<Block> blocks;
        for (const Json& part : list_at(message, "parts")) {
            if (string_member(part, "text")) {
                blocks.push_back(text_block(text_at(part, "text")));
            } else if (const Json* function = member(part, "functionCall")) {
                const Json* arguments = member(*function, "args");
                blocks.push_back(
                    call(text_at(*function, "name"), arguments ? to_text(*arguments) : "{}"));
            } else if (const Json* response = member(part, "functionResponse")) {
                blocks.push_back(result(to_text(*member(*response, "response"))));
            } else {
                throw Uncounted();
            }
        }
        add(to, text_at(message, "role") == "model" ? Role::assistant : Role::user,
            std::move(blocks));
    }
}

} // namespace

std::optional<GenerateRequest> request_of_exchange(const Json& exchange) {
    const std::string endpoint = text_at(exchange, "endpoint");
    const Json& sent = *member(exchange, "request");
    const Json* stored = member(sent, "body");
    if (!stored) return std::nullopt;
    Json body = *stored;
    if (stored->is_string()) {
        auto parsed = parse_json(view(stored->get_string()));
        if (!parsed) return std::nullopt;
        body = *std::move(parsed);
    }
    GenerateRequest out;
    out.model = text_at(body, "model");
    if (out.model.empty()) out.model = text_at(exchange, "provider");
    try {
        if (member(body, "contents"))
            gemini(out, body);
        else if (endpoint.find("responses") != endpoint.npos)
            responses(out, body);
        else if (text_at(exchange, "provider") == "anthropic")
            anthropic(out, body);
        else
            chat(out, body);
    } catch (const Uncounted&) {
        return std::nullopt;
    }
    return out;
}

} // namespace foxwedge::test
