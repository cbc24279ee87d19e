#include "hosts.hpp"

#include "compose/config_change.hpp"
#include "config/load.hpp"
#include "output.hpp"

namespace foxwedge::cli {
namespace {

using Sets = std::vector<std::pair<std::string, std::string>>;

Result<Sets> sets_of(const std::vector<std::string>& texts) {
    Sets sets;
    for (const auto& text : texts) {
        const auto at = text.find('=');
        if (at == std::string::npos || at == 0)
            return permanent("usage", "--set takes key=value, as agents.support.model=x, not \"" +
                                          text + "\"");
        sets.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    return sets;
}

/// For a run that exists `budget.usd` is short for `agents.<its agent>.budget.usd`.
void spell_out(Sets& sets, const Json& config, std::string_view workflow) {
    std::string agent(workflow);
    if (const auto* workflows = object_member(config, "workflows"))
        if (const auto* entry = workflows->if_contains(workflow))
            agent = string_member(*entry, "agent").value_or(agent);
    const auto schema = config::json_schema();
    const auto* const keys = object_member(schema, "properties");
    for (auto& [dotted, value] : sets)
        if (!keys->contains(dotted.substr(0, dotted.find('.'))))
            dotted = "agents." + agent + "." + dotted;
}

compose::HostOptions host_options(const Globals& globals) {
    static const auto log = make_stderr_log(globals.verbose ? LogLevel::debug : LogLevel::warn);
    compose::HostOptions options;
    options.log = log.get();
    return options;
}

Result<config::HostConfig> loaded(const std::string& path, Sets sets) {
    config::LoadOptions options;
    options.sets = std::move(sets);
    auto loaded = config::load(path, options);
    for (const auto& problem : loaded.problems)
        if (problem.warning) note(config::to_text(problem));
    if (loaded.config) return *std::move(loaded.config);
    std::vector<config::Problem> errors;
    for (const auto& problem : loaded.problems)
        if (!problem.warning) errors.push_back(problem);
    return config::invalid_config(errors);
}

Result<std::unique_ptr<compose::Host>> host_over(const Globals& globals, OpenedJournal& journal,
                                                 config::HostConfig config) {
    auto options = host_options(globals);
    options.journal_path = journal.path;
    options.engine = std::move(journal.engine);
    return compose::Host::make(std::move(config), std::move(options));
}

struct InForce {
    Json resolved;
    std::string file;
};
Result<InForce> in_force(FoundRun& found) {
    FOXWEDGE_TRY(records, found.journal.engine->records(found.head.id));
    FOXWEDGE_TRY(resolved, compose::config_in_force(found.head, records));
    const auto labels = parse_json(found.head.labels_json);
    return InForce{std::move(resolved),
                   std::string(labels ? string_member(*labels, "configFile").value_or("") : "")};
}

} // namespace

Result<std::unique_ptr<compose::Host>> host_of_file(const Globals& globals, const std::string& path,
                                                    const std::vector<std::string>& sets,
                                                    mcp::Tap wire) {
    FOXWEDGE_TRY(values, sets_of(sets));
    FOXWEDGE_TRY(config, loaded(path, std::move(values)));
    if (!globals.journal.empty()) config.journal.path = globals.journal;
    auto options = host_options(globals);
    options.wire = std::move(wire);
    return compose::Host::make(std::move(config), std::move(options));
}

Result<std::unique_ptr<compose::Host>> host_of_run(const Globals& globals, FoundRun& found) {
    FOXWEDGE_TRY(now, in_force(found));
    FOXWEDGE_TRY(config, config::read_pinned(now.resolved, now.file));
    return host_over(globals, found.journal, std::move(config));
}

Result<std::unique_ptr<compose::Host>> host_of_changed_run(const Globals& globals, FoundRun& found,
                                                           const std::string& file,
                                                           const std::vector<std::string>& sets) {
    FOXWEDGE_TRY(now, in_force(found));
    FOXWEDGE_TRY(values, sets_of(sets));
    spell_out(values, now.resolved, found.head.workflow);
    if (!file.empty()) {
        FOXWEDGE_TRY(config, loaded(file, std::move(values)));
        return host_over(globals, found.journal, std::move(config));
    }
    auto config = config::read_pinned(config::with_values(now.resolved, values), now.file);
    if (!config) return permanent("usage", "--set: " + config.error().message);
    return host_over(globals, found.journal, *std::move(config));
}

} // namespace foxwedge::cli
