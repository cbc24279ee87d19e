#include "agent/loop/agent_turn.hpp"

#include <utility>

#include "agent/budget/ledger.hpp"
#include "agent/calls/execute.hpp"
#include "agent/context/choose.hpp"
#include "agent/loop/model_step.hpp"
#include "agent/names.hpp"
#include "agent/output/answer.hpp"
#include "agent/rendering.hpp"
#include "base/text.hpp"

namespace foxwedge::agent {
namespace {

bool calls_tools(const Generated& answer) {
    for (const Block& block : answer.content)
        if (block.type == Block::Type::tool_call) return true;
    return false;
}

Result<ModelSaid> ask_model(Session& session, TurnContext& turn, Json view) {
    ModelAsk ask;
    ask.name = turn.name;
    ask.agent = session.id;
    ask.inputs = sha256(bytes_of(session.head()), bytes_of(turn.history.digest()));
    ask.retry = session.retry();
    ask.ledger = &session.ledger;
    ask.view = std::move(view);
    ask.provider = [&] { return session.provider(); };
    ask.request = [&]() -> Result<GenerateRequest*> {
        session.fill_messages(turn.history);
        return &session.request();
    };
    ask.finish = [&](const Generated& answer, JsonObject&) {
        if (!session.speaks_text()) return check_shape(session, answer);
        Generated read = answer;
        read.content = calls_in_text(std::move(read.content));
        return check_shape(session, read);
    };
    FOXWEDGE_TRY(said, model_step(turn.run, ask, session.world));
    if (session.speaks_text()) said.answer.content = calls_in_text(std::move(said.answer.content));
    if (!session.options.context.is_null()) {
        if (!said.view.is_null()) session.context.adopt(view_from_json(said.view));
        session.meter.counted(said.answer.usage, session.context.shown_tokens());
    }
    return said;
}

Turn stopped(const ModelSaid& said, std::string reason) {
    Turn out;
    out.spent = said.spent;
    out.then = Turn::Then::stop;
    out.stop_reason = std::move(reason);
    return out;
}

Result<Turn> run_calls(Session& session, TurnContext& turn, ModelSaid said) {
    FOXWEDGE_TRY(plan, plan_calls(session, turn, said.answer));
    if (plan.stopped) return stopped(said, "stopped");
    if (plan.human_gates > turn.approvals_left()) return stopped(said, "approval-budget");
    Turn out;
    out.spent = said.spent;
    out.approvals = plan.human_gates;
    const std::vector<PlannedCall> calls = plan.calls;
    FOXWEDGE_TRY(ended, execute_calls(session, turn, std::move(plan)));
    out.group = exchange(said.answer, calls, ended);
    out.recorded.push_back(std::move(said.recorded));
    for (EndedCall& call : ended) {
        out.spent += call.spent;
        out.approvals += call.asked;
        if (call.stop || call.over_budget) out.then = Turn::Then::stop;
        if (call.over_budget) out.stop_reason = "approval-budget";
        for (std::string& text : call.recorded) out.recorded.push_back(std::move(text));
    }
    return out;
}

} // namespace

Group exchange(const Generated& answer, const std::vector<PlannedCall>& calls,
               const std::vector<EndedCall>& ended) {
    Group group;
    group.assistant.role = Role::assistant;
    group.assistant.content = answer.content;
    group.usage = answer.usage;
    group.calls = static_cast<std::int64_t>(calls.size());
    Message results;
    results.role = Role::tool;
    std::size_t i = 0;
    for (Block& block : group.assistant.content) {
        if (block.type != Block::Type::tool_call) continue;
        const PlannedCall& call = calls[i];
        const EndedCall& end = ended[i++];
        block.call_id = call.wire_id;
        if (end.changed)
            block.arguments = to_text(end.arguments); // the history shows what ran
        else if (trimmed(block.arguments).empty())
            block.arguments = "{}";
        Block result;
        result.type = Block::Type::tool_result;
        result.call_id = call.wire_id;
        result.name = call.name;
        result.is_error = end.is_error;
        result.content = end.shown;
        results.content.push_back(std::move(result));
    }
    group.reply = std::move(results);
    return group;
}

namespace {

/// A refusal by a budget, which is on record as a step's outcome, stops the agent; nothing else
/// does.
Result<Turn> unless_refused(Error error, const Spent& spent, int iterations) {
    if (error.code != budget_exceeded) return error;
    Turn out;
    out.spent = spent;
    out.then = Turn::Then::stop;
    out.stop_reason = "budget";
    out.iterations = iterations;
    return out;
}

Result<Turn> answered(Session& session, TurnContext& turn, ModelSaid said) {
    if (only_gives_output(session, said.answer) || !calls_tools(said.answer)) {
        if (said.answer.stop != "pause") return final_turn(session, turn, std::move(said));
        Turn out;
        out.spent = said.spent;
        out.group =
            Group{{Role::assistant, std::move(said.answer.content)}, std::nullopt, 0, 0, {}};
        out.recorded.push_back(std::move(said.recorded));
        return out;
    }
    return run_calls(session, turn, std::move(said));
}

} // namespace

Result<Turn> agent_turn(Sessions& sessions, TurnContext& turn) {
    // Another configuration may be in force between any two of these.
    FOXWEDGE_TRY(showing, sessions.current());
    FOXWEDGE_TRY(view, choose_view(*showing, turn));
    FOXWEDGE_TRY(asking, sessions.within_turn());
    auto said = ask_model(*asking, turn, std::move(view));
    if (!said) return unless_refused(std::move(said).error(), {}, 0);
    FOXWEDGE_TRY(acting, sessions.within_turn());
    const Spent asked = said->spent;
    auto out = answered(*acting, turn, *std::move(said));
    if (!out) return unless_refused(std::move(out).error(), asked, 1);
    out->spent += std::exchange(acting->extra, Spent());
    return out;
}

} // namespace foxwedge::agent
