#include "result.hpp"

#include "common/text.hpp"

namespace workflow {
namespace {

using foxwedge::plugin::array, foxwedge::plugin::object;

void append_pretty(std::string& out, const Value& value, std::size_t depth) {
    const auto line = [&](std::size_t blanks) { out.append("\n").append(2 * blanks, ' '); };
    if (value.is_array() && !value.array().empty()) {
        out += '[';
        const char* comma = "";
        for (const Value& element : value.array()) {
            out += std::exchange(comma, ",");
            line(depth + 1);
            append_pretty(out, element, depth + 1);
        }
        line(depth);
        out += ']';
    } else if (value.is_object() && !value.object().empty()) {
        out += '{';
        const char* comma = "";
        for (const auto& member : value.object()) {
            out += std::exchange(comma, ",");
            line(depth + 1);
            foxwedge::plugin::append_quoted(out, member.key);
            out += ": ";
            append_pretty(out, member.value, depth + 1);
        }
        line(depth);
        out += '}';
    } else {
        foxwedge::plugin::append_text(out, value);
    }
}

Value content(std::string text) {
    return array({object({{"type", "text"}, {"text", std::move(text)}})});
}

} // namespace

std::string pretty(const Value& value) {
    std::string out;
    append_pretty(out, value, 0);
    return out;
}

Value completed(std::string_view name, std::string_view run, std::int64_t agents, Value value,
                std::size_t most_characters) {
    std::string json = pretty(value);
    const auto length = capability_kit::code_points(json);
    if (length > most_characters) {
        json = std::string(capability_kit::first_code_points(json, most_characters)) +
               "\n… [truncated: " + std::to_string(length - most_characters) + " more characters]";
    }
    std::string text = "workflow \"" + std::string(name) + "\" completed (" +
                       std::to_string(agents) + (agents == 1 ? " agent" : " agents") +
                       ").\nReturn value:\n" + json;
    Value out = object({{"content", content(std::move(text))}});
    out.set("structuredContent",
            object({{"runId", run}, {"agentsStarted", agents}, {"result", std::move(value)}}));
    return out;
}

Value failed(std::string_view code, std::string text, const Value& more) {
    Value details = object({{"code", code}});
    if (more.is_object())
        for (const auto& [name, value] : more.object())
            if (!details.has(name)) details.set(name, value);
    return object({{"content", content(std::move(text))},
                   {"isError", true},
                   {"details", std::move(details)}});
}

Value standing(std::string_view run, std::string_view status, std::string text) {
    return object({{"content", content(std::move(text))},
                   {"structuredContent", object({{"runId", run}, {"status", status}})}});
}

Value presented(const Value& arguments, Value result) {
    const Value* const before = result.find("details");
    Value details = before ? *before : object();
    details.set("card",
                object({{"kind", "generic"},
                        {"title", "workflow: " + std::string(arguments["meta"].string("name"))},
                        {"rawInput", arguments["script"]}}));
    result.set("details", std::move(details));
    return result;
}

} // namespace workflow
