#include "contracts/provider.hpp"

#include <utility>

#include "contracts/shape.hpp"

namespace foxwedge {
namespace {

constexpr std::pair<StructuredOutput, std::string_view> levels[] = {
    {StructuredOutput::none, "none"},
    {StructuredOutput::final_, "final"},
    {StructuredOutput::always, "always"},
};

} // namespace

Json to_json(const ProviderTraits& traits) {
    JsonObject out;
    if (!traits.models.empty()) {
        JsonArray models;
        for (const auto& model : traits.models) {
            JsonObject one{{"id", model.id}};
            if (model.context_window) one["contextWindow"] = model.context_window;
            if (model.max_output) one["maxOutput"] = model.max_output;
            models.push_back(std::move(one));
        }
        out["models"] = std::move(models);
    }
    out["nativeTranscript"] = traits.native_transcript;
    out["tools"] = traits.tools;
    for (const auto& [level, name] : levels)
        if (level == traits.structured_output) out["structuredOutput"] = name;
    out["streaming"] = traits.streaming;
    out["parallelCalls"] = traits.parallel_calls;
    out["reasoningReplay"] = traits.reasoning_replay;
    if (!traits.transcript_format.empty()) out["transcriptFormat"] = traits.transcript_format;
    return out;
}

Result<ProviderTraits> provider_traits_from_json(const Json& value) {
    constexpr std::string_view code = "invalid_description";
    if (!value.is_object()) return shape_error(code, "", "must be an object");
    ProviderTraits traits;
    if (const JsonArray* models = array_member(value, "models")) {
        for (std::size_t i = 0; i < models->size(); ++i) {
            const Json& one = (*models)[i];
            FOXWEDGE_TRY(id, text_at(one, "id", code, pointer_append("/models", i)));
            traits.models.push_back({std::move(id),
                                     integer_member(one, "contextWindow").value_or(0),
                                     integer_member(one, "maxOutput").value_or(0)});
        }
    }
    FOXWEDGE_TRY(native, bool_or(value, "nativeTranscript", true, code, ""));
    FOXWEDGE_TRY(tools, bool_or(value, "tools", true, code, ""));
    FOXWEDGE_TRY(streaming, bool_or(value, "streaming", false, code, ""));
    FOXWEDGE_TRY(parallel, bool_or(value, "parallelCalls", true, code, ""));
    FOXWEDGE_TRY(reasoning, bool_or(value, "reasoningReplay", false, code, ""));
    traits.native_transcript = native;
    traits.tools = tools;
    traits.streaming = streaming;
    traits.parallel_calls = parallel;
    traits.reasoning_replay = reasoning;
    FOXWEDGE_TRY(structured, text_or_empty(value, "structuredOutput", code, ""));
    bool known = structured.empty();
    for (const auto& [level, name] : levels)
        if (structured == name) {
            traits.structured_output = level;
            known = true;
        }
    if (!known)
        return shape_error(code, "/structuredOutput", "must be \"none\", \"final\" or \"always\"");
    FOXWEDGE_TRY(format, text_or_empty(value, "transcriptFormat", code, ""));
    traits.transcript_format = std::move(format);
    return traits;
}

} // namespace foxwedge
