#include "agent/budget/accounting.hpp"

namespace foxwedge::agent {
namespace {

journal::Effect effect_in(const World& world, std::string_view scope, const std::string& scope_id,
                          std::string key) {
    journal::Effect effect;
    effect.collection = journal::collection_name(world.accounting, scope, scope_id);
    effect.key = std::move(key);
    return effect;
}

JsonObject counts_of(const Usage& usage, std::optional<double> usd) {
    JsonObject counts{{"input", usage.input},
                      {"output", usage.output},
                      {"cacheRead", usage.cache_read},
                      {"cacheWrite", usage.cache_write},
                      {"reasoning", usage.reasoning}};
    if (usd) counts["usd"] = *usd;
    return counts;
}

} // namespace

std::optional<double> cost_of(const World& world, std::string_view model, const Usage& usage) {
    if (!world.price) return std::nullopt;
    const auto price = world.price(model);
    if (!price) return std::nullopt;
    constexpr double million = 1e6;
    return (static_cast<double>(usage.input) * price->input +
            static_cast<double>(usage.output) * price->output +
            static_cast<double>(usage.cache_read) * price->cache_read +
            static_cast<double>(usage.cache_write) * price->cache_write) /
           million;
}

std::vector<journal::Effect> usage_effects(const World& world, const Scope& scope,
                                           std::string_view step, std::string_view model,
                                           const Usage& usage) {
    std::vector<journal::Effect> effects;
    if (world.accounting.empty()) return effects;
    JsonObject counts = counts_of(usage, cost_of(world, model, usage));
    const std::string added = to_text(counts);

    auto entry = effect_in(world, "conversation", scope.conversation,
                           "tokenUsage.entry." + scope.run + "." + std::string(step));
    counts["model"] = model;
    entry.value_json = to_text(counts);
    effects.push_back(std::move(entry));

    for (const auto& [name, id] :
         {std::pair{"conversation", scope.conversation}, std::pair{"project", scope.project}}) {
        if (id.empty()) continue;
        auto total = effect_in(world, name, id, "tokenUsage.total");
        total.kind = journal::Effect::Kind::add;
        total.add_json = added;
        effects.push_back(std::move(total));
    }
    return effects;
}

std::vector<journal::Effect> gate_opened_effects(const World& world, const Scope& scope,
                                                 std::string_view about_json) {
    if (world.accounting.empty()) return {};
    auto effect =
        effect_in(world, "conversation", scope.conversation, std::string(pending_approval_key));
    effect.value_json = about_json;
    // A value of the store may be half as large as a gate: one that does not fit would look like a
    // journal that is full for now, and the run would wait for room for ever. The gate has it all.
    if (about_json.size() > journal::Limits().max_store_value) {
        const auto about = parse_json(about_json);
        const auto tool = about ? string_member(*about, "tool") : std::nullopt;
        effect.value_json =
            to_text(JsonObject{{"tool", tool.value_or("")}, {"omittedBytes", about_json.size()}});
    }
    return {effect};
}

std::vector<journal::Effect> gate_closed_effects(const World& world, const Scope& scope) {
    if (world.accounting.empty()) return {};
    auto effect =
        effect_in(world, "conversation", scope.conversation, std::string(pending_approval_key));
    effect.kind = journal::Effect::Kind::remove;
    return {effect};
}

} // namespace foxwedge::agent
