// OpenAI's Chat Completions, at OpenAI or at any address that speaks them, and Responses.
#include <foxwedge/plugin.hpp>

#include "chat_decoder.hpp"
#include "chat_request.hpp"
#include "common/settings.hpp"
#include "common/transcript.hpp"
#include "responses_decoder.hpp"
#include "responses_request.hpp"

namespace openai {
namespace {

using namespace foxwedge::plugin;

class OpenAi : public Provider {
public:
    static constexpr bool concurrent = true;
    static constexpr const char* own_address = "https://api.openai.com/v1";

    OpenAi(const Host& host, const Value& config)
        : http_(host.http()), settings_(config, own_address, "OPENAI_API_KEY"),
          key_header_(config.string("apiKeyHeader", "authorization")),
          query_(config.string("query")), structured_(config.string("structuredOutput", "always")),
          tools_(config.boolean("tools", true)), responses_(config.string("api") == "responses") {
        const bool at_home = settings_.base_url() == own_address;
        chat_.stream = settings_.stream();
        chat_.stream_usage = config.boolean("streamUsage", true);
        chat_.system_role = config.string("systemRole", "system");
        chat_.max_tokens_field =
            config.string("maxTokensField", at_home ? "max_completion_tokens" : "max_tokens");
    }

    Value describe() override {
        return object({{"nativeTranscript", tools_},
                       {"tools", tools_},
                       {"structuredOutput", structured_},
                       {"streaming", true},
                       {"parallelCalls", true},
                       {"reasoningReplay", true}});
    }

    Value generate(const Value& request, Call& call) override {
        const auto family = provider_kit::family_of(request.string("model"));
        if (responses_) {
            ResponsesDecoder decoder(family, provider_kit::to_call(call));
            const ResponsesOptions options{settings_.stream(), settings_.base_url() == own_address};
            return send("/responses", make_responses_body(request, options), request, decoder,
                        call);
        }
        ChatDecoder decoder(family, provider_kit::to_call(call));
        return send("/chat/completions", make_chat_body(request, chat_), request, decoder, call);
    }

private:
    Value send(std::string path, const Value& body, const Value& request,
               provider_kit::Decoder& decoder, const Call& call) {
        if (!query_.empty()) path += "?" + query_;
        const auto prefix = key_header_ == "authorization" ? "Bearer " : "";
        return provider_kit::exchange(
            http_, call,
            settings_.post(path, body, key_header_, prefix, request.string("idempotencyKey")),
            decoder, settings_.idle());
    }

    Http http_;
    provider_kit::Settings settings_;
    std::string key_header_, query_, structured_;
    bool tools_, responses_;
    ChatOptions chat_;
};

} // namespace
} // namespace openai

FOXWEDGE_PLUGIN(foxwedge::plugin::component<openai::OpenAi>("openai"));
