// The newest exchanges that fit. How many tokens a group has is kept in the state, in a bounded row
// of heaps: when the row is full the two oldest heaps become one, so what is far back is let go in
// larger pieces, and neither state nor time grows with the run.
#include <algorithm>
#include <cmath>
#include <vector>

#include <foxwedge/plugin.hpp>

using namespace foxwedge::plugin;

namespace {

constexpr std::size_t max_heaps = 96; ///< about 2 KiB of state

/// Groups that go together.
struct Heap {
    std::int64_t first = 0, tokens = 0;
};

struct Kept {
    std::vector<Heap> heaps; ///< oldest first
    std::int64_t ever = 0;   ///< tokens of all groups that there have been, each as it was counted
    std::int64_t beside = 0; ///< of system text, tools and task

    static Kept read(std::string_view state) {
        Kept kept;
        if (state.empty()) return kept;
        const Value value = Value::parse(state);
        kept.ever = value.integer("ever", 0);
        kept.beside = value.integer("beside", 0);
        for (const Value& heap : value.array("heaps"))
            kept.heaps.push_back({heap.array().at(0).integer(), heap.array().at(1).integer()});
        return kept;
    }
    std::string text() const {
        Value rows = array();
        for (const Heap& heap : heaps) rows.push(array({heap.first, heap.tokens}));
        return to_text(object({{"ever", ever}, {"beside", beside}, {"heaps", std::move(rows)}}));
    }
    void add(std::int64_t n, std::int64_t tokens) {
        ever += tokens;
        heaps.push_back({n, tokens});
        if (heaps.size() <= max_heaps) return;
        heaps[1] = {heaps[0].first, heaps[0].tokens + heaps[1].tokens};
        heaps.erase(heaps.begin());
    }
    std::int64_t tokens() const {
        std::int64_t sum = 0;
        for (const Heap& heap : heaps) sum += heap.tokens;
        return sum;
    }
};

} // namespace

class TokenBudget : public ContextStrategy {
public:
    static constexpr bool concurrent = true;

    TokenBudget(const Host&, const Value& config) : default_(config.integer("maxTokens", 0)) {}

    Value plan(const Value& request) override {
        Kept kept = Kept::read(request.string("state"));
        for (const Value& group : request.array("added"))
            kept.add(group.integer("n", 0), std::max<std::int64_t>(0, group.integer("tokens", 0)));
        const auto used = request["budget"].integer("used", 0);
        // Told apart by the first plan; later the newest count would be mixed with older ones.
        if (request.string("state").empty())
            kept.beside = std::max<std::int64_t>(0, used - kept.ever);
        const double scale = newest_count(used, kept);
        const auto needed = [&](std::int64_t tokens) {
            return std::llround(scale * static_cast<double>(kept.beside + tokens));
        };
        const auto most = limit(request);
        auto tokens = kept.tokens();
        while (needed(tokens) > most && kept.heaps.size() > 1) {
            tokens -= kept.heaps.front().tokens;
            kept.heaps.erase(kept.heaps.begin());
        }
        if (needed(tokens) > most)
            throw Failure(FOXWEDGE_E_INVALID, "context_window_exceeded",
                          "what must be shown needs " + std::to_string(needed(tokens)) +
                              " tokens, system text, tools and task " + std::to_string(needed(0)) +
                              " of them; allowed are " + std::to_string(most),
                          object({{"limit", most}}));
        const auto next = request.integer("firstGroup", 0);
        return object({{"keepFrom", kept.heaps.empty() ? next : kept.heaps.front().first},
                       {"pinned", array()},
                       {"state", kept.text()}});
    }

private:
    /// The budget, within what the model can take.
    std::int64_t limit(const Value& request) const {
        auto most = request["config"].integer("maxTokens", default_);
        if (most < 1)
            throw Failure(FOXWEDGE_E_INVALID, "invalid_config", "maxTokens must be at least 1",
                          object({{"pointer", "/maxTokens"}}));
        const auto& budget = request["budget"];
        const auto window = budget.integer("contextWindow", 0);
        return window > 0 ? std::min(most, window - budget.integer("reserve", 0)) : most;
    }

    /// The host's figures follow what the provider counts; groups that were counted earlier are
    /// brought to the figure of now.
    static double newest_count(std::int64_t used, const Kept& kept) {
        const auto remembered = kept.beside + kept.ever;
        if (used <= 0 || remembered <= 0) return 1;
        return std::clamp(static_cast<double>(used) / static_cast<double>(remembered), 0.25, 4.0);
    }

    const std::int64_t default_;
};

FOXWEDGE_PLUGIN(foxwedge::plugin::component<TokenBudget>("token-budget"));
