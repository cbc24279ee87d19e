#include "agent/context/choose.hpp"

#include "agent/context/tokens.hpp"
#include "agent/loop/model_step.hpp"
#include "agent/names.hpp"
#include "agent/step_call.hpp"

namespace foxwedge::agent {
namespace {

constexpr std::string_view default_instructions =
    "Summarise the conversation below for someone who goes on with it: facts, decisions, results "
    "of "
    "tools, and what is still open. Write notes, not instructions. Leave nothing out that is "
    "needed "
    "later; invent nothing.";

std::int64_t window_of(const Session& session, const std::string& model) {
    for (const auto& one : session.table.traits.models)
        if (one.id == model) return one.context_window;
    return 0;
}

Result<ContextPlan> plan(Session& session, TurnContext& turn) {
    const std::string strategy(string_member(session.options.context, "strategy").value_or(""));
    if (!session.world.strategy)
        return permanent("unknown_strategy", "this host has no context strategies");
    FOXWEDGE_TRY(chosen, session.world.strategy(strategy));
    ContextRequest request = session.context.request(turn.history, session.meter.factor());
    request.context_window = window_of(session, session.request().model);
    request.used = session.meter.used(session.context.tokens(0, session.context.size()));
    request.reserve = session.options.max_tokens.value_or(0);
    request.config = session.options.context;
    Call call;
    call.scope = session.scope;
    call.until = Until{turn.run.stopped(), std::nullopt}.within(session.world.plan_timeout);
    return chosen->plan(request, call);
}

GenerateRequest summary_request(Session& session, const TurnContext& turn,
                                const ContextPlan::Summarize& what) {
    GenerateRequest request;
    request.model = what.model.empty() ? session.request().model : what.model;
    request.system =
        what.instructions.empty() ? std::string(default_instructions) : what.instructions;
    request.max_tokens = what.max_tokens;
    request.tool_choice = "none";
    std::string text = "The task was:\n";
    for (const Message& message : turn.history.task()) text += text_of(message.content) + "\n";
    text += "\nThe part to summarise:\n";
    for (const Message& message : session.context.covered(turn.history, what.from, what.to))
        text += to_text(to_json(message)) + "\n";
    request.messages = {{Role::user, {text_block(std::move(text))}}};
    return request;
}

/// What the strategy now knows, but nothing gone that the summary would have covered.
View without_summary(const Context& context, const ContextPlan& chosen) {
    View view = context.checked(chosen);
    view.keep_from = context.view().keep_from;
    view.pinned = context.view().pinned;
    return view;
}

/// {"covers", "text", "view", "accepted"} or {"failed", "view"}; its model call has no tools.
Result<Json> summary_step(Session& session, TurnContext& turn, const ContextPlan& chosen) {
    const ContextPlan::Summarize what = chosen.summarize.value_or(ContextPlan::Summarize());
    const std::int64_t covered = session.context.tokens(what.from, what.to);
    GenerateRequest request;
    ModelAsk ask;
    ask.name = context_step(turn.name);
    ask.agent = session.id;
    ask.inputs = sha256(bytes_of(session.head()), bytes_of(turn.history.digest()));
    ask.retry = session.retry();
    ask.ledger = &session.ledger;
    ask.provider = [&] { return session.provider(); };
    ask.request = [&]() -> Result<GenerateRequest*> {
        request = summary_request(session, turn, what);
        return &request;
    };
    ask.finish = [&](const Generated& answer, JsonObject& record) -> Status {
        const std::string text = text_of(answer.content);
        const bool useful = !text.empty() && static_cast<double>(estimated_tokens(text)) <=
                                                 useful_summary * static_cast<double>(covered);
        JsonArray covers{what.from, what.to};
        record["covers"] = std::move(covers);
        record["accepted"] = useful;
        record["view"] = to_json(useful ? session.context.checked(chosen)
                                        : without_summary(session.context, chosen));
        return {};
    };
    auto said = model_step(turn.run, ask, session.world);
    // A summary that cannot be had is on record as failed; the run goes on without.
    if (!said) return Json(JsonObject{{"failed", said.error().message}});
    session.extra += said->spent;
    return parse_json(said->recorded);
}

void take_summary(Session& session, const Json& record) {
    if (const Json* view = member(record, "view")) session.context.adopt(view_from_json(*view));
    if (!bool_member(record, "accepted").value_or(false)) return;
    const JsonArray* covers = array_member(record, "covers");
    if (!covers || covers->size() != 2 || !(*covers)[0].is_int64() || !(*covers)[1].is_int64())
        return;
    auto read = generated_from_json(record);
    Summary summary{(*covers)[0].get_int64(), (*covers)[1].get_int64(),
                    read ? text_of(read->content) : std::string()};
    const std::int64_t tokens = estimated_tokens(summary.text);
    session.context.summary_accepted(std::move(summary), tokens);
}

} // namespace

Result<Json> choose_view(Session& session, TurnContext& turn) {
    if (session.options.context.is_null()) return Json();
    if (turn.n == 0)
        for (const Message& message : turn.history.task())
            session.meter.add_constant(estimated_tokens(message));
    const auto& groups = turn.history.groups();
    for (std::size_t i = session.context.exchanges(); i < groups.size(); ++i)
        session.context.exchange_appended(
            estimated_tokens(groups[i].assistant) +
            (groups[i].reply ? estimated_tokens(*groups[i].reply) : 0));
    ContextPlan chosen;
    const bool summarised = turn.run.next_step() == context_step(turn.name);
    if (!summarised) {
        if (turn.run.replaying()) return Json();
        FOXWEDGE_TRY(planned, plan(session, turn));
        chosen = std::move(planned);
    }
    // Once the model step was begun, a step before it would stand where nothing stood before.
    if (summarised || (chosen.summarize && turn.run.next_step().empty())) {
        FOXWEDGE_TRY(record, summary_step(session, turn, chosen));
        if (!member(record, "failed")) {
            take_summary(session, record);
        } else if (turn.run.replaying()) {
            return Json(); // the model's answer has the view with it
        } else {
            // The strategy has asked and is to know it, or it would ask again each turn. It says
            // the same again: it is a pure function.
            if (summarised) {
                FOXWEDGE_TRY(planned, plan(session, turn));
                chosen = std::move(planned);
            }
            session.context.adopt(without_summary(session.context, chosen));
        }
    } else {
        const View view = session.context.checked(chosen);
        // A wish that could not be granted must not let go of what it would have covered.
        if (!chosen.summarize) session.context.adopt(view);
    }
    return to_json(session.context.view());
}

} // namespace foxwedge::agent
