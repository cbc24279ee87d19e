// The journal on LMDB: one folder, one environment, several processes.
#pragma once
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "journal/engine.hpp"
#include "journal/place.hpp"

namespace foxwedge::journal {

enum class Durability : std::uint8_t {
    sync,    ///< a power failure loses nothing that was answered
    relaxed, ///< a power failure may lose the last commit; a process crash loses nothing
};

struct JournalOptions {
    std::string path; ///< the folder; made if it is missing
    Durability durability = Durability::sync;
    /// Address space reserved for the file, and its limit. The file takes what is used.
    std::size_t map_limit = std::size_t{64} << 30;
    const Clock* clock = &system_clock();        ///< outlives the engine
    Log* log = &silent_log();                    ///< outlives the engine
    std::string owner_label;                     ///< shown to who asks who holds a run
    bool suspend_waits = true;                   ///< SIGTSTP waits for the commit in progress
    FilesystemType filesystem = filesystem_type; ///< tests put their own in
};

/// Opens or makes the journal. In one process the same folder, by whatever path, is opened once and
/// shared; each engine is an owner of its own. Its activations may outlive the engine. Fails with
/// `journal_place` (the folder cannot be used, or a network file system), `journal_in_use` (another
/// PID namespace), `journal_damaged`, `journal_format` (newer than this program),
/// `journal_full`, `journal_fault`.
Result<std::unique_ptr<Engine>> open_journal(const JournalOptions&);

/// For tests: what kill -9 leaves behind, without the kill. `engine` is one of open_journal's; it
/// answers `journal_fault` from now on.
void abandon(Engine& engine);

} // namespace foxwedge::journal
