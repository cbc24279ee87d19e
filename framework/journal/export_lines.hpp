// The lines of an export and their reading (docs/journal-format, "Export").
#pragma once
#include <string>

#include "base/json.hpp"
#include "journal/codec.hpp"

namespace foxwedge::journal {

inline constexpr int export_version = 1;

std::string export_header();
/// `live` as it stands; `ended` orders the ends of runs.
std::string export_run(const RunHead&, const LiveRow&, const std::string& forked_from);
std::string export_record(const std::string& run, const Record&);
std::string export_gate(const GateRow&);
std::string export_item(const std::string& collection, const StoreItem&);
std::string export_signal(const std::string& run, std::string_view key, std::string_view value);
std::string export_damage(const std::string& what, const std::string& run, const std::string& step);

struct ImportedRun {
    NewRun run;
    RunStatus status = RunStatus::ready;
    std::optional<Outcome> result;
    std::uint64_t ended = 0;
    std::string reason;
    Time created{}, updated{};
};
bool read_run(const Json&, ImportedRun&);
bool read_record(const Json&, Record&);
bool read_gate(const Json&, GateRow&);
bool read_item(const Json&, std::string& collection, StoreItem&);

} // namespace foxwedge::journal
