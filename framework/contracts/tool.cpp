#include "contracts/tool.hpp"

#include "contracts/shape.hpp"

namespace foxwedge {
namespace {

constexpr std::string_view invalid_tool = "invalid_tool";

constexpr std::pair<ToolEffect, const char*> effects[] = {
    {ToolEffect::unstated, "unstated"}, {ToolEffect::none, "none"},
    {ToolEffect::store, "store"},       {ToolEffect::idempotent, "idempotent"},
    {ToolEffect::once, "once"},
};

} // namespace

const char* to_string(ToolEffect effect) noexcept {
    for (const auto& [value, name] : effects)
        if (value == effect) return name;
    return "unstated";
}

std::optional<ToolEffect> tool_effect(std::string_view text) {
    for (const auto& [value, name] : effects)
        if (name == text) return value;
    return std::nullopt;
}

Json to_json(const ToolAnnotations& a) {
    JsonObject out;
    if (a.title) out["title"] = *a.title;
    if (a.read_only) out["readOnlyHint"] = *a.read_only;
    if (a.destructive) out["destructiveHint"] = *a.destructive;
    if (a.idempotent) out["idempotentHint"] = *a.idempotent;
    if (a.open_world) out["openWorldHint"] = *a.open_world;
    return out;
}

ToolAnnotations annotations_from_json(const Json& value) {
    ToolAnnotations out;
    if (auto title = string_member(value, "title")) out.title = std::string(*title);
    out.read_only = bool_member(value, "readOnlyHint");
    out.destructive = bool_member(value, "destructiveHint");
    out.idempotent = bool_member(value, "idempotentHint");
    out.open_world = bool_member(value, "openWorldHint");
    return out;
}

ToolEffect effect_of(const ToolAnnotations& a) {
    if (a.read_only.value_or(false)) return ToolEffect::none;
    if (a.idempotent.value_or(false)) return ToolEffect::idempotent;
    if (a.destructive.value_or(false)) return ToolEffect::once;
    return ToolEffect::unstated;
}

Json to_json(const ToolDefinition& tool) {
    JsonObject out;
    out["name"] = tool.name;
    if (!tool.title.empty()) out["title"] = tool.title;
    out["description"] = tool.description;
    out["inputSchema"] = tool.input_schema;
    if (!tool.output_schema.is_null()) out["outputSchema"] = tool.output_schema;
    if (Json hints = to_json(tool.annotations); !hints.get_object().empty())
        out["annotations"] = std::move(hints);
    if (tool.effect != ToolEffect::unstated) out["effect"] = to_string(tool.effect);
    if (!tool.parallel_safe) out["parallelSafe"] = false;
    if (tool.timeout) out["timeoutMs"] = tool.timeout->count();
    return out;
}

Result<ToolDefinition> tool_definition_from_json(const Json& value, std::string_view pointer) {
    if (!value.is_object()) return shape_error(invalid_tool, pointer, "a tool must be an object");
    ToolDefinition tool;
    FOXWEDGE_TRY(name, text_at(value, "name", invalid_tool, pointer));
    FOXWEDGE_TRY(title, text_or_empty(value, "title", invalid_tool, pointer));
    FOXWEDGE_TRY(description, text_or_empty(value, "description", invalid_tool, pointer));
    FOXWEDGE_TRY(parallel_safe, bool_or(value, "parallelSafe", true, invalid_tool, pointer));
    tool.name = std::move(name);
    tool.title = std::move(title);
    tool.description = std::move(description);
    tool.parallel_safe = parallel_safe;

    const Json* input = member(value, "inputSchema");
    tool.input_schema = input && !input->is_null() ? *input : Json(JsonObject{{"type", "object"}});
    if (!tool.input_schema.is_object())
        return shape_error(invalid_tool, pointer_append(pointer, "inputSchema"),
                           "must be an object");
    if (const Json* output = member(value, "outputSchema"); output && !output->is_null()) {
        if (!output->is_object())
            return shape_error(invalid_tool, pointer_append(pointer, "outputSchema"),
                               "must be an object");
        tool.output_schema = *output;
    }
    if (const Json* hints = member(value, "annotations"))
        tool.annotations = annotations_from_json(*hints);
    FOXWEDGE_TRY(effect_text, text_or_empty(value, "effect", invalid_tool, pointer));
    if (!effect_text.empty()) {
        const auto effect = tool_effect(effect_text);
        if (!effect)
            return shape_error(invalid_tool, pointer_append(pointer, "effect"),
                               "must be \"none\", \"store\", \"idempotent\" or \"once\"");
        tool.effect = *effect;
    }
    if (const Json* timeout = member(value, "timeoutMs"); timeout && !timeout->is_null()) {
        const auto ms = integer_member(value, "timeoutMs");
        if (!ms || *ms <= 0)
            return shape_error(invalid_tool, pointer_append(pointer, "timeoutMs"),
                               "must be a positive number of milliseconds");
        tool.timeout = Millis(*ms);
    }
    return tool;
}

} // namespace foxwedge
