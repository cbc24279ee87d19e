// The host's catalogue as an MCP service. Each call is a durable run under the host's own gates: to
// serve a gated tool is no way round its gate.
#pragma once
#include <memory>
#include <string>

#include "compose/host.hpp"
#include "mcp/service.hpp"

namespace foxwedge::compose {

struct ServeRequest {
    std::string capability;         ///< a component's or a tool's id; "" for the whole catalogue
    std::string conversation, user; ///< of the calls; a recognised client is the user instead
    bool record_all = false;        ///< calls without effect become runs too
    bool workflows = false;         ///< agents and workflows as tools too, for hosts that call them
};

/// A filled service and what its calls need. The host outlives it.
class Serving {
public:
    virtual ~Serving() = default;
    virtual mcp::Service& service() = 0;
};

/// Lists the tools of the catalogue once. The server of one capability announces the component's id
/// and lists bare names; that of the whole catalogue lists tool ids. Errors: `unregistered_tool`
/// where the catalogue declares nothing of `capability`, and those of loading its component.
Result<std::unique_ptr<Serving>> make_serving(Host&, ServeRequest);

} // namespace foxwedge::compose
