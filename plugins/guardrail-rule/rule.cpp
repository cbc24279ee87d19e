// Rules in CEL, evaluated by the host. A rule that cannot be evaluated is an error, so a deny.
#include <vector>

#include <foxwedge/plugin.hpp>

#include "common/subject.hpp"

using namespace foxwedge::plugin;
using namespace guardrail_kit;

namespace {

/// What a rule may read, and the member of the subject that it comes from.
constexpr struct {
    const char *name, *member;
} readable[] = {{"tool", "tool"},     {"args", "arguments"},  {"result", "result"},
                {"prompt", "prompt"}, {"content", "content"}, {"final", "final"},
                {"agent", "agent"},   {"server", "server"},   {"iteration", "iteration"}};

const char* placement_name(std::uint32_t placement) {
    switch (placement) {
    case FOXWEDGE_PLACEMENT_INPUT:
        return "input";
    case FOXWEDGE_PLACEMENT_TOOL_ARGS:
        return "tool-args";
    case FOXWEDGE_PLACEMENT_TOOL_RESULT:
        return "tool-result";
    case FOXWEDGE_PLACEMENT_OUTPUT:
        return "output";
    default:
        return "tool-definition";
    }
}

struct Rule {
    Value handle;
    std::string text, action, message, risk;
};

} // namespace

class Rules : public Guardrail {
public:
    static constexpr bool concurrent = true;

    Rules(const Host& host, const Value& config)
        : Guardrail(every_placement), judge_(host.check()) {
        Value names = array({"placement"});
        for (const auto& one : readable) names.push(one.name);
        for (const Value& rule : config.array("rules")) {
            const std::string text(rule.string("if"));
            rules_.push_back(
                {compiled(text, names), text, std::string(rule.string("action", "deny")),
                 std::string(rule.string("message")), std::string(rule.string("risk"))});
        }
    }

    ~Rules() override {
        for (const Rule& rule : rules_) {
            try {
                judge_.release(nullptr, rule.handle);
            } catch (...) { // the host frees it when the plugin is closed
            }
        }
    }

    Value check(std::uint32_t placement, const Value& subject, Call& call) override {
        Value values = object({{"placement", placement_name(placement)}});
        for (const auto& one : readable) values.set(one.name, subject[one.member]);
        for (const Rule& rule : rules_) {
            const Value answer =
                judge_
                    .evaluate(call.raw(), object({{"ruleHandle", rule.handle}, {"values", values}}))
                    .value();
            if (!answer["value"].is_bool())
                throw Failure(FOXWEDGE_E_INVALID, "invalid_config",
                              "the rule gives no true or false: " + rule.text);
            if (answer["value"].boolean()) return verdict(rule);
        }
        return object({{"action", "allow"}});
    }

private:
    /// The rule's handle.
    Value compiled(const std::string& text, const Value& names) const {
        const Reply made = judge_.compile(nullptr, object({{"rule", text}, {"names", names}}));
        if (made.ok()) return made.value()["handle"];
        const Failure why = made.failure();
        throw Failure(why.status, why.code, "the rule \"" + text + "\": " + why.message,
                      why.details);
    }

    static Value verdict(const Rule& rule) {
        const auto message =
            rule.message.empty() ? "A rule forbids this: " + rule.text : rule.message;
        Value out = object({{"action", rule.action}});
        if (rule.action == "deny" || rule.action == "stop") out.set("message", message);
        if (rule.action == "require-approval") out.set("reason", message);
        if (!rule.risk.empty()) out.set("risk", rule.risk);
        return out;
    }

    const Check judge_;
    std::vector<Rule> rules_;
};

FOXWEDGE_PLUGIN(foxwedge::plugin::component<Rules>("rule"));
