#include "agent/calls/tool_ids.hpp"

#include "agent/calls/call_ids.hpp"
#include "base/digest.hpp"

namespace foxwedge::agent {
namespace {

constexpr std::string_view script_component = "workflow-script";
constexpr std::string_view script_tool = "workflow";
constexpr std::string_view script_followers[] = {"_poll", "_cancel"};

} // namespace

std::string capability_tool_id(std::string_view component, std::string_view tool) {
    if (component == script_component) {
        // Its name for models is configured; everybody else knows it by this one.
        for (const auto follower : script_followers)
            if (tool.ends_with(follower)) return std::string(script_tool) + std::string(follower);
        return std::string(script_tool);
    }
    return std::string(component) + "_" + std::string(tool);
}

std::string_view component_of(std::string_view tool_id) {
    if (tool_id.starts_with(script_tool)) {
        const auto rest = tool_id.substr(script_tool.size());
        if (rest.empty()) return script_component;
        for (const auto follower : script_followers)
            if (rest == follower) return script_component;
    }
    return tool_id.substr(0, tool_id.find('_'));
}

std::string shown_tool_name(std::string_view component, std::string_view tool) {
    return component == script_component ? std::string(tool) : capability_tool_id(component, tool);
}

std::string mcp_tool_id(std::string_view server, std::string_view raw_name,
                        const std::set<std::string, std::less<>>& taken) {
    const std::string whole = std::string(server) + "_" + std::string(raw_name);
    if (is_plain_word(whole) && !taken.contains(whole)) return whole;
    std::string id = whole.substr(0, 51);
    for (char& c : id)
        if (!is_plain_word({&c, 1})) c = '_';
    const Digest digest = sha256(std::string(server) + "/" + std::string(raw_name));
    return id + "_" + to_hex(digest).substr(0, 12);
}

} // namespace foxwedge::agent
