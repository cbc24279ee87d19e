#include "hosts.hpp"

#include "config/load.hpp"
#include "output.hpp"

namespace foxwedge::cli {
namespace {

Result<config::LoadOptions> with_sets(const std::vector<std::string>& sets) {
    config::LoadOptions options;
    for (const auto& text : sets) {
        const auto at = text.find('=');
        if (at == std::string::npos || at == 0)
            return permanent("usage", "--set takes key=value, as agents.support.model=x, not \"" +
                                          text + "\"");
        options.sets.emplace_back(text.substr(0, at), text.substr(at + 1));
    }
    return options;
}

compose::HostOptions host_options(const Globals& globals) {
    static const auto log = make_stderr_log(globals.verbose ? LogLevel::debug : LogLevel::warn);
    compose::HostOptions options;
    options.log = log.get();
    return options;
}

} // namespace

Result<std::unique_ptr<compose::Host>> host_of_file(const Globals& globals, const std::string& path,
                                                    const std::vector<std::string>& sets) {
    FOXWEDGE_TRY(load, with_sets(sets));
    auto loaded = config::load(path, load);
    for (const auto& problem : loaded.problems)
        if (problem.warning) note(config::to_text(problem));
    if (!loaded.config) {
        std::vector<config::Problem> errors;
        for (const auto& problem : loaded.problems)
            if (!problem.warning) errors.push_back(problem);
        return permanent("invalid_config", "\n" + config::to_text(errors));
    }
    if (!globals.journal.empty()) loaded.config->journal.path = globals.journal;
    return compose::Host::make(std::move(*loaded.config), host_options(globals));
}

/// The host that a run remembers, over the journal that it was found in.
Result<std::unique_ptr<compose::Host>> host_of_run(const Globals& globals, FoundRun& found) {
    FOXWEDGE_TRY(pinned, parse_json(found.head.config_json));
    const auto labels = parse_json(found.head.labels_json);
    const std::string file(labels ? string_member(*labels, "configFile").value_or("") : "");
    FOXWEDGE_TRY(config, config::read_pinned(pinned, file));
    auto options = host_options(globals);
    options.journal_path = found.journal.path;
    options.engine = std::move(found.journal.engine);
    return compose::Host::make(std::move(config), std::move(options));
}

} // namespace foxwedge::cli
