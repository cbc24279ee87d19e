// config check, schema, show.
#include "compose/plugins.hpp"
#include "config/load.hpp"
#include "output.hpp"

namespace foxwedge::cli {

int config_check(const Globals& globals, const std::string& path) {
    auto loaded = config::load(path);
    bool fits = loaded.config.has_value();
    if (fits)
        for (auto& problem : compose::check_plugins(*loaded.config)) {
            fits = fits && problem.warning;
            loaded.problems.push_back(std::move(problem));
        }
    if (globals.json) {
        JsonArray out;
        for (const auto& p : loaded.problems)
            out.push_back(JsonObject{{"file", p.file},
                                     {"line", p.line},
                                     {"column", p.column},
                                     {"pointer", p.pointer},
                                     {"message", p.message},
                                     {"severity", p.warning ? "warning" : "error"}});
        print(to_text(Json(std::move(out))));
    } else {
        for (const auto& problem : loaded.problems)
            print(inked(config::to_text(problem), problem.warning ? Ink::yellow : Ink::red));
        if (fits) note("config ok: host \"" + loaded.config->name + "\"");
    }
    return fits ? succeeded : usage;
}

int config_schema(const Globals&) {
    print(to_pretty_text(config::json_schema()));
    return succeeded;
}

int config_show(const Globals& globals, const std::string& path) {
    const auto loaded = config::load(path);
    if (!loaded.config) return report(globals, config::invalid_config(loaded.problems));
    print(globals.json ? to_text(loaded.config->resolved)
                       : to_pretty_text(loaded.config->resolved));
    return succeeded;
}

} // namespace foxwedge::cli
