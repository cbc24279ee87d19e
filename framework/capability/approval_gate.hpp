// The host's catalogue in front of its tools: a call is let through, refused, or put to a person as
// a durable gate, which any process lists and answers like every other gate.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/approval/resolution.hpp"
#include "agent/tool.hpp"
#include "agent/world.hpp"
#include "contracts/tool.hpp"
#include "run/run.hpp"

namespace foxwedge::capability {

/// A call as it is put to the gate.
struct NamedCall {
    std::string_view name; ///< tool id
    const Json& arguments; ///< an object
};

/// What came of it: the arguments that may run, or the answer in place of the call.
struct Permission {
    Json arguments;
    std::optional<ToolResult> instead; ///< a denial (`denied`), or a person's own result
};

/// What a tool of an agent in C++ asks before it runs.
using Approve = std::function<Result<Permission>(const NamedCall&, agent::ToolCall&)>;

/// The error for a tool that the catalogue does not declare, and the result of one that it
/// disables.
Error unregistered(std::string_view tool_id);
ToolResult disabled();

/// Any thread; `world` outlives it.
class ToolApprovalGate {
public:
    explicit ToolApprovalGate(agent::World& world) : world_(world) {}

    /// Asks as the catalogue says, as the step `<step>:approval` of this lane, where a person has
    /// to be asked; at once where not. Errors: `unregistered_tool` for a tool that the catalogue
    /// does not declare. Unwinds as every step does while the question is open.
    Result<Permission> approve(const NamedCall&, run::Run& lane, std::string_view step,
                               const ToolDefinition* shown = nullptr) const;

    /// The same from inside a tool of an agent in C++, below its step.
    Result<Permission> approve(const NamedCall&, agent::ToolCall&) const;
    /// This gate, to be given to create_capability_tools.
    Approve as_approve() const;

    /// The same for a call that a person may have approved before, in a turn that is over: an
    /// approval of exactly these arguments in this conversation is used up (step `<step>:approved`)
    /// before anybody is asked anew. Of several who come for it, one gets it.
    Result<Permission> resume(const NamedCall&, run::Run& lane, std::string_view step,
                              const ToolDefinition* shown = nullptr) const;

private:
    Result<Permission> decide(const NamedCall&, run::Run& lane, std::string_view step,
                              const ToolDefinition* shown, bool takes_earlier) const;
    Result<Permission> ask(const NamedCall&, run::Run& lane, std::string_view step,
                           const ToolDefinition* shown, const agent::Applied&,
                           const agent::RuleVerdict&) const;
    Result<bool> was_approved(const NamedCall&, run::Run& lane, std::string_view step) const;

    agent::World& world_;
};

} // namespace foxwedge::capability
