// The tables of all keys (docs/config). Each returns the same immutable object every time.
#pragma once
#include <memory>

#include "config/codec.hpp"
#include "config/host_config.hpp"

namespace foxwedge::config {

template <class T>
using ShapePtr = std::shared_ptr<const Shape<T>>;

ShapePtr<ApprovalRule> approval_rule_shape();
ShapePtr<RetryPolicy> retry_shape();
ShapePtr<AgentOptions> agent_shape();
ShapePtr<McpServerOptions> mcp_server_shape();
ShapePtr<HostConfig> host_shape();

Codec<ApprovalRule> approval_rule();
Codec<ToolAnnotations> annotations();
Codec<McpApproval> mcp_approval();
/// A rule in CEL that reads `names` and no others.
Codec<std::string> rule_text(std::vector<std::string> names);

} // namespace foxwedge::config
