#include "agent/output/answer.hpp"

#include <utility>

#include "agent/names.hpp"

namespace foxwedge::agent {
namespace {

/// The answer with a remark of the host behind it, for the model to answer anew.
Group with_remark(const Generated& answer, const std::string& remark) {
    Group group;
    group.assistant = {Role::assistant, answer.content};
    group.reply = Message{Role::user, {text_block(remark)}};
    group.usage = answer.usage;
    return group;
}

Json content_of(const std::vector<Block>& blocks) {
    JsonArray out;
    for (const Block& block : blocks) out.push_back(to_json(block));
    return out;
}

/// The text in which the value stands.
std::string value_text(const std::vector<Block>& content) {
    for (const Block& block : content)
        if (block.type == Block::Type::tool_call && block.name == output_tool)
            return block.arguments;
    return text_of(content);
}

/// Why the value cannot be taken, for the model; "" if it can.
std::string objection(Session& session, const std::vector<Block>& content, Json& value) {
    auto parsed = parse_json(value_text(content));
    if (!parsed) return "The answer must be JSON and nothing else: " + parsed.error().message;
    value = *std::move(parsed);
    if (!session.options.validate_output) return {};
    const SchemaVerdict verdict = session.schemas.check("\noutput", session.options.output, value);
    if (verdict.ok()) return {};
    return "The answer does not fit its schema:\n" +
           (verdict.usable ? violations_text(verdict.violations) : verdict.problem);
}

/// One more model call, without tools, for an answer in the shape.
Result<ModelSaid> repair(Session& session, TurnContext& turn, const Generated& answer,
                         const std::string& remark) {
    GenerateRequest request;
    ModelAsk ask;
    ask.name = repair_step(turn.name, 0);
    ask.agent = session.id;
    ask.inputs =
        sha256(bytes_of(session.head()), std::string(bytes_of(turn.history.digest())) + remark);
    ask.retry = session.retry();
    ask.ledger = &session.ledger;
    ask.provider = [&] { return session.provider(); };
    ask.request = [&]() -> Result<GenerateRequest*> {
        session.fill_messages(turn.history);
        request = session.request();
        Group group = with_remark(answer, remark);
        // A call without a result would be refused; the value stands there as text as well.
        for (Block& block : group.assistant.content)
            if (block.type == Block::Type::tool_call) block = text_block(block.arguments);
        request.messages.push_back(std::move(group.assistant));
        request.messages.push_back(*std::move(group.reply));
        if (session.output == OutputWay::afterwards) {
            request.tools.clear();
            request.tool_choice = "none";
            request.output = JsonObject{{"schema", session.options.output}, {"name", "answer"}};
        }
        if (session.output == OutputWay::tool && !session.speaks_text())
            request.tool_choice = JsonObject{{"name", output_tool}};
        return &request;
    };
    ask.finish = [&](const Generated& again, JsonObject&) -> Status {
        if (parse_json(value_text(again.content))) return {};
        Error error = permanent("output_not_json", "the model's answer is not JSON");
        error.certainty = Certainty::done_with_error;
        return error;
    };
    return model_step(turn.run, ask, session.world);
}

Result<Guarded> guard_output(Session& session, TurnContext& turn, const std::vector<Block>& content,
                             const Json& value) {
    JsonObject subject{{"agent", session.id}};
    subject["content"] = content_of(content);
    if (session.output != OutputWay::text) subject["final"] = value;
    return session.guards.check(
        turn.run, session.id, Placement::output, std::move(subject),
        [&](std::string_view label) { return output_guardrail_step(turn.name, label); },
        session.world);
}

Result<std::vector<Block>> blocks_from(const Json& content) {
    FOXWEDGE_TRY(message,
                 message_from_json(JsonObject{{"role", "assistant"}, {"content", content}}));
    return std::move(message.content);
}

} // namespace

bool only_gives_output(const Session& session, const Generated& answer) {
    if (session.output != OutputWay::tool) return false;
    int calls = 0;
    bool gives = false;
    for (const Block& block : answer.content) {
        if (block.type != Block::Type::tool_call) continue;
        ++calls;
        gives = gives || block.name == output_tool;
    }
    return gives && calls == 1;
}

Status check_shape(const Session& session, const Generated& answer) {
    if (session.output == OutputWay::text || session.output == OutputWay::afterwards ||
        answer.stop == "pause")
        return {};
    for (const Block& block : answer.content)
        if (block.type == Block::Type::tool_call && block.name != output_tool) return {};
    if (parse_json(value_text(answer.content))) return {};
    Error error = permanent("output_not_json", "the model's answer is not JSON");
    error.certainty = Certainty::done_with_error; // a fresh sample may be
    return error;
}

Result<Turn> final_turn(Session& session, TurnContext& turn, ModelSaid said) {
    Turn out;
    out.spent = said.spent;
    out.then = Turn::Then::final;
    out.recorded.push_back(said.recorded);
    std::vector<Block> content = said.answer.content;
    if (session.output != OutputWay::text) {
        std::string wrong = objection(session, content, out.final);
        if (!wrong.empty()) {
            FOXWEDGE_TRY(again, repair(session, turn, said.answer, wrong));
            ++out.iterations;
            out.spent += again.spent;
            out.recorded.push_back(std::move(again.recorded));
            content = std::move(again.answer.content);
            wrong = objection(session, content, out.final);
            if (!wrong.empty()) return permanent("output_invalid", std::move(wrong));
        }
    } else {
        out.final = text_of(content);
    }
    if (!session.guards.any(Placement::output)) return out;

    FOXWEDGE_TRY(guarded, guard_output(session, turn, content, out.final));
    if (guarded.outcome == Guarded::Outcome::deny) {
        out.then = Turn::Then::again;
        Generated shown = said.answer;
        if (session.output != OutputWay::text) shown.content = {text_block(value_text(content))};
        out.group = with_remark(shown, guarded.message);
        out.recorded.push_back(guarded.message);
    } else if (guarded.outcome == Guarded::Outcome::stop) {
        out.then = Turn::Then::stop;
    } else if (guarded.replaced) {
        FOXWEDGE_TRY(replaced, blocks_from(guarded.value));
        out.final = text_of(replaced);
        if (session.output != OutputWay::text) {
            const std::string wrong = objection(session, replaced, out.final);
            if (!wrong.empty()) return permanent("output_invalid", wrong);
        }
    }
    return out;
}

} // namespace foxwedge::agent
