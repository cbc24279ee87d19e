#include "agent/guard/guards.hpp"

#include <algorithm>

#include "agent/names.hpp"
#include "agent/step_call.hpp"

namespace foxwedge::agent {
namespace {

using Action = GuardrailVerdict::Action;

GuardrailVerdict failed(const GuardrailUse& use, const Error& error) {
    GuardrailVerdict verdict;
    verdict.action = use.on_error == "allow" ? Action::allow : Action::deny;
    verdict.message = "The check \"" + use.name + "\" could not be made, so this is not allowed.";
    verdict.reason = error.code + ": " + error.message;
    return verdict;
}

std::string name_of(const GuardrailUse& use) {
    return use.name.empty() ? use.use : use.name;
}

} // namespace

std::string_view replaced_member(Placement where) {
    switch (where) {
    case Placement::input:
        return "prompt";
    case Placement::tool_args:
        return "arguments";
    case Placement::tool_result:
        return "result";
    case Placement::output:
        return "content";
    case Placement::tool_definition:
        return "tool";
    }
    return "";
}

bool fold(Guarded& so_far, Placement where, const std::string& label,
          const GuardrailVerdict& verdict, Json& subject) {
    Action action = verdict.action;
    const bool may_ask = where == Placement::tool_args || where == Placement::tool_result;
    if (action == Action::require_approval && !may_ask) action = Action::deny;
    switch (action) {
    case Action::allow:
        return true;
    case Action::replace:
        subject.get_object()[replaced_member(where)] = verdict.value;
        so_far.replaced = true;
        return true;
    case Action::require_approval:
        so_far.approval = true;
        so_far.label = label;
        so_far.risk = verdict.risk;
        so_far.reason = verdict.reason.empty() ? verdict.message : verdict.reason;
        return true;
    case Action::deny:
        so_far.outcome = Guarded::Outcome::deny;
        break;
    case Action::stop:
        so_far.outcome = Guarded::Outcome::stop;
        break;
    }
    so_far.label = label;
    so_far.message = !verdict.message.empty() ? verdict.message : verdict.reason;
    if (so_far.message.empty()) so_far.message = "Not allowed by the check \"" + label + "\".";
    return false;
}

Guards::Guards(const std::vector<GuardrailUse>& uses,
               const std::map<std::string, std::vector<std::string>>& placements) {
    for (std::size_t k = 0; k < uses.size(); ++k) {
        One one{uses[k], guardrail_label(static_cast<int>(k), name_of(uses[k])), 0};
        if (auto found = placements.find(one.label); found != placements.end())
            for (const std::string& text : found->second)
                if (auto where = placement(text))
                    one.placements |= static_cast<std::uint32_t>(*where);
        all_.push_back(std::move(one));
    }
}

bool Guards::any(Placement where) const {
    return std::any_of(all_.begin(), all_.end(), [&](const One& one) {
        return one.placements & static_cast<std::uint32_t>(where);
    });
}

Result<Guards::Asked> Guards::ask(run::Run& run, std::string_view agent, std::size_t k,
                                  Placement where, const Json& subject, const std::string& name,
                                  World& world) const {
    const GuardrailUse& use = all_[k].use;
    run::StepOptions options;
    options.kind = "guardrail";
    options.inputs = subject;
    const auto body = [&](run::StepCall& step) -> Result<run::StepValue> {
        ContractCall call(run, step, name, agent, world);
        call.call().until = step.until().within(world.guardrail_timeout);
        auto verdict = [&]() -> Result<GuardrailVerdict> {
            if (!world.guardrail) return permanent("unknown_guardrail", use.use);
            FOXWEDGE_TRY(guardrail, world.guardrail(use));
            return guardrail->check(where, subject, call.call());
        }();
        if (!verdict && step.until().stopped()) return std::move(verdict).error();
        if (!verdict) verdict = failed(use, verdict.error());
        run::StepValue value;
        value.value_json = to_text(to_json(*verdict));
        return value;
    };
    FOXWEDGE_TRY(value, run.step(name, options, body));
    FOXWEDGE_TRY(record, parse_json(value.value_json));
    auto verdict = guardrail_verdict_from_json(record);
    // What cannot be read back denies, as what cannot be asked does.
    if (!verdict) verdict = failed(use, verdict.error());
    return Asked{*std::move(verdict), std::move(value.value_json)};
}

Result<Guarded> Guards::check(run::Run& run, std::string_view agent, Placement where, Json subject,
                              const StepName& step_name, World& world) const {
    Guarded out;
    for (std::size_t k = 0; k < all_.size(); ++k) {
        const One& one = all_[k];
        if (!(one.placements & static_cast<std::uint32_t>(where))) continue;
        FOXWEDGE_TRY(asked, ask(run, agent, k, where, subject, step_name(one.label), world));
        const bool replaces = asked.verdict.action == Action::replace;
        if (replaces) out.recorded.push_back(std::move(asked.recorded));
        if (!fold(out, where, one.label, asked.verdict, subject)) break;
    }
    out.value = std::move(subject.get_object()[replaced_member(where)]);
    return out;
}

} // namespace foxwedge::agent
