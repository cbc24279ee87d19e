#include "standing.hpp"

#include <set>

#include "agent/approval/cel.hpp"
#include "agent/approval/remembered.hpp"
#include "agent/approval/resolution.hpp"
#include "base/id.hpp"
#include "journals.hpp"
#include "output.hpp"
#include "session.hpp"

namespace foxwedge::cli {
namespace {

constexpr int runs_looked_at = 200; // the projects of a journal are those of its runs

Result<std::string> project_of(const journal::RunHead& run) {
    FOXWEDGE_TRY(labels, parse_json(run.labels_json.empty() ? "{}" : run.labels_json));
    return std::string(string_member(labels, "project").value_or(""));
}

Result<std::set<std::string>> projects_of(journal::Engine& engine) {
    journal::RunQuery query;
    query.limit = runs_looked_at;
    FOXWEDGE_TRY(runs, engine.runs(query));
    std::set<std::string> out;
    for (const auto& run : runs) {
        FOXWEDGE_TRY(project, project_of(run));
        out.insert(std::move(project));
    }
    return out;
}

std::string line_of(const agent::RememberedRule& rule) {
    std::string line = rule.id + "  " + rule.tool;
    if (!rule.condition.empty()) line += "  if " + rule.condition;
    line += rule.run.empty() ? "  project" : "  run " + rule.run;
    return line + "  " + rule.by + "  " + to_text(rule.made);
}

} // namespace

Status check_always(const DecideArgs& args, const journal::Gate& gate) {
    if (args.always.empty()) {
        if (args.when.empty()) return {};
        return permanent("usage", "--when goes with --always");
    }
    if (gate.kind != "approval")
        return permanent("usage",
                         "--always is for approvals; this asks about \"" + gate.kind + "\"");
    FOXWEDGE_TRY(about, parse_json(gate.about_json));
    const auto source = agent::rule_source(string_member(about, "ruleSource").value_or(""));
    if (source && !agent::yields_to_standing(*source))
        return permanent("usage",
                         std::string("--always would change nothing: this gate's source is \"") +
                             agent::to_string(*source) +
                             "\", which asks each time (docs/approvals.md, \"Decisions that "
                             "stand\"); approve without it, or change the rule in the config");
    if (args.when.empty()) return {};
    auto condition =
        agent::cel_language().compile(args.when, {"tool", "args", "risk", "iteration"});
    if (!condition) return permanent("usage", "--when: " + condition.error().message);
    return {};
}

Status keep_standing(journal::Engine& engine, const DecideArgs& args, const journal::Gate& gate) {
    if (args.always.empty()) return {};
    FOXWEDGE_TRY(root, engine.head(gate.root));
    FOXWEDGE_TRY(project, project_of(root));
    FOXWEDGE_TRY(about, parse_json(gate.about_json));
    agent::RememberedRule rule;
    rule.made = system_clock().now();
    rule.id = new_id(rule.made);
    rule.tool = string_member(about, "tool").value_or("");
    rule.condition = args.when;
    if (args.always == "run") rule.run = gate.root;
    rule.by = decided_by(args.user);
    const journal::Effect effect = agent::remember_effect(project, rule);
    FOXWEDGE_TRY(verdict, engine.apply({&effect, 1}));
    if (verdict == journal::Verdict::recorded) return {};
    return permanent("journal_fault", "the decision is recorded, the standing rule is not");
}

int approval_rules(const Globals& globals, const RulesArgs& args) {
    auto journals = open_all(globals);
    if (!journals) return report(globals, journals.error());
    JsonArray listed;
    int revoked = 0;
    for (auto& journal : *journals) {
        auto projects = projects_of(*journal.engine);
        if (!projects) return report(globals, projects.error());
        for (const std::string& project : *projects) {
            auto rules = agent::remembered_rules(*journal.engine, project);
            if (!rules) return report(globals, rules.error());
            for (const auto& rule : *rules) {
                if (args.revoke.empty()) {
                    if (globals.json)
                        listed.push_back(agent::to_json(rule));
                    else
                        print(line_of(rule));
                    continue;
                }
                if (rule.id.rfind(args.revoke, 0) != 0) continue;
                const journal::Effect effect = agent::revoke_effect(project, rule.id);
                if (auto done = journal.engine->apply({&effect, 1}); !done)
                    return report(globals, done.error());
                ++revoked;
                note("revoked: " + line_of(rule));
            }
        }
    }
    if (args.revoke.empty()) {
        if (globals.json) print(to_text(Json(std::move(listed))));
        return succeeded;
    }
    if (revoked > 0) return succeeded;
    return report(globals, permanent("not_found", "no standing rule starts with " + args.revoke));
}

} // namespace foxwedge::cli
