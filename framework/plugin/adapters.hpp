// Components of plugins as the interfaces that the rest of the framework knows. Pure translation on
// top of Endpoint: structs to JSON and back, statuses to what the agent loop understands.
#pragma once
#include <memory>

#include "contracts/context_strategy.hpp"
#include "contracts/guardrail.hpp"
#include "contracts/provider.hpp"
#include "contracts/tool.hpp"
#include "plugin/endpoint.hpp"

namespace foxwedge::plugin {

std::shared_ptr<Provider> make_provider(std::shared_ptr<Endpoint>);
std::shared_ptr<ToolSource> make_tool_source(std::shared_ptr<Endpoint>);
std::shared_ptr<Guardrail> make_guardrail(std::shared_ptr<Endpoint>);
std::shared_ptr<ContextStrategy> make_context_strategy(std::shared_ptr<Endpoint>);

/// The result of a verb as JSON, or the error: the verb's own, or `internal` for a result that is
/// no JSON. For adapters.
Result<Json> result_of(const Endpoint&, const VerbRequest&, Ended);
/// `internal`, because what `verb` gave is not what it promised.
Error broken_promise(const Endpoint&, Verb, const Error& why);

} // namespace foxwedge::plugin
