// What an agent needs from the host around it. `compose` fills one World per host; tests and
// embedders fill their own. Everything in it outlives every run and may be called from any thread.
//
// Nothing here is called for a step that is on record: a full replay touches no member but the
// plain data.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/approval/evaluate.hpp"
#include "agent/budget/in_flight.hpp"
#include "contracts/context_strategy.hpp"
#include "contracts/guardrail.hpp"
#include "contracts/options.hpp"
#include "contracts/provider.hpp"
#include "contracts/services.hpp"
#include "contracts/tool.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// Something that happens inside an attempt of a step: text as it comes, a tool's progress. Never
/// recorded. `n` rises within an attempt; attempt n + 1 makes all of attempt n void.
struct StepEvent {
    std::string run, step;
    int attempt = 1;
    std::uint64_t n = 0;
    EventKind kind = EventKind::text;
    std::string payload_json;
};

/// Reads committed data of the store; `journal::Engine` has these as get, scan and changes.
class StoreReader {
public:
    virtual ~StoreReader() = default;
    virtual Result<std::optional<journal::StoreItem>> get(std::string_view collection,
                                                          std::string_view key) = 0;
    virtual Result<std::vector<journal::StoreItem>> scan(std::string_view collection,
                                                         std::string_view prefix,
                                                         std::string_view after, int limit) = 0;
    virtual Result<std::vector<journal::StoreItem>> changes(std::string_view collection,
                                                            std::uint64_t revision, int limit) = 0;
    /// A private folder beside the journal for a namespace's derived files; created when asked for.
    virtual Result<std::string> folder(std::string_view name_space) = 0;
};

/// Approvals given to calls, and who has used them: an approval is used once, whether its own run
/// goes on or somebody does what it names by tool id.
class Approvals {
public:
    virtual ~Approvals() = default;
    /// Gates of the scope's conversation at which exactly this call was approved, oldest first.
    virtual Result<std::vector<journal::Gate>> approved(const Scope&, std::string_view tool_id,
                                                        const Digest& arguments) = 0;
    /// True if `by` is the first who comes for the gate of that run and step, now or before.
    virtual Result<bool> claim(std::string_view project, std::string_view run,
                               std::string_view gate_step, std::string_view by) = 0;
};

/// Cost of a million tokens.
struct Price {
    double input = 0, output = 0, cache_read = 0, cache_write = 0;
};

template <class T>
using Lookup = std::function<Result<std::shared_ptr<T>>(std::string_view name)>;

struct World {
    Lookup<Provider> provider;                                      ///< by entry or component
    std::function<std::string(std::string_view provider)> model_of; ///< an entry's default model
    Lookup<ToolSource> capability;                                  ///< by component id
    Lookup<ToolSource> mcp_server;                                  ///< by name in `mcpServers`
    /// The host's entry for a server, or null.
    std::function<const McpServerOptions*(std::string_view name)> mcp_options;
    std::function<Result<std::shared_ptr<Guardrail>>(const GuardrailUse&)> guardrail;
    Lookup<ContextStrategy> strategy; ///< "count", …, or a component id
    Lookup<ToolSource> app;           ///< by name in `apps`; its tools are that host's workflows
    /// The plugin's build behind a "provider", "capability", "guardrail" or "strategy" of that
    /// name:
    /// {"id", "version", "sha256"}; nothing where there is no plugin behind it.
    std::function<std::optional<Json>(std::string_view kind, std::string_view name)> build;

    /// The catalogue's entry for a tool id, or null where it is not declared.
    std::function<const CatalogueEntry*(std::string_view tool_id)> catalogue;
    /// Why the tools of a component are not there for anyone now; "" where they are.
    std::function<std::string(std::string_view component)> unavailable;
    Approvals* approvals = nullptr; ///< null: every approval is its own run's alone
    std::function<std::optional<Price>(std::string_view model)> price;
    /// What this process spends, beside what is in the journal.
    std::shared_ptr<InFlight> in_flight = std::make_shared<InFlight>();

    /// Ends a child run and what is below it.
    std::function<Status(std::string_view run)> cancel;
    /// A run as it stands now.
    std::function<Result<journal::RunHead>(std::string_view run)> run_head;
    /// What a run and all below it have cost by now.
    std::function<Result<Spent>(std::string_view run)> spent_by_run;
    /// In a rehearsal: answers every call of a tool in its place, and no tool runs.
    std::function<Result<ToolResult>(std::string_view tool_id, const Json& arguments)> rehearsed;

    RuleLanguage* rules = nullptr;
    StoreReader* store = nullptr;
    std::function<void(const StepEvent&)> events;

    std::string project;
    /// Where the runtime keeps its accounting: the namespace of the plugin that provides
    /// `workflow-kv`; "" where there is none, and nothing is kept.
    std::string accounting;
    std::string default_provider;
    RetryPolicy retry;                ///< the host's, for model and tool steps
    Millis guardrail_timeout{30'000}; ///< of one check; one that takes longer has failed
    Millis plan_timeout{30'000};      ///< of one plan of a context strategy
};

} // namespace foxwedge::agent
