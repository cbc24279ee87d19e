#include "plugin/conformance/kits.hpp"

namespace foxwedge::plugin::conformance {

std::string not_ok(const Told& told) {
    if (told.ok() && told.problem.empty()) return {};
    return "it ended with " + described(told);
}

void check_leaving(Trial& trial, Ledger& ledger, const std::string& what,
                   const VerbRequest& request, const Manner& manner) {
    auto early = manner, middle = manner, overdue = manner;
    early.cancel_after = Millis(0);
    middle.cancel_after = Millis(20);
    overdue.deadline = Millis(1);
    auto problem = trial.call(request, early).problem;
    if (problem.empty()) problem = trial.call(request, middle).problem;
    ledger.note(what + ".cancelled", "a call that is cancelled returns within the time of grace",
                problem);
    ledger.note(what + ".overdue", "a call whose time is up returns within the time of grace",
                trial.call(request, overdue).problem);
}

} // namespace foxwedge::plugin::conformance
