#include "agent/output/answer.hpp"

#include "agent/names.hpp"

namespace foxwedge::agent {
namespace {

/// The answer with a remark of the host behind it, for the model to answer anew.
Turn answered_anew(ModelSaid said, const std::string& remark) {
    Turn out;
    out.usage = said.answer.usage;
    Group group;
    group.assistant = {Role::assistant, std::move(said.answer.content)};
    group.reply = Message{Role::user, {text_block(remark)}};
    group.usage = said.answer.usage;
    out.group = std::move(group);
    out.recorded = {std::move(said.recorded), remark};
    return out;
}

Json content_of(const std::vector<Block>& blocks) {
    JsonArray out;
    for (const Block& block : blocks) out.push_back(to_json(block));
    return out;
}

} // namespace

Result<Turn> final_turn(Session& session, TurnContext& turn, ModelSaid said) {
    std::vector<Block> content = said.answer.content;
    if (session.guards.any(Placement::output)) {
        JsonObject subject{{"agent", session.id}};
        subject["content"] = content_of(content);
        FOXWEDGE_TRY(guarded, session.guards.check(
                                  turn.run, session.id, Placement::output, std::move(subject),
                                  [&](std::string_view label) {
                                      return output_guardrail_step(turn.name, label);
                                  },
                                  session.world));
        if (guarded.outcome == Guarded::Outcome::deny)
            return answered_anew(std::move(said), guarded.message);
        if (guarded.outcome == Guarded::Outcome::stop) {
            Turn out;
            out.usage = said.answer.usage;
            out.then = Turn::Then::stop;
            return out;
        }
        if (guarded.replaced) {
            FOXWEDGE_TRY(message, message_from_json(JsonObject{{"role", "assistant"},
                                                               {"content", guarded.value}}));
            content = std::move(message.content);
        }
    }
    Turn out;
    out.usage = said.answer.usage;
    out.then = Turn::Then::final;
    out.final = text_of(content);
    return out;
}

} // namespace foxwedge::agent
