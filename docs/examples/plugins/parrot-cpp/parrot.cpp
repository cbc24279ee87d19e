// A provider in C++: asks a service over HTTP and passes its answer, which is plain text, on while
// it arrives. Of the kit it takes what refusals mean, and nothing else: brook-cpp takes more.
#include <foxwedge/plugin.hpp>
#include <foxwedge/provider_kit/errors.hpp>

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
        const Value body = object({{"system", request["system"]}, {"said", request["messages"]}});
        const Value post = object({{"method", "POST"},
                                   {"url", url_},
                                   {"headers", object({{"authorization", key()}})},
                                   {"body", to_text(body)}});
        int status = 0;
        Value headers;
        std::string text;
        const Reply reply = http_.send(
            call, post,
            [&](const Value& head) {
                status = static_cast<int>(head.integer("status", 0));
                headers = head["headers"];
            },
            [&](std::string_view bytes) {
                if (status == 200) call.emit_answer(bytes); // throws when it was cancelled
                text += bytes;
            });
        reply.value(); // throws what the service says went wrong
        if (status != 200) throw provider_kit::failure_of({status, "", text}, headers);
        if (headers.string("content-type") != "text/plain")
            throw provider_kit::cut_off("that was no parrot");
        if (text.empty()) throw provider_kit::empty_response();
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
