// Gemini models through Google's generateContent.
#include <foxwedge/plugin.hpp>

#include "common/settings.hpp"
#include "common/transcript.hpp"
#include "decoder.hpp"
#include "request.hpp"

namespace gemini {
namespace {

using namespace foxwedge::plugin;

class Gemini : public Provider {
public:
    static constexpr bool concurrent = true;

    Gemini(const Host& host, const Value& config)
        : http_(host.http()),
          settings_(config, "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"),
          key_header_(config.string("apiKeyHeader", "x-goog-api-key")),
          structured_(config.string("structuredOutput", "final")) {}

    Value describe() override {
        return object({{"nativeTranscript", true},
                       {"tools", true},
                       {"structuredOutput", structured_},
                       {"streaming", true},
                       {"parallelCalls", true},
                       {"reasoningReplay", true}});
    }

    Value generate(const Value& request, Call& call) override {
        const auto model = request.string("model");
        Decoder decoder(provider_kit::family_of(model), provider_kit::to_call(call));
        const auto prefix = key_header_ == "authorization" ? "Bearer " : "";
        // The vendor knows no idempotency keys.
        return provider_kit::exchange(http_, call,
                                      settings_.post(path_of(model, settings_.stream()),
                                                     make_body(request), key_header_, prefix, {}),
                                      decoder, settings_.idle());
    }

private:
    Http http_;
    provider_kit::Settings settings_;
    std::string key_header_, structured_;
};

} // namespace
} // namespace gemini

FOXWEDGE_PLUGIN(foxwedge::plugin::component<gemini::Gemini>("gemini"));
