#include "run/on_record.hpp"

#include <algorithm>

#include "run/lane.hpp"

namespace foxwedge::run {
namespace {

/// There is no other Run.
Execution& execution_of(Run& run) {
    return static_cast<Lane&>(run).run();
}

} // namespace

std::span<const journal::Record> records_of(Run& run) {
    return execution_of(run).history().records();
}

std::size_t gates_on_record(Run& run, const std::function<bool(std::string_view step)>& counts) {
    const auto records = records_of(run);
    return static_cast<std::size_t>(
        std::count_if(records.begin(), records.end(), [&](const journal::Record& record) {
            return record.generation == 0 && record.key.kind == "gate" && counts(record.key.name);
        }));
}

Status pass_child_end(Run& run, std::string_view name, std::string_view child) {
    return static_cast<Lane&>(run).pass_child_end(name, child);
}

std::string note_lane(std::string_view kind) {
    return note_mark + std::string(kind);
}

Status note(Run& run, std::string_view kind, const std::string& value_json) {
    Execution& execution = execution_of(run);
    if (execution.replay_only()) return {};
    const auto lane = note_lane(kind);
    const auto before = std::ranges::count_if(
        records_of(run), [&](const journal::Record& record) { return record.key.lane == lane; });
    const auto done = execution.write([&] {
        const Time now = execution.now();
        journal::Completion note;
        note.key = {lane, static_cast<std::uint32_t>(before),
                    std::string(kind) + ":" + std::to_string(before), std::string(kind),
                    sha256(value_json)};
        note.attempt = {1, now, now, std::nullopt};
        note.outcome = journal::Outcome{std::nullopt, value_json, false};
        journal::Batch batch;
        batch.completions.push_back(std::move(note));
        return batch;
    });
    if (done.verdicts.at(0) == journal::Verdict::recorded) return {};
    return permanent("journal_fault", "a note could not be recorded: " + done.explanation);
}

} // namespace foxwedge::run
