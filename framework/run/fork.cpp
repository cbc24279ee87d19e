#include "run/fork.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/json.hpp"
#include "base/text.hpp"
#include "run/replay.hpp"

namespace foxwedge::run {
namespace {

using journal::Record;

/// A place in a lane; `root` is the one in the root lane that holds all of it.
struct Place {
    std::string lane;
    std::uint32_t index = 0;
};

std::uint32_t index_of(std::string_view segment) {
    std::uint32_t index = 0;
    std::from_chars(segment.data(), segment.data() + segment.size(), index);
    return index;
}

/// The place itself and those around it, innermost first; the last is in the root lane.
std::vector<Place> places_around(const journal::StepKey& key) {
    std::vector<Place> out{{key.lane, key.index}};
    for (std::string lane = key.lane; !lane.empty();) {
        const auto slash = lane.rfind('/');
        const auto own = slash == std::string::npos ? lane : lane.substr(slash + 1);
        lane.resize(slash == std::string::npos ? 0 : slash);
        out.push_back({lane, index_of(own)});
    }
    return out;
}

/// Where a record stands in `lane`: its own index there, or that of what it is below; nothing if it
/// is not in it.
std::optional<std::uint32_t> index_in(const std::string& lane, const journal::StepKey& key) {
    if (key.lane == lane) return key.index;
    std::string_view rest = key.lane;
    if (!lane.empty()) {
        if (!rest.starts_with(lane + "/")) return std::nullopt;
        rest.remove_prefix(lane.size() + 1);
    }
    return index_of(rest);
}

bool is_note(const Record& record) {
    return record.key.lane.starts_with(note_mark);
}

class Forking {
public:
    Forking(const journal::RunHead& origin, std::span<const Record> records, const Record& at,
            const std::optional<std::string>& output)
        : origin_(origin), records_(records), at_(at), output_(output),
          around_(places_around(at.key)) {}

    Result<Fork> make() {
        for (const auto& record : records_) {
            if (is_note(record))
                take_note(record);
            else if (stays(record))
                out_.seed.push_back(record);
            else
                lose(record);
        }
        if (output_) put_output();
        FOXWEDGE_CHECK(check_open());
        FOXWEDGE_CHECK(check_size());
        std::stable_sort(out_.seed.begin(), out_.seed.end(),
                         [](const Record& a, const Record& b) { return a.sequence < b.sequence; });
        out_.seed.push_back(note());
        out_.at_kind = at_.key.kind;
        return std::move(out_);
    }

private:
    bool is_at(const Record& record) const {
        return record.key.lane == at_.key.lane && record.key.index == at_.key.index;
    }

    bool stays(const Record& record) const {
        if (!output_) return *index_in("", record.key) < around_.back().index;
        for (std::size_t depth = 0; depth < around_.size(); ++depth) {
            const auto index = index_in(around_[depth].lane, record.key);
            if (!index) continue;
            if (*index != around_[depth].index) return *index < around_[depth].index;
            // At the place itself: the step gets its output anew, what it held goes. What is around
            // it is done again as far as it is a container; a fan-out's verdicts stay.
            const bool own = record.key.lane == around_[depth].lane;
            if (depth == 0) return false;
            return !own || record.key.kind == "gates";
        }
        return false;
    }

    void lose(const Record& record) {
        const bool made = record.intent || !record.attempts.empty();
        if (record.key.kind == "tool" && made && !(output_ && is_at(record)))
            made_.push_back(Json(to_hex(record.key.inputs)));
    }

    void take_note(const Record& record) {
        // What was in force when the step was recorded is in force for it in the fork.
        if (record.key.lane == configuration_lane && record.sequence < at_.sequence)
            out_.seed.push_back(record);
        if (record.key.lane != fork_lane || !record.outcome) return;
        const auto before = parse_json(record.outcome->value_json);
        if (const auto* const made = before ? array_member(*before, "made") : nullptr)
            made_.insert(made_.end(), made->begin(), made->end());
    }

    void put_output() {
        Record record = at_;
        record.generation = 0;
        record.intent = false;
        record.checkpoint.clear();
        record.usage_json.clear();
        const Time now = record.attempts.empty() ? Time{} : record.attempts.back().ended;
        record.attempts = {{1, now, now, std::nullopt}};
        record.outcome = journal::Outcome{std::nullopt, *output_, false};
        out_.seed.push_back(std::move(record));
    }

    /// A branch or a child that is open in the origin has nothing in the fork to wait for.
    Status check_open() const {
        std::map<std::pair<std::string, std::uint32_t>, const Record*> newest;
        std::map<std::string, int> children;
        for (const auto& record : out_.seed) {
            if (is_note(record)) continue;
            auto& known = newest[{record.key.lane, record.key.index}];
            if (!known || known->generation <= record.generation) known = &record;
            if (record.key.kind == "child-start") ++children[record.key.lane];
            if (record.key.kind == "child-end") --children[record.key.lane];
        }
        for (const auto& [place, record] : newest)
            if (!record->outcome && output_ && index_in("", record->key) == around_.back().index)
                return permanent("fork_open", "step \"" + record->key.name +
                                                  "\" beside it is still open; a fan-out is taken "
                                                  "whole or not at all: fork without an output, "
                                                  "or at an earlier step");
        for (const auto& place : around_)
            if (children[place.lane] > 0)
                return permanent("fork_open",
                                 "a child that was started before step \"" + at_.key.name +
                                     "\" is still open there: fork where it is started");
        return {};
    }

    Status check_size() const {
        constexpr std::size_t most = 65'000; // entries of one frame of the journal
        if (out_.seed.size() < most) return {};
        return permanent("too_large", "the run has more than 65,000 records before step \"" +
                                          at_.key.name + "\"");
    }

    Record note() {
        Record note;
        note.key = {std::string(fork_lane), 0, "fork:0", "fork", sha256(origin_.id)};
        note.attempts = {{1, origin_.updated, origin_.updated, std::nullopt}};
        JsonObject value{{"run", origin_.id}, {"at", at_.key.name}};
        if (!made_.empty()) value["made"] = std::move(made_);
        note.outcome = journal::Outcome{std::nullopt, to_text(value), false};
        return note;
    }

    const journal::RunHead& origin_;
    const std::span<const Record> records_;
    const Record& at_;
    const std::optional<std::string>& output_;
    const std::vector<Place> around_;
    Fork out_;
    JsonArray made_;
};

} // namespace

Result<Fork> fork_of(const journal::RunHead& origin, std::span<const Record> records,
                     std::string_view at, const std::optional<std::string>& output_json) {
    const Record* found = nullptr;
    std::vector<std::string> names;
    for (const auto& record : records) {
        if (is_note(record)) continue;
        names.push_back(record.key.name);
        if (record.key.name != at) continue;
        if (!found || found->generation <= record.generation) found = &record;
    }
    if (!found) {
        const auto near = nearest(at, names);
        return permanent("not_found",
                         "run " + origin.id + " has no step \"" + std::string(at) + "\"" +
                             (near.empty() ? "; foxwedge show " + origin.id + " --steps lists them"
                                           : "; did you mean \"" + std::string(near) + "\"?"));
    }
    return Forking(origin, records, *found, output_json).make();
}

} // namespace foxwedge::run
