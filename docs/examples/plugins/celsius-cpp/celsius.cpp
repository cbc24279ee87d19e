// A capability in C++: one tool that converts degrees.
#include <foxwedge/plugin.hpp>

using namespace foxwedge::plugin;

class Celsius : public Capability {
public:
    Celsius(const Host&, const Value&) {}

    Value tools() override {
        return Value::parse(R"({"tools": [{
            "name": "celsius", "description": "Converts degrees Fahrenheit to Celsius.",
            "inputSchema": {"type": "object", "properties": {"fahrenheit": {"type": "number"}},
                            "required": ["fahrenheit"], "additionalProperties": false},
            "annotations": {"readOnlyHint": true}, "effect": "none", "parallelSafe": true}]})");
    }

    Value run(std::string_view, const Value& arguments, Call&) override {
        const Value degrees = (arguments["fahrenheit"].number() - 32) / 1.8;
        return object({{"content", array({object({{"type", "text"}, {"text", to_text(degrees)}})})},
                       {"structuredContent", object({{"celsius", degrees}})}});
    }
};

FOXWEDGE_PLUGIN(component<Celsius>("celsius"));
FOXWEDGE_DESCRIPTOR(R"({"id": "capability-celsius", "version": "1.0.0", "title": "Degrees",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.capability/1", "id": "celsius", "title": "Converts degrees"}]})");
