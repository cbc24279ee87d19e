// What a long conversation costs: an agent of 200, 800 and 3,200 turns whose view is bounded by the
// `count` plugin, on a journal in memory. CPU a turn outside provider and tools, at the start of
// the run and at its end, and CPU of the strategy's verb: bench-context PLUGIN_FOLDER
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "agent/tool.hpp"
#include "base/clock.hpp"
#include "journal/memory_engine.hpp"
#include "looking_model.hpp"
#include "plugin/registry.hpp"
#include "run/run.hpp"

namespace {

using namespace foxwedge;

double cpu_us() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto micros = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
    };
    return micros(usage.ru_utime) + micros(usage.ru_stime);
}
double thread_us() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}
void must(bool ok, const char* what) {
    if (ok) return;
    std::fprintf(stderr, "bench-context: %s failed\n", what);
    std::exit(1);
}
/// The mean of a part of all turns, given in percent.
double mean(const std::vector<double>& all, std::size_t from, std::size_t to) {
    double sum = 0;
    const auto first = all.size() * from / 100, last = all.size() * to / 100;
    for (auto i = first; i < last; ++i) sum += all[i];
    return sum / static_cast<double>(last - first);
}

/// Notes how much CPU went by between its calls.
class Model final : public bench::LookingModel {
public:
    using LookingModel::LookingModel;
    Result<Generated> generate(const GenerateRequest& request, Call& call) override {
        const double now = cpu_us();
        if (last_ > 0) turns.push_back(now - last_);
        auto out = LookingModel::generate(request, call);
        last_ = cpu_us();
        return out;
    }
    std::vector<double> turns;

private:
    double last_ = 0;
};

/// Passes on, and notes what each plan cost.
class Watched final : public ContextStrategy {
public:
    explicit Watched(std::shared_ptr<ContextStrategy> behind) : behind_(std::move(behind)) {}
    Result<ContextPlan> plan(const ContextRequest& request, Call& call) override {
        const double began = thread_us();
        auto plan = behind_->plan(request, call);
        plans.push_back(thread_us() - began);
        return plan;
    }
    std::vector<double> plans;

private:
    std::shared_ptr<ContextStrategy> behind_;
};

struct Cost {
    std::vector<double> turns, plans;
};

Cost conversation(int turns, const std::shared_ptr<ContextStrategy>& count) {
    journal::MemoryJournal journal(system_clock());
    const auto engine = journal.process();
    journal::NewRun wanted;
    wanted.host = "bench";
    wanted.workflow = "agent";
    wanted.input_json = R"("look at refunds")";
    const auto started = engine->start(wanted);
    must(started.ok(), "start");

    agent::World world;
    auto watched = std::make_shared<Watched>(count);
    world.strategy = [&](std::string_view) -> Result<std::shared_ptr<ContextStrategy>> {
        return std::shared_ptr<ContextStrategy>(watched);
    };
    auto model = std::make_shared<Model>(turns);
    agent::Agent agent;
    agent.provider = model;
    agent.options.max_iterations = turns + 1;
    agent.options.context = Json{{"strategy", "count"}, {"keepLast", 10}};
    const std::string text(200, 'x');
    agent.tools = {agent::tool({.name = "look"},
                               [&](const JsonObject&) -> Result<Json> { return Json(text); })};
    auto held = engine->open(started->run, {});
    must(held.ok(), "open run");
    const auto finished =
        run::execute(**held,
                     [&](run::Run& run) -> Result<Json> {
                         FOXWEDGE_TRY(result, agent::agent(run, "a", agent, world));
                         return to_json(result);
                     },
                     {});
    must(finished.how == run::Ended::succeeded, "execute");
    return {model->turns, watched->plans};
}

} // namespace

int main(int argc, char** argv) {
    must(argc > 1, "naming the folder of context-count.so");
    plugin::RegistryOptions options;
    options.folders = {argv[1]};
    options.state_folder = std::string(argv[1]) + "/bench-state";
    const auto registry = plugin::Registry::open(std::move(options));
    must(registry.ok(), "plugins");
    const auto count = (*registry)->context_strategy("count", nullptr);
    must(count.ok(), "the plugin context-count");
    conversation(50, *count); // warm
    for (const int turns : {200, 800, 3200}) {
        const Cost cost = conversation(turns, *count);
        std::printf("{\"turns\":%d,\"cpu_us_per_turn\":%.1f,\"first_quarter_us\":%.1f,"
                    "\"last_quarter_us\":%.1f,\"plan_us\":%.1f,\"plan_last_quarter_us\":%.1f}\n",
                    turns, mean(cost.turns, 0, 100), mean(cost.turns, 0, 25),
                    mean(cost.turns, 75, 100), mean(cost.plans, 0, 100), mean(cost.plans, 75, 100));
    }
    return 0;
}
