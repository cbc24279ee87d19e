#include "agent/calls/tool_table.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "agent/calls/tool_ids.hpp"

namespace foxwedge::agent {
namespace {

constexpr int record_version = 1;
constexpr std::pair<Origin, const char*> origins[] = {
    {Origin::own, "own"},
    {Origin::workflow, "workflow"},
    {Origin::capability, "capability"},
    {Origin::mcp, "mcp"},
};

Json applied_to_json(const Applied& applied) {
    JsonObject out{{"source", to_string(applied.source)}};
    if (applied.rule) out["rule"] = to_json(*applied.rule);
    return out;
}

Result<Applied> applied_from_json(const Json& value) {
    Applied out;
    out.source =
        rule_source(string_member(value, "source").value_or("")).value_or(RuleSource::bare);
    if (const Json* rule = member(value, "rule")) {
        FOXWEDGE_TRY(read, approval_rule_from_json(*rule));
        out.rule = std::move(read);
    }
    return out;
}

Json tool_to_json(const FrozenTool& tool) {
    Json definition = to_json(tool.definition);
    JsonObject& out = definition.get_object();
    out["id"] = tool.id;
    out["origin"] = to_string(tool.origin);
    if (!tool.source.empty()) out["source"] = tool.source;
    if (tool.approval.rule) out["approval"] = applied_to_json(tool.approval);
    if (tool.shadow.rule) out["shadow"] = applied_to_json(tool.shadow);
    return definition;
}

Result<FrozenTool> tool_from_json(const Json& value) {
    FrozenTool tool;
    FOXWEDGE_TRY(definition, tool_definition_from_json(value));
    tool.definition = std::move(definition);
    tool.id = string_member(value, "id").value_or("");
    tool.source = string_member(value, "source").value_or("");
    const auto origin = string_member(value, "origin").value_or("");
    for (const auto& [one, name] : origins)
        if (origin == name) tool.origin = one;
    if (const Json* approval = member(value, "approval")) {
        FOXWEDGE_TRY(read, applied_from_json(*approval));
        tool.approval = std::move(read);
    }
    if (const Json* shadow = member(value, "shadow")) {
        FOXWEDGE_TRY(read, applied_from_json(*shadow));
        tool.shadow = std::move(read);
    }
    return tool;
}

} // namespace

const char* to_string(Origin origin) noexcept {
    for (const auto& [one, name] : origins)
        if (one == origin) return name;
    return "own";
}

std::string catalogue_id(const FrozenTool& tool) {
    return tool.origin == Origin::capability ? capability_tool_id(tool.source, tool.definition.name)
                                             : tool.id;
}

const FrozenTool* ToolTable::find(std::string_view id) const {
    for (const FrozenTool& tool : tools)
        if (tool.id == id) return &tool;
    return nullptr;
}

Json to_json(const ToolTable& table) {
    ToolList lists;
    lists.sections = table.sections;
    lists.dropped = table.dropped;
    lists.warnings = table.warnings;
    Json value = to_json(lists);
    JsonObject& out = value.get_object();
    out["version"] = record_version;
    out["provider"] = JsonObject{{"name", table.provider}, {"model", table.model}};
    out["provider"].get_object()["traits"] = to_json(table.traits);
    JsonArray tools;
    for (const FrozenTool& tool : table.tools) tools.push_back(tool_to_json(tool));
    out["tools"] = std::move(tools);
    if (!table.builds.empty()) out["builds"] = table.builds;
    if (!table.guardrail_placements.empty()) {
        JsonObject guardrails;
        for (const auto& [label, placements] : table.guardrail_placements) {
            JsonArray list;
            for (const std::string& one : placements) list.push_back(Json(one));
            guardrails[label] = std::move(list);
        }
        out["guardrails"] = std::move(guardrails);
    }
    return value;
}

Result<ToolTable> tool_table_from_json(const Json& value) {
    if (integer_member(value, "version") != record_version)
        return permanent(
            "invalid_record",
            "the record of the tools has version " +
                to_text(member(value, "version") ? *member(value, "version") : Json()) +
                "; this foxwedge reads 1");
    ToolTable table;
    JsonObject plain{{"tools", JsonArray()}};
    for (const char* key : {"sections", "dropped", "warnings"})
        if (const Json* found = member(value, key)) plain[key] = *found;
    FOXWEDGE_TRY(lists, tool_list_from_json(plain));
    table.sections = std::move(lists.sections);
    table.dropped = std::move(lists.dropped);
    table.warnings = std::move(lists.warnings);
    if (const Json* provider = member(value, "provider")) {
        table.provider = string_member(*provider, "name").value_or("");
        table.model = string_member(*provider, "model").value_or("");
        if (const Json* traits = member(*provider, "traits")) {
            FOXWEDGE_TRY(read, provider_traits_from_json(*traits));
            table.traits = std::move(read);
        }
    }
    if (const JsonArray* tools = array_member(value, "tools")) {
        for (const Json& one : *tools) {
            FOXWEDGE_TRY(tool, tool_from_json(one));
            table.tools.push_back(std::move(tool));
        }
    }
    if (const JsonObject* guardrails = object_member(value, "guardrails")) {
        for (const auto& entry : *guardrails) {
            auto& list = table.guardrail_placements[std::string(entry.key())];
            if (!entry.value().is_array()) continue;
            for (const Json& one : entry.value().get_array())
                if (one.is_string()) list.emplace_back(view(one.get_string()));
        }
    }
    return table;
}

Result<std::vector<FrozenTool>> merged(std::vector<Offered> offered) {
    std::stable_sort(offered.begin(), offered.end(), [](const Offered& a, const Offered& b) {
        return std::tie(a.tool.origin, a.tool.source, a.raw_name) <
               std::tie(b.tool.origin, b.tool.source, b.raw_name);
    });
    std::set<std::string, std::less<>> taken;
    std::vector<FrozenTool> out;
    out.reserve(offered.size());
    for (Offered& one : offered) {
        if (one.tool.origin == Origin::mcp)
            one.tool.id = mcp_tool_id(one.tool.source, one.raw_name, taken);
        if (!taken.insert(one.tool.id).second)
            return permanent("duplicate_tool",
                             "two tools are called \"" + one.tool.id + "\": rename one of them");
        out.push_back(std::move(one.tool));
    }
    std::sort(out.begin(), out.end(), [](const FrozenTool& a, const FrozenTool& b) {
        return std::tie(a.origin, a.source, a.id) < std::tie(b.origin, b.source, b.id);
    });
    return out;
}

} // namespace foxwedge::agent
