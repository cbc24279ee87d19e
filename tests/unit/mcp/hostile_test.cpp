// The client against servers that misbehave: the call in question fails, the rest goes on.
#include <csignal>
#include <future>

#include "eventually.hpp"
#include "peer_fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;
using foxwedge::mcp::test::PeerFixture;

namespace {

std::string of_bytes(std::size_t bytes) {
    return R"({"bytes":)" + std::to_string(bytes) + "}";
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_hostile_server, PeerFixture)

// B01
BOOST_AUTO_TEST_CASE(may_print_banners_on_stdout) {
    const auto peer = client({"banner=3"});
    BOOST_TEST(text(call(*peer, "noise")) == "after noise");
    BOOST_TEST(text(call(*peer, "echo", R"({"text":"x"})")) == "x");
    BOOST_TEST(log.count("text on stdout that is no message") == 1u);
    BOOST_TEST(log.count("server ready") == 1u);
}

// B01
BOOST_AUTO_TEST_CASE(that_prints_nothing_but_noise_is_no_server) {
    const auto result = call(*client({"banner=1000"}), "echo");
    BOOST_TEST(code(result) == "server_unavailable");
    BOOST_TEST(result.error().message.find("1000 lines to stdout and no message") !=
               std::string::npos);
}

// B02
BOOST_AUTO_TEST_CASE(may_send_large_results_in_small_pieces) {
    const auto peer = client();
    BOOST_TEST(text(call(*peer, "big", of_bytes(5'000'000))).size() == 5'000'000u);
    BOOST_TEST(text(call(*peer, "echo", R"({"text":"next"})")) == "next");
}

// B02
BOOST_AUTO_TEST_CASE(that_sends_too_much_fails_that_call_only) {
    limits.frame_bytes = 100'000;
    const auto peer = client();
    for (const char* tool : {"big", "big_id_last"}) {
        auto silent = std::async(std::launch::async, [&] { return call(*peer, "twice"); });
        const auto result = call(*peer, tool, of_bytes(200'000));
        BOOST_TEST(code(result) == "message_too_large");
        BOOST_TEST((result.error().certainty == Certainty::permanent));
        BOOST_TEST(text(silent.get()) == "once");
        BOOST_TEST(text(call(*peer, "echo", R"({"text":"next"})")) == "next");
    }
}

BOOST_AUTO_TEST_CASE(may_split_its_bytes_anywhere) {
    BOOST_TEST(text(call(*client(), "bytewise")) == "all");
}

BOOST_AUTO_TEST_CASE(that_nests_too_deep_fails_that_call_only) {
    const auto peer = client();
    BOOST_TEST(code(call(*peer, "deep")) == "invalid_response");
    BOOST_TEST(text(call(*peer, "echo", R"({"text":"next"})")) == "next");
}

// B03
BOOST_AUTO_TEST_CASE(may_flood_stderr) {
    BOOST_TEST(text(call(*client(), "stderr_flood")) == "flooded");
}

// B04
BOOST_AUTO_TEST_CASE(may_answer_with_ids_as_text) {
    const auto peer = client();
    BOOST_TEST(text(call(*peer, "text_id")) == "ok");
    BOOST_TEST(text(call(*peer, "text_id")) == "ok");
    BOOST_TEST(log.count("the server answers with ids as text") == 1u);
}

// B04
BOOST_AUTO_TEST_CASE(that_names_no_call_fails_the_only_one_that_is_open) {
    const auto peer = client();
    const auto result = call(*peer, "null_id_error");
    BOOST_TEST(code(result) == "uncorrelated_error");
    BOOST_TEST(result.error().message.find("boom") != std::string::npos);
}

// B05
BOOST_AUTO_TEST_CASE(may_send_invalid_utf8) {
    const auto result = call(*client(), "bad_utf8");
    BOOST_TEST(text(result) == "\xEF\xBF\xBD(");
    BOOST_TEST(bool_member(result->details, "repairedUtf8").value_or(false));
}

// B06
BOOST_AUTO_TEST_CASE(that_dies_at_the_start_says_what_it_said) {
    const auto result = call(*client({"start=die"}), "echo");
    BOOST_TEST(code(result) == "server_unavailable");
    BOOST_TEST((result.error().certainty == Certainty::not_done));
    BOOST_TEST(result.error().message.find("exited with code 3") != std::string::npos);
    BOOST_TEST(result.error().message.find("cannot open store") != std::string::npos);
}

// B06
BOOST_AUTO_TEST_CASE(that_does_not_exist_is_named) {
    auto spec = peer();
    spec.command = {.program = "no-such-server"};
    const auto result = call(*client_of(spec), "echo");
    BOOST_TEST(code(result) == "server_unavailable");
    BOOST_TEST(result.error().message.find("no-such-server") != std::string::npos);
    BOOST_TEST(result.error().message.find("PATH=") != std::string::npos);
}

// B06
BOOST_AUTO_TEST_CASE(that_dies_in_a_call_fails_it_at_once_and_is_started_again) {
    const auto peer = client();
    const auto result = call(*peer, "die");
    BOOST_TEST(code(result) == "connection_lost");
    BOOST_TEST((result.error().certainty == Certainty::unknown));
    BOOST_TEST(result.error().message.find("exited with code 5") != std::string::npos);
    BOOST_TEST(result.error().message.find("out of luck") != std::string::npos);
    BOOST_TEST(text(call(*peer, "echo", R"({"text":"again"})")) == "again");
    BOOST_TEST(log.count("server ready") == 2u);
}

// B06
BOOST_AUTO_TEST_CASE(that_closes_its_output_but_lives_is_ended) {
    const auto peer = client();
    const auto pid = std::stoi(text(call(*peer, "pid")));
    BOOST_TEST(code(call(*peer, "close_stdout")) == "connection_lost");
    BOOST_TEST(foxwedge::test::eventually([&] { return ::kill(pid, 0) != 0; }));
}

BOOST_AUTO_TEST_CASE(that_died_between_calls_costs_no_call) {
    const auto peer = client();
    const auto pid = text(call(*peer, "pid"));
    ::kill(std::stoi(pid), SIGKILL);
    BOOST_REQUIRE(foxwedge::test::eventually([&] { return ::kill(std::stoi(pid), 0) != 0; }));
    BOOST_TEST(text(call(*peer, "pid")) != pid);
}

BOOST_AUTO_TEST_CASE(may_die_of_the_probe_or_not_answer_it) {
    BOOST_TEST(text(call(*client({"probe=die"}), "echo", R"({"text":"x"})")) == "x");
    auto slow = peer({"probe=silent"});
    slow.probe_timeout = Millis(30);
    BOOST_TEST(text(call(*client_of(slow), "echo", R"({"text":"x"})")) == "x");
    BOOST_TEST(text(call(*client({"probe=version"}), "echo", R"({"text":"x"})")) == "x");
}

BOOST_AUTO_TEST_CASE(that_never_shakes_hands_is_given_up) {
    auto mute = peer({"start=silent"});
    mute.start_timeout = Millis(100);
    mute.probe_timeout = Millis(30);
    const auto result = call(*client_of(mute), "echo");
    BOOST_TEST(code(result) == "server_unavailable");
    BOOST_TEST((result.error().certainty == Certainty::not_done));
}

BOOST_AUTO_TEST_CASE(of_another_revision_is_refused_for_good) {
    const auto result = call(*client({"version=1999-01-01"}), "echo");
    BOOST_TEST(code(result) == "unsupported_version");
}

BOOST_AUTO_TEST_CASE(that_keeps_failing_to_start_is_left_alone_for_a_while) {
    limits.starts = 2;
    const auto peer = client({"start=die"});
    (void)call(*peer, "echo");
    (void)call(*peer, "echo");
    const auto result = call(*peer, "echo");
    BOOST_TEST(code(result) == "server_unavailable");
    BOOST_TEST(result.error().retry_after.count() > 0);
}

// B07
BOOST_AUTO_TEST_CASE(may_answer_a_call_that_was_cancelled) {
    const auto peer = client();
    const auto pid = text(call(*peer, "pid"));
    std::stop_source stop;
    CallOptions stoppable = options();
    stoppable.until.stop = stop.get_token();
    auto late = std::async(std::launch::async, [&] { return peer->call("late", "{}", stoppable); });
    (void)call(*peer, "echo");
    stop.request_stop();
    const auto result = late.get();
    BOOST_TEST(code(result) == "cancelled");
    BOOST_TEST((result.error().certainty == Certainty::unknown));
    BOOST_TEST(text(call(*peer, "twice")) == "once");
    BOOST_TEST(text(call(*peer, "pid")) == pid);
}

// B07
BOOST_AUTO_TEST_CASE(may_be_silent_and_come_too_late) {
    call_timeout = Millis(50);
    const auto peer = client();
    const auto result = call(*peer, "late");
    BOOST_TEST(code(result) == "timeout");
    BOOST_TEST((result.error().certainty == Certainty::unknown));
    BOOST_TEST(text(call(*peer, "twice")) == "once");
    BOOST_TEST(log.count("server ready") == 1u);
}

BOOST_AUTO_TEST_CASE(that_does_not_read_cannot_block_a_large_call) {
    const auto peer = client();
    const std::string large = R"({"text":")" + std::string(3'000'000, 'x') + "\"}";
    std::vector<std::future<std::size_t>> calls;
    for (int i = 0; i < 4; ++i)
        calls.push_back(std::async(std::launch::async,
                                   [&] { return text(call(*peer, "echo", large)).size(); }));
    for (auto& each : calls) BOOST_TEST(each.get() == 3'000'000u);
}

BOOST_AUTO_TEST_SUITE_END()
