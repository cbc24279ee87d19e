// What follows an attempt that did not succeed. Pure: decides, never waits.
#pragma once
#include "run/run.hpp"

namespace foxwedge::run {

struct Next {
    enum class Do : std::uint8_t {
        again, ///< after `delay`
        ask,   ///< a person decides: the effect may have happened
        fail,  ///< the step ends with this error
    } what = Do::fail;
    Millis delay{0};
};
/// `made`: counted attempts so far, this one included.
Next after_attempt(const StepOptions&, const Error&, int made, double chance);

/// False for a loss that is nobody's doing (base/loss.hpp): the retry policy does not count it.
bool is_counted(const Error&);

/// The share of jitter of a step's attempt: the same whenever it is asked, so that a delay that is
/// begun again after a restart ends when it was going to.
double fixed_chance(std::string_view step_key, int attempt);

/// A failed body that ran out of time says so, whatever it was busy with.
Error with_timeout(Error, bool overdue, std::string_view step);

/// What a body says of its failure, as it may be recorded and shown: valid UTF-8, and no more of it
/// than a person reads. A server's error may be as large as its largest message.
Error recordable(Error);

/// Why a step of a fork is not repeated unasked.
Error made_by_origin(std::string_view step);

/// The error of a body that was on record as begun when its host died.
Error host_death(std::string_view step);

} // namespace foxwedge::run
