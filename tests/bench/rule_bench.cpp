// What a rule costs on a parsed call, in nanoseconds of CPU.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "rule/rule.hpp"

using namespace foxwedge;

namespace {

double cpu_nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// Nanoseconds a call: the median of nine rounds.
template <class Work>
double cost(Work work) {
    constexpr int calls = 100'000;
    std::vector<double> rounds;
    for (int round = 0; round < 9; ++round) {
        auto start = cpu_nanoseconds();
        for (int i = 0; i < calls; ++i) work();
        rounds.push_back((cpu_nanoseconds() - start) / calls);
    }
    std::sort(rounds.begin(), rounds.end());
    return rounds[rounds.size() / 2];
}

} // namespace

int main() {
    auto tool = Json("refund");
    auto args =
        *parse_json(R"({"order":"ord-17","amount":150.5,"lines":[{"n":1},{"n":2},{"n":3}]})");
    auto risk = Json("high");
    auto iteration = Json(2);
    const Json* values[] = {&tool, &args, &risk, &iteration};
    for (const char* text :
         {"args.amount > 1000.0 || iteration > 3",
          "risk in ['high', 'critical'] && tool == 'refund'", "args.lines.exists(l, l.n > 2)",
          "args.order.matches('^ord-[0-9]+$')"}) {
        auto rule = rule::Rule::compile(text, {"tool", "args", "risk", "iteration"});
        if (!rule || !rule->holds(values)) return 1;
        volatile bool sink = false;
        auto evaluate = cost([&] { sink = *rule->holds(values); });
        std::printf("{\"rule\":\"%s\",\"evaluate_ns\":%.0f}\n", text, evaluate);
    }
}
