// What a run executes: the agent or workflow of its name, with the options that it has pinned.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/world.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "capability/action.hpp"
#include "config/host_config.hpp"
#include "journal/engine.hpp"
#include "run/run.hpp"

namespace foxwedge::compose {

/// Runs of one tool by its id are workflows "tool:<id>"; no agent's name has a colon.
inline constexpr std::string_view call_prefix = "tool:";

/// What runs have pinned, read: the children of one run have all the same. Any thread.
class PinnedConfigs {
public:
    /// `config` is the host's, and outlives this.
    explicit PinnedConfigs(const config::HostConfig& config) : config_(config) {}
    /// The host's own where it is the same.
    Result<std::shared_ptr<const config::HostConfig>> read(const std::string& text);

private:
    const config::HostConfig& config_;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const config::HostConfig>> known_; ///< by text
};

/// Fails with `unknown_name` if the run's configuration has neither agent nor workflow of that
/// name. `config` is the host's: a run that has pinned another one goes by its own. All outlive the
/// workflow.
/// `told`: of the tool that a call is of, perhaps.
run::Workflow workflow_of(const config::HostConfig& config, PinnedConfigs& pinned,
                          std::string_view name, agent::World& world,
                          std::shared_ptr<capability::ToldTool> told = {});

/// Whether the code of `workflow` is the framework's own, which does nothing between steps: an
/// agent's or a call's. A script's takes as long as it likes.
bool is_brief(const config::HostConfig& config, std::string_view workflow);

/// Closes what cancelled scripts of a tree that was executed until it ended left open.
void close_scripts(journal::Engine&, const std::string& root, run::Ended how, Log&);

/// `unregistered_tool` for a tool id that the catalogue does not declare, with one that is meant
/// perhaps.
Error undeclared(const config::HostConfig& config, std::string_view tool_id);

/// `unknown_name` for a run whose workflow is neither in `config` nor in the configuration that it
/// has pinned: a program of its own defines it, and only there can the run go on.
Status check_known(journal::Engine&, const journal::RunHead&, const config::HostConfig& config);

} // namespace foxwedge::compose
