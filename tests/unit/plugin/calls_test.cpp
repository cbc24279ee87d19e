// What a verb does wrong stays inside the call (field case B67), and what a status becomes.
#include <future>
#include <thread>
#include <vector>

#include "fakes.hpp"
#include "folder.hpp"
#include "release.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin;
using plugin_tests::Events;
using plugin_tests::FakeStore;
using plugin_tests::FakeWaits;
using plugin_tests::why;

namespace {

struct Unruly : plugin_tests::Verbs {
    plugin_tests::Release release;

    Unruly() {
        put("unruly");
        put("unruly-concurrent");
        open("unruly");
        call.until.stop = stop.get_token();
    }
    void open(const std::string& id, Millis grace = Millis(10'000)) {
        auto o = options();
        o.limits.grace = grace;
        use(std::move(o), id, nullptr);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(calls, Unruly)

BOOST_AUTO_TEST_CASE(no_more_instances_are_made_than_the_descriptor_allows) {
    put("narrow");
    open("narrow");
    struct Entered final : EventReceiver {
        std::promise<void> inside;
        bool receive(EventKind, std::string_view) override {
            inside.set_value();
            return true;
        }
    } entered;
    call.events = &entered;
    std::jthread holding([&] { BOOST_CHECK(run("hold").ok()); });
    entered.inside.get_future().wait();

    Result<ToolResult> second = ToolResult();
    std::jthread waiting([&] {
        Call own;
        second = tools->run("number", "{}", own);
    });
    release.let_go();
    waiting.join();
    BOOST_REQUIRE_MESSAGE(second.ok(), why(second));
    BOOST_TEST(to_text(*second->structured) == R"({"number":1})");
}

BOOST_AUTO_TEST_CASE(a_broken_promise_is_internal_and_says_which) {
    check_broken_promises();
    BOOST_TEST(run("fine").ok());
}

BOOST_AUTO_TEST_CASE(each_status_has_its_class) {
    BOOST_TEST((failure("transient").certainty == Certainty::not_done));
    BOOST_TEST((failure("failed").certainty == Certainty::done_with_error));
    BOOST_TEST((failure("unknown").certainty == Certainty::unknown));
    BOOST_TEST((failure("internal").certainty == Certainty::permanent));
    const auto error = failure("transient");
    BOOST_TEST(error.code == "word");
    BOOST_TEST(error.message == "a sentence");
    BOOST_TEST(error.retry_after.count() == 1500);
}

BOOST_AUTO_TEST_CASE(what_a_model_can_put_right_is_a_result) {
    const auto invalid = run("invalid"), missing = run("no such tool");
    BOOST_REQUIRE(invalid.ok());
    BOOST_TEST(invalid->is_error);
    BOOST_TEST(view(invalid->details.at("code").as_string()) == "word");
    BOOST_REQUIRE(missing.ok());
    BOOST_TEST(missing->is_error);
}

BOOST_AUTO_TEST_CASE(events_arrive_and_unknown_ones_are_skipped) {
    Events events;
    call.events = &events;
    BOOST_TEST(run("emits").ok());
    BOOST_TEST(events.seen.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_is_interrupted_and_may_still_answer) {
    Events events;
    call.events = &events;
    stop.request_stop();
    BOOST_TEST(failure("waits-for-interrupt").code == "cancelled");
    BOOST_TEST(run("emits-after-cancel").ok()); // what it did counts, though it was cancelled
    BOOST_TEST(events.seen.empty());
}

BOOST_AUTO_TEST_CASE(a_verb_has_a_mebibyte_of_stack) {
    BOOST_TEST(run("deep").ok());
}

BOOST_AUTO_TEST_CASE(an_overdue_call_ends_as_a_timeout) {
    call.until.deadline = std::chrono::steady_clock::now() + Millis(5);
    const auto error = failure("waits-for-interrupt");
    BOOST_TEST(error.code == "timeout");
    BOOST_TEST((error.certainty == Certainty::unknown));
}

BOOST_AUTO_TEST_CASE(a_call_that_ignores_its_deadline_is_left_behind) {
    open("unruly", Millis(20));
    for (int n = 1; n <= 3; ++n) {
        call.until.deadline = std::chrono::steady_clock::now() + Millis(5);
        const auto error = failure("hangs");
        BOOST_TEST(error.code == "abandoned");
        BOOST_TEST((error.certainty == Certainty::unknown));
        BOOST_TEST(registry->abandoned_calls() == n);
    }
    // The fourth is not made: the plugin is refused for new work.
    call.until.deadline.reset();
    BOOST_TEST(failure("fine").code == "plugin_hangs");
}

BOOST_AUTO_TEST_CASE(the_store_is_the_plugins_own_and_its_answer_comes_back) {
    FakeStore store;
    call.store = &store;
    const auto result = run("store", R"({"ops":[{"op":"get","scope":"project","key":"k"}]})");
    BOOST_REQUIRE(result.ok());
    BOOST_TEST(store.name_space == "unruly");
    BOOST_TEST(to_text(*result->structured) ==
               R"({"results":[{"found":true,"value":7,"revision":3}]})");
    const auto bad = run("store", R"({"ops":[{"op":"get","scope":"moon","key":"k"}]})");
    BOOST_REQUIRE(bad.ok()); // the service's own error, passed on
    BOOST_TEST(view(bad->details.at("code").as_string()) == "input_validation");
    BOOST_TEST(view(bad->details.at("pointer").as_string()) == "/ops/0/scope");
}

BOOST_AUTO_TEST_CASE(a_wait_parks_the_call_on_a_thread_that_the_lane_was_lent_to) {
    FakeWaits waits;
    std::vector<std::thread::id> borrowers;
    call.waits = &waits;
    call.borrow = [&] { borrowers.push_back(std::this_thread::get_id()); };
    BOOST_TEST(failure("parks").code == parked_code);
    // The plugin's thread took it over, and the caller took it back.
    BOOST_REQUIRE(borrowers.size() == 2u);
    BOOST_TEST((borrowers[0] == waits.thread));
    BOOST_TEST((borrowers[0] != std::this_thread::get_id()));
    BOOST_TEST((borrowers[1] == std::this_thread::get_id()));
    waits.fired = true;
    BOOST_TEST(failure("parks").code == "internal");
}

BOOST_AUTO_TEST_CASE(a_plugins_own_threads_use_the_services_of_its_call) {
    put("threaded");
    open("threaded");
    FakeStore store;
    call.store = &store;
    const auto result = run("count");
    BOOST_REQUIRE_MESSAGE(result.ok(), why(result));
    BOOST_TEST(store.ops.size() == 16u); // one at a time: the store itself takes no lock
}

// Field case B68: late callbacks come to nothing, and nothing crashes.
BOOST_AUTO_TEST_CASE(a_thread_that_was_left_behind_is_answered_cancelled) {
    FakeStore store;
    call.store = &store;
    BOOST_TEST(run("leaves-a-thread").ok());
    for (int n = 0; n < 2000; ++n)
        BOOST_REQUIRE(run("fine").ok()); // its call's memory has gone back meanwhile
    release.let_go();
    BOOST_TEST(release.told() == "cancelled");
    BOOST_TEST(store.ops.empty());
}

BOOST_AUTO_TEST_CASE(nothing_is_thrown_through_a_plugin) {
    check_unwinding();
}

BOOST_AUTO_TEST_CASE(what_a_plugin_prints_is_its_own_affair) {
    BOOST_TEST(run("writes-to-stdout").ok());
}

BOOST_AUTO_TEST_CASE(a_call_of_the_past_answers_cancelled_for_ever) {
    check_dead_calls();
}

BOOST_AUTO_TEST_CASE(a_thousand_rounds_of_opening_and_closing) {
    for (int n = 0; n < 1000; ++n) {
        open("unruly-concurrent");
        if (n % 100 == 0) BOOST_TEST(run("fine").ok());
    }
}

BOOST_AUTO_TEST_SUITE_END()
