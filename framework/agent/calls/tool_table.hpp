// The one list of tools of an agent's run: merged from all sources, sorted, recorded, frozen. Pure.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/approval/resolution.hpp"
#include "contracts/provider.hpp"
#include "contracts/tool.hpp"

namespace foxwedge::agent {

/// Where a tool's calls go. The order is that of the list.
enum class Origin : unsigned char { own, workflow, capability, mcp };
const char* to_string(Origin) noexcept;

struct FrozenTool {
    std::string id; ///< as the model calls it
    Origin origin = Origin::own;
    std::string source; ///< component id or server; "" for own ones
    ToolDefinition definition;
    Applied approval, shadow;
};

/// What the catalogue, rules and people call it, whatever name models see.
std::string catalogue_id(const FrozenTool&);

/// What `<id>:tools` records.
struct ToolTable {
    std::string provider, model;
    ProviderTraits traits;
    std::vector<FrozenTool> tools; ///< sorted by (origin, source, id)
    std::vector<PromptSection> sections;
    std::vector<ToolList::Dropped> dropped;
    std::vector<std::string> warnings;
    std::map<std::string, std::vector<std::string>> guardrail_placements; ///< by label
    JsonArray builds; ///< of plugins: {"kind", "component", "build"}; written, not read here

    const FrozenTool* find(std::string_view id) const;
};

Json to_json(const ToolTable&);
/// Error `invalid_record`: written by a newer foxwedge, or not by one.
Result<ToolTable> tool_table_from_json(const Json&);

/// A tool on its way into the table.
struct Offered {
    FrozenTool tool;
    std::string raw_name; ///< of an MCP tool, from which its id is made
};
/// Gives MCP tools their ids (an own tool of that name keeps it), refuses duplicates
/// (`duplicate_tool`), sorts.
Result<std::vector<FrozenTool>> merged(std::vector<Offered>);

} // namespace foxwedge::agent
