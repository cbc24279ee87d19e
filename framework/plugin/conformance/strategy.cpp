#include <algorithm>
#include <set>

#include "contracts/context_strategy.hpp"
#include "plugin/conformance/kits.hpp"

namespace foxwedge::plugin::conformance {
namespace {

constexpr std::int64_t window = 32'000, reserve = 4'000, fixed = 500, group_tokens = 700;
constexpr int turns = 300;

ContextGroup group(std::int64_t n) {
    return {n, group_tokens + n % 7 * 90, n % 3, 2'800, false};
}

/// The longest conversation that anyone has with it, and what it made of each turn.
class Conversation {
public:
    explicit Conversation(Trial& trial) : trial_(trial) {}

    /// Ends at the first plan that is none; `problem` says why.
    void go_on() {
        for (int turn = 0; turn < turns && problem.empty(); ++turn) {
            add(group(next_));
            plan();
        }
    }
    std::string problem;
    std::string last_request; ///< of the last plan
    Json last_plan;
    bool used_services = false;
    std::vector<Millis::rep> micros; ///< that each plan took

private:
    void add(const ContextGroup& one) {
        shown_.insert(next_);
        tokens_[next_++] = one.tokens;
        added_.push_back(one);
    }

    void plan() {
        ContextRequest request;
        request.state = state_;
        request.first_group = added_.empty() ? next_ : added_.front().n;
        request.added = std::exchange(added_, {});
        request.context_window = window;
        request.reserve = reserve;
        request.used = fixed;
        for (const auto n : shown_) request.used += tokens_[n];
        request.config = trial_.config();
        last_request = to_text(to_json(request));
        const auto before = std::chrono::steady_clock::now();
        const auto told = trial_.call({Verb::plan, last_request, {}, 0});
        micros.push_back(std::chrono::duration_cast<std::chrono::microseconds>(
                             std::chrono::steady_clock::now() - before)
                             .count());
        used_services = used_services || told.asked > 0 || !told.requests.empty();
        if (problem = not_ok(told); !problem.empty()) return;
        last_plan = told.result;
        const auto planned = context_plan_from_json(told.result);
        problem = planned ? problem_of(*planned) : planned.error().message;
        if (!problem.empty()) {
            problem += " (group " + std::to_string(next_ - 1) + ")";
            return;
        }
        follow(*planned);
    }

    std::string problem_of(const ContextPlan& plan) const {
        if (plan.keep_from > next_) return "keepFrom is beyond the groups that there are";
        for (const auto n : plan.pinned)
            if (n >= next_) return "pinned holds a group that there is not";
        if (plan.summarize && plan.summarize->to > next_)
            return "summarize goes beyond the groups that there are";
        if (plan.summarize && plan.summarize->max_tokens <= 0) return "a summary of no tokens";
        return {};
    }

    void follow(const ContextPlan& plan) {
        state_ = plan.state;
        shown_.clear();
        for (const auto n : plan.pinned) shown_.insert(n);
        for (auto n = plan.keep_from; n < next_; ++n) shown_.insert(n);
        if (!plan.summarize) return;
        const auto tokens = std::min<std::int64_t>(plan.summarize->max_tokens, 400);
        add({next_, tokens, 0, tokens * 4, true});
    }

    Trial& trial_;
    std::string state_;
    std::int64_t next_ = 0;
    std::map<std::int64_t, std::int64_t> tokens_;
    std::set<std::int64_t> shown_;
    std::vector<ContextGroup> added_;
};

std::int64_t median(std::vector<std::int64_t> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::string problem_of_cost(const std::vector<std::int64_t>& micros) {
    constexpr std::ptrdiff_t sample = 100;
    if (micros.size() < 2 * sample) return "there were too few plans to tell";
    const auto early = median({micros.begin(), micros.begin() + sample}),
               late = median({micros.end() - sample, micros.end()});
    constexpr std::int64_t noise = 2'000;
    if (late <= 3 * early + noise) return {};
    return "a plan took " + std::to_string(early) + " µs at first and " + std::to_string(late) +
           " µs in the end";
}

} // namespace

void check_strategy(Trial& trial, Ledger& ledger) {
    Conversation conversation(trial);
    conversation.go_on();
    if (!ledger.note("plan",
                     "a plan for each of 300 turns, within what there is, its state of at most "
                     "4 KiB",
                     conversation.problem))
        return;
    ledger.note("plan.services", "a plan needs no service",
                conversation.used_services ? "it used one" : "");
    const VerbRequest request{Verb::plan, conversation.last_request, {}, 0};
    std::string problem;
    for (const bool elsewhere : {false, true}) {
        if (elsewhere) trial.restart();
        const auto again = trial.call(request);
        if (problem.empty()) problem = not_ok(again);
        if (problem.empty() &&
            canonical_text(again.result) != canonical_text(conversation.last_plan))
            problem = std::string("the same request had another plan") +
                      (elsewhere ? " in another process" : " the second time");
    }
    ledger.note("plan.pure", "the same request has the same plan, in another process too", problem);
    ledger.note("plan.cost", "a plan costs no more at the end of a long run",
                problem_of_cost(conversation.micros));

    ContextRequest tight;
    tight.added = {{0, 5'000, 0, 20'000, false}};
    tight.context_window = 1'000;
    tight.used = 5'500;
    tight.reserve = 200;
    tight.config = trial.config();
    const auto text = to_text(to_json(tight));
    const auto told = trial.call({Verb::plan, text, {}, 0});
    problem = told.problem;
    if (problem.empty() && !told.ok() &&
        (told.end.status != FOXWEDGE_E_INVALID || told.code() != "context_window_exceeded"))
        problem = "it ended with " + described(told);
    ledger.note("plan.too-large",
                "what cannot be made to fit has a plan all the same, or context_window_exceeded",
                problem);
    check_leaving(trial, ledger, "plan", request);
}

} // namespace foxwedge::plugin::conformance
