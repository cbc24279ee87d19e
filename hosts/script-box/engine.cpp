#include "engine.hpp"

#include <cmath>
#include <unistd.h>

#include "prelude.hpp"
#include "report.hpp"
#include "sandbox.hpp"
#include "slice.hpp"

namespace script_box {
namespace {

/// A JavaScriptCore string, released with its owner.
class Text {
public:
    explicit Text(const std::string& utf8) : held_(JSStringCreateWithUTF8CString(utf8.c_str())) {}
    explicit Text(JSStringRef owned) : held_(owned) {}
    ~Text() {
        if (held_) JSStringRelease(held_);
    }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    JSStringRef get() const { return held_; }

private:
    JSStringRef held_;
};

std::string utf8(JSStringRef string) {
    std::string out(JSStringGetMaximumUTF8CStringSize(string), '\0');
    const auto size = JSStringGetUTF8CString(string, out.data(), out.size());
    out.resize(size == 0 ? 0 : size - 1);
    return out;
}

} // namespace

Engine* Engine::the_one = nullptr;

Engine::Engine(Output& out) : out_(out), context_(JSGlobalContextCreate(nullptr)) {
    the_one = this;
    warm_up();
}

/// What the engine sets up late needs files and system calls that a script must not have. The data
/// of languages needs none: it is a part of a library, and half a box's start to prepare. A script
/// that sorts or writes by a language pays for it itself.
void Engine::warm_up() {
    evaluate("(async () => { await null; /a+/u.test('aa'); new Date(0).toString();"
             " JSON.parse('[1]'); })()");
}

JSValueRef Engine::evaluate(std::string_view source) {
    // Its errors are told from the script's by where they come from.
    const Text text{std::string(source)}, url{std::string("foxwedge")};
    return JSEvaluateScript(context_, text.get(), nullptr, url.get(), 1, nullptr);
}

std::string Engine::text(JSValueRef value) {
    const Text string(JSValueToStringCopy(context_, value, nullptr));
    return string.get() ? utf8(string.get()) : std::string();
}

JSValueRef Engine::member(JSObjectRef object, const char* name) {
    const Text key{std::string(name)};
    return JSObjectGetProperty(context_, object, key.get(), nullptr);
}

template <Engine::Hook hook>
JSValueRef Engine::call(JSContextRef, JSObjectRef, JSObjectRef, std::size_t count,
                        Arguments arguments, JSValueRef*) {
    return (the_one->*hook)(arguments, count);
}
template <Engine::Hook hook>
JSObjectRef Engine::function(const char* name) {
    const Text key{std::string(name)};
    return JSObjectMakeFunctionWithCallback(context_, key.get(), &Engine::call<hook>);
}

bool Engine::read_start(const std::string& json) {
    const Text line(json);
    const JSValueRef value = JSValueMakeFromJSONString(context_, line.get());
    if (!value || !JSValueIsObject(context_, value)) return false;
    const JSObjectRef start = JSValueToObject(context_, value, nullptr);
    const JSValueRef source = member(start, "source");
    if (!JSValueIsString(context_, source)) return false;
    source_ = JSValueToStringCopy(context_, source, nullptr);
    const JSValueRef given = member(start, "limits");
    if (JSValueIsObject(context_, given)) {
        const JSObjectRef limits = JSValueToObject(context_, given, nullptr);
        const auto read = [&](const char* name, std::uint64_t& to) {
            const double number = JSValueToNumber(context_, member(limits, name), nullptr);
            if (std::isfinite(number) && number >= 1 && number < 1e15)
                to = static_cast<std::uint64_t>(number);
        };
        read("memoryBytes", limits_.memory_bytes);
        read("cpuSeconds", limits_.cpu_seconds);
        read("firstSliceMs", limits_.first_slice_ms);
        read("sliceMs", limits_.slice_ms);
        read("agents", limits_.agents);
        read("items", limits_.items);
        read("requestBytes", limits_.request_bytes);
        read("resultBytes", limits_.result_bytes);
        read("logLines", limits_.log_lines);
        limits_.check_only = JSValueToBoolean(context_, member(limits, "checkOnly"));
    }
    const JSValueRef boot = evaluate(prelude);
    if (!boot || !JSValueIsObject(context_, boot)) return false;
    const JSValueRef arguments[] = {
        function<&Engine::ask>("ask"),    function<&Engine::tell>("tell"),
        function<&Engine::stop>("fatal"), function<&Engine::finish>("finish"),
        function<&Engine::fail>("fail"),  start_values(start)};
    JSValueRef thrown = nullptr;
    const JSValueRef made = JSObjectCallAsFunction(
        context_, JSValueToObject(context_, boot, nullptr), nullptr, 6, arguments, &thrown);
    if (thrown || !made || !JSValueIsObject(context_, made)) return false;
    script_ = JSValueToObject(context_, made, nullptr);
    JSValueProtect(context_, script_);
    return true;
}

/// What the prelude wants of the start: args as text, four numbers as seed, now, the item cap.
JSObjectRef Engine::start_values(JSObjectRef start) {
    const JSObjectRef out = JSObjectMake(context_, nullptr, nullptr);
    const auto put = [&](const char* name, JSValueRef value) {
        const Text key{std::string(name)};
        JSObjectSetProperty(context_, out, key.get(), value, kJSPropertyAttributeNone, nullptr);
    };
    const JSValueRef args = member(start, "args");
    const Text json(JSValueCreateJSONString(context_, args, 0, nullptr));
    const Text null(std::string("null"));
    put("args", JSValueMakeString(context_, json.get() ? json.get() : null.get()));
    const Text budget(JSValueCreateJSONString(context_, member(start, "budget"), 0, nullptr));
    put("budget", JSValueMakeString(context_, budget.get() ? budget.get() : null.get()));
    const double now = JSValueToNumber(context_, member(start, "now"), nullptr);
    put("now", JSValueMakeNumber(context_, std::isfinite(now) ? now : 0));
    put("checkOnly", JSValueMakeBoolean(context_, limits_.check_only));
    put("items", JSValueMakeNumber(context_, static_cast<double>(limits_.items)));
    const auto words = seed_words(text(member(start, "seed")));
    JSValueRef seed[4];
    for (int i = 0; i < 4; ++i) seed[i] = JSValueMakeNumber(context_, words[i]);
    put("seed", JSObjectMakeArray(context_, 4, seed, nullptr));
    return out;
}

void Engine::run() {
    begin_slice(limits_.first_slice_ms);
    const Text name(std::string("run"));
    const JSValueRef body = JSObjectGetProperty(context_, script_, name.get(), nullptr);
    const JSValueRef argument = JSValueMakeString(context_, source_);
    JSValueRef thrown = nullptr;
    JSObjectCallAsFunction(context_, JSValueToObject(context_, body, nullptr), nullptr, 1,
                           &argument, &thrown);
    // The prelude catches what the script throws: only a refused allocation comes through.
    if (thrown && !ended_) fatal("SCRIPT_ERROR", text(thrown));
    after_slice();
}

bool Engine::answer(std::uint64_t id, const std::string& json) {
    const auto at = open_.find(id);
    if (at == open_.end()) return true;
    const JSObjectRef resolve = at->second;
    open_.erase(at);
    begin_slice(limits_.slice_ms);
    const Text line(json);
    JSValueRef value = JSValueMakeFromJSONString(context_, line.get());
    if (!value) {
        if (memory_was_refused()) after_slice();
        return false;
    }
    // Returning from here drains every microtask that follows from it.
    JSObjectCallAsFunction(context_, resolve, nullptr, 1, &value, nullptr);
    JSValueUnprotect(context_, resolve);
    after_slice();
    return true;
}

void Engine::spend(const std::string& json) {
    const Text name(std::string("spend")), line(json);
    const JSValueRef function = JSObjectGetProperty(context_, script_, name.get(), nullptr);
    const JSValueRef argument = JSValueMakeString(context_, line.get());
    JSObjectCallAsFunction(context_, JSValueToObject(context_, function, nullptr), nullptr, 1,
                           &argument, nullptr);
}

/// Memory that ran out ends the script, whatever the script made of the error.
void Engine::after_slice() {
    if (memory_was_refused() && !ended_)
        fatal("MEMORY", "the script used more than its " +
                            std::to_string(limits_.memory_bytes >> 20) + " MiB of memory");
}

void Engine::fatal(std::string_view code, std::string_view message) {
    out_.line("fail", report(code, message, 0, 0));
    out_.flush();
    ::_exit(0);
}

JSValueRef Engine::ask(Arguments arguments, std::size_t) {
    if (asked_ >= limits_.agents)
        fatal("AGENT_CAP",
              "the script asks for more than " + std::to_string(limits_.agents) + " agents");
    const auto request = text(arguments[1]);
    if (request.size() > limits_.request_bytes)
        fatal("INVALID_ARGUMENT", "a request of " + std::to_string(request.size()) +
                                      " bytes is too large: the limit is " +
                                      std::to_string(limits_.request_bytes));
    const auto id = ++asked_;
    out_.line("ask", std::to_string(id) + " " + text(arguments[0]) + " " + request);
    JSObjectRef resolve = nullptr, reject = nullptr;
    const JSObjectRef promise = JSObjectMakeDeferredPromise(context_, &resolve, &reject, nullptr);
    if (!promise || !resolve) fatal("MEMORY", "the script has no memory left for a promise");
    JSValueProtect(context_, resolve);
    open_.emplace(id, resolve);
    return promise;
}

JSValueRef Engine::tell(Arguments arguments, std::size_t) {
    if (told_ < limits_.log_lines) {
        const auto said = text(arguments[1]);
        if (said.size() <= largest_saying) {
            out_.line("tell", text(arguments[0]) + " " + said);
            ++told_;
        }
    }
    return JSValueMakeUndefined(context_);
}

JSValueRef Engine::stop(Arguments arguments, std::size_t) {
    fatal(text(arguments[0]), text(arguments[1]));
}

JSValueRef Engine::finish(Arguments arguments, std::size_t) {
    after_slice();
    const auto value = text(arguments[0]);
    if (value.size() > limits_.result_bytes)
        fatal("RESULT_UNSERIALIZABLE", "the script's value has " + std::to_string(value.size()) +
                                           " bytes; the limit is " +
                                           std::to_string(limits_.result_bytes));
    out_.line("done", value);
    ended_ = true;
    return JSValueMakeUndefined(context_);
}

JSValueRef Engine::fail(Arguments arguments, std::size_t) {
    after_slice();
    const auto number = [&](std::size_t i) {
        const double value = JSValueToNumber(context_, arguments[i], nullptr);
        return value > 0 && value < 1e9 ? static_cast<unsigned>(value) : 0u;
    };
    out_.line("fail", report(text(arguments[0]), text(arguments[1]), number(2), number(3)));
    ended_ = true;
    return JSValueMakeUndefined(context_);
}

} // namespace script_box
