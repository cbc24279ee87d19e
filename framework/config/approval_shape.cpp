#include "config/shapes.hpp"

namespace foxwedge::config {
namespace {

const std::vector<std::string> levels{"low", "medium", "high", "critical"};
/// What a condition about a call reads (docs/approvals).
const std::vector<std::string> of_a_call{"tool", "args", "risk", "iteration"};

ShapePtr<ApprovalRule::Level> level_shape() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<ApprovalRule::Level>>();
        s->key("if", &ApprovalRule::Level::condition, rule_text(of_a_call),
               "CEL over tool, args, iteration")
            .required()
            .key("level", &ApprovalRule::Level::level, one_of(levels), "the level where it holds")
            .required();
        return s;
    }();
    return shape;
}

Codec<ApprovalRule> risk() {
    return {[](Reading& r, const Json& v, const std::string& p, ApprovalRule& to) {
                if (v.is_array()) {
                    std::vector<ApprovalRule::Level> found;
                    list(object(level_shape())).read(r, v, p, found);
                    to.risk = std::move(found);
                    return;
                }
                std::string level;
                one_of(levels).read(r, v, p, level);
                to.risk = std::move(level);
            },
            [] {
                return JsonObject{{"anyOf", JsonArray{one_of(levels).schema(),
                                                      list(object(level_shape())).schema()}}};
            }};
}

} // namespace

ShapePtr<ApprovalRule> approval_rule_shape() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<ApprovalRule>>();
        s->key("risk", risk(), "low, medium, high, critical, or a list [{if, level}]")
            .key("summary", &ApprovalRule::summary, text(),
                 "what the person is asked; may use ${tool} ${risk} ${iteration} ${args.a.b}")
            .key("allow", &ApprovalRule::allow,
                 list(one_of({"approve", "reject", "edit", "respond"})),
                 "the answers that are offered; default approve, reject, edit")
            .key("timeout", &ApprovalRule::timeout, duration(), "absent: waits for ever")
            .key("onTimeout", &ApprovalRule::on_timeout, one_of({"reject", "approve", "fail"}),
                 "what happens when nobody answers in time; default reject")
            .key("if", &ApprovalRule::condition, rule_text(of_a_call),
                 "CEL over tool, args, risk, iteration; gates where true")
            .key("minRisk", &ApprovalRule::min_risk, one_of(levels), "gates from this risk on")
            .key("shadow", &ApprovalRule::shadow, boolean(),
                 "only records what the rule would have said")
            .then([](Reading& r, const std::string& p, ApprovalRule& rule) {
                if (rule.allow.empty()) r.problem(p + "/allow", "must offer at least one answer");
            });
        return s;
    }();
    return shape;
}

Codec<ApprovalRule> approval_rule() {
    return object(approval_rule_shape());
}

ShapePtr<RetryPolicy> retry_shape() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<RetryPolicy>>();
        s->key("maxAttempts", &RetryPolicy::max_attempts, integer(1, 1000),
               "attempts in all, the first included")
            .key("initialDelay", &RetryPolicy::initial_delay, duration(), "before the second")
            .key("factor", &RetryPolicy::factor, number(1), "each delay times this is the next")
            .key("maxDelay", &RetryPolicy::max_delay, duration(), "no delay is longer")
            .key("jitter", &RetryPolicy::jitter, number(0), "share of a delay that varies")
            .then([](Reading& r, const std::string& p, RetryPolicy& policy) {
                if (policy.jitter > 1) r.problem(p + "/jitter", "must be from 0 to 1");
            });
        return s;
    }();
    return shape;
}

Codec<ToolAnnotations> annotations() {
    static const auto shape = [] {
        auto s = std::make_shared<Shape<ToolAnnotations>>();
        s->key("title", &ToolAnnotations::title, text(), "a name for people")
            .key("readOnlyHint", &ToolAnnotations::read_only, boolean(), "changes nothing")
            .key("destructiveHint", &ToolAnnotations::destructive, boolean(),
                 "may destroy what was there")
            .key("idempotentHint", &ToolAnnotations::idempotent, boolean(),
                 "twice is the same as once")
            .key("openWorldHint", &ToolAnnotations::open_world, boolean(),
                 "reaches beyond the project");
        return s;
    }();
    return object(ShapePtr<ToolAnnotations>(shape));
}

} // namespace foxwedge::config
