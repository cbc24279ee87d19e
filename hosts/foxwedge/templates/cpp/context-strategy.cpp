// A context strategy: chooses how much of a long history the model is shown. This one shows the
// newest groups, as many as are configured.
#include <algorithm>

#include <foxwedge/plugin.hpp>

using namespace foxwedge::plugin;

namespace {

class PLUGIN_TYPE final : public ContextStrategy {
public:
    static constexpr bool concurrent = true; // nothing in it changes

    PLUGIN_TYPE(const Host&, const Value&) {}

    // Pure: the plan depends on the request alone, its `config` (that of the agent) too, and what
    // is kept from plan to plan is its `state`. Here nothing is: the numbers of groups only grow,
    // so the newest is enough.
    Value plan(const Value& request) override {
        const auto keep = request["config"].integer("keep", 20);
        auto next = request.integer("firstGroup", 0);
        for (const Value& group : request.array("added")) next = group.integer("n", next) + 1;
        return object({{"keepFrom", std::max<std::int64_t>(0, next - keep)},
                       {"pinned", array()},
                       {"state", ""}});
    }
};

} // namespace

FOXWEDGE_PLUGIN(component<PLUGIN_TYPE>("@NAME@"));
