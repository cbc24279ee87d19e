#include "journal/survey.hpp"

#include <cstring>

#include "base/json.hpp"
#include "base/text.hpp"
#include "journal/bytes.hpp"

namespace foxwedge::journal {
namespace {

enum class Direction { forward, backward };

/// The child's part: rows after `from` (or before `until`, backwards).
void walk_here(const std::string& path, Table table, Direction direction, const std::string& from,
               const std::string& until, const VisitRow& visit, const Say& say) {
    EnvironmentOptions options;
    options.path = path;
    options.read_only = true;
    auto environment = Environment::open(options);
    if (!environment && environment.error().code == "journal_unmade") {
        say("~ 0"); // whoever made it was ended before its tables were there
        return;
    }
    if (!environment) {
        say("? " + to_base64(environment.error().message));
        return;
    }
    Txn txn = (*environment)->read();
    say("~ " + std::to_string(txn.entries(table)));
    Cursor cursor(txn, table);
    bool more = false;
    if (direction == Direction::forward) {
        more = from.empty() ? cursor.first() : cursor.seek(from + std::string(1, '\0'));
    } else {
        more = until.empty()        ? cursor.last()
               : cursor.seek(until) ? cursor.previous()
                                    : cursor.last();
    }
    for (; more; more = direction == Direction::forward ? cursor.next() : cursor.previous()) {
        const std::string key(cursor.key());
        if (direction == Direction::forward && !until.empty() && key >= until) break;
        if (direction == Direction::backward && key <= from) break;
        if (!say("@ " + to_base64(key))) return;
        visit(txn, key, cursor.value(), say);
        say("="); // this row is done
    }
    if (txn.error() != 0) say("? " + to_base64(describe(txn.error())));
}

} // namespace

Status walk(const std::string& path, Table table, const VisitRow& visit,
            const std::function<void(std::string_view line)>& line,
            const std::function<void(const std::string& key, const std::string& how)>& broken) {
    std::string from, until; // rows up to `from` and from `until` on are done
    auto direction = Direction::forward;
    for (int deaths = 0; deaths < 1000; ++deaths) {
        std::string last;
        std::uint64_t expected = 0, seen = 0;
        bool moved = false, inside = false;
        std::string fault;
        const auto ended = run_isolated(
            [&](const Say& say) { walk_here(path, table, direction, from, until, visit, say); },
            [&](std::string_view text) {
                if (text.substr(0, 2) == "@ ") {
                    last = from_base64(text.substr(2)).ok() ? *from_base64(text.substr(2)) : "";
                    moved = inside = true;
                    ++seen;
                } else if (text.substr(0, 2) == "~ ") {
                    expected = std::stoull(std::string(text.substr(2)));
                } else if (text == "=") {
                    inside = false;
                } else if (text.substr(0, 2) == "? ") {
                    fault = from_base64(text.substr(2)).ok() ? *from_base64(text.substr(2)) : "";
                } else {
                    line(text);
                }
            });
        if (!ended) return ended.error();
        if (ended->whole && fault.empty()) {
            // Only the first walk is to see all; later ones begin in the middle.
            if (deaths == 0 && seen != expected)
                broken({}, "there should be " + std::to_string(expected) + " rows and " +
                               std::to_string(seen) + " can be reached");
            return {};
        }
        const std::string how =
            ended->whole ? fault : std::string("reading ends with ") + ::strsignal(ended->signal);
        if (moved) (direction == Direction::forward ? from : until) = last;
        broken(inside ? last : std::string(), how);
        // Past a row that kills, in the same direction; past a page that kills, from the other end.
        if (!inside) {
            if (direction == Direction::backward) return {};
            direction = Direction::backward;
        }
    }
    return {};
}

std::string problem_line(const Problem& p) {
    return "! {\"what\":" + foxwedge::quoted(p.what) + ",\"run\":" + foxwedge::quoted(p.run) +
           ",\"step\":" + foxwedge::quoted(p.step) + "}";
}

std::optional<Problem> problem_of(std::string_view line) {
    if (line.substr(0, 2) != "! ") return std::nullopt;
    const auto json = parse_json(line.substr(2));
    if (!json) return Problem{"a finding that cannot be read", {}, {}};
    return Problem{std::string(string_member(*json, "what").value_or("")),
                   std::string(string_member(*json, "run").value_or("")),
                   std::string(string_member(*json, "step").value_or(""))};
}

} // namespace foxwedge::journal
