#include "mcp/names.hpp"

#include "base/digest.hpp"

namespace foxwedge::mcp {

std::string tool_id(std::string_view server, std::string_view raw_name,
                    const std::set<std::string, std::less<>>& taken) {
    std::string id = std::string(server) + "_" + std::string(raw_name);
    bool changed = false;
    for (char& c : id) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!plain) {
            c = '_';
            changed = true;
        }
    }
    if (!changed && id.size() <= longest_tool_id && !taken.count(id)) return id;
    const auto digest = to_hex(sha256(std::string(server) + "/" + std::string(raw_name)));
    return id.substr(0, 51) + "_" + digest.substr(0, 12);
}

} // namespace foxwedge::mcp
