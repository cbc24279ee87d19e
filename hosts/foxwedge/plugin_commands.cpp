// plugins list, inspect: read from the files, nothing of them is run.
#include "base/text.hpp"
#include "config/load.hpp"
#include "output.hpp"
#include "plugin/listing.hpp"
#include "plugin/search.hpp"

namespace foxwedge::cli {
namespace {

std::string components_of(const plugin::Descriptor& descriptor) {
    std::vector<std::string> words;
    for (const auto& component : descriptor.components) {
        const auto kind = component.kind.substr(component.kind.find('.') + 1);
        words.push_back(kind.substr(0, kind.find('/')) + " " + component.id);
    }
    return join(words, ", ");
}

void print_row(Table& table, const plugin::Row& row) {
    const auto& d = row.descriptor;
    std::string state = "ok";
    if (row.refusal) state = inked("refused", Ink::red);
    if (!row.shadowed_by.empty()) state = inked("shadowed", Ink::yellow);
    table.row(
        {row.id.empty() ? row.path : row.id, d ? d->version : "-",
         d ? "abi " + std::to_string(d->abi_major) + "." + std::to_string(d->abi_min_minor) : "-",
         state, d ? components_of(*d) : "", row.digest ? to_hex(*row.digest).substr(0, 12) : ""});
}

} // namespace

int plugins_list(const Globals& globals, const std::string& config) {
    std::vector<std::string> configured;
    if (!config.empty()) {
        auto loaded = config::load(config);
        if (!loaded.config)
            return report(globals,
                          permanent("invalid_config", "\n" + config::to_text(loaded.problems)));
        configured = loaded.config->plugins.path;
    }
    const auto folders = plugin::search_path(configured, plugin::process_environment());
    const auto rows = plugin::list(folders);
    if (globals.json) {
        JsonArray out;
        for (const auto& row : rows) out.push_back(to_json(row));
        print(to_text(Json(std::move(out))));
        return succeeded;
    }
    Table table;
    for (const auto& row : rows) print_row(table, row);
    table.print();
    for (const auto& row : rows) {
        if (row.refusal) note(row.refusal->message);
        if (!row.shadowed_by.empty()) note(row.path + " is shadowed by " + row.shadowed_by);
    }
    if (rows.empty()) note("no plugins in " + join(folders, ", "));
    return succeeded;
}

int plugins_inspect(const Globals& globals, const std::string& file) {
    const auto row = plugin::inspect_file(file);
    print(globals.json ? to_text(to_json(row)) : to_pretty_text(to_json(row)));
    if (row.refusal && !globals.json) note(row.refusal->message);
    return row.refusal ? fault : succeeded;
}

} // namespace foxwedge::cli
