// One call of a model as one durable step.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/budget/ledger.hpp"
#include "agent/world.hpp"
#include "contracts/provider.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

struct ModelAsk {
    std::string name; ///< of the step
    std::string_view agent;
    Digest inputs{};
    RetryPolicy retry;
    const Ledger* ledger = nullptr; ///< the budgets over it, if any
    /// Both are called in the body only: a replay needs neither provider nor request.
    std::function<Result<std::shared_ptr<Provider>>()> provider;
    std::function<Result<GenerateRequest*>()> request; ///< its idempotency key is set here
    bool may_be_cut = false; ///< an answer that ends at its limit of tokens will do
    /// Requested: nobody wants the answer any more; the call ends, error `taken_back`.
    std::stop_token taken_back;
    Json view; ///< what of the history was shown; recorded with the answer; null: all
    /// Judges an answer that may be used, and adds to its record; an error fails the attempt.
    std::function<Status(const Generated&, JsonObject& record)> finish;
};

struct ModelSaid {
    Generated answer;
    Spent spent;
    Json view;
    std::string recorded; ///< the step's value, as the transcript's chain takes it
};

/// Fails with the provider's error, `budget_exceeded`, `refusal`, `output_truncated`,
/// `empty_response` or `taken_back`.
Result<ModelSaid> model_step(run::Run&, const ModelAsk&, World&);

/// Whether an answer may be used at all. Pure.
Status check_answer(const Generated&);

} // namespace foxwedge::agent
