#include "plugin/adapters.hpp"

namespace foxwedge::plugin {
namespace {

/// What a model may read and put right: bad arguments, and what the plugin does not offer.
ToolResult correctable(const Error& error) {
    auto result = error_result(error.code, error.message);
    if (error.details.empty()) return result;
    const auto more = parse_json(error.details);
    if (!more || !more->is_object()) return result;
    if (!result.details.is_object()) result.details = JsonObject{};
    for (const auto& [key, value] : more->get_object())
        result.details.get_object().emplace(key, value); // the code is already there
    return result;
}

class PluginTools final : public ToolSource {
public:
    explicit PluginTools(std::shared_ptr<Endpoint> endpoint) : endpoint_(std::move(endpoint)) {}

    Result<ToolList> list(Call& call) override {
        const VerbRequest request{Verb::list_tools, {}, {}, 0};
        FOXWEDGE_TRY(json, result_of(*endpoint_, request, endpoint_->call(request, call)));
        auto tools = tool_list_from_json(json);
        if (!tools) return broken_promise(*endpoint_, Verb::list_tools, tools.error());
        return tools;
    }

    Result<ToolResult> run(std::string_view name, std::string_view arguments, Call& call) override {
        const VerbRequest request{Verb::run_tool, arguments, name, 0};
        auto end = endpoint_->call(request, call);
        const bool for_the_model =
            end.broken.empty() && !end.by_host &&
            (end.status == FOXWEDGE_E_INVALID || end.status == FOXWEDGE_E_UNSUPPORTED);
        auto json = result_of(*endpoint_, request, std::move(end));
        if (!json && for_the_model) return correctable(json.error());
        if (!json) return std::move(json).error();
        auto result = tool_result_from_json(*json);
        if (!result) return broken_promise(*endpoint_, Verb::run_tool, result.error());
        return result;
    }

private:
    std::shared_ptr<Endpoint> endpoint_;
};

} // namespace

std::shared_ptr<ToolSource> make_tool_source(std::shared_ptr<Endpoint> endpoint) {
    return std::make_shared<PluginTools>(std::move(endpoint));
}

} // namespace foxwedge::plugin
