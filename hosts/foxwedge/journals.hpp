// Finding journals, and in them a run or a question by the start of its id.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli.hpp"
#include "journal/engine.hpp"

namespace foxwedge::cli {

/// --journal, else the config's, else $FOXWEDGE_JOURNAL, else all below
/// $XDG_STATE_HOME/foxwedge/. Only folders that exist.
Result<std::vector<std::string>> journal_paths(const Globals&);

struct OpenedJournal {
    std::string path;
    std::unique_ptr<journal::Engine> engine;
};
Result<OpenedJournal> open_one(const std::string& path);
/// All of journal_paths(); one that cannot be opened is reported and left out if there are others.
Result<std::vector<OpenedJournal>> open_all(const Globals&);

struct FoundRun {
    OpenedJournal journal;
    journal::RunHead head;
};
/// `not_found`, or `ambiguous` naming the candidates.
Result<FoundRun> find_run(const Globals&, std::string_view id_prefix);

struct FoundGate {
    OpenedJournal journal;
    journal::Gate gate;
};
Result<FoundGate> find_gate(const Globals&, std::string_view id_prefix);

} // namespace foxwedge::cli
