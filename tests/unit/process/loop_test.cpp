#include <boost/test/unit_test.hpp>

#include <future>

#include <unistd.h>

#include "process/loop.hpp"

using foxwedge::process::Loop;
using std::chrono::milliseconds;

BOOST_AUTO_TEST_SUITE(a_loop)

BOOST_AUTO_TEST_CASE(runs_timers_in_the_order_of_their_times) {
    Loop loop;
    std::promise<std::string> done;
    std::string order; // touched by the loop's thread only
    loop.after(milliseconds(20), [&] {
        order += "b";
        done.set_value(order);
    });
    loop.after(milliseconds(1), [&] { order += "a"; });
    BOOST_TEST(done.get_future().get() == "ab");
}

BOOST_AUTO_TEST_CASE(tells_of_a_descriptor_that_can_be_read_until_it_is_unwatched) {
    Loop loop;
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    std::promise<int> calls;
    int count = 0;
    loop.watch(ends[0], [&] {
        ++count;
        loop.unwatch(ends[0]);
        loop.after(milliseconds(20), [&] { calls.set_value(count); });
    });
    BOOST_REQUIRE(::write(ends[1], "x", 1) == 1);
    BOOST_TEST(calls.get_future().get() == 1);
    ::close(ends[0]);
    ::close(ends[1]);
}

BOOST_AUTO_TEST_CASE(that_ends_drops_what_has_not_run) {
    auto held = std::make_shared<int>(1);
    {
        Loop loop;
        loop.after(std::chrono::hours(1), [held] {});
    }
    BOOST_TEST(held.use_count() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
