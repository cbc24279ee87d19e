// Two threads that share one loop.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "eventually.hpp"
#include "mcp/relay.hpp"

using foxwedge::mcp::Relay;
using foxwedge::test::eventually;

namespace {

/// Held up until the piece that was begun next has let it go. Boost's checks are for one thread:
/// what comes of it is looked at afterwards.
struct Held {
    std::atomic<bool> let_go{false}, in_vain{false};
    void wait() {
        in_vain = !eventually([this] { return let_go.load(); });
    }
};

/// `before` comes first of all, on the thread that has the loop then.
void do_two_of_which_the_first_waits_for_the_second(
    Relay& relay, const std::function<void()>& before = [] {}) {
    Held held;
    int at = 0;
    relay.run([&] {
        if (at == 0) before();
        while (at < 2)
            if (const bool first = at++ == 0;
                !relay.work([&] { first ? held.wait() : held.let_go.store(true); }))
                return false;
        return true;
    });
    BOOST_TEST(at == 2);
    BOOST_TEST(!held.in_vain.load());
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_relay)

BOOST_AUTO_TEST_CASE(keeps_the_loop_on_one_thread_while_work_is_done_in_time) {
    Relay relay(std::chrono::hours(1));
    std::set<std::thread::id> threads;
    int left = 1000;
    relay.run([&] {
        while (left > 0)
            if (!relay.work([&] {
                    threads.insert(std::this_thread::get_id());
                    --left;
                }))
                return false;
        return true;
    });
    BOOST_TEST(threads.size() == 1u);
    BOOST_TEST(left == 0);
}

BOOST_AUTO_TEST_CASE(goes_on_while_work_is_held_up_by_what_comes_after_it) {
    Relay relay;
    do_two_of_which_the_first_waits_for_the_second(relay);
}

BOOST_AUTO_TEST_CASE(
    does_each_piece_once_and_in_order_of_its_beginning_however_often_it_changes_hands) {
    Relay relay(std::chrono::microseconds(1));
    constexpr int pieces = 100;
    std::vector<std::unique_ptr<Held>> held;
    for (int i = 0; i <= pieces; ++i) held.push_back(std::make_unique<Held>());
    std::vector<int> begun;
    int at = 0;
    std::atomic<int> losses{0};
    relay.run([&] {
        while (at < pieces) {
            const int mine = at++;
            begun.push_back(mine);
            if (!relay.work([&, mine] {
                    held[static_cast<std::size_t>(mine)]->let_go = true;
                    // Every other piece waits for the next one, which only the other thread begins.
                    if (mine % 2 == 0) held[static_cast<std::size_t>(mine + 1)]->wait();
                })) {
                ++losses;
                return false;
            }
        }
        return true;
    });
    BOOST_TEST(begun.size() == static_cast<std::size_t>(pieces));
    BOOST_TEST(std::is_sorted(begun.begin(), begun.end()));
    BOOST_TEST(losses.load() >= pieces / 2);
    for (const auto& each : held) BOOST_TEST(!each->in_vain.load());
}

BOOST_AUTO_TEST_CASE(sees_work_that_is_held_up_after_a_long_quiet) {
    Relay relay(std::chrono::microseconds(1));
    do_two_of_which_the_first_waits_for_the_second(relay, [] {
        // Longer than anybody watches for nothing.
        const auto quiet = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
        while (std::chrono::steady_clock::now() < quiet) std::this_thread::yield();
    });
}

BOOST_AUTO_TEST_SUITE_END()
