#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
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

BOOST_AUTO_TEST_CASE(what_lies_at_a_dead_address_is_a_call_that_is_over) {
    Plugin plugin;
    for (const auto* call : plugin.calls(several_chunks)) {
        BOOST_TEST_REQUIRE(call->struct_size == sizeof(foxwedge_call));
        BOOST_TEST_REQUIRE(call->cancelled(call) != 0);
    }
}

/// A host that goes on for months keeps neither the memory nor a mapping for each chunk.
BOOST_AUTO_TEST_CASE(calls_that_are_over_cost_no_memory_and_few_mappings) {
    const auto mappings = [] {
        std::ifstream maps("/proc/self/maps");
        return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
    };
    const auto resident = [] {
        std::ifstream statm("/proc/self/statm");
        long all = 0, pages = 0;
        statm >> all >> pages;
        return pages * 4096;
    };
    Plugin plugin;
    plugin.calls(200'000); // the image of the dead is complete
    const auto mappings_before = mappings(), resident_before = resident();
    for (int n = 0; n < 5; ++n) plugin.calls(200'000); // a hundred mebibytes of slots
    BOOST_TEST(mappings() - mappings_before < 20);
    BOOST_TEST(resident() - resident_before < 32 << 20);
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
