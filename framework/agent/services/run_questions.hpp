// Questions of a tool call as steps of its run: forms are gates, sampling is a model step.
#pragma once
#include <string>
#include <vector>

#include "agent/budget/spent.hpp"
#include "agent/world.hpp"
#include "contracts/questions.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

class Ledger;

class RunQuestions final : public Questions {
public:
    /// On whose behalf is asked.
    struct Asker {
        std::vector<std::string> path;  ///< ids of agents from the root run's
        JsonObject about;               ///< of the gates: tool, callId, agent, server
        std::string provider;           ///< that answers sampling; "": none may
        RetryPolicy retry;              ///< of its model steps, as of the agent's own
        const Ledger* ledger = nullptr; ///< the budgets over it
    };
    /// `step_name` is the call's; all but `asker` outlive this.
    RunQuestions(run::StepCall& step, std::string step_name, Asker asker, World& world);

    Json kept() const override;
    Status keep(const Json&) override;
    Result<Json> ask(std::string_view method, const Json& params, std::optional<Millis> hold,
                     const std::stop_token& taken_back) override;

    /// The call is over: what it has asked and nobody has answered is withdrawn.
    Status close();
    /// By sampling, whatever attempt asked for it.
    const Spent& spent() const { return spent_; }

private:
    /// A question that some attempt of this call has asked: its place in the lane is its place in
    /// the list. An attempt that begins anew may ask less or other things than the one before; what
    /// it asks again finds its place, and its answer, here.
    struct Asked {
        std::string kind; ///< "input", "sampling"
        std::string digest;
        bool operator==(const Asked&) const = default;
    };

    Result<Json> elicit(const Json& params, std::optional<Millis> hold,
                        const std::stop_token& taken_back);
    Result<Json> sample(const Json& params, const std::stop_token& taken_back);
    run::GateSpec gate(const std::string& name, const Json& params, std::optional<Millis> hold,
                       const std::string& misfit) const;
    /// The name of the step for this question: an earlier one's where it was asked before. The lane
    /// stands before it then.
    Result<std::string> place(const Asked&);
    Status pass_over(std::size_t index);
    std::string step_name(std::size_t index) const;
    Status save();

    run::StepCall& step_;
    const std::string name_;
    const Asker asker_;
    World& world_;
    std::vector<Asked> asked_;
    std::size_t next_ = 0; ///< place in the list where this attempt stands
    Json kept_;
    Spent spent_;
};

} // namespace foxwedge::agent
