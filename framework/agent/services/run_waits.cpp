#include "agent/services/run_waits.hpp"

namespace foxwedge::agent {

Result<Json> RunWaits::wait_for(const Json& request) {
    const auto until = integer_member(request, "until");
    const auto signal = string_member(request, "signal");
    if (until.has_value() == signal.has_value())
        return permanent("input_validation", "a wait is either {\"until\"} or {\"signal\"}");
    run::Run& lane = step_.lane();
    journal::Wait wait;
    if (until) {
        wait.on = journal::Wait::On::time;
        wait.at = Time(Millis(*until));
    } else {
        wait.on = journal::Wait::On::signal;
        wait.id = *signal;
    }
    const bool fired = lane.wait_for(wait);
    JsonObject answer{{"fired", fired}};
    if (fired && signal) {
        lane.unwinds(false); // the caller may be a plugin, which no exception may cross
        auto value = lane.signal(name_ + ":signal:" + std::string(*signal), *signal);
        lane.unwinds(true);
        if (!value) return std::move(value).error();
        answer["value"] = *std::move(value);
    }
    return Json(std::move(answer));
}

} // namespace foxwedge::agent
