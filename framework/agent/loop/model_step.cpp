#include "agent/loop/model_step.hpp"

#include <algorithm>
#include <utility>

#include "agent/budget/accounting.hpp"
#include "agent/context/tokens.hpp"
#include "agent/step_call.hpp"
#include "contracts/questions.hpp"

namespace foxwedge::agent {
namespace {

/// Ends, too, once nobody wants the answer any more.
Result<Generated> generate(Provider& provider, const GenerateRequest& request, Call& call,
                           const std::stop_token& taken_back) {
    if (!taken_back.stop_possible()) return provider.generate(request, call);
    std::stop_source over;
    const auto end = [&over] { over.request_stop(); };
    const std::stop_callback by_run(std::exchange(call.until.stop, over.get_token()), end);
    const std::stop_callback by_asker(taken_back, end);
    if (taken_back.stop_requested()) return permanent(taken_back_code, "it was taken back");
    auto answer = provider.generate(request, call);
    if (!answer && taken_back.stop_requested())
        return permanent(taken_back_code, "it was taken back");
    return answer;
}

Result<run::StepValue> ask(run::Run& run, run::StepCall& step, const ModelAsk& ask, World& world) {
    const Ledger no_budget(world, {});
    const Ledger& ledger = ask.ledger ? *ask.ledger : no_budget;
    FOXWEDGE_CHECK(ledger.admit(Ledger::Kind::model, step.key()));
    const Ledger::UnderWay under_way(ledger, true);
    FOXWEDGE_TRY(provider, ask.provider());
    FOXWEDGE_TRY(request, ask.request());
    request->idempotency_key = step.key();
    ContractCall call(run, step, ask.name, ask.agent, world);
    FOXWEDGE_TRY(answer, generate(*provider, *request, call.call(), ask.taken_back));
    if (!ask.may_be_cut || answer.stop != "length") FOXWEDGE_CHECK(check_answer(answer));
    if (answer.usage == Usage()) answer.usage = estimated_usage(*request, answer);

    Json value = to_json(answer);
    JsonObject& record = value.get_object();
    record.erase("usage"); // has its own place in the step's record
    if (!ask.view.is_null()) record["view"] = ask.view;
    if (ask.finish) FOXWEDGE_CHECK(ask.finish(answer, record));
    run::StepValue out;
    out.value_json = to_text(value);
    // By the model that was asked for: `prices` and budgets go by the configured names.
    Spent spent{answer.usage, cost_of(world, request->model, answer.usage), 0, Millis(0)};
    out.usage_json = to_text(to_json(spent));
    const Scope scope = scope_of(run.head(), ask.agent, world.project);
    out.effects = usage_effects(world, scope, ask.name,
                                answer.model.empty() ? request->model : answer.model, answer.usage);
    for (auto& effect : ledger.effects(spent)) out.effects.push_back(std::move(effect));
    return out;
}

} // namespace

Status check_answer(const Generated& answer) {
    if (answer.stop == "refusal" || answer.stop == "content_filter") {
        std::string why = text_of(answer.content);
        return permanent("refusal", why.empty() ? "the model refused to answer" : why);
    }
    if (answer.stop == "length")
        return permanent("output_truncated",
                         "the model's answer was cut at its limit of tokens: raise maxTokens");
    const bool says_something =
        std::any_of(answer.content.begin(), answer.content.end(), [](const Block& block) {
            return block.type == Block::Type::tool_call || block.type == Block::Type::other ||
                   (block.type == Block::Type::text && !block.text.empty());
        });
    if (says_something || answer.stop == "pause") return {};
    Error error;
    error.code = "empty_response";
    error.message = "the model answered nothing";
    error.certainty = Certainty::done_with_error;
    return error;
}

Result<ModelSaid> model_step(run::Run& run, const ModelAsk& what, World& world) {
    run::StepOptions options;
    options.kind = "model";
    options.inputs_digest = what.inputs;
    options.retry = what.retry;
    FOXWEDGE_TRY(value, run.step(what.name, options,
                                 [&](run::StepCall& step) { return ask(run, step, what, world); }));
    FOXWEDGE_TRY(record, parse_json(value.value_json));
    ModelSaid out;
    FOXWEDGE_TRY(answer, generated_from_json(record));
    out.answer = std::move(answer);
    if (!value.usage_json.empty()) {
        FOXWEDGE_TRY(usage, parse_json(value.usage_json));
        out.spent = spent_from_json(usage);
        out.answer.usage = out.spent.usage;
    }
    if (const Json* view = member(record, "view")) out.view = *view;
    out.recorded = std::move(value.value_json);
    return out;
}

} // namespace foxwedge::agent
