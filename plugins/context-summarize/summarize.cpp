// When a request grows too large: all but the last exchanges go into a summary, earlier summaries
// too. Only what a summary can help is asked for, and after one that did not help a while passes
// before the next, each time twice as long.
#include <algorithm>
#include <vector>

#include <foxwedge/plugin.hpp>

#include "state.hpp"

using namespace foxwedge::plugin;
using summarize::State;

namespace {

constexpr double default_trigger = 0.8;
constexpr double worth_it = 0.1; ///< what a summary covers must be this share of the request

struct Options {
    double trigger;
    std::int64_t keep_last, summary_tokens;

    explicit Options(const Value& config)
        : trigger(config.number("trigger", default_trigger)),
          keep_last(std::clamp<std::int64_t>(config.integer("keepLast", 4), 1, 100)),
          summary_tokens(std::max<std::int64_t>(16, config.integer("maxSummaryTokens", 1024))) {}
};

} // namespace

class Summarize : public ContextStrategy {
public:
    static constexpr bool concurrent = true;

    Summarize(const Host&, const Value& config) : config_(config) {}

    Value plan(const Value& request) override {
        // The agent's own options come with each request; those of the instance fill in.
        Value config = config_.is_object() ? config_ : object();
        if (request["config"].is_object())
            for (const auto& [name, value] : request["config"].object()) config.set(name, value);
        const Options options(config);

        State state = State::read(request.string("state"));
        state.take(request.array("added"), static_cast<std::size_t>(options.keep_last));
        Value out = object({{"keepFrom", state.keep_from}, {"pinned", array()}});
        if (wants_summary(request, options, state)) {
            const auto to = state.tail.front().n;
            Value ask = object(
                {{"from", state.keep_from}, {"to", to}, {"maxTokens", options.summary_tokens}});
            for (const char* name : {"instructions", "model"})
                if (!config.string(name).empty()) ask.set(name, config[name]);
            out.set("keepFrom", to);
            out.set("summarize", std::move(ask));
            state.asked = to;
        }
        out.set("state", state.text());
        return out;
    }

private:
    static bool wants_summary(const Value& request, const Options& options, const State& state) {
        const auto& budget = request["budget"];
        const auto window = budget.integer("contextWindow", 0);
        const double most =
            options.trigger > 1 ? options.trigger : options.trigger * static_cast<double>(window);
        const auto used = budget.integer("used", 0) - state.gone; // what a request has now
        const auto covered = state.shown - state.tail_tokens();
        return most > 0 && static_cast<double>(used) > most && state.wait == 0 &&
               state.tail.size() == static_cast<std::size_t>(options.keep_last) &&
               state.tail.front().n > std::max(state.keep_from, state.last_summary) &&
               covered > options.summary_tokens &&
               static_cast<double>(covered) >= worth_it * static_cast<double>(used);
    }

    const Value config_;
};

FOXWEDGE_PLUGIN(foxwedge::plugin::component<Summarize>("summarize"));
