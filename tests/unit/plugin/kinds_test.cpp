// The museum's other kinds: a provider, a guardrail and a strategy that break the promises of a
// call. The provider in a process of its own too; the others stand in the path of every call and
// run in this one.
#include "process/supervisor.hpp"

#include "fakes.hpp"
#include "release.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin;
using plugin_tests::why;

namespace {

struct Kinds : plugin_tests::Folder {
    process::Supervisor children;
    std::unique_ptr<Registry> registry;
    Call call;
    plugin_tests::Release release; // last: goes before the registry, which waits for what hangs

    Kinds() {
        put("kinds");
        open(false);
    }
    void open(bool isolated) {
        auto o = options();
        o.children = &children;
        o.limits.grace = Millis(20);
        o.uses = {{"kinds", nullptr, isolated, ""}};
        auto made = Registry::open(std::move(o));
        BOOST_REQUIRE_MESSAGE(made.ok(), why(made));
        registry = std::move(*made);
    }
    static Json faulty(std::string_view fault) { return JsonObject{{"fault", fault}}; }

    Result<Generated> generate(std::string_view fault) {
        const auto model = registry->provider("faulty", faulty(fault));
        BOOST_REQUIRE_MESSAGE(model.ok(), why(model));
        return (*model)->generate({}, call);
    }
    Result<std::int64_t> count(std::string_view fault) {
        const auto model = registry->provider("faulty", faulty(fault));
        BOOST_REQUIRE_MESSAGE(model.ok(), why(model));
        return (*model)->count_tokens({}, call);
    }
    Result<GuardrailVerdict> check(std::string_view fault) {
        const auto guardrail = registry->guardrail("faulty", faulty(fault));
        BOOST_REQUIRE_MESSAGE(guardrail.ok(), why(guardrail));
        return (*guardrail)->check(Placement::input, JsonObject{}, call);
    }
    Result<ContextPlan> plan(std::string_view fault) {
        const auto strategy = registry->context_strategy("faulty", faulty(fault));
        BOOST_REQUIRE_MESSAGE(strategy.ok(), why(strategy));
        return (*strategy)->plan({}, call);
    }
    void overdue() { call.until.deadline = std::chrono::steady_clock::now() + Millis(10); }
};

constexpr std::pair<const char*, const char*> broken[] = {
    {"no-result", "returned ok without a result"},
    {"two-results", "gave 2 results"},
    {"bad-json", "gave a result of another form"},
    {"wrong-shape", "gave a result of another form"},
    {"unknown-status", "returned the unknown status 42"},
    {"throws", "threw an exception: no disk"},
    {"parked-for-nothing", "returned parked without having registered a wait"},
};

template <class T>
void is_broken(const Result<T>& result, const std::string& verb, const char* fault,
               const char* words) {
    BOOST_REQUIRE_MESSAGE(!result.ok(), verb << " with " << fault << " succeeded");
    BOOST_TEST(result.error().code == "internal", verb << ": " << fault);
    BOOST_TEST(result.error().message.find("plugin kinds: " + verb) == 0u, result.error().message);
    BOOST_TEST(result.error().message.find(words) != std::string::npos, result.error().message);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(kinds, Kinds)

BOOST_AUTO_TEST_CASE(without_a_fault_each_works) {
    BOOST_TEST(generate("").ok());
    BOOST_TEST(*count("") == 3);
    BOOST_TEST(check("").ok());
    BOOST_TEST(plan("").ok());
}

BOOST_AUTO_TEST_CASE(a_provider_that_breaks_a_promise_is_named_with_it) {
    for (const bool isolated : {false, true}) {
        open(isolated);
        for (const auto& [fault, words] : broken) {
            is_broken(generate(fault), "generate", fault, words);
            is_broken(count(fault), "count_tokens", fault, words);
        }
    }
}
BOOST_AUTO_TEST_CASE(a_guardrail_that_breaks_a_promise_gives_no_verdict) {
    for (const auto& [fault, words] : broken) is_broken(check(fault), "check", fault, words);
}
BOOST_AUTO_TEST_CASE(a_strategy_that_breaks_a_promise_gives_no_plan) {
    for (const auto& [fault, words] : broken) is_broken(plan(fault), "plan", fault, words);
}

BOOST_AUTO_TEST_CASE(each_that_hangs_is_left_behind) {
    overdue();
    BOOST_TEST(check("hangs").error().code == "abandoned");
    overdue();
    BOOST_TEST(plan("hangs").error().code == "abandoned");
    for (const bool isolated : {false, true}) {
        open(isolated);
        overdue();
        BOOST_TEST(generate("hangs").error().code == "abandoned");
    }
}

BOOST_AUTO_TEST_CASE(a_provider_that_crashes_takes_its_own_process_along) {
    open(true);
    const auto dead = generate("aborts");
    BOOST_REQUIRE(!dead.ok());
    BOOST_TEST(dead.error().code == "box_died");
    BOOST_TEST(dead.error().message.find("signal 6 (Aborted)") != std::string::npos,
               dead.error().message);
    BOOST_TEST(generate("").ok());
}

// A verdict over what passes by is given where it passes: a box would make each call wait twice.
BOOST_AUTO_TEST_CASE(what_stands_in_the_path_of_every_call_is_not_isolated) {
    open(true);
    const auto guardrail = registry->guardrail("faulty", nullptr);
    BOOST_REQUIRE(!guardrail.ok());
    BOOST_TEST(guardrail.error().code == "not_isolatable");
    BOOST_TEST(!registry->context_strategy("faulty", nullptr).ok());
}

BOOST_AUTO_TEST_SUITE_END()
