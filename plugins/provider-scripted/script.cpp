#include "script.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace scripted {

using foxwedge::plugin::Failure;
using foxwedge::plugin::object;

namespace {

[[noreturn]] void refuse(const std::string& pointer, const std::string& sentence) {
    throw Failure(FOXWEDGE_E_INVALID, "invalid_config",
                  pointer.empty() ? sentence : sentence + " (at " + pointer + ")",
                  object({{"pointer", pointer}}));
}

/// A script in a file or in a text was not checked against configSchema by anyone.
void only(const Value& value, std::initializer_list<std::string_view> known,
          const std::string& pointer) {
    if (!value.is_object()) refuse(pointer, "expected an object");
    for (const auto& member : value.object())
        if (std::find(known.begin(), known.end(), member.key) == known.end())
            refuse(pointer + '/' + member.key, "unknown member");
}

std::optional<std::string> text_in(const Value& value, std::string_view key) {
    const Value* found = value.find(key);
    return found ? std::optional(found->string()) : std::nullopt;
}
std::optional<bool> flag_in(const Value& value, std::string_view key) {
    const Value* found = value.find(key);
    return found ? std::optional(found->boolean()) : std::nullopt;
}

foxwedge_status status_for(std::string_view name, const std::string& pointer) {
    if (name == "transient") return FOXWEDGE_E_TRANSIENT;
    if (name == "failed") return FOXWEDGE_E_FAILED;
    if (name == "unknown") return FOXWEDGE_E_UNKNOWN;
    if (name == "invalid") return FOXWEDGE_E_INVALID;
    if (name == "unsupported") return FOXWEDGE_E_UNSUPPORTED;
    if (name == "internal") return FOXWEDGE_E_INTERNAL;
    refuse(pointer + "/status", "unknown status");
}

/// What a real adapter would say with this code.
std::string_view usual_status(std::string_view code) {
    if (code == "rate_limited" || code == "overloaded" || code == "connect_failed")
        return "transient";
    if (code == "timeout" || code == "connection_lost") return "unknown";
    if (code == "empty_response") return "failed";
    return "invalid";
}

ErrorAnswer read_error(const Value& value, const std::string& pointer) {
    only(value, {"code", "message", "status", "retryAfterMs", "httpStatus", "times"}, pointer);
    ErrorAnswer error;
    error.code = value["code"].string();
    error.message = value.string("message", "the script says so");
    error.status = status_for(value.string("status", usual_status(error.code)), pointer);
    error.times = static_cast<int>(value.integer("times", 0));
    for (const char* name : {"retryAfterMs", "httpStatus"})
        if (const Value* found = value.find(name)) error.details.set(name, *found);
    return error;
}

Answer read_answer(const Value& value, const std::string& pointer) {
    only(value,
         {"text", "reasoning", "toolCalls", "output", "content", "stop", "model", "usage", "error",
          "delayMs", "chunk", "chunkDelayMs"},
         pointer);
    Answer answer;
    answer.text = text_in(value, "text").value_or("");
    answer.reasoning = text_in(value, "reasoning").value_or("");
    answer.calls = value.array("toolCalls");
    for (const Value& call : answer.calls) {
        only(call, {"name", "arguments", "id"}, pointer + "/toolCalls");
        if (call.string("name").empty()) refuse(pointer + "/toolCalls", "a call without name");
    }
    if (const Value* found = value.find("output")) answer.output = *found;
    if (const Value* found = value.find("content")) answer.content = *found;
    answer.stop = value.string("stop");
    answer.model = value.string("model");
    answer.usage = value["usage"];
    if (const Value* found = value.find("error"))
        answer.error = read_error(*found, pointer + "/error");
    answer.delay = std::chrono::milliseconds(value.integer("delayMs", 0));
    answer.chunk = static_cast<std::size_t>(value.integer("chunk", 0));
    answer.chunk_delay = std::chrono::milliseconds(value.integer("chunkDelayMs", 0));
    answer.has_blanks = to_text(value).find("{{") != std::string::npos;
    return answer;
}

When read_when(const Value& value, const std::string& pointer) {
    only(value,
         {"turn", "user", "tool", "result", "isError", "afterTool", "offers", "model", "system",
          "output"},
         pointer);
    When when;
    if (const Value* turn = value.find("turn")) {
        if (turn->is_object()) {
            only(*turn, {"from", "below"}, pointer + "/turn");
            if (const Value* from = turn->find("from")) when.from = from->integer();
            if (const Value* below = turn->find("below")) when.below = below->integer();
        } else {
            when.from = turn->integer();
            when.below = *when.from + 1;
        }
    }
    when.user = text_in(value, "user");
    when.tool = text_in(value, "tool");
    when.result = text_in(value, "result");
    when.offers = text_in(value, "offers");
    when.model = text_in(value, "model");
    when.system = text_in(value, "system");
    when.is_error = flag_in(value, "isError");
    when.after_tool = flag_in(value, "afterTool");
    when.output = flag_in(value, "output");
    return when;
}

void read_into(Script& script, const Value& value, const std::string& pointer) {
    int n = 0;
    for (const Value& rule : value.array("rules")) {
        const auto here = pointer + "/rules/" + std::to_string(n++);
        only(rule, {"when", "answer"}, here);
        const Value* when = rule.find("when");
        script.rules.push_back({when ? read_when(*when, here + "/when") : When(),
                                read_answer(rule["answer"], here + "/answer")});
    }
    n = 0;
    for (const Value& turn : value.array("turns"))
        script.turns.push_back(read_answer(turn, pointer + "/turns/" + std::to_string(n++)));
    if (const Value* found = value.find("default"))
        script.otherwise = read_answer(*found, pointer + "/default");
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The value of the blank `name`; nothing if there is no such blank.
std::optional<std::string> blank_value(std::string_view name, const Request& request) {
    if (name == "user") return request.user;
    if (name == "turn") return std::to_string(request.turn);
    if (name.substr(0, 6) != "result") return std::nullopt;
    if (request.results.empty()) return std::string();
    const std::string& text = request.results.back().text;
    name.remove_prefix(6);
    if (name.empty()) return text;
    if (name.substr(0, 2) != ":/") return std::nullopt;
    Value value;
    try {
        value = Value::parse(text);
    } catch (const foxwedge::plugin::JsonError&) {
        return std::string(); // the tool answered in prose
    }
    name.remove_prefix(2);
    for (bool more = true; more;) {
        const auto end = name.find('/');
        const auto token = name.substr(0, end);
        more = end != std::string_view::npos;
        name = more ? name.substr(end + 1) : std::string_view();
        if (value.is_array()) {
            const auto index = std::strtoul(std::string(token).c_str(), nullptr, 10);
            value = index < value.array().size() ? Value(value.array()[index]) : Value();
        } else {
            value = Value(value[token]);
        }
    }
    if (value.is_null()) return std::string();
    return value.is_string() ? value.string() : to_text(value);
}

} // namespace

bool When::holds(const Request& request) const {
    const auto& results = request.results;
    const auto any = [&](auto test) { return std::any_of(results.begin(), results.end(), test); };
    return (!from || request.turn >= *from) && (!below || request.turn < *below) &&
           (!user || contains(request.user, *user)) &&
           (!tool || any([&](const ToolResult& r) { return r.name == *tool; })) &&
           (!result || any([&](const ToolResult& r) { return contains(r.text, *result); })) &&
           (!is_error || any([](const ToolResult& r) { return r.is_error; }) == *is_error) &&
           (!after_tool || results.empty() != *after_tool) &&
           (!output || request.wants_output == *output) && (!model || request.model() == *model) &&
           (!system || contains(request.system(), *system)) && (!offers || request.offers(*offers));
}

const Answer* Script::find(const Request& request) const {
    for (const Rule& rule : rules)
        if (rule.when.holds(request)) return &rule.answer;
    if (const auto turn = static_cast<std::size_t>(request.turn); turn < turns.size())
        return &turns[turn];
    return otherwise ? &*otherwise : nullptr;
}

Script read_script(const Value& config) {
    Script script;
    try {
        read_into(script, config, "");
        if (const Value* text = config.find("script"))
            read_into(script, Value::parse(text->string()), "/script");
    } catch (const foxwedge::plugin::JsonError& error) {
        refuse("", error.what());
    }
    if (script.rules.empty() && script.turns.empty() && !script.otherwise)
        refuse("", "a script needs `rules`, `turns` or `default`");
    return script;
}

std::string filled(std::string text, const Request& request) {
    for (std::size_t at = 0; (at = text.find("{{", at)) != std::string::npos;) {
        const auto end = text.find("}}", at);
        if (end == std::string::npos) break;
        const auto name = std::string_view(text).substr(at + 2, end - at - 2);
        if (const auto value = blank_value(name, request)) {
            text.replace(at, end + 2 - at, *value);
            at += value->size();
        } else {
            at = end + 2;
        }
    }
    return text;
}

Value filled(const Value& value, const Request& request) {
    if (value.is_string()) return filled(value.string(), request);
    Value out = value;
    if (out.is_array())
        for (Value& element : out.array()) element = filled(element, request);
    if (out.is_object())
        for (auto& member : out.object()) member.value = filled(member.value, request);
    return out;
}

} // namespace scripted
