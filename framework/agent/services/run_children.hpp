// Child runs started by a tool: agents and workflows of the configuration, as durable steps of the
// tool's own lane (docs/plugins, "agents").
#pragma once
#include <map>
#include <string>
#include <vector>

#include "agent/budget/spent.hpp"
#include "agent/world.hpp"
#include "contracts/services.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// Agents below agents, counted from the root's.
inline constexpr std::size_t deepest_agent = 4;

/// Who starts the children.
struct Caller {
    std::string agent;             ///< id, or "" where no agent called the tool
    std::vector<std::string> path; ///< ids of agents down to this one
    bool budget = false;           ///< it has one, which counts for its children
};

/// For the body of one tool step, on its thread. A tool that is told `parked` returns that and is
/// called again; what it has started is then given from the record.
class RunChildren final : public Children {
public:
    /// All outlive this; `name` is the step's.
    RunChildren(run::StepCall& step, std::string name, Caller caller, World& world)
        : step_(step), name_(std::move(name)), caller_(std::move(caller)), world_(world) {}

    Result<Json> start(const Json& request) override;
    Result<Json> next() override;
    Status cancel(const Json& request) override;

    /// By the children that have been given.
    const Spent& spent() const { return spent_; }

private:
    run::StepCall& step_;
    const std::string name_;
    const Caller caller_;
    World& world_;
    std::map<std::string, std::string> tickets_; ///< by key
    int given_ = 0;
    Spent spent_;
};

} // namespace foxwedge::agent
