// Plugins in a process of their own: everything that a call can do works there, and its death is
// one error.
#include <thread>

#include "http/client.hpp"
#include "plugin/box_deaths.hpp"
#include "plugin/box_wire.hpp"
#include "process/supervisor.hpp"

#include "fakes.hpp"
#include "folder.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin;
using plugin_tests::why;

namespace {

struct Isolated : plugin_tests::Verbs {
    process::Supervisor children;
    std::vector<http::TransferRequest> sent;

    Isolated() {
        put("unruly");
        put("fragile");
        put("threaded");
        call.until.stop = stop.get_token();
        open();
    }
    ~Isolated() { close(); } // before the supervisor
    void open(Millis grace = Millis(10'000), BoxLimits limits = {}) {
        auto o = options();
        o.children = &children;
        o.limits.grace = grace;
        o.box = limits;
        o.uses = {{"unruly", nullptr, true, ""},
                  {"fragile", nullptr, true, ""},
                  {"threaded", nullptr, true, ""}};
        o.lent.http = std::make_shared<http::Client>(
            http::ClientOptions{}, std::make_unique<plugin_tests::FakeTransfers>(sent));
        o.lent.secrets = plugin_tests::shop_secrets;
        use(std::move(o), "unruly", JsonObject{{"key", JsonObject{{"secret", "SHOP"}}}});
    }
    std::string pid() {
        const auto result = run("pid");
        BOOST_REQUIRE_MESSAGE(result.ok(), why(result));
        return to_text(Json(to_json(*result)));
    }
    Result<std::shared_ptr<ToolSource>> fragile_tools(const std::string& verb) {
        return registry->capability("fragile-tools", JsonObject{{"dieIn", verb}});
    }
    Result<std::shared_ptr<Provider>> fragile_model(const std::string& verb) {
        return registry->provider("fragile-model", JsonObject{{"dieIn", verb}});
    }
};

void is_death_in(const Error& error, const std::string& verb) {
    BOOST_TEST(error.code == "box_died", error.message);
    BOOST_TEST((error.certainty == Certainty::unknown));
    for (const auto& words :
         {"plugin fragile: " + verb, std::string("signal 9"), "dying in " + verb})
        BOOST_TEST(error.message.find(words) != std::string::npos, error.message);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(boxes, Isolated)

BOOST_AUTO_TEST_CASE(a_plugin_runs_in_a_process_of_its_own) {
    const auto there = pid();
    BOOST_TEST(there.find(std::to_string(::getpid())) == std::string::npos);
    BOOST_TEST(pid() == there); // and stays in it
}

BOOST_AUTO_TEST_CASE(a_broken_promise_means_the_same_as_in_process) {
    check_broken_promises();
    BOOST_TEST((failure("transient").certainty == Certainty::not_done));
    BOOST_TEST(failure("transient").retry_after.count() == 1500);
    BOOST_TEST((failure("failed").certainty == Certainty::done_with_error));
    const auto invalid = run("invalid");
    BOOST_REQUIRE(invalid.ok());
    BOOST_TEST(invalid->is_error);
}

BOOST_AUTO_TEST_CASE(events_arrive_and_unknown_ones_are_skipped) {
    plugin_tests::Events events;
    call.events = &events;
    BOOST_TEST(run("emits").ok());
    BOOST_TEST(events.seen.size() == 1u);
}

BOOST_AUTO_TEST_CASE(hundreds_of_events_arrive_in_order_and_one_refusal_ends_the_call) {
    plugin_tests::Events events;
    call.events = &events;
    const auto model = fragile_model("");
    BOOST_REQUIRE_MESSAGE(model.ok(), why(model));
    BOOST_TEST((*model)->generate({}, call).ok());
    BOOST_TEST(events.seen.size() == 200u);
    events.wanted = 10;
    events.seen.clear();
    BOOST_TEST(!(*model)->generate({}, call).ok());
    BOOST_TEST(events.seen.size() < 200u);
}

BOOST_AUTO_TEST_CASE(the_store_and_waits_work_on_the_thread_of_the_lane) {
    plugin_tests::FakeStore store;
    plugin_tests::FakeWaits waits;
    call.store = &store;
    call.waits = &waits;
    const auto result = run("store", R"({"ops":[{"op":"get","scope":"project","key":"k"}]})");
    BOOST_REQUIRE(result.ok());
    BOOST_TEST(store.name_space == "unruly");
    BOOST_TEST(to_text(*result->structured) ==
               R"({"results":[{"found":true,"value":7,"revision":3}]})");
    const auto bad = run("store", R"({"ops":[{"op":"get","scope":"moon","key":"k"}]})");
    BOOST_REQUIRE(bad.ok());
    BOOST_TEST(view(bad->details.at("pointer").as_string()) == "/ops/0/scope");
    BOOST_TEST(failure("parks").code == parked_code);
    BOOST_TEST((waits.thread == std::this_thread::get_id()));
}

BOOST_AUTO_TEST_CASE(a_request_goes_through_the_host_and_the_box_never_sees_the_key) {
    const auto result = run(
        "http",
        R"({"url":"https://shop.test/v1","headers":{"x-api-key":{"secret":"SHOP","prefix":"Bearer "}}})");
    BOOST_REQUIRE_MESSAGE(result.ok(), why(result));
    BOOST_REQUIRE(sent.size() == 1u);
    BOOST_TEST(sent[0].fields.at(0).value == "Bearer sk-test-AAAA1111BBBB");
    const auto refused = run("http", R"({"url":"http://169.254.169.254/latest"})");
    BOOST_REQUIRE(refused.ok());
    BOOST_TEST(view(refused->details.at("code").as_string()) == "egress_denied");
    // What it repeats is masked, though only the host knows the value.
    const auto said = run("fails-with", R"({"body":"bad key sk-test-AAAA1111BBBB"})");
    BOOST_REQUIRE(!said.ok());
    BOOST_TEST(said.error().message == R"({"body":"bad key [redacted:SHOP]"})");
}

BOOST_AUTO_TEST_CASE(a_plugins_own_threads_use_the_services_of_its_call) {
    plugin_tests::FakeStore store;
    call.store = &store;
    const auto threaded = registry->capability("threaded", nullptr);
    BOOST_REQUIRE_MESSAGE(threaded.ok(), why(threaded));
    BOOST_TEST((*threaded)->run("count", "{}", call).ok());
    BOOST_TEST(store.ops.size() == 16u);
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_is_interrupted_there) {
    std::jthread later([&] { stop.request_stop(); });
    BOOST_TEST(failure("waits-for-interrupt").code == "cancelled");
}

BOOST_AUTO_TEST_CASE(a_verb_has_a_mebibyte_of_stack) {
    BOOST_TEST(run("deep").ok());
}

BOOST_AUTO_TEST_CASE(an_overdue_call_ends_as_a_timeout) {
    call.until.deadline = std::chrono::steady_clock::now() + Millis(20);
    BOOST_TEST(failure("waits-for-interrupt").code == "timeout");
}

BOOST_AUTO_TEST_CASE(a_call_that_ignores_its_end_is_left_in_its_process_and_the_next_gets_another) {
    open(Millis(20));
    const auto before = pid();
    call.until.deadline = std::chrono::steady_clock::now() + Millis(20);
    const auto error = failure("hangs");
    BOOST_TEST(error.code == "abandoned");
    BOOST_TEST((error.certainty == Certainty::unknown));
    BOOST_TEST(registry->abandoned_calls() == 0); // nothing of it is left in this process
    call.until.deadline.reset();
    BOOST_TEST(pid() != before);
}

BOOST_AUTO_TEST_CASE(what_a_plugin_prints_is_no_answer) {
    BOOST_TEST(run("writes-to-stdout").ok());
    BOOST_TEST(run("fine").ok());
}

BOOST_AUTO_TEST_CASE(nothing_is_thrown_through_a_plugin_there) {
    check_unwinding();
}

BOOST_AUTO_TEST_CASE(what_is_emitted_after_cancel_comes_to_nothing) {
    plugin_tests::Events events;
    call.events = &events;
    std::jthread later([&] { stop.request_stop(); });
    BOOST_TEST(run("emits-after-cancel").ok()); // what it did counts, though it was cancelled
    BOOST_TEST(events.seen.empty());
}

BOOST_AUTO_TEST_CASE(a_call_of_the_past_answers_cancelled_there_too) {
    check_dead_calls();
}

BOOST_AUTO_TEST_CASE(large_arguments_and_results_pass_in_pieces) {
    const auto large =
        R"({"content":[],"structuredContent":")" + std::string(8 << 20, 'x') + R"("})";
    const auto result = run("echo", large);
    BOOST_REQUIRE_MESSAGE(result.ok(), why(result));
    BOOST_TEST(result->structured->as_string().size() == std::size_t{8} << 20);
}

BOOST_AUTO_TEST_CASE(calls_go_side_by_side) {
    std::jthread waiting([&] {
        Call own;
        own.until.stop = stop.get_token();
        BOOST_TEST(!tools->run("waits-for-interrupt", "{}", own).ok());
    });
    Call other;
    for (int n = 0; n < 100; ++n) BOOST_REQUIRE(tools->run("fine", "{}", other).ok());
    stop.request_stop();
}

#ifndef __SANITIZE_ADDRESS__ // which maps terabytes
BOOST_AUTO_TEST_CASE(memory_is_limited) {
    open(Millis(10'000), {std::uint64_t{2} << 30, 0});
    BOOST_TEST(failure("allocates").code == "internal");
    BOOST_TEST(run("fine").ok());
}
#endif

BOOST_AUTO_TEST_CASE(a_death_in_each_verb_is_one_unknown_outcome) {
    Call plain;
    const auto listing = fragile_tools("list_tools"), running = fragile_tools("run_tool");
    BOOST_REQUIRE_MESSAGE(listing.ok(), why(listing));
    is_death_in((*listing)->list(plain).error(), "list_tools");
    is_death_in((*running)->run("touch", "{}", plain).error(), "run_tool");
    const auto describing = fragile_model("describe"), generating = fragile_model("generate");
    is_death_in((*describing)->describe(plain).error(), "describe");
    is_death_in((*generating)->generate({}, plain).error(), "generate");
    const auto counting = fragile_model("count_tokens");
    is_death_in((*counting)->count_tokens({}, plain).error(), "count_tokens");
    // Another process takes the next call.
    BOOST_TEST((*running)->list(plain).ok());
    BOOST_TEST((*generating)->describe(plain).ok());
}

BOOST_AUTO_TEST_CASE(tokens_are_counted_there) {
    Call plain;
    GenerateRequest request;
    request.messages.resize(3);
    BOOST_TEST(*(*fragile_model("nothing"))->count_tokens(request, plain) == 3);
}

BOOST_AUTO_TEST_CASE(a_death_while_it_is_opened_is_a_refusal_that_names_the_file) {
    const auto died = fragile_tools("create");
    BOOST_REQUIRE(!died.ok());
    BOOST_TEST(died.error().code == "open_failed");
    BOOST_TEST(died.error().message.find((plugins / "fragile.so").string()) == 0u,
               died.error().message);
    BOOST_TEST(died.error().message.find("signal 9") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(after_three_deaths_the_next_one_is_the_calls_own) {
    Call plain;
    for (const auto* code : {"box_died", "box_died", "box_died", "box_crashed"}) {
        const auto dead = tools->run("aborts", "{}", plain);
        BOOST_REQUIRE(!dead.ok());
        BOOST_TEST(dead.error().code == code);
    }
    BOOST_TEST(tools->run("fine", "{}", plain).ok());
}

BOOST_AUTO_TEST_CASE(a_build_that_is_replaced_serves_new_uses_and_old_ones_keep_theirs) {
    const auto before = pid();
    put("unruly-concurrent"); // any other file
    registry->refresh();
    BOOST_TEST(pid() == before);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(box_rules)

BOOST_AUTO_TEST_CASE(deaths_within_a_minute_slow_the_next_start_and_end_side_by_side) {
    BoxDeaths deaths;
    BoxDeaths::TimePoint now{};
    const auto after_death = [&] {
        deaths.died(now);
        return deaths.delay(now).count();
    };
    BOOST_TEST(deaths.delay(now).count() == 0);
    BOOST_TEST(after_death() == 0);
    BOOST_TEST(after_death() == 100);
    BOOST_TEST(!deaths.one_at_a_time(now));
    BOOST_TEST(after_death() == 200);
    BOOST_TEST(deaths.one_at_a_time(now));
    for (int n = 0; n < 20; ++n) BOOST_TEST(after_death() <= 5'000);
    now += std::chrono::minutes(1);
    BOOST_TEST(!deaths.one_at_a_time(now));
    BOOST_TEST(deaths.delay(now).count() == 0);
}

BOOST_AUTO_TEST_CASE(frames_come_together_from_any_pieces) {
    const auto bytes = encoded({FrameKind::call, 7, "body"}) + encoded({FrameKind::cancel, 8, ""});
    FrameReader reader;
    std::vector<Frame> frames;
    for (const char byte : bytes) {
        reader.feed({&byte, 1});
        for (auto next = reader.next(); next.ok() && *next; next = reader.next())
            frames.push_back(std::move(**next));
    }
    BOOST_REQUIRE(frames.size() == 2u);
    BOOST_TEST(frames[0].body == "body");
    BOOST_TEST(frames[1].id == 8u);
}

// Every cut of a body is read without going past its end, and an error stays one that exists.
BOOST_AUTO_TEST_CASE(what_a_box_sends_is_never_trusted) {
    Ended end;
    end.said = permanent("code", "message", "{}");
    const auto body = packed(end);
    for (std::size_t size = 0; size < body.size(); ++size) {
        const auto read = ended_from(std::string_view(body).substr(0, size));
        BOOST_TEST((!read.said || read.said->certainty <= Certainty::unknown));
    }
    Packer strange;
    strange.number(0).text("code").text("message").number(77).number(0).text("");
    BOOST_TEST((answer_from(strange.take()).error().certainty == Certainty::permanent));
    FrameReader reader;
    reader.feed(std::string(13, '\xff'));
    BOOST_TEST(!reader.next().ok());
}

BOOST_AUTO_TEST_SUITE_END()
