#include <boost/test/unit_test.hpp>

#include <set>
#include <thread>

#include "plugin/running_call.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin;

namespace {

using Addresses = std::vector<const foxwedge_call*>;

struct Plugin {
    CallHome home{{}, std::make_shared<const Masking>(TextMask{})};

    /// Where the plugin saw its calls, all of which have ended.
    Addresses calls(int count) {
        Addresses seen;
        Call call;
        for (int i = 0; i < count; ++i) {
            RunningCall running(home, call, nullptr, Performer::caller);
            seen.push_back(running.api());
            running.perform([] { return FOXWEDGE_OK; });
        }
        return seen;
    }
};

constexpr int several_chunks = 12'000;

} // namespace

BOOST_AUTO_TEST_SUITE(call_slots)

BOOST_AUTO_TEST_CASE(no_two_calls_have_the_same_address_whatever_thread_they_are_made_on) {
    Plugin plugin;
    constexpr int threads = 4;
    std::vector<Addresses> seen(threads);
    {
        std::vector<std::jthread> callers;
        for (auto& mine : seen)
            callers.emplace_back([&] { mine = plugin.calls(several_chunks / threads); });
    }
    std::set<const foxwedge_call*> all;
    for (const auto& mine : seen) all.insert(mine.begin(), mine.end());
    BOOST_TEST(all.size() == std::size_t{several_chunks});
}

BOOST_AUTO_TEST_CASE(an_ended_call_can_be_asked_for_ever_and_is_over) {
    Plugin plugin;
    for (const auto* call : plugin.calls(several_chunks)) BOOST_TEST_REQUIRE(!CallPin(call));
}

BOOST_AUTO_TEST_CASE(a_call_is_not_over_while_a_host_function_works_for_it) {
    Plugin plugin;
    Call call;
    RunningCall running(plugin.home, call, nullptr, Performer::caller);
    std::optional<CallPin> inside(running.api());
    BOOST_TEST(bool(*inside));
    std::jthread performer([&] { running.perform([] { return FOXWEDGE_OK; }); });
    while (CallPin(running.api())) std::this_thread::yield(); // until nobody else gets in
    BOOST_TEST(&**inside == &running);
    inside.reset(); // and lets it end
    performer.join();
    BOOST_TEST((running.ended(false).status == FOXWEDGE_OK));
}

BOOST_AUTO_TEST_SUITE_END()
