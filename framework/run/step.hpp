// The attempts of one step that has no outcome yet.
#pragma once
#include "run/attempts.hpp"
#include "run/lane.hpp"

namespace foxwedge::run {

class Attempts {
public:
    Attempts(Lane& lane, const journal::StepKey& key, const Decision& decision,
             const StepOptions& options, const Body& body);
    Result<StepValue> run();

private:
    struct Made {
        std::optional<Result<StepValue>> result; ///< none: the body parks
        Time started, ended;
    };
    /// What becomes of a failure: nothing to go on with another attempt, else the step's end.
    std::optional<Result<StepValue>> after(const Error&, Time ended);
    std::optional<Result<StepValue>> question(const Error&);
    void intend();
    Made attempt();
    /// Nothing: the store had other revisions than expected.
    std::optional<Result<StepValue>> finish(StepValue, const Made&);
    Error fail(Error, std::optional<journal::Attempt>);
    void record_attempt(const journal::Attempt&);
    /// Parks the run so that it comes back at once, with what this execution has recorded.
    [[noreturn]] void come_back();

    Lane& lane_;
    Execution& run_;
    const journal::StepKey& key_;
    const journal::Record* record_;
    std::uint32_t generation_;
    const StepOptions& options_;
    const Body& body_;
    std::string key_text_;
    std::string checkpoint_;
    int made_ = 0;                ///< attempts on record
    int counted_ = 0;             ///< of them, those that the retry policy counts
    bool intended_ = false;       ///< an intent for the next attempt is on record
    bool recorded_below_ = false; ///< by an attempt of this execution, in the lane of its body
    std::uint32_t asked_ = 0;     ///< questions after unknown outcomes that are settled
    int conflicts_ = 0;
};

} // namespace foxwedge::run
