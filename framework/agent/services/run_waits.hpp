// Waiting without a thread, for a tool that parks: a time, or a signal sent through the journal.
#pragma once
#include <string>

#include "contracts/questions.hpp"
#include "contracts/services.hpp"
#include "run/run.hpp"

namespace foxwedge::agent {

/// For the body of one tool step, on its thread. A wait that has not fired is registered; the tool
/// then answers `parked` and is called again.
class RunWaits final : public Waits {
public:
    /// `step` outlives this; `name` is its step's.
    RunWaits(run::StepCall& step, std::string name) : step_(step), name_(std::move(name)) {}
    Result<Json> wait_for(const Json& request) override;
    Questions* questions() override { return questions_; }
    /// From here on the call may ask; `questions` outlives this.
    void ask_through(Questions& questions) { questions_ = &questions; }

private:
    run::StepCall& step_;
    const std::string name_;
    Questions* questions_ = nullptr;
};

} // namespace foxwedge::agent
