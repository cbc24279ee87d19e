// journal check, stats, export, import, prune, compact.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

#include "journal/maintenance.hpp"
#include "journals.hpp"
#include "output.hpp"

namespace foxwedge::cli {
namespace {

/// The one journal that is meant, or an error that lists those there are.
Result<std::string> one_path(const Globals& globals) {
    FOXWEDGE_TRY(paths, journal_paths(globals));
    if (paths.size() == 1) return paths.front();
    std::string all;
    for (const auto& path : paths) all += "\n  " + path;
    return permanent(paths.empty() ? "not_found" : "ambiguous",
                     paths.empty() ? "no journal found; name one with --journal"
                                   : "several journals; name one with --journal:" + all);
}

JsonObject to_json(const journal::CheckReport& report) {
    JsonArray problems;
    for (const auto& problem : report.problems)
        problems.push_back(
            JsonObject{{"what", problem.what}, {"run", problem.run}, {"step", problem.step}});
    return {{"sound", report.sound()},        {"runs", report.runs},
            {"records", report.records},      {"contents", report.contents},
            {"gates", report.gates},          {"storeItems", report.store_items},
            {"problems", std::move(problems)}};
}

void print_problems(const journal::CheckReport& report) {
    for (const auto& problem : report.problems)
        note(inked_error("damaged", Ink::red) + ": " + problem.what +
             (problem.run.empty() ? "" : "  run " + problem.run) +
             (problem.step.empty() ? "" : "  step " + problem.step));
}

std::string size_text(std::uint64_t bytes) {
    static constexpr const char* units[] = {"KiB", "MiB", "GiB"};
    std::uint64_t size = (bytes + 1023) / 1024;
    std::size_t unit = 0;
    while (size >= 10 * 1024 && unit + 1 < std::size(units)) {
        size = (size + 1023) / 1024;
        ++unit;
    }
    return grouped(static_cast<std::int64_t>(size)) + ' ' + units[unit];
}

std::string counts_text(std::uint64_t runs, std::uint64_t records, std::uint64_t gates,
                        std::uint64_t store_items) {
    return std::to_string(runs) + " runs, " + std::to_string(records) + " records, " +
           std::to_string(gates) + " questions, " + std::to_string(store_items) + " store items";
}

/// Runs `work` on the one journal and prints what it gives as JSON, or by `show`.
template <class Work, class Json_, class Show>
int on_journal(const Globals& globals, Work work, Json_ as_json, Show show) {
    auto path = one_path(globals);
    if (!path) return report(globals, path.error());
    auto done = work(*path);
    if (!done) return report(globals, done.error());
    if (globals.json) {
        print(to_text(Json(as_json(*done))));
    } else {
        show(*done);
    }
    return succeeded;
}

} // namespace

int journal_check(const Globals& globals) {
    bool sound = true;
    const int exit = on_journal(
        globals, [](const std::string& path) { return journal::check_journal(path); },
        [&](const auto& r) {
            sound = r.sound();
            return to_json(r);
        },
        [&](const auto& r) {
            sound = r.sound();
            print_problems(r);
            print(std::string(sound ? "sound" : "damaged") + ": " +
                  counts_text(r.runs, r.records, r.gates, r.store_items));
        });
    return exit == succeeded && !sound ? fault : exit;
}

int journal_stats(const Globals& globals) {
    return on_journal(
        globals, [](const std::string& path) { return journal::journal_stats(path); },
        [](const journal::Stats& s) {
            JsonObject runs;
            for (int i = 0; i < 7; ++i)
                runs[journal::to_string(static_cast<journal::RunStatus>(i))] = s.runs[i];
            JsonArray owners;
            for (const auto& owner : s.owners) owners.push_back(Json(owner));
            return JsonObject{{"fileBytes", s.file_bytes},   {"usedBytes", s.used_bytes},
                              {"limitBytes", s.limit_bytes}, {"format", s.format},
                              {"runs", std::move(runs)},     {"pendingGates", s.pending_gates},
                              {"logPieces", s.log_pieces},   {"contents", s.contents},
                              {"storeItems", s.store_items}, {"owners", std::move(owners)}};
        },
        [](const journal::Stats& s) {
            Table table;
            table.row({"file", size_text(s.file_bytes)});
            table.row({"in use", size_text(s.used_bytes)});
            table.row({"limit", size_text(s.limit_bytes)});
            for (int i = 0; i < 7; ++i)
                if (s.runs[i])
                    table.row({std::string("runs ") +
                                   journal::to_string(static_cast<journal::RunStatus>(i)),
                               std::to_string(s.runs[i])});
            table.row({"open questions", std::to_string(s.pending_gates)});
            table.row({"store items", std::to_string(s.store_items)});
            for (const auto& owner : s.owners) table.row({"open in", owner});
            table.print();
        });
}

int journal_export(const Globals& globals, const JournalArgs& args) {
    auto path = one_path(globals);
    if (!path) return report(globals, path.error());
    std::ofstream file;
    if (!args.file.empty()) {
        file.open(args.file, std::ios::binary);
        if (!file) return report(globals, permanent("io_error", "cannot write " + args.file));
    }
    std::ostream& out = args.file.empty() ? std::cout : file;
    auto done = journal::export_journal(*path, [&](const std::string& line) -> Status {
        out << line << '\n';
        if (!out) return permanent("io_error", "the export cannot be written");
        return {};
    });
    out.flush();
    if (!done) return report(globals, done.error());
    print_problems(*done);
    return done->sound() ? succeeded : fault;
}

/// A file or standard input, line by line.
class Lines {
public:
    explicit Lines(int fd) : fd_(fd) {}

