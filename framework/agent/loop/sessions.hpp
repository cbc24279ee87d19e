// The session of the configuration that is in force at a lane's next step. A resumed run may go on
// under another one (docs/runs): then the session is made anew, what the run knows carried over.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/loop/session.hpp"

namespace foxwedge::agent {

class Sessions {
public:
    /// Everything outlives this. `own`: all C++ and workflow-backed tools.
    Sessions(run::Run&, std::string id, const Agent& pinned, std::vector<Tool> own, World&);

    /// For the next step of the lane, at the start of a turn. The first time tools are discovered
    /// and frozen, in steps; a fork that changes them freezes them anew. The answer stands until
    /// the next call.
    Result<Session*> current();
    /// The same within a turn, which keeps the tools that it began with.
    Result<Session*> within_turn();
    /// Options in force for the next step of the lane.
    const AgentOptions& options() const;

private:
    Status freeze(std::uint32_t configuration);
    Result<Session*> switch_to(std::uint32_t configuration);
    Result<std::unique_ptr<Session>> make(std::uint32_t configuration);

    run::Run& run_;
    const std::string id_;
    const Agent& pinned_;
    const std::vector<Tool> own_;
    World& world_;
    std::optional<Frozen> frozen_;
    std::uint32_t frozen_for_ = 0; ///< the configuration whose tools are frozen
    std::uint32_t made_for_ = 0;
    std::unique_ptr<Agent> agent_; ///< that session_ refers to
    std::unique_ptr<Session> session_;
};

} // namespace foxwedge::agent
