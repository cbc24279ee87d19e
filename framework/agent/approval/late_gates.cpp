#include "agent/approval/late_gates.hpp"

#include "run/on_record.hpp"

namespace foxwedge::agent {
namespace {

bool is_late(std::string_view step) {
    return step.ends_with(":result:approval") || step.find(":approval:edit:") != step.npos;
}

} // namespace

bool LateGates::admits(const run::Run& lane, std::string_view step) {
    if (lane.next_step() == step) return true;
    const std::lock_guard lock(mutex_);
    // Lanes come in any order: all that are on record count before the first new one.
    if (!taken_)
        taken_ = static_cast<int>(run::gates_on_record(run_, [&](std::string_view name) {
            return name.starts_with(turn_ + ":tool:") && is_late(name);
        }));
    if (*taken_ >= allowed_) return false;
    ++*taken_;
    return true;
}

} // namespace foxwedge::agent