    /// The next line, without its end; nothing after the last.
    Result<std::optional<std::string>> next() {
        std::string line;
        while (true) {
            const auto rest = std::string_view(buffer_).substr(0, end_).substr(at_);
            const auto size = std::min(rest.find('\n'), rest.size());
            if (line.size() + size > journal::longest_export_line)
                return permanent("invalid_export",
                                 "longer than " + std::to_string(journal::longest_export_line) +
                                     " bytes; no line that `foxwedge journal export` writes is");
            line += rest.substr(0, size);
            at_ += size;
            if (size < rest.size()) {
                ++at_;
                return std::optional(std::move(line));
            }
            FOXWEDGE_TRY(more, fill());
            if (!more && line.empty()) return std::optional<std::string>();
            if (!more) return std::optional(std::move(line));
        }
    }

private:
    Result<bool> fill() {
        ssize_t got = 0;
        do got = ::read(fd_, buffer_.data(), buffer_.size());
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return permanent("unreadable",
                             std::string("it cannot be read: ") + std::strerror(errno));
        at_ = 0;
        end_ = static_cast<std::size_t>(got);
        return got > 0;
    }

    const int fd_;
    std::string buffer_ = std::string(1 << 16, '\0');
    std::size_t at_ = 0, end_ = 0;
};

int journal_import(const Globals& globals, const JournalArgs& args) {
    if (globals.journal.empty())
        return report(globals, permanent("usage", "say where to with --journal FOLDER"));
    const int file = args.file.empty() ? STDIN_FILENO : ::open(args.file.c_str(), O_RDONLY);
    if (file < 0)
        return report(globals, permanent("not_found",
                                         "cannot read " + args.file + ": " + std::strerror(errno)));
    Lines lines(file);
    auto done = journal::import_journal(globals.journal, [&] { return lines.next(); });
    if (!done) return report(globals, done.error());
    if (globals.json) {
        print(to_text(JsonObject{{"runs", done->runs},
                                 {"records", done->records},
                                 {"gates", done->gates},
                                 {"storeItems", done->store_items},
                                 {"skipped", done->skipped}}));
    } else {
        print(
            "imported: " + counts_text(done->runs, done->records, done->gates, done->store_items) +
            (done->skipped ? "; skipped " + std::to_string(done->skipped) +
                                 " lines of damaged or unknown runs"
                           : ""));
    }
    return succeeded;
}

int journal_prune(const Globals& globals, const JournalArgs& args) {
    auto age = parse_duration(args.older_than);
    if (!age) return report(globals, age.error());
    const auto before = system_clock().now() - *age;
    return on_journal(
        globals, [&](const std::string& path) { return journal::prune_journal(path, before); },
        [](const auto& r) {
            return JsonObject{{"runs", r.runs}, {"contents", r.contents}};
        },
        [](const auto& r) { print("removed " + std::to_string(r.runs) + " runs"); });
}

int journal_compact(const Globals& globals) {
    return on_journal(
        globals, [](const std::string& path) { return journal::compact_journal(path); },
        [](const auto& r) {
            return JsonObject{{"bytesBefore", r.bytes_before}, {"bytesAfter", r.bytes_after}};
        },
        [](const auto& r) { print(size_text(r.bytes_before) + " → " + size_text(r.bytes_after)); });
}

} // namespace foxwedge::cli
