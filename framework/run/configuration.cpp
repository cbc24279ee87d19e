#include <algorithm>

#include "run/replay.hpp"
#include "run/run.hpp"

namespace foxwedge::run {

journal::Record configuration_record(std::span<const journal::Record> records,
                                     const std::string& text_json, Time now) {
    const auto before = std::count_if(records.begin(), records.end(), [](const auto& record) {
        return record.key.lane == configuration_lane;
    });
    journal::Record record;
    record.key.lane = configuration_lane;
    record.key.index = static_cast<std::uint32_t>(before);
    record.key.name = "config:" + std::to_string(before);
    record.key.kind = "config";
    record.key.inputs = sha256(text_json);
    record.attempts = {{1, now, now, std::nullopt}};
    record.outcome = journal::Outcome{std::nullopt, text_json, false};
    return record;
}

Status change_configuration(journal::Activation& activation, const std::string& text_json) {
    auto record = configuration_record(activation.records(), text_json, activation.now());
    journal::Completion completion;
    completion.key = std::move(record.key);
    completion.attempt = std::move(record.attempts.front());
    completion.outcome = std::move(record.outcome);
    journal::Batch batch;
    batch.completions.push_back(std::move(completion));
    const auto done = activation.commit(std::move(batch));
    if (done.verdicts.at(0) == journal::Verdict::recorded) return {};
    return permanent("journal_fault",
                     "the configuration could not be recorded: " + done.explanation);
}

} // namespace foxwedge::run
