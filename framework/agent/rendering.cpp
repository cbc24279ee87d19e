#include "agent/rendering.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace foxwedge::agent {
namespace {

constexpr std::string_view fence = "```";
constexpr std::string_view call_tag = "tool_call";

/// A fence longer than any in `inside`, so that a text cannot end it early.
std::string fence_around(std::string_view inside) {
    std::size_t longest = 2, run = 0;
    for (char c : inside) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(longest + 1, '`');
}

std::string fenced(std::string_view tag, const std::string& body) {
    const std::string marks = fence_around(body);
    return marks + std::string(tag) + "\n" + body + "\n" + marks;
}

Block call_of(std::string_view body) {
    Block call;
    call.type = Block::Type::tool_call;
    auto value = parse_json(body);
    const auto name = value ? string_member(*value, "name") : std::nullopt;
    const Json* arguments = value ? member(*value, "arguments") : nullptr;
    if (!name || (arguments && !arguments->is_object() && !arguments->is_string())) {
        call.name = unreadable_call;
        call.arguments = body;
        return call;
    }
    call.name = *name;
    if (arguments)
        call.arguments = arguments->is_string() ? std::string(view(arguments->get_string()))
                                                : to_text(*arguments);
    return call;
}

void add_text(std::vector<Block>& out, std::string_view text) {
    if (!trimmed(text).empty()) out.push_back(text_block(std::string(trimmed(text))));
}

/// One past the line that starts at `at`, its end of line included.
std::size_t after_line(std::string_view text, std::size_t at) {
    const std::size_t end = text.find('\n', at);
    return end == text.npos ? text.size() : end + 1;
}

void split_text(std::vector<Block>& out, std::string_view text) {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view line = trimmed(text.substr(at, after_line(text, at) - at));
        const std::size_t marks = std::min(line.find_first_not_of('`'), line.size());
        if (marks < fence.size() || line.substr(marks) != call_tag) {
            at = after_line(text, at);
            continue;
        }
        add_text(out, text.substr(kept, at - kept));
        const std::size_t body = after_line(text, at);
        std::size_t end = body;
        while (end < text.size() &&
               trimmed(text.substr(end, after_line(text, end) - end)) != line.substr(0, marks))
            end = after_line(text, end);
        out.push_back(call_of(text.substr(body, end - body)));
        at = kept = after_line(text, end);
    }
    add_text(out, text.substr(std::min(kept, text.size())));
}

std::string call_as_text(const Block& call) {
    // Arguments that are no JSON are shown as the text that they are.
    auto arguments = parse_json(call.arguments.empty() ? "{}" : call.arguments);
    JsonObject body{{"name", call.name}};
    body["arguments"] = arguments ? *std::move(arguments) : Json(call.arguments);
    return fenced(call_tag, to_text(body));
}

std::string result_as_text(const Block& result) {
    JsonObject body{{"name", result.name}, {"isError", result.is_error}};
    std::string content = text_of(result.content);
    for (const Block& block : result.content)
        if (block.type == Block::Type::other) content += to_text(block.raw);
    body["content"] = content;
    return fenced("tool_result", to_text(body));
}

} // namespace

std::vector<Block> calls_in_text(std::vector<Block> content) {
    std::vector<Block> out;
    for (Block& block : content) {
        if (block.type == Block::Type::text && block.text.find(call_tag) != std::string::npos)
            split_text(out, block.text);
        else
            out.push_back(std::move(block));
    }
    return out;
}

Message as_text(const Message& message) {
    Message out;
    out.role = message.role == Role::assistant ? Role::assistant : Role::user;
    std::string text;
    const auto add = [&](const std::string& more) {
        if (!text.empty() && !more.empty()) text += "\n";
        text += more;
    };
    for (const Block& block : message.content) {
        switch (block.type) {
        case Block::Type::text:
            add(block.text);
            break;
        case Block::Type::tool_call:
            add(call_as_text(block));
            break;
        case Block::Type::tool_result:
            add(result_as_text(block));
            break;
        case Block::Type::reasoning:
            break;
        case Block::Type::other:
            out.content.push_back(block);
            break;
        }
    }
    if (!text.empty()) out.content.insert(out.content.begin(), text_block(std::move(text)));
    return out;
}

std::string tools_as_text(const std::vector<ToolForModel>& tools) {
    std::string out = "You can call tools. To call one, write a block that starts with a line "
                      "```tool_call and ends with a line ```, and between them one JSON object "
                      "{\"name\": …, \"arguments\": {…}}. Several blocks are several calls. The "
                      "results come back as ```tool_result blocks.\nThe tools:\n";
    for (const ToolForModel& tool : tools)
        out += to_text(JsonObject{{"name", tool.name},
                                  {"description", tool.description},
                                  {"inputSchema", tool.input_schema}}) +
               "\n";
    return out;
}

} // namespace foxwedge::agent
