#include "agent/approval/remembered.hpp"

#include "base/json.hpp"

namespace foxwedge::agent {
namespace {

constexpr std::string_view name_space = "foxwedge.approvals"; // no plugin's id has a dot
constexpr std::string_view prefix = "rule.";
constexpr int page = 200;

std::string collection_of(const std::string& project) {
    return journal::collection_name(name_space, "project", project);
}

RememberedRule rule_from(const Json& value, std::string id) {
    RememberedRule rule;
    rule.id = std::move(id);
    rule.tool = string_member(value, "tool").value_or("");
    rule.condition = string_member(value, "if").value_or("");
    rule.run = string_member(value, "run").value_or("");
    rule.by = string_member(value, "by").value_or("");
    rule.made = Time(Millis(integer_member(value, "made").value_or(0)));
    return rule;
}

bool holds(const RememberedRule& rule, const RuleCall& call, std::string_view risk,
           RuleLanguage* language) {
    if (rule.condition.empty()) return true;
    if (!language) return false;
    auto condition = language->compile(rule.condition, {"tool", "args", "risk", "iteration"});
    if (!condition) return false;
    const Json tool(call.tool), level(risk), iteration(call.iteration);
    const Json* const values[] = {&tool, &call.arguments, &level, &iteration};
    const auto answer = (*condition)->evaluate(values);
    return answer && answer->is_bool() && answer->get_bool();
}

template <class Source>
Result<std::vector<RememberedRule>> all_rules(Source& source, const std::string& project) {
    std::vector<RememberedRule> out;
    std::string after;
    for (;;) {
        FOXWEDGE_TRY(rows, source.scan(collection_of(project), prefix, after, page));
        for (const journal::StoreItem& row : rows) {
            after = row.key;
            auto value = parse_json(row.value_json);
            if (value) out.push_back(rule_from(*value, row.key.substr(prefix.size())));
        }
        if (static_cast<int>(rows.size()) < page) return out;
    }
}

} // namespace

Json to_json(const RememberedRule& rule) {
    JsonObject out{{"id", rule.id}, {"tool", rule.tool}};
    if (!rule.condition.empty()) out["if"] = rule.condition;
    if (!rule.run.empty()) out["run"] = rule.run;
    out["by"] = rule.by;
    out["made"] = rule.made.time_since_epoch().count();
    return out;
}

journal::Effect remember_effect(const std::string& project, const RememberedRule& rule) {
    journal::Effect effect;
    effect.collection = collection_of(project);
    effect.key = std::string(prefix) + rule.id;
    effect.value_json = to_text(to_json(rule));
    return effect;
}

journal::Effect revoke_effect(const std::string& project, const std::string& id) {
    journal::Effect effect;
    effect.collection = collection_of(project);
    effect.key = std::string(prefix) + id;
    effect.kind = journal::Effect::Kind::remove;
    return effect;
}

Result<std::vector<RememberedRule>> remembered_rules(StoreReader& store,
                                                     const std::string& project) {
    return all_rules(store, project);
}
Result<std::vector<RememberedRule>> remembered_rules(journal::Engine& engine,
                                                     const std::string& project) {
    return all_rules(engine, project);
}

std::optional<std::string> remembered_approval(const std::vector<RememberedRule>& rules,
                                               std::string_view root_run, const RuleCall& call,
                                               std::string_view risk, RuleLanguage* language) {
    for (const RememberedRule& rule : rules)
        if (rule.tool == call.tool && (rule.run.empty() || rule.run == root_run) &&
            holds(rule, call, risk, language))
            return rule.id;
    return std::nullopt;
}

} // namespace foxwedge::agent
