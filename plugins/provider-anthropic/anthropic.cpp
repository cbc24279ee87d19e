// Claude models through Anthropic's Messages API.
#include <foxwedge/plugin.hpp>

#include "common/settings.hpp"
#include "common/transcript.hpp"
#include "decoder.hpp"
#include "request.hpp"

namespace anthropic {
namespace {

using namespace foxwedge::plugin;

class Anthropic : public Provider {
public:
    static constexpr bool concurrent = true;

    Anthropic(const Host& host, const Value& config)
        : http_(host.http()),
          settings_(with_version(config), "https://api.anthropic.com", "ANTHROPIC_API_KEY") {
        options_.max_tokens = config.integer("maxTokens", options_.max_tokens);
        options_.prompt_cache = config.boolean("promptCache", true);
        options_.stream = settings_.stream();
    }

    Value describe() override {
        return object({{"nativeTranscript", true},
                       {"tools", true},
                       {"structuredOutput", "always"},
                       {"streaming", true},
                       {"parallelCalls", true},
                       {"reasoningReplay", true}});
    }

    Value generate(const Value& request, Call& call) override {
        try {
            return ask(request, options_, call);
        } catch (const Failure& failure) {
            // A history whose signatures are no longer accepted would stop the run for ever.
            if (failure.code != "invalid_request" ||
                !provider_kit::has(failure.message, "thinking") || !has_reasoning(request))
                throw;
        }
        auto without = options_;
        without.keep_reasoning = false;
        return ask(request, without, call);
    }

    std::int64_t count_tokens(const Value& request, Call& call) override {
        auto body = make_body(request, options_);
        Value count;
        for (const auto& [key, value] : body.object())
            if (key != "max_tokens" && key != "stream" && key != "temperature")
                count.set(key, value);
        const auto response = http_.send(
            call, settings_.post("/v1/messages/count_tokens", count, "x-api-key", {}, {}));
        if (response.status != 200) {
            provider_kit::Complaint complaint{response.status, {}, response.body};
            throw provider_kit::failure_of(complaint, response.headers);
        }
        return provider_kit::parse_answer(response.body).integer("input_tokens", 0);
    }

private:
    static Value with_version(const Value& config) {
        Value out = config;
        Value headers = object({{"anthropic-version", "2023-06-01"}});
        std::string beta;
        for (const auto& value : config.array("beta"))
            if (value.is_string()) beta += (beta.empty() ? "" : ",") + value.string();
        if (!beta.empty()) headers.set("anthropic-beta", beta);
        if (config["headers"].is_object())
            for (const auto& [name, value] : config["headers"].object()) headers.set(name, value);
        out.set("headers", std::move(headers));
        return out;
    }

    Value ask(const Value& request, const RequestOptions& options, Call& call) {
        Decoder decoder(provider_kit::family_of(request.string("model")),
                        provider_kit::to_call(call));
        const auto body = make_body(request, options);
        return provider_kit::exchange(
            http_, call,
            settings_.post("/v1/messages", body, "x-api-key", {}, request.string("idempotencyKey")),
            decoder, settings_.idle());
    }

    Http http_;
    provider_kit::Settings settings_;
    RequestOptions options_;
};

} // namespace
} // namespace anthropic

FOXWEDGE_PLUGIN(foxwedge::plugin::component<anthropic::Anthropic>("anthropic"));
