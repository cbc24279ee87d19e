#include "mcp/source.hpp"

#include <algorithm>

#include "mcp/rounds.hpp"
#include "mcp/virtual_tools.hpp"

namespace foxwedge::mcp {
namespace {

class McpToolSource final : public ToolSource {
public:
    explicit McpToolSource(std::shared_ptr<Client> client) : client_(std::move(client)) {}

    Result<ToolList> list(Call& call) override {
        FOXWEDGE_TRY(list, client_->discover(call.until));
        const auto& spec = client_->spec();
        if (!spec.resources && !spec.prompts) return std::move(list);
        FOXWEDGE_TRY(session, client_->session(call.until));
        std::erase_if(list.tools, [&](const ToolDefinition& tool) {
            if (!is_virtual_tool(spec, tool.name)) return false;
            list.dropped.push_back(
                {tool.name, "hidden: `resources` or `prompts` gives a tool of that name"});
            return true;
        });
        for (auto& tool : virtual_tools(spec, session)) list.tools.push_back(std::move(tool));
        std::sort(list.tools.begin(), list.tools.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        return std::move(list);
    }

    Result<ToolResult> run(std::string_view name, std::string_view arguments_json,
                           Call& call) override {
        if (is_virtual_tool(client_->spec(), name))
            return run_virtual_tool(*client_, name, arguments_json, call.until);
        return call_in_rounds(*client_, name, arguments_json, call);
    }

private:
    const std::shared_ptr<Client> client_;
};

} // namespace

std::unique_ptr<ToolSource> tool_source(std::shared_ptr<Client> client) {
    return std::make_unique<McpToolSource>(std::move(client));
}

} // namespace foxwedge::mcp
