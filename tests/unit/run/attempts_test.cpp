#include <boost/test/unit_test.hpp>

#include "run/attempts.hpp"

namespace foxwedge::run {
namespace {

using Do = Next::Do;

StepOptions options(Repeat repeat, OnInterrupted then = OnInterrupted::retry) {
    StepOptions o;
    o.repeat = repeat;
    o.on_interrupted = then;
    o.retry.jitter = 0;
    return o;
}
Error of(Certainty certainty) {
    return {"word", "words", certainty, {}, {}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(attempts)

BOOST_AUTO_TEST_CASE(what_follows_a_failure_depends_on_its_class_and_the_effect) {
    struct Row {
        Certainty certainty;
        Repeat repeat;
        OnInterrupted then;
        Do expected;
    };
    using C = Certainty;
    using I = OnInterrupted;
    const Row rows[] = {
        {C::permanent, Repeat::always, I::retry, Do::fail},
        {C::not_done, Repeat::once, I::ask, Do::again},
        {C::not_done, Repeat::always, I::retry, Do::again},
        {C::done_with_error, Repeat::always, I::retry, Do::again},
        {C::done_with_error, Repeat::once, I::ask, Do::fail},
        {C::done_with_error, Repeat::unless_answered, I::retry, Do::fail},
        {C::unknown, Repeat::always, I::retry, Do::again},
        {C::unknown, Repeat::unless_answered, I::retry, Do::again},
        {C::unknown, Repeat::once, I::ask, Do::ask},
        {C::unknown, Repeat::once, I::fail, Do::fail},
        {C::unknown, Repeat::once, I::retry, Do::again}, // said so on purpose
        {C::unknown, Repeat::always, I::ask, Do::ask},
    };
    for (const auto& row : rows) {
        const auto next = after_attempt(options(row.repeat, row.then), of(row.certainty), 1, 0.5);
        BOOST_TEST((next.what == row.expected), to_string(row.certainty));
    }
}

BOOST_AUTO_TEST_CASE(attempts_are_used_up) {
    auto o = options(Repeat::always);
    o.retry.max_attempts = 3;
    BOOST_TEST((after_attempt(o, of(Certainty::not_done), 2, 0.5).what == Do::again));
    BOOST_TEST((after_attempt(o, of(Certainty::not_done), 3, 0.5).what == Do::fail));
}

BOOST_AUTO_TEST_CASE(the_jitter_of_an_attempt_is_the_same_after_a_restart) {
    BOOST_TEST(fixed_chance("run/step", 2) == fixed_chance("run/step", 2));
    BOOST_TEST(fixed_chance("run/step", 2) != fixed_chance("run/step", 3));
    BOOST_TEST(fixed_chance("run/step", 2) >= 0);
    BOOST_TEST(fixed_chance("run/step", 2) < 1);
}

BOOST_AUTO_TEST_CASE(a_body_cut_short_by_its_deadline_is_an_unknown_outcome) {
    const Error late = with_timeout(permanent("cancelled", "gave up"), true, "s");
    BOOST_TEST(late.code == "timeout");
    BOOST_TEST((late.certainty == Certainty::unknown));
    const Error answered{"failed", "no", Certainty::done_with_error, {}, {}};
    BOOST_TEST(with_timeout(answered, true, "s").code == "failed");
    BOOST_TEST(with_timeout(permanent("cancelled", "x"), false, "s").code == "cancelled");
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
