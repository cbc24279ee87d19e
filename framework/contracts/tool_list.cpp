#include "contracts/shape.hpp"
#include "contracts/tool.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view invalid_tool_list = "invalid_tool_list";

} // namespace

Json to_json(const ToolList& list) {
    JsonObject out;
    JsonArray tools;
    for (const ToolDefinition& tool : list.tools) tools.push_back(to_json(tool));
    out["tools"] = std::move(tools);
    if (!list.sections.empty()) {
        JsonArray sections;
        for (const PromptSection& section : list.sections)
            sections.push_back(JsonObject{{"id", section.id}, {"text", section.text}});
        out["sections"] = std::move(sections);
    }
    if (!list.dropped.empty()) {
        JsonArray dropped;
        for (const ToolList::Dropped& one : list.dropped)
            dropped.push_back(JsonObject{{"name", one.name}, {"reason", one.reason}});
        out["dropped"] = std::move(dropped);
    }
    if (!list.warnings.empty()) {
        JsonArray warnings;
        for (const std::string& warning : list.warnings) warnings.push_back(Json(warning));
        out["warnings"] = std::move(warnings);
    }
    if (!list.source.is_null()) out["source"] = list.source;
    return out;
}

Result<ToolList> tool_list_from_json(const Json& value) {
    const JsonArray* tools = array_member(value, "tools");
    if (!tools) return shape_error(invalid_tool_list, "/tools", "must be a list");
    ToolList list;
    for (std::size_t i = 0; i < tools->size(); ++i) {
        auto tool = tool_definition_from_json((*tools)[i], pointer_append("/tools", i));
        if (tool) {
            list.tools.push_back(*std::move(tool));
            continue;
        }
        // One malformed tool must not take its neighbours along.
        const auto name = string_member((*tools)[i], "name");
        list.dropped.push_back({std::string(name.value_or("?")), tool.error().message});
    }
    if (const JsonArray* sections = array_member(value, "sections")) {
        for (std::size_t i = 0; i < sections->size(); ++i) {
            const std::string here = pointer_append("/sections", i);
            FOXWEDGE_TRY(id, text_at((*sections)[i], "id", invalid_tool_list, here));
            FOXWEDGE_TRY(text, text_at((*sections)[i], "text", invalid_tool_list, here));
            list.sections.push_back({std::move(id), std::move(text)});
        }
    }
    if (const JsonArray* dropped = array_member(value, "dropped"))
        for (const Json& one : *dropped)
            list.dropped.push_back({std::string(string_member(one, "name").value_or("?")),
                                    std::string(string_member(one, "reason").value_or(""))});
    if (const JsonArray* warnings = array_member(value, "warnings"))
        for (const Json& one : *warnings)
            if (one.is_string()) list.warnings.emplace_back(view(one.get_string()));
    if (const Json* source = member(value, "source")) list.source = *source;
    return list;
}

} // namespace foxwedge
