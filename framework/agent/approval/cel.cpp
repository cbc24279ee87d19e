#include "agent/approval/cel.hpp"

#include "rule/rule.hpp"

namespace foxwedge::agent {
namespace {

class CelRule final : public CompiledRule {
public:
    explicit CelRule(rule::Rule rule) : rule_(std::move(rule)) {}
    Result<Json> evaluate(std::span<const Json* const> values) const override {
        return rule_.evaluate(values);
    }

private:
    rule::Rule rule_;
};

class Cel final : public RuleLanguage {
public:
    Result<std::shared_ptr<const CompiledRule>>
    compile(std::string_view text, const std::vector<std::string>& names) override {
        auto compiled = rule::Rule::compile(text, names);
        if (!compiled) {
            Error error = std::move(compiled).error();
            error.message = "rule \"" + std::string(text) + "\": " + error.message;
            return error;
        }
        return std::shared_ptr<const CompiledRule>(std::make_shared<CelRule>(*std::move(compiled)));
    }
};

} // namespace

RuleLanguage& cel_language() {
    static Cel language;
    return language;
}

} // namespace foxwedge::agent
