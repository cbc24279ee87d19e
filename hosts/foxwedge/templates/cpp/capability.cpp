// A capability: tools that a model may call. This one has one, `remember`, which keeps a text under
// a key in the host's store and says what was there before.
#include <foxwedge/plugin.hpp>

using namespace foxwedge::plugin;

namespace {

class PLUGIN_TYPE final : public Capability {
public:
    static constexpr bool concurrent = true; // nothing in it changes

    PLUGIN_TYPE(const Host& host, const Value&) : store_(host.store()) {}

    Value tools() override {
        // "store": all that lasts goes through the store, which commits with the call.
        return Value::parse(R"({"tools": [{
            "name": "remember",
            "description": "Keeps a text under a key and gives what was kept there before.",
            "inputSchema": {"type": "object", "properties": {
                "key": {"type": "string", "minLength": 1, "maxLength": 100},
                "text": {"type": "string", "maxLength": 10000}},
                "required": ["key", "text"], "additionalProperties": false},
            "annotations": {"readOnlyHint": false}, "effect": "store", "parallelSafe": true}]})");
    }

    Value run(std::string_view tool, const Value& arguments, Call& call) override {
        if (tool != "remember")
            throw Failure(FOXWEDGE_E_UNSUPPORTED, "unknown_tool", "there is only remember");
        const Value answer =
            store_.apply(call, array({op("get", arguments), op("put", arguments)})).value();
        const Value& before = answer.array("results").at(0);
        return object({{"content", array({object({{"type", "text"}, {"text", "kept"}})})},
                       {"structuredContent", object({{"before", before["value"]}})}});
    }

private:
    static Value op(const char* name, const Value& arguments) {
        Value made = object({{"op", name}, {"scope", "project"}, {"key", arguments["key"]}});
        if (std::string_view(name) == "put") made.set("value", arguments["text"]);
        return made;
    }
    const Store store_;
};

} // namespace

FOXWEDGE_PLUGIN(component<PLUGIN_TYPE>("@NAME@"));
