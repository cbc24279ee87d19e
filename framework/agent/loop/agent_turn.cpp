#include "agent/loop/agent_turn.hpp"

#include "agent/calls/execute.hpp"
#include "agent/loop/model_step.hpp"
#include "agent/names.hpp"
#include "agent/output/answer.hpp"
#include "base/text.hpp"

namespace foxwedge::agent {
namespace {

bool calls_tools(const Generated& answer) {
    for (const Block& block : answer.content)
        if (block.type == Block::Type::tool_call) return true;
    return false;
}

void fill_messages(Session& session, const TurnContext& turn) {
    std::vector<Message>& messages = session.request().messages;
    messages = turn.history.task();
    for (const Group& group : turn.history.groups()) {
        messages.push_back(group.assistant);
        if (group.reply) messages.push_back(*group.reply);
    }
    for (Message& message : messages)
        strip_foreign_opaque(message, session.table.traits.transcript_format,
                             session.request().model);
}

Result<ModelSaid> ask_model(Session& session, TurnContext& turn) {
    ModelAsk ask;
    ask.name = turn.name;
    ask.agent = session.id;
    ask.inputs = sha256(bytes_of(session.head()), bytes_of(turn.history.digest()));
    ask.retry = session.retry();
    ask.provider = [&] { return session.provider(); };
    ask.request = [&]() -> Result<GenerateRequest*> {
        fill_messages(session, turn);
        return &session.request();
    };
    return model_step(turn.run, ask, session.world);
}

Result<Turn> run_calls(Session& session, TurnContext& turn, ModelSaid said) {
    Turn out;
    out.usage = said.answer.usage;
    FOXWEDGE_TRY(plan, plan_calls(session, turn, said.answer));
    if (plan.stopped) {
        out.then = Turn::Then::stop;
        return out;
    }
    if (plan.human_gates > turn.approvals_left) {
        out.then = Turn::Then::stop;
        out.stop_reason = "approval-budget";
        return out;
    }
    out.approvals = plan.human_gates;
    const std::vector<PlannedCall> calls = plan.calls;
    FOXWEDGE_TRY(ended, execute_calls(session, turn, std::move(plan)));
    out.group = exchange(said.answer, calls, ended);
    out.recorded.push_back(std::move(said.recorded));
    for (EndedCall& call : ended) {
        if (call.stop) out.then = Turn::Then::stop;
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

Result<Turn> agent_turn(Session& session, TurnContext& turn) {
    FOXWEDGE_TRY(said, ask_model(session, turn));
    if (calls_tools(said.answer)) return run_calls(session, turn, std::move(said));
    if (said.answer.stop == "pause") {
        Turn out;
        out.usage = said.answer.usage;
        out.group =
            Group{{Role::assistant, std::move(said.answer.content)}, std::nullopt, 0, 0, {}};
        out.recorded.push_back(std::move(said.recorded));
        return out;
    }
    return final_turn(session, turn, std::move(said));
}

} // namespace foxwedge::agent
