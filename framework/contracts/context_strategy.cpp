#include "contracts/context_strategy.hpp"

#include "contracts/shape.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view invalid_plan = "invalid_plan";
constexpr std::size_t max_state = 4096;

Result<std::int64_t> group_number(const Json& object, std::string_view key,
                                  std::string_view pointer) {
    const auto number = integer_member(object, key);
    if (!number || *number < 0)
        return shape_error(invalid_plan, pointer_append(pointer, key), "must be a group's number");
    return *number;
}

Result<ContextPlan::Summarize> summarize_from_json(const Json& value) {
    constexpr std::string_view here = "/summarize";
    if (!value.is_object()) return shape_error(invalid_plan, here, "must be an object");
    FOXWEDGE_TRY(from, group_number(value, "from", here));
    FOXWEDGE_TRY(to, group_number(value, "to", here));
    if (to <= from) return shape_error(invalid_plan, "/summarize/to", "must be above \"from\"");
    FOXWEDGE_TRY(instructions, text_or_empty(value, "instructions", invalid_plan, here));
    FOXWEDGE_TRY(model, text_or_empty(value, "model", invalid_plan, here));
    ContextPlan::Summarize out;
    out.from = from;
    out.to = to;
    out.max_tokens = integer_member(value, "maxTokens").value_or(out.max_tokens);
    out.instructions = std::move(instructions);
    out.model = std::move(model);
    return out;
}

} // namespace

Json to_json(const ContextRequest& request) {
    JsonArray added;
    added.reserve(request.added.size());
    for (const ContextGroup& group : request.added)
        added.push_back(JsonObject{{"n", group.n},
                                   {"tokens", group.tokens},
                                   {"calls", group.calls},
                                   {"bytes", group.bytes},
                                   {"isSummary", group.is_summary}});
    JsonObject out;
    out["state"] = request.state;
    out["firstGroup"] = request.first_group;
    out["added"] = std::move(added);
    out["budget"] = JsonObject{{"contextWindow", request.context_window},
                               {"used", request.used},
                               {"reserve", request.reserve}};
    out["config"] = request.config.is_null() ? Json(JsonObject()) : request.config;
    return out;
}

Json to_json(const ContextPlan& plan) {
    JsonObject out;
    out["keepFrom"] = plan.keep_from;
    JsonArray pinned;
    for (std::int64_t n : plan.pinned) pinned.push_back(n);
    out["pinned"] = std::move(pinned);
    if (plan.summarize) {
        JsonObject summary;
        summary["from"] = plan.summarize->from;
        summary["to"] = plan.summarize->to;
        summary["maxTokens"] = plan.summarize->max_tokens;
        if (!plan.summarize->instructions.empty())
            summary["instructions"] = plan.summarize->instructions;
        if (!plan.summarize->model.empty()) summary["model"] = plan.summarize->model;
        out["summarize"] = std::move(summary);
    }
    out["state"] = plan.state;
    return out;
}

Result<ContextPlan> context_plan_from_json(const Json& value) {
    if (!value.is_object()) return shape_error(invalid_plan, "", "a plan must be an object");
    ContextPlan plan;
    FOXWEDGE_TRY(keep_from, group_number(value, "keepFrom", ""));
    plan.keep_from = keep_from;
    if (const JsonArray* pinned = array_member(value, "pinned")) {
        for (std::size_t i = 0; i < pinned->size(); ++i) {
            if (!(*pinned)[i].is_int64() || (*pinned)[i].get_int64() < 0)
                return shape_error(invalid_plan, pointer_append("/pinned", i),
                                   "must be a group's number");
            plan.pinned.push_back((*pinned)[i].get_int64());
        }
    }
    if (const Json* summarize = member(value, "summarize"); summarize && !summarize->is_null()) {
        FOXWEDGE_TRY(summary, summarize_from_json(*summarize));
        plan.summarize = std::move(summary);
    }
    FOXWEDGE_TRY(state, text_or_empty(value, "state", invalid_plan, ""));
    if (state.size() > max_state)
        return shape_error(invalid_plan, "/state", "is longer than 4 KiB");
    plan.state = std::move(state);
    return plan;
}

} // namespace foxwedge
