// A model that answers from a script: the same request always gets the same answer, so runs,
// retries and replays can be compared. It needs no network and no key.
#include <condition_variable>
#include <map>
#include <mutex>

#include <foxwedge/plugin.hpp>

#include "script.hpp"

namespace scripted {

using namespace foxwedge::plugin;

namespace {

/// The bytes of the first `characters` characters.
std::size_t prefix_size(std::string_view text, std::size_t characters) {
    std::size_t at = 0;
    for (; characters > 0 && at < text.size(); --characters)
        at += std::max<std::size_t>(1, detail::utf8_length(text.substr(at)));
    return std::min(at, text.size());
}

/// A rough figure that depends on nothing but the text.
std::int64_t tokens_of(std::string_view text) {
    return static_cast<std::int64_t>(text.size() / 4 + 1);
}

Value usage_of(const Answer& answer, std::string_view request, std::string_view content) {
    Value usage = object({{"input", tokens_of(request)},
                          {"output", tokens_of(content)},
                          {"cacheRead", 0},
                          {"cacheWrite", 0},
                          {"reasoning", 0}});
    if (answer.usage.is_object())
        for (const auto& [name, value] : answer.usage.object()) usage.set(name, value);
    return usage;
}

Value call_block(const Value& call, int turn, std::size_t index) {
    const Value& arguments = call["arguments"];
    const auto text = arguments.is_string() ? arguments.string()
                      : arguments.is_null() ? std::string("{}")
                                            : to_text(arguments);
    const auto id = "call_" + std::to_string(turn) + '_' + std::to_string(index);
    return object({{"type", "tool_call"},
                   {"id", call.string("id", id)},
                   {"name", call.string("name")},
                   {"arguments", text}});
}

Value content_of(const Answer& answer, const Request& request) {
    if (answer.content) return *answer.content;
    Value content = array();
    if (!answer.reasoning.empty())
        content.push(object({{"type", "reasoning"}, {"text", answer.reasoning}}));
    const auto text = answer.output ? to_text(*answer.output) : answer.text;
    if (!text.empty()) content.push(object({{"type", "text"}, {"text", text}}));
    for (std::size_t n = 0; n < answer.calls.size(); ++n)
        content.push(call_block(answer.calls[n], request.turn, n));
    return content;
}

} // namespace

class Scripted : public Provider {
public:
    static constexpr bool concurrent = true;

    Scripted(const Host&, const Value& config)
        : script_(read_script(config)), traits_(config["traits"]),
          streams_(config.boolean("stream", true)) {}

    Value describe() override {
        Value traits = Value::parse(R"({
            "models": [{"id": "scripted-1", "contextWindow": 200000, "maxOutput": 8192}],
            "nativeTranscript": true, "tools": true, "structuredOutput": "always",
            "streaming": true, "parallelCalls": true, "reasoningReplay": true})");
        if (traits_.is_object())
            for (const auto& [name, value] : traits_.object()) traits.set(name, value);
        return traits;
    }

    std::string generate_text(std::string_view text, Call& call) override {
        const Request request = read_request(text);
        const Answer* found = script_.find(request);
        if (!found)
            throw Failure(FOXWEDGE_E_INVALID, "invalid_request",
                          "the script has no answer for turn " + std::to_string(request.turn));
        const Answer& answer = *found;
        wait(answer.delay, call);
        const bool fails = answer.error && fails_now(*answer.error, text, call);
        Value content = content_of(answer, request);
        if (answer.has_blanks) content = filled(content, request);
        if (streams_) stream(content, answer, call);
        if (fails)
            throw Failure(answer.error->status, answer.error->code, answer.error->message,
                          answer.error->details);
        return result(content, answer, request, text, call);
    }

    Value generate(const Value& request, Call& call) override {
        return Value::parse(generate_text(to_text(request), call));
    }

    std::int64_t count_tokens(const Value& request, Call&) override {
        return tokens_of(to_text(request));
    }

    void interrupt(const foxwedge_call*) noexcept override {
        const std::lock_guard lock(mutex_);
        woken_.notify_all();
    }

private:
    void wait(std::chrono::milliseconds time, const Call& call) {
        if (time.count() <= 0) return;
        std::unique_lock lock(mutex_);
        woken_.wait_for(lock, time, [&] { return call.cancelled(); });
        lock.unlock();
        call.check_cancelled();
    }

    /// The contract tells no attempt number, so they are counted here: by this instance, from its
    /// start. An answer with `times` is the one thing that is not a function of the request alone.
    bool fails_now(const ErrorAnswer& error, std::string_view request, const Call& call) {
        if (error.times == 0) return true;
        const std::lock_guard lock(mutex_);
        const auto step = call.step_key().empty() ? request : call.step_key();
        return ++attempts_[std::string(step)] <= error.times;
    }

    void stream(const Value& content, const Answer& answer, const Call& call) {
        int index = 0;
        for (const Value& block : content.array()) {
            const auto type = block.string("type");
            if (type == "tool_call") {
                call.emit(FOXWEDGE_EVENT_TOOL_CALL, object({{"index", index++},
                                                            {"id", block["id"]},
                                                            {"name", block["name"]},
                                                            {"arguments", block["arguments"]}}));
            } else if (type == "text" || type == "reasoning") {
                const auto event = type == "text" ? FOXWEDGE_EVENT_TEXT : FOXWEDGE_EVENT_REASONING;
                stream_text(block.string("text"), event, answer, call);
            }
        }
    }

    void stream_text(std::string_view text, std::uint32_t event, const Answer& answer,
                     const Call& call) {
        while (!text.empty()) {
            const auto size = answer.chunk == 0 ? text.size() : prefix_size(text, answer.chunk);
            call.emit_text(event, "{\"text\":" + quoted(text.substr(0, size)) + '}');
            text.remove_prefix(size);
            if (!text.empty()) wait(answer.chunk_delay, call);
        }
    }

    std::string result(const Value& content, const Answer& answer, const Request& request,
                       std::string_view text, const Call& call) {
        bool calls = false;
        for (const Value& block : content.array()) calls |= block.string("type") == "tool_call";
        std::string out = "{\"content\":";
        append_text(out, content);
        const Value usage = usage_of(answer, text, out);
        if (streams_) call.emit(FOXWEDGE_EVENT_USAGE, usage);
        out += ",\"stop\":" + quoted(!answer.stop.empty() ? answer.stop
                                     : calls              ? "tool_use"
                                                          : "end");
        out += ",\"usage\":";
        append_text(out, usage);
        std::string model = answer.model.empty() ? request.model() : answer.model;
        out += ",\"model\":" + quoted(model.empty() ? "scripted-1" : model);
        out += ",\"responseId\":\"scripted-" + std::to_string(request.turn) + "\"}";
        return out;
    }

    const Script script_;
    const Value traits_;
    const bool streams_;
    std::mutex mutex_;
    std::condition_variable woken_;
    std::map<std::string, int> attempts_; ///< by step
};

} // namespace scripted

FOXWEDGE_PLUGIN(foxwedge::plugin::component<scripted::Scripted>("scripted"));
