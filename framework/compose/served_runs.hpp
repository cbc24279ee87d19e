// A host's runs as MCP resources: foxwedge://runs/<id>.
#pragma once
#include "compose/host.hpp"
#include "mcp/service.hpp"

namespace foxwedge::compose {

std::string run_uri(std::string_view run);

/// The run of that id if it is this host's and that user's; `recognised` "" stands for
/// `default_user`. Error `not_found`.
Result<journal::RunHead> run_of_user(Host&, std::string_view id, std::string_view recognised,
                                     const std::string& default_user);

/// Lists the newest runs of a user, reads one as JSON (workflow, status, times, input, result or
/// error, open questions), and completes their ids. A client sees the runs of the user that it was
/// recognised as, `default_user` where it was not. `host` outlives the service.
void serve_runs(Host& host, const std::string& default_user, mcp::Service& service);

} // namespace foxwedge::compose
