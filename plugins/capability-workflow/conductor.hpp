// One run of a script: what the script asks, the children that answer, and in which order.
#pragma once
#include <deque>
#include <map>
#include <string>

#include <foxwedge/plugin.hpp>

#include "settings.hpp"

namespace workflow {

using foxwedge::plugin::Agents;
using foxwedge::plugin::Call;
using foxwedge::plugin::Check;
using foxwedge::plugin::Reply;
using foxwedge::plugin::Script;

/// Ends the script's run: `code` of the contract, message for people, more for programs.
struct Ended {
    std::string code, message;
    Value more = nullptr;
};

/// The same order of starts and ends in each execution: a child is started when the script asks
/// for it or, past the bound on concurrency, when an earlier one has ended; its end is taken from
/// the host's inbox one at a time, and the script goes as far as it can before the next.
///
/// Ends that are on record are no different, but the script is told of many in one go, before this
/// side takes them: the two then work side by side. Nothing follows from what the script asks until
/// it is read, and that happens in order, between the ends as they are taken: what it asks
/// otherwise than on record is found at the same place.
class Conductor {
public:
    struct Services {
        Agents agents;
        Script script;
        Check check;
    };

    Conductor(const Services& services, const Settings& settings, Call& call)
        : services_(services), settings_(settings), call_(call) {}

    /// `job`: {"script", "args", "plan": {"concurrency", "now", "seed"}}. The result is
    /// {"agentsStarted", "result"}. Throws Ended, and Failure (parked above all) of the host.
    Value perform(const Value& job);

    /// Compiles without running. Throws Ended, SCRIPT_PARSE.
    void check_syntax(const std::string& script);

private:
    struct Wanted {
        std::int64_t id = 0;
        Value request; ///< for the service `agents`
    };

    Value conduct(const Value& plan);
    void ask(const Value& request);
    void start(Wanted wanted);
    void deliver();
    void tell_ahead();
    void start_following();
    Value answer(std::int64_t id, Value value) const;
    void spend(const Value& usage);
    Value value_of(const Value& ended, bool& again);
    Wanted agent(std::int64_t id, const Value& arguments);
    Wanted workflow(std::int64_t id, const Value& arguments);
    void check_schema(const Value& schema);
    bool stop_all() noexcept;
    void quiet() noexcept;
    [[noreturn]] void give_up(const Reply& reply, const char* code);

    const Services& services_;
    const Settings& settings_;
    Call& call_;
    Value left_; ///< of the budget: {"outputTokens", …}, or null
    std::int64_t concurrency_ = 1, started_ = 0;
    bool more_on_record_ = true;          ///< ends that the script can be told ahead, perhaps
    std::deque<std::int64_t> told_;       ///< what it was told ahead, by id: ends not taken yet
    std::deque<Wanted> waiting_;          ///< asked, not started
    std::map<std::string, Wanted> open_;  ///< by ticket
    std::map<std::int64_t, int> repeats_; ///< of requests that were stopped and asked again
};

} // namespace workflow
