// What a client must know of tools to call them over HTTP.
#include "mcp/client.hpp"

namespace foxwedge::mcp {

std::optional<ToolList::Dropped> Client::learn_headers(const ToolDefinition& tool) {
    if (spec_.url.empty()) return std::nullopt;
    auto params = header_params(tool.input_schema);
    if (!params) return ToolList::Dropped{tool.name, params.error().message};
    std::lock_guard lock(mutex_);
    if (params->empty())
        header_params_.erase(tool.name);
    else
        header_params_[tool.name] = std::move(*params);
    return std::nullopt;
}

std::vector<std::pair<std::string, std::string>>
Client::fields_for(std::string_view tool, std::string_view arguments_json) {
    if (spec_.url.empty()) return {};
    std::vector<HeaderParam> params;
    {
        std::lock_guard lock(mutex_);
        const auto known = header_params_.find(tool);
        if (known == header_params_.end()) return {};
        params = known->second;
    }
    const auto arguments = parse_json(arguments_json);
    if (!arguments) return {};
    return header_fields(params, *arguments);
}

Status Client::relearn(const Until& until) {
    FOXWEDGE_TRY(list, discover(until));
    (void)list;
    return {};
}

} // namespace foxwedge::mcp
