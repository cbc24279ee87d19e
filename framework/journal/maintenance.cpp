#include "journal/maintenance.hpp"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/bytes.hpp"
#include "journal/export_lines.hpp"
#include "journal/lmdb_core.hpp"
#include "journal/shared_journal.hpp"
#include "journal/survey.hpp"

namespace foxwedge::journal {
namespace {

/// The lock of those who use a journal, for a scope.
class Use {
public:
    explicit Use(int fd) : fd_(fd) {}
    ~Use() {
        if (fd_ >= 0) ::close(fd_);
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    bool held() const { return fd_ >= 0; }

private:
    const int fd_;
};

/// Makes a rename in `folder` last through a power failure.
void sync_folder(const std::string& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)!::fsync(fd);
    ::close(fd);
}

/// Walks all that the report counts. `line` gets the lines of an export where there is one.
Result<CheckReport> look_through(const std::string& path,
                                 const std::function<void(std::string_view)>* line) {
    if (!std::filesystem::exists(path + "/data.mdb"))
        return permanent("not_found", "there is no journal in " + path);
    if (::access(path.c_str(), W_OK) != 0 && errno == EACCES)
        return permanent("journal_place", "cannot write to the folder " + path +
                                              ", where readers too leave a mark in LMDB's lock "
                                              "file; copy it, or run this as its owner");
    // Whoever reads holds LMDB's lock file open. Were the file compacted meanwhile, the next writer
    // would go by that lock file's count of transactions, take the wrong meta page, which is empty,
    // and begin the journal anew. Where there is no lock to be had nobody can compact either.
    const Use use(SharedJournal::lock_use(path, false));
    CheckReport report;
    std::error_code none;
    if (std::filesystem::file_size(path + "/data.mdb", none) == 0)
        return report; // whoever made it was ended at once
    if (const auto whole = check_data_file(path + "/data.mdb"); !whole)
        report.problems.push_back({whole.error().message, {}, {}});
    const auto take = [&](std::string_view text) {
        if (auto problem = problem_of(text))
            report.problems.push_back(*std::move(problem));
        else if (text.substr(0, 2) == "> " && line)
            (*line)(text.substr(2));
        else if (text.substr(0, 6) == "# run ") {
            ++report.runs;
            report.records += std::stoull(std::string(text.substr(6)));
        } else if (text == "# gate 1")
            ++report.gates;
        else if (text == "# item 1")
            ++report.store_items;
        else if (text == "# content 1")
            ++report.contents;
    };
    const auto broken = [&](const char* part, bool is_run) {
        return [&report, part, is_run](const std::string& key, const std::string& how) {
            Problem problem{
                std::string(part) + ": " + how, is_run && !key.empty() ? unpacked_id(key) : "", {}};
            // A broken page is met from both ends: one place.
            if (report.problems.empty() || !(report.problems.back() == problem))
                report.problems.push_back(std::move(problem));
        };
    };
    const bool content = line != nullptr;
    FOXWEDGE_CHECK(walk(
        path, Table::run,
        [content](Txn& t, std::string_view k, std::string_view, const Say& say) {
            survey_run(t, k, say, content);
        },
        take, broken("the runs", true)));
    FOXWEDGE_CHECK(walk(
        path, Table::gate,
        [content](Txn& t, std::string_view k, std::string_view, const Say& say) {
            survey_gate(t, k, say, content);
        },
        take, broken("the gates", false)));
    FOXWEDGE_CHECK(walk(
        path, Table::store,
        [content](Txn& t, std::string_view k, std::string_view v, const Say& say) {
            survey_item(t, k, v, say, content);
        },
        take, broken("the store", false)));
    if (!content)
        FOXWEDGE_CHECK(walk(
            path, Table::content,
            [](Txn& t, std::string_view k, std::string_view, const Say& say) {
                survey_content(t, k, say);
            },
            take, broken("the values stored by digest", false)));
    return report;
}

} // namespace

Result<CheckReport> check_journal(const std::string& path) {
    return look_through(path, nullptr);
}

Result<CheckReport> export_journal(const std::string& path, const LineSink& sink) {
    FOXWEDGE_CHECK(sink(export_header()));
    Status failed;
    const std::function<void(std::string_view)> line = [&](std::string_view text) {
        if (failed) failed = sink(std::string(text));
    };
    auto report = look_through(path, &line);
    if (!failed) return failed.error();
    return report;
}

Result<Stats> journal_stats(const std::string& path) {
    if (!std::filesystem::exists(path + "/data.mdb"))
        return permanent("not_found", "there is no journal in " + path);
    JournalOptions options;
    options.path = path;
    options.suspend_waits = false;
    FOXWEDGE_TRY(core, LmdbCore::open(options));
    Stats stats;
    struct stat s {};
    if (::stat((path + "/data.mdb").c_str(), &s) == 0)
        stats.file_bytes = static_cast<std::uint64_t>(s.st_blocks) * 512;
    Txn txn = core->read();
    const auto room = core->journal().environment().room();
    stats.used_bytes =
        (room.used_pages - std::min(room.used_pages, txn.free_pages())) * room.page_size;
    stats.limit_bytes = room.limit_pages * room.page_size;
    if (const auto row = txn.get(Table::meta, "format")) stats.format = from_big_endian(*row);
    Cursor cursor(txn, Table::status);
    for (bool more = cursor.first(); more; more = cursor.next())
        if (const auto i = static_cast<std::size_t>(cursor.key()[0]); i < std::size(stats.runs))
            ++stats.runs[i];
    stats.pending_gates = txn.entries(Table::pending);
    stats.log_pieces = txn.entries(Table::log);
    stats.contents = txn.entries(Table::content);
    stats.store_items = txn.entries(Table::store);
    for (const auto& o : core->owners().living())
        stats.owners.push_back(std::to_string(o.pid) + (o.label.empty() ? "" : " " + o.label));
    if (txn.error() != 0) return core->fault(txn.error());
    return stats;
}

Status sound_journal(const std::string& path) {
    FOXWEDGE_TRY(report, check_journal(path));
    if (report.sound()) return {};
    return permanent("journal_damaged",
                     "the journal " + path +
                         " is damaged and is left as it is: " + report.problems.front().what +
                         "; `foxwedge journal export` saves what can be read");
}

Result<CompactReport> compact_journal(const std::string& path) {
    const std::string file = path + "/data.mdb", fresh = path + "/data.mdb.new";
    if (!std::filesystem::exists(file))
        return permanent("not_found", "there is no journal in " + path);
    FOXWEDGE_CHECK(sound_journal(path));
    const Use use(SharedJournal::lock_use(path, true));
    if (!use.held())
        return permanent("journal_in_use",
                         "the journal " + path + " is open in another process; stop it first");
    const auto taken = [](const std::string& name) {
        struct stat s {};
        return ::stat(name.c_str(), &s) == 0 ? static_cast<std::uint64_t>(s.st_blocks) * 512 : 0;
    };
    CompactReport report;
    report.bytes_before = taken(file);
    const auto copy = [&]() -> Status {
        EnvironmentOptions options;
        options.path = path;
        FOXWEDGE_TRY(environment, Environment::open(options));
        std::filesystem::remove(fresh);
        if (const int error = environment->copy_compact(fresh); error != 0) {
            ::unlink(fresh.c_str());
            return fault_of(error, path);
        }
        return {};
    };
    Status done = copy();
    // LMDB's lock file counts the transactions of the file that it was made for; with the new one,
    // which begins at 1, it must be made anew. First, so that being killed in between is harmless.
    if (done) ::unlink((path + "/lock.mdb").c_str());
    if (done && ::rename(fresh.c_str(), file.c_str()) != 0)
        done = permanent("journal_fault", "cannot put the compacted file in its place");
    if (done) sync_folder(path);
    report.bytes_after = taken(file);
    if (!done) return done.error();
    return report;
}

} // namespace foxwedge::journal
