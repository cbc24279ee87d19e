// One model call as one durable step, without a loop around it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/loop/loop.hpp"
#include "agent/world.hpp"
#include "contracts/provider.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

struct GenerateOptions {
    std::string provider, model, instructions;
    Json prompt; ///< text or messages
    Json output; ///< JSON Schema or null
    std::optional<std::int64_t> max_tokens;
    std::optional<double> temperature;
    Json provider_options;
    std::optional<RetryPolicy> retry;
    std::shared_ptr<Provider> instance; ///< instead of a name
};

struct GenerateResult {
    Json value; ///< text, or the parsed value where `output` is set
    Generated answer;
};

/// The step is called `name`. Fails with the provider's error, `refusal`, `output_truncated`,
/// `output_unsupported`, `output_not_json`. The value is not checked against the schema.
Result<GenerateResult> generate(run::Run&, std::string_view name, const GenerateOptions&, World&);
/// The same for a turn of loop(): the step is the turn's own, "<id>:iter:N".
Result<GenerateResult> generate(TurnContext&, const GenerateOptions&, World&);

} // namespace foxwedge::agent
