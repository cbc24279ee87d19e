// A provider: an adapter to a service that answers with a model. The service of this one takes
// {"model", "prompt"} and streams events of one line of JSON each, {"text": "..."}, the last of
// them {"done": true, "usage": {"input", "output"}}. Put the wire format of yours in its place. The
// kit sends, frames the stream, reads refusals, and gives up on stalls and on answers without end.
#include <foxwedge/plugin.hpp>
#include <foxwedge/provider_kit/exchange.hpp>

using namespace foxwedge::plugin;

namespace {

/// Reads one answer.
class Answer final : public provider_kit::Decoder {
public:
    Answer(const Call& call, Value model) : call_(call), model_(std::move(model)) {}

    bool event(std::string_view, std::string_view data) override {
        const Value piece = provider_kit::parse_answer(data);
        const auto text = piece.string("text");
        if (!text.empty()) call_.emit_answer(text); // throws when the host wants the call to end
        text_ += text;
        if (piece.boolean("done", false)) last_ = piece;
        return true;
    }
    void whole(const Value& body) override { event("", to_text(body)); }
    bool ended() const override { return last_.is_object(); }
    Value result() override {
        if (!ended()) throw provider_kit::cut_off("the service gave no whole answer");
        const Value& usage = last_["usage"];
        return provider_kit::text_answer(text_, usage.is_object() ? usage : object(), model_);
    }

private:
    const Call& call_;
    const Value model_;
    std::string text_;
    Value last_;
};

class PLUGIN_TYPE final : public Provider {
public:
    static constexpr bool concurrent = true; // nothing in it changes

    PLUGIN_TYPE(const Host& host, const Value& config)
        : http_(host.http()), url_(config["url"]), key_(config["key"]) {}

    Value describe() override { return provider_kit::text_traits(); }

    Value generate(const Value& request, Call& call) override {
        const Value body = object({{"model", request["model"]}, {"prompt", prompt_of(request)}});
        // The key is named, never seen: its value is the host's alone.
        const Value key = object({{"secret", key_["secret"]}, {"prefix", "Bearer "}});
        const Value post = object(
            {{"method", "POST"},
             {"url", url_},
             {"headers", object({{"content-type", "application/json"}, {"authorization", key}})},
             {"body", to_text(body)}});
        Answer answer(call, request["model"]);
        return provider_kit::exchange(http_, call, post, answer, std::chrono::minutes(2));
    }

private:
    /// The text of all messages, one below the other.
    static std::string prompt_of(const Value& request) {
        std::string prompt(request.string("system"));
        for (const Value& message : request.array("messages"))
            for (const Value& block : message.array("content")) {
                prompt += '\n';
                prompt += block.string("text");
            }
        return prompt;
    }
    const Http http_;
    const Value url_, key_;
};

} // namespace

FOXWEDGE_PLUGIN(component<PLUGIN_TYPE>("@NAME@"));
