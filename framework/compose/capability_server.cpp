#include "compose/capability_server.hpp"

#include "agent/calls/tool_ids.hpp"
#include "capability/tools.hpp"

namespace foxwedge::compose {

Result<std::unique_ptr<Serving>> create_capability_server(Host& host, std::string_view tool_id,
                                                          CapabilityServerOptions options) {
    if (!capability::is_capability_tool(tool_id))
        return permanent("unknown_tool",
                         "no capability has the tool \"" + std::string(tool_id) + "\"");
    const auto& world = host.world();
    if (const auto why = world.unavailable(agent::component_of(tool_id)); !why.empty())
        return permanent("unavailable", why);
    ServeRequest request;
    request.capability = tool_id;
    request.conversation = std::move(options.conversation);
    request.user = std::move(options.user);
    return make_serving(host, std::move(request));
}

} // namespace foxwedge::compose
