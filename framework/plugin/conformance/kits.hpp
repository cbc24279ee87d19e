// What is asked of a component, kind by kind. Each kit calls a trial and takes down what came of
// it; after a failure that leaves nothing to go on with it ends early.
#pragma once
#include <optional>
#include <vector>

#include "plugin/conformance/report.hpp"
#include "plugin/conformance/trial.hpp"

namespace foxwedge::plugin::conformance {

/// A response that a vendor really gave, for a provider's success.
struct Recorded {
    int status = 200;
    Json headers;
    std::string body;
};

void check_capability(Trial&, Ledger&);
/// Without `answer` a provider that needs the network shows everything but a success.
void check_provider(Trial&, Ledger&, const std::optional<Recorded>& answer);
void check_guardrail(Trial&, Ledger&);
void check_strategy(Trial&, Ledger&);

// ---- What all kinds are asked ----

/// The call is told to end before it begins, in its middle, and by its deadline: it returns each
/// time, however it ends. Ids "<what>.cancelled" and "<what>.overdue".
void check_leaving(Trial&, Ledger&, const std::string& what, const VerbRequest&,
                   const Manner& = {});
/// What stands against a result that must be `ok`; empty if nothing does.
std::string not_ok(const Told&);
/// The same for one that must be `first` once more.
std::string not_the_same(const Told& first, const Told& again);

} // namespace foxwedge::plugin::conformance
