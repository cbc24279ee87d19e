// The last `keepLast` exchanges and no more. An exchange is a group of its own, so a call never
// goes without its result.
#include <algorithm>

#include <foxwedge/plugin.hpp>

using namespace foxwedge::plugin;

class Count : public ContextStrategy {
public:
    static constexpr bool concurrent = true;

    Count(const Host&, const Value& config) : default_(config.integer("keepLast", 0)) {}

    Value plan(const Value& request) override {
        const auto keep = request["config"].integer("keepLast", default_);
        if (keep < 1)
            throw Failure(FOXWEDGE_E_INVALID, "invalid_config", "keepLast must be at least 1",
                          object({{"pointer", "/keepLast"}}));
        auto next = request.integer("firstGroup", 0);
        for (const Value& group : request.array("added"))
            next = std::max(next, group.integer("n", 0) + 1);
        return object({{"keepFrom", std::max<std::int64_t>(0, next - keep)},
                       {"pinned", array()},
                       {"state", ""}});
    }

private:
    const std::int64_t default_;
};

FOXWEDGE_PLUGIN(foxwedge::plugin::component<Count>("count"));
