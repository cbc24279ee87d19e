#include <algorithm>
#include <array>

#include "plugin/adapters.hpp"

namespace foxwedge::plugin {
namespace {

/// Answers of a model service that no repetition changes, whatever status they came with.
constexpr std::array<std::string_view, 5> lasting = {
    "unauthorized", "invalid_request", "context_window_exceeded", "refusal", "output_truncated"};

class PluginProvider final : public Provider {
public:
    explicit PluginProvider(std::shared_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

    Result<ProviderTraits> describe(Call& call) override {
        auto json = endpoint_->description();
        const bool known = json.has_value();
        if (!known) {
            const VerbRequest request{Verb::describe, {}, {}, 0};
            FOXWEDGE_TRY(said, result_of(*endpoint_, request, endpoint_->call(request, call)));
            json = std::move(said);
        }
        auto traits = provider_traits_from_json(*json);
        if (!traits) return broken_promise(*endpoint_, Verb::describe, traits.error());
        if (!known) endpoint_->keep_description(*std::move(json));
        traits->transcript_format = endpoint_->component().transcript_format;
        return traits;
    }

    Result<Generated> generate(const GenerateRequest& asked, Call& call) override {
        const auto text = to_text(to_json(asked));
        const VerbRequest request{Verb::generate, text, {}, 0};
        auto json = result_of(*endpoint_, request, endpoint_->call(request, call));
        if (!json) {
            auto& error = json.error();
            if (std::find(lasting.begin(), lasting.end(), error.code) != lasting.end())
                error.certainty = Certainty::permanent;
            return error;
        }
        auto generated = generated_from_json(*json);
        if (!generated) return broken_promise(*endpoint_, Verb::generate, generated.error());
        return generated;
    }

    Result<std::int64_t> count_tokens(const GenerateRequest& asked, Call& call) override {
        const auto text = to_text(to_json(asked));
        const VerbRequest request{Verb::count_tokens, text, {}, 0};
        FOXWEDGE_TRY(json, result_of(*endpoint_, request, endpoint_->call(request, call)));
        const auto tokens = integer_member(json, "tokens");
        if (tokens && *tokens >= 0) return *tokens;
        return broken_promise(*endpoint_, Verb::count_tokens,
                              permanent("invalid_result", "it has no \"tokens\", from 0"));
    }

private:
    std::shared_ptr<Endpoint> endpoint_;
};

} // namespace

std::shared_ptr<Provider> make_provider(std::shared_ptr<Endpoint> endpoint) {
    return std::make_shared<PluginProvider>(std::move(endpoint));
}

} // namespace foxwedge::plugin
