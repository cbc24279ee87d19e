#include "plugin/adapters.hpp"

#include "plugin/verb.hpp"

namespace foxwedge::plugin {
namespace {

std::string what_of(const Endpoint& endpoint, Verb verb) {
    return endpoint.name() + ": " + to_string(verb);
}

class PluginGuardrail final : public Guardrail {
public:
    explicit PluginGuardrail(std::shared_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

    std::uint32_t placements() const override { return endpoint_->placements(); }

    Result<GuardrailVerdict> check(Placement placement, const Json& subject, Call& call) override {
        const auto text = to_text(subject);
        VerbRequest request{Verb::check, text, {}, static_cast<std::uint32_t>(placement)};
        FOXWEDGE_TRY(json, result_of(*endpoint_, request, endpoint_->call(request, call)));
        auto verdict = guardrail_verdict_from_json(json);
        if (!verdict) return broken_promise(*endpoint_, Verb::check, verdict.error());
        return verdict;
    }

private:
    std::shared_ptr<Endpoint> endpoint_;
};

class PluginStrategy final : public ContextStrategy {
public:
    explicit PluginStrategy(std::shared_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

    Result<ContextPlan> plan(const ContextRequest& asked, Call& call) override {
        const auto text = to_text(to_json(asked));
        VerbRequest request{Verb::plan, text, {}, 0};
        FOXWEDGE_TRY(json, result_of(*endpoint_, request, endpoint_->call(request, call)));
        auto plan = context_plan_from_json(json);
        if (!plan) return broken_promise(*endpoint_, Verb::plan, plan.error());
        return plan;
    }

private:
    std::shared_ptr<Endpoint> endpoint_;
};

} // namespace

Error broken_promise(const Endpoint& endpoint, Verb verb, const Error& why) {
    return permanent("internal",
                     what_of(endpoint, verb) + " gave a result of another form: " + why.message);
}

Result<Json> result_of(const Endpoint& endpoint, const VerbRequest& request, Ended end) {
    if (end.status != FOXWEDGE_OK) return error_of(end, what_of(endpoint, request.verb));
    auto json = parse_json(end.result);
    if (!json) return broken_promise(endpoint, request.verb, json.error());
    return json;
}

std::shared_ptr<Guardrail> make_guardrail(std::shared_ptr<Endpoint> endpoint) {
    return std::make_shared<PluginGuardrail>(std::move(endpoint));
}
std::shared_ptr<ContextStrategy> make_context_strategy(std::shared_ptr<Endpoint> endpoint) {
    return std::make_shared<PluginStrategy>(std::move(endpoint));
}

} // namespace foxwedge::plugin
