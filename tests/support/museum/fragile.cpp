// A plugin that ends its process in the verb that its configuration names; the others work. Before
// it goes it spends a token from the configured file, if there is one: without tokens it lives.
#include <csignal>
#include <cstdio>
#include <string>
#include <unistd.h>

#include <foxwedge/plugin.hpp>

namespace {

using namespace foxwedge::plugin;

class Fragility {
public:
    explicit Fragility(const Value& config)
        : verb_(config.string("dieIn", "")), tokens_(config.string("tokens", "")) {}
    void reach(std::string_view verb) const {
        if (verb != verb_ || !spend()) return;
        std::fprintf(stderr, "dying in %s\n", verb_.c_str());
        ::raise(SIGKILL);
    }

private:
    /// A token is the existence of the file with its number.
    bool spend() const {
        if (tokens_.empty()) return true;
        for (int n = 1; n <= 9; ++n)
            if (::unlink((tokens_ + std::to_string(n)).c_str()) == 0) return true;
        return false;
    }
    const std::string verb_, tokens_;
};

class FragileTools final : public Capability {
public:
    FragileTools(const Host&, const Value& config) : fragility_(config) {
        fragility_.reach("create");
    }
    Value tools() override {
        fragility_.reach("list_tools");
        return Value::parse(R"({"tools": [{"name": "touch", "description": "",
            "inputSchema": {"type": "object"}, "effect": "idempotent"}]})");
    }
    Value run(std::string_view, const Value&, Call&) override {
        fragility_.reach("run_tool");
        return Value::parse(R"({"content": [{"type": "text", "text": "whole"}]})");
    }

private:
    const Fragility fragility_;
};

class FragileModel final : public Provider {
public:
    FragileModel(const Host&, const Value& config) : fragility_(config) {}
    Value describe() override {
        fragility_.reach("describe");
        return Value::parse(
            R"({"nativeTranscript": true, "tools": false, "structuredOutput": "none",
            "streaming": true, "parallelCalls": false, "reasoningReplay": false})");
    }
    Value generate(const Value&, Call& call) override {
        for (int n = 0; n < 200; ++n) call.emit_answer("x");
        fragility_.reach("generate");
        return Value::parse(R"({"content": [{"type": "text", "text": "whole"}], "stop": "end",
            "usage": {"input": 1, "output": 1}, "model": "fragile", "responseId": "1"})");
    }
    std::int64_t count_tokens(const Value& request, Call&) override {
        fragility_.reach("count_tokens");
        return static_cast<std::int64_t>(request.array("messages").size());
    }

private:
    const Fragility fragility_;
};

} // namespace

FOXWEDGE_PLUGIN(component<FragileTools>("fragile-tools"), component<FragileModel>("fragile-model"));
FOXWEDGE_DESCRIPTOR(R"({"id": "fragile", "version": "1.0.0", "title": "Breaks where it is told",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.capability/1", "id": "fragile-tools", "title": "Tools"},
        {"kind": "foxwedge.provider/1", "id": "fragile-model", "title": "A model"}]})");
