// Looking after a journal: what `foxwedge journal` does. Except for `stats` and `prune`, these read
// the file in a child process, so that a broken page that kills its reader is a finding, not a
// crash.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace foxwedge::journal {

struct Problem {
    std::string what; ///< a sentence
    std::string run;  ///< "" where none is known
    std::string step; ///< the name of a step at or next to the place, "" where none is known
    bool operator==(const Problem&) const = default;
};

struct CheckReport {
    std::uint64_t runs = 0, records = 0, contents = 0, gates = 0, store_items = 0;
    std::vector<Problem> problems;
    bool sound() const { return problems.empty(); }
};
/// Reads everything and checks it: lengths, checksums, what rows refer to. Changes nothing. Fails
/// only where there is no journal to look at.
Result<CheckReport> check_journal(const std::string& path);
/// Fails as `journal_damaged` unless all of it can be read: before anything is removed or
/// rewritten, for a broken map ends the process that writes to it.
Status sound_journal(const std::string& path);

/// One line of an export, a JSON object without line break; its format: docs/journal-format.
using LineSink = std::function<Status(const std::string& line)>;
/// Writes all that can be read, what is damaged as {"type": "damaged", …}. The report says what was
/// not readable.
Result<CheckReport> export_journal(const std::string& path, const LineSink&);

/// No line of an export is longer: the largest input of a run, twice as a text within JSON.
inline constexpr std::size_t longest_export_line = std::size_t{192} << 20;
/// One line of an export each call; nothing at the end. What it fails with ends the import.
using LineSource = std::function<Result<std::optional<std::string>>()>;
struct ImportReport {
    std::uint64_t runs = 0, records = 0, gates = 0, store_items = 0, skipped = 0;
};
/// Fills a journal that has no runs from an export. Runs that had not ended become `ready`. Fails
/// with `journal_not_empty`, `invalid_export`, and as open_journal.
Result<ImportReport> import_journal(const std::string& path, const LineSource&);

struct Stats {
    std::uint64_t file_bytes = 0; ///< taken on disk
    std::uint64_t used_bytes = 0; ///< of these, in use
    std::uint64_t limit_bytes = 0;
    std::uint64_t format = 0;
    std::uint64_t runs[7] = {}; ///< by RunStatus
    std::uint64_t pending_gates = 0, log_pieces = 0, contents = 0, store_items = 0;
    std::vector<std::string> owners; ///< of living processes: "<pid> <label>"
};
Result<Stats> journal_stats(const std::string& path);

struct PruneReport {
    std::uint64_t runs = 0, contents = 0;
};
/// Removes ended trees whose root ended before `before`, then contents that nothing refers to.
Result<PruneReport> prune_journal(const std::string& path, Time before);

struct CompactReport {
    std::uint64_t bytes_before = 0, bytes_after = 0;
};
/// Rewrites the file without free pages. `journal_in_use` while any process has the journal open.
Result<CompactReport> compact_journal(const std::string& path);

} // namespace foxwedge::journal
