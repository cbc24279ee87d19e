// plugins list, inspect, lock: read from the files, nothing of them is run.
#include <filesystem>
#include <optional>

#include "base/text.hpp"
#include "compose/plugins.hpp"
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

/// What lies where plugins are looked for, judged by the config's lock; without a config the path
/// alone.
Result<std::vector<plugin::Row>> rows_for(const std::string& config,
                                          std::vector<std::string>& folders) {
    if (config.empty()) {
        folders = plugin::search_path({}, plugin::process_environment());
        return plugin::list(folders);
    }
    auto loaded = config::load(config);
    if (!loaded.config) return config::invalid_config(loaded.problems);
    const auto options = compose::registry_options(*loaded.config);
    FOXWEDGE_TRY(lock, plugin::read_lock(options.lock_file));
    folders = options.folders;
    auto rows = plugin::list(folders);
    if (lock) lock->judge(rows);
    return rows;
}

} // namespace

int plugins_list(const Globals& globals, const std::string& config) {
    std::vector<std::string> folders;
    const auto found = rows_for(config, folders);
    if (!found) return report(globals, found.error());
    const auto& rows = *found;
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

int plugins_lock(const Globals& globals, const std::string& config) {
    auto loaded = config::load(config);
    if (!loaded.config) return report(globals, config::invalid_config(loaded.problems));
    const auto options = compose::registry_options(*loaded.config);
    const auto rows = plugin::list(options.folders);
    const auto& path = options.lock_file;
    const auto lock = plugin::lock_of(rows);
    if (auto written = plugin::write_lock(path, lock); !written)
        return report(globals, written.error());
    if (globals.json)
        print(plugin::to_text(lock));
    else
        print(path + ": " + std::to_string(lock.plugins.size()) + " plugins locked");
    for (const auto& row : rows)
        if (row.refusal && row.shadowed_by.empty()) note("left out: " + row.refusal->message);
    return succeeded;
}

int plugins_inspect(const Globals& globals, const std::string& what) {
    std::error_code none;
    std::optional<plugin::Row> row;
    // A project's folder is named as its plugin: beside it the id still means the plugin.
    if (std::filesystem::exists(what, none) && !std::filesystem::is_directory(what, none)) {
        row = plugin::inspect_file(what);
    } else {
        std::vector<std::string> folders;
        auto found = rows_for(globals.config, folders);
        if (!found) return report(globals, found.error());
        for (auto& one : *found)
            if (one.id == what && one.shadowed_by.empty()) row = std::move(one);
    }
    if (!row)
        return report(globals, permanent("not_found",
                                         "there is no file " + what + ", and on the plugin path " +
                                             "no plugin of that id; foxwedge plugins list "
                                             "shows what is there"));
    print(globals.json ? to_text(to_json(*row)) : to_pretty_text(to_json(*row)));
    if (row->refusal && !globals.json) note(row->refusal->message);
    return row->refusal ? fault : succeeded;
}

} // namespace foxwedge::cli
