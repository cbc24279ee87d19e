// Child runs started by a tool or a script: agents and workflows of the configuration, as durable
// steps of the caller's own lane (docs/plugins, "agents").
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/budget/ledger.hpp"
#include "agent/budget/spent.hpp"
#include "agent/services/workflow_records.hpp"
#include "agent/world.hpp"
#include "contracts/services.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// Agents below agents, counted from the root's.
inline constexpr std::size_t deepest_agent = 4;
/// Scripts below scripts.
inline constexpr std::int64_t deepest_script = 3;

/// Who starts the children.
struct Caller {
    std::string agent;                   ///< id, or "" where no agent called the tool
    std::vector<std::string> path;       ///< ids of agents down to this one
    bool budget = false;                 ///< it has one, which counts for its children
    bool turn = false;                   ///< an agent's own turn made the call
    bool script = false;                 ///< a script asks, which must ask the same each time
    Ledger::UnderWay* counted = nullptr; ///< the call: while it waits for children they count
};

/// For the body of one tool step, on its thread. A tool that is told `parked` returns that and is
/// called again; what it has started is then given from the record.
class RunChildren final : public Children {
public:
    /// All outlive this; `name` is the step's.
    RunChildren(run::StepCall& step, std::string name, Caller caller, World& world);

    Result<Json> start(const Json& request) override;
    /// An end that `ahead` has told already: {"ticket", "recorded"} alone.
    Result<Json> next() override;
    /// Asked again for the same one, it waits until that has ended, some seconds at most.
    Status cancel(const Json& request) override;

    /// By the children that have been given.
    const Spent& spent() const { return spent_; }

    /// What is to be on record of children that ended on their own; it goes with the step's
    /// outcome, whatever that is.
    std::vector<journal::Effect> take_effects() { return std::exchange(effects_, {}); }

private:
    Status await_end(const std::string& run) const;
    struct Wanted;
    struct Open {
        std::string key;
        std::int64_t seq = 0;
    };
    Result<Wanted> wanted_of(const Json& request) const;
    Status check_depth(const Wanted&) const;
    Result<std::string> config_for(const Wanted&);
    std::string labels_for(const Wanted&, const Json& request) const;
    std::optional<Error> another(const std::string& name) const;
    void note_start(run::ChildSpec&, const Json& request);
    std::vector<journal::Effect> note_end(const run::ChildResult&);
    Spent cost_of_end(const run::ChildResult&, std::vector<journal::Effect>& effects);
    Result<Spent> recorded_cost(const run::ChildResult&) const;
    Result<journal::RunHead> detached_child(std::string_view run) const;
    Result<Json> find(std::string_view run, bool wait);
    Result<Json> ahead(std::int64_t most, bool with_usage);
    Result<Json> next_told();
    void read_record();
    Status count_once(const journal::RunHead& ended);

    run::StepCall& step_;
    const std::string name_;
    const Caller caller_;
    World& world_;
    const std::string records_in_; ///< the run that called for this script; "" for none
    std::map<std::string, std::string> tickets_; ///< by key
    std::set<std::string> ending_;               ///< were told to end
    std::map<std::string, Open> open_;           ///< by ticket
    std::map<std::string, std::string> configs_; ///< of children, by what they ask for
    std::uint32_t records_ = 0;
    std::size_t given_ = 0;
    struct ToldAhead {
        std::string run;
        Spent spent;
    };
    std::deque<ToldAhead> ahead_; ///< ends after the last given one that were told already
    struct OnRecord {
        std::vector<const journal::Record*> ends;                       ///< in order
        std::map<std::string_view, std::string_view, std::less<>> keys; ///< of children, by run
    };
    std::optional<OnRecord> on_record_;
    Spent spent_;
    std::set<std::string> counted_; ///< runs of which that is known
    std::vector<journal::Effect> effects_;
};

} // namespace foxwedge::agent
