// A context strategy that never comes to a plan.
#include <unistd.h>

#include <foxwedge/plugin.hpp>

using namespace foxwedge::plugin;

namespace {

class Dawdler : public ContextStrategy {
public:
    Dawdler(const Host&, const Value&) {}
    Value plan(const Value&) override {
        for (;;) pause();
    }
};

} // namespace

FOXWEDGE_PLUGIN(component<Dawdler>("dawdler"));
FOXWEDGE_DESCRIPTOR(R"({"id": "dawdler", "version": "1.0.0", "title": "Never done",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.context-strategy/1", "id": "dawdler", "title": "Never done"}]})");
