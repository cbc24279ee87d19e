#include "plugin/conformance/kits.hpp"

namespace foxwedge::plugin::conformance {

std::string not_ok(const Told& told) {
    if (told.ok() && told.problem.empty()) return {};
    return "it ended with " + described(told);
}

std::string not_the_same(const Told& first, const Told& again) {
    if (auto problem = not_ok(again); !problem.empty()) return problem;
    if (canonical_text(again.result) == canonical_text(first.result)) return {};
    return "the second time it is " + to_text(again.result).substr(0, 200);
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
