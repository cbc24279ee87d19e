// A tool with actions in a test: what it answers, and how it refuses.
#pragma once
#include <memory>
#include <string>

#include <boost/test/unit_test.hpp>

#include "plugin.hpp"

namespace plugin_host {

inline std::string repeated(std::string_view text, int times) {
    std::string out;
    for (int n = 0; n < times; ++n) out += text;
    return out;
}

class ActionTool {
public:
    ActionTool(Host& on, Plugin& plugin, const char* component, const char* tool,
               const Value& config = foxwedge::plugin::object())
        : name(tool), instance(plugin.create(component, config)), host_(on) {}

    /// Each call is a step of its own.
    Outcome call(const Value& arguments) {
        instance->step_key = "run-1/step-" + std::to_string(++steps_);
        return instance->run(name, arguments);
    }
    Outcome call(const char* arguments) { return call(Value::parse(arguments)); }

    /// What came back as a value.
    Value done(const Value& arguments) {
        const auto outcome = call(arguments);
        BOOST_TEST(outcome.status == FOXWEDGE_OK);
        BOOST_TEST(!outcome.result.boolean("isError", false), to_text(outcome.result));
        return outcome.result["structuredContent"];
    }
    Value done(const char* arguments) { return done(Value::parse(arguments)); }

    /// "code pointer limit" of a call that is refused, which writes nothing and shows no card.
    std::string refused(const Value& arguments) {
        const auto before = host_.store.live_keys();
        const auto outcome = call(arguments);
        BOOST_TEST(outcome.status == FOXWEDGE_OK);
        BOOST_TEST(outcome.result.boolean("isError", false), to_text(arguments));
        BOOST_TEST(host_.store.live_keys() == before);
        const auto& details = outcome.result["details"];
        BOOST_TEST(!details.has("resourceCard"));
        BOOST_TEST(!details.has("card"));
        std::string out(details.string("code"));
        if (details.has("pointer")) out += ' ' + std::string(details.string("pointer"));
        if (const Value* limit = details.find("limit")) out += ' ' + to_text(*limit);
        return out;
    }
    std::string refused(const char* arguments) { return refused(Value::parse(arguments)); }

    const std::string name;
    std::unique_ptr<Instance> instance;

private:
    Host& host_;
    int steps_ = 0;
};

} // namespace plugin_host
