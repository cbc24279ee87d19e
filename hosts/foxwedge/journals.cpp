#include "journals.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "config/load.hpp"
#include "journal/lmdb_engine.hpp"
#include "output.hpp"

namespace foxwedge::cli {
namespace {

namespace fs = std::filesystem;

bool is_journal(const fs::path& folder) {
    std::error_code none; // a path that no file can have names no journal
    return fs::exists(folder / "data.mdb", none);
}

/// Every match of `list` over all journals must be the same one row.
template <class Row, class List>
Result<std::pair<OpenedJournal, Row>> find_one(const Globals& globals, std::string_view prefix,
                                               std::string_view what, std::string_view lists,
                                               List list) {
    FOXWEDGE_TRY(journals, open_all(globals));
    std::optional<std::pair<OpenedJournal, Row>> found;
    std::vector<std::string> candidates;
    for (auto& journal : journals) {
        FOXWEDGE_TRY(rows, list(*journal.engine));
        for (auto& row : rows) candidates.push_back(row.id);
        const bool exact = rows.size() == 1 || std::any_of(rows.begin(), rows.end(),
                                                           [&](auto& r) { return r.id == prefix; });
        if (rows.empty() || !exact) continue;
        auto& chosen = *std::max_element(rows.begin(), rows.end(), [&](auto& a, auto& b) {
            return (a.id == prefix) < (b.id == prefix);
        });
        if (chosen.id == prefix) candidates = {chosen.id};
        found = {std::move(journal), std::move(chosen)};
    }
    const auto named = std::string(what) + " \"" + std::string(prefix) + "\"";
    if (candidates.empty()) {
        std::vector<std::string> places;
        if (auto paths = journal_paths(globals)) places = *paths;
        return permanent("not_found",
                         "no " + named + " in " +
                             (places.empty() ? "any journal; name one with --journal"
                                             : join(places, ", ") + "; foxwedge " +
                                                   std::string(lists) + " lists what is there"));
    }
    if (candidates.size() > 1 || !found)
        return permanent("ambiguous",
                         named + " could be " + join(candidates, ", ") + "; give more of the id");
    return std::move(*found);
}

std::string upper(std::string_view id) {
    std::string out(id);
    for (auto& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

} // namespace

Result<std::vector<std::string>> journal_paths(const Globals& globals) {
    if (!globals.journal.empty()) {
        if (!is_journal(globals.journal))
            return permanent("not_found", "there is no journal at " + globals.journal);
        return std::vector{globals.journal};
    }
    if (!globals.config.empty()) {
        auto loaded = config::load(globals.config);
        if (!loaded.config) return config::invalid_config(loaded.problems);
        if (is_journal(loaded.config->journal.path))
            return std::vector{loaded.config->journal.path};
        return permanent("not_found", "no run was ever recorded at " + loaded.config->journal.path);
    }
    if (const char* path = std::getenv("FOXWEDGE_JOURNAL"); path && *path) {
        if (!is_journal(path))
            return permanent("not_found", std::string("there is no journal at ") + path +
                                              ", which FOXWEDGE_JOURNAL names");
        return std::vector<std::string>{path};
    }
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(config::default_journal_path(""), none))
        if (is_journal(entry.path())) found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    return found;
}

Result<OpenedJournal> open_one(const std::string& path) {
    journal::JournalOptions options;
    options.path = path;
    FOXWEDGE_TRY(engine, journal::open_journal(options));
    return OpenedJournal{path, std::move(engine)};
}

Result<std::vector<OpenedJournal>> open_all(const Globals& globals) {
    FOXWEDGE_TRY(paths, journal_paths(globals));
    std::vector<OpenedJournal> opened;
    for (const auto& path : paths) {
        auto one = open_one(path);
        if (one) {
            opened.push_back(std::move(*one));
        } else if (paths.size() == 1) {
            return std::move(one).error();
        } else {
            note(path + ": " + one.error().message);
        }
    }
    return opened;
}

Result<FoundRun> find_run(const Globals& globals, std::string_view prefix) {
    FOXWEDGE_TRY(found,
                 find_one<journal::RunHead>(globals, prefix, "run", "runs", [&](auto& engine) {
                     journal::RunQuery query;
                     query.id_prefix = upper(prefix);
                     query.limit = 5;
                     return engine.runs(query);
                 }));
    // Rows of a list leave out what is large: configuration and input.
    FOXWEDGE_TRY(head, found.first.engine->head(found.second.id));
    return FoundRun{std::move(found.first), std::move(head)};
}

Result<FoundGate> find_gate(const Globals& globals, std::string_view prefix) {
    FOXWEDGE_TRY(
        found, find_one<journal::Gate>(globals, prefix, "question", "approvals", [&](auto& engine) {
            journal::GateQuery query;
            query.id_prefix = upper(prefix);
            query.pending_only = false;
            query.limit = 5;
            return engine.gates(query);
        }));
    return FoundGate{std::move(found.first), std::move(found.second)};
}

} // namespace foxwedge::cli
