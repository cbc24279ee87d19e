// A contracts' Call made from an attempt of a step: scope, events and services in one object.
#pragma once
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "agent/services/run_children.hpp"
#include "agent/services/run_questions.hpp"
#include "agent/services/run_store.hpp"
#include "agent/services/run_waits.hpp"
#include "agent/world.hpp"
#include "contracts/call.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// Project, conversation, user from the run's labels; the conversation defaults to the root run.
Scope scope_of(const journal::RunHead&, std::string_view agent, std::string_view project);

/// Lives as long as the body that made it. Events may come from any thread.
class ContractCall final : private EventReceiver {
public:
    /// Only what a tool writes to the store commits with its step; everything else reads.
    enum class Access : unsigned char { reads, writes };
    ContractCall(run::Run&, run::StepCall&, std::string step_name, std::string_view agent, World&,
                 Access = Access::reads);
    ContractCall(const ContractCall&) = delete;
    ContractCall& operator=(const ContractCall&) = delete;

    Call& call() { return call_; }
    /// Lets the call start child runs.
    void offer_children(Caller caller) {
        children_.emplace(step_call_, step_, std::move(caller), world_);
        call_.children = &*children_;
    }
    Spent spent_by_questions() const { return questions_ ? questions_->spent() : Spent(); }
    Spent spent_by_children() const { return children_ ? children_->spent() : Spent(); }
    /// Of children that ended on their own: kept even where the call's writes are not.
    std::vector<journal::Effect> take_records() {
        return children_ ? children_->take_effects() : std::vector<journal::Effect>();
    }
    /// Lets the call ask people and models.
    void may_ask(RunQuestions::Asker asker);
    /// Withdraws what it has asked and does not need to know any more.
    Status close_questions() { return questions_ ? questions_->close() : Status(); }
    /// The effects that the call collected, for the step's value. Ends the store's view.
    std::vector<journal::Effect> take_effects() { return store_.take_effects(); }

private:
    bool receive(EventKind, std::string_view payload_json) override;

    World& world_;
    run::StepCall& step_call_;
    const std::string run_, step_;
    const int attempt_;
    std::atomic<std::uint64_t> sent_{0};
    std::stop_token stop_;
    RunStore store_;
    RunWaits waits_;
    std::optional<RunChildren> children_;
    std::optional<RunQuestions> questions_;
    Call call_;
};

} // namespace foxwedge::agent
