// A capability of which there may be one instance, and that serves one call at a time.
#include <atomic>

#include <foxwedge/plugin.hpp>

#include "release.hpp"

using namespace foxwedge::plugin;

namespace {

std::atomic<int> made{0};

class Narrow : public Capability {
public:
    Narrow(const Host&, const Value&) : number_(++made) {}
    Value tools() override {
        return Value::parse(R"({"tools": [
            {"name": "hold", "description": "", "inputSchema": {"type": "object"}},
            {"name": "number", "description": "", "inputSchema": {"type": "object"}}]})");
    }
    /// `hold` says that it is inside and stays until it is let go.
    Value run(std::string_view tool, const Value&, Call& call) override {
        if (tool == "hold") {
            call.emit_progress(0, 1);
            museum::wait_until_released();
        }
        return object({{"content", array()}, {"structuredContent", object({{"number", number_}})}});
    }

private:
    const int number_;
};

} // namespace

FOXWEDGE_PLUGIN(component<Narrow>("narrow"));
FOXWEDGE_DESCRIPTOR(R"({"id": "narrow", "version": "1.0.0", "title": "One at a time",
    "abi": {"major": 1, "minMinor": 0}, "components": [{"kind": "foxwedge.capability/1",
        "id": "narrow", "title": "One at a time", "maxInstances": 1}]})");
