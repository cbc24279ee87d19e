// A provider in C++: asks a service over HTTP and passes its answer on while it arrives.
#include <foxwedge/plugin.hpp>

using namespace foxwedge::plugin;

class Parrot : public Provider {
public:
    Parrot(const Host& host, const Value& config)
        : http_(host.http()), url_(config.string("url", "https://parrot.example/v1")) {}

    Value describe() override {
        return Value::parse(
            R"({"nativeTranscript": true, "tools": false, "structuredOutput": "none",
            "streaming": true, "parallelCalls": false, "reasoningReplay": false})");
    }

    Value generate(const Value& request, Call& call) override {
        const Value post = object({{"method", "POST"},
                                   {"url", url_},
                                   {"headers", object({{"authorization", key()}})},
                                   {"body", to_text(request["messages"])}});
        std::int64_t http_status = 0;
        std::string text;
        const Reply reply = http_.send(
            call, post, [&](const Value& head) { http_status = head.integer("status", 0); },
            [&](std::string_view bytes) {
                if (http_status == 200) call.emit_answer(bytes); // throws when it was cancelled
                text += bytes;
            });
        reply.value(); // throws what the service says went wrong
        if (http_status == 429)
            throw Failure(FOXWEDGE_E_TRANSIENT, "rate_limited", "the parrot wants a rest",
                          object({{"retryAfterMs", 1000}, {"httpStatus", 429}}));
        if (http_status != 200) throw Failure(FOXWEDGE_E_INVALID, "invalid_request", text);
        return object({{"content", array({object({{"type", "text"}, {"text", text}})})},
                       {"stop", "end"},
                       {"usage", object({{"input", 0}, {"output", 0}})},
                       {"model", "parrot-1"},
                       {"responseId", std::string(call.step_key())}});
    }

private:
    static Value key() { return object({{"secret", "PARROT_KEY"}, {"prefix", "Bearer "}}); }
    const Http http_;
    const std::string url_;
};

FOXWEDGE_PLUGIN(component<Parrot>("parrot"));
FOXWEDGE_DESCRIPTOR(R"({"id": "provider-parrot", "version": "1.0.0", "title": "A parrot",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.provider/1", "id": "parrot", "title": "A parrot",
         "secrets": ["PARROT_KEY"], "transcriptFormat": "parrot"}]})");
