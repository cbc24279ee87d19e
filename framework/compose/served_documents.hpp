// A project's knowledge documents as MCP resources: foxwedge://documents/<id>.
#pragma once
#include "compose/host.hpp"
#include "mcp/service.hpp"

namespace foxwedge::compose {

/// The tool whose documents these are.
inline constexpr std::string_view documents_tool = "workflow-knowledge_knowledge_documents";

/// `id` with everything that is no plain character of an address percent-encoded.
std::string document_uri(std::string_view id);

/// Lists the documents page by page, reads one as Markdown, and completes their ids. Only where the
/// catalogue lets the tool run unasked: a resource has no gate of its own, and must be no way round
/// the tool's. `host` outlives the service.
void serve_documents(Host& host, mcp::Service& service);

/// Tells clients of the document that a call of the tool has changed, if it has.
void tell_of_document(const ToolResult& result, mcp::Service& service);

} // namespace foxwedge::compose
