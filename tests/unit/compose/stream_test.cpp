// Clients of a run: what they see live, what they are given when they join late.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <unistd.h>

#include "compose/host.hpp"
#include "config/load.hpp"
#include "journal/memory_engine.hpp"

namespace foxwedge::compose {
namespace {

using Kind = StreamEvent::Kind;

agent::StepEvent piece(int attempt, std::uint64_t n, const char* text) {
    return {"run", "a:iter:0", attempt, n, EventKind::text, text};
}

run::Event finished(run::Event::Kind kind = run::Event::Kind::step_finished) {
    run::Event event;
    event.kind = kind;
    event.run = "run";
    event.step = "a:iter:0";
    return event;
}

/// Everything that waits for a listener, in short: "reset1 x y |" where "|" says look.
std::string heard(Broadcast::Ear& ear, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        const auto event = ear.wait(Millis(0), {});
        if (!event)
            out += "| ";
        else if (event->kind == Kind::reset)
            out += "reset" + std::to_string(event->attempt) + " ";
        else
            out += event->json + " ";
    }
    return out;
}

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("foxwedge-stream-" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
};

} // namespace

BOOST_AUTO_TEST_SUITE(streams)

BOOST_AUTO_TEST_CASE(each_attempt_opens_with_a_reset) {
    Broadcast broadcast;
    const auto ear = broadcast.listen("run");
    broadcast.said(piece(1, 0, "x"));
    broadcast.said(piece(1, 1, "y"));
    broadcast.said(piece(2, 0, "z"));
    BOOST_TEST(heard(*ear, 5) == "reset1 x y reset2 z ");
}

BOOST_AUTO_TEST_CASE(who_joins_late_gets_what_the_attempt_under_way_has_said) {
    Broadcast broadcast;
    broadcast.said(piece(1, 0, "void"));
    broadcast.said(piece(2, 0, "x"));
    const auto ear = broadcast.listen("run");
    broadcast.said(piece(2, 1, "y"));
    BOOST_TEST(heard(*ear, 3) == "reset2 x y ");
}

BOOST_AUTO_TEST_CASE(nothing_is_kept_of_a_step_that_has_settled) {
    Broadcast broadcast;
    broadcast.said(piece(1, 0, "x"));
    broadcast.happened(finished());
    const auto ear = broadcast.listen("run");
    broadcast.happened(finished(run::Event::Kind::run_finished));
    BOOST_TEST(heard(*ear, 1) == "| ");
}

BOOST_AUTO_TEST_CASE(runs_are_told_apart) {
    Broadcast broadcast;
    const auto other = broadcast.listen("other");
    broadcast.said(piece(1, 0, "x"));
    BOOST_TEST(heard(*other, 1) == "| "); // nothing came in its time
}

BOOST_AUTO_TEST_CASE(a_client_gets_text_as_it_comes_each_settled_step_once_and_the_end) {
    const Folder folder;
    const auto file = folder.path / "host.json";
    std::ofstream(file) << R"({"name": "h", "journal": {"path": ")" +
                               (folder.path / "journal").string() +
                               R"("}, "plugins": {"path": [")" +
                               std::string(std::getenv("FOXWEDGE_BUILD_ROOT")) +
                               R"(/plugins"]}, "provider": "scripted", "providers": {"scripted":
        {"config": {"turns": [{"text": "one two three", "chunk": 4}]}}}, "agents": {"a": {}}})";
    auto loaded = config::load(file.string());
    BOOST_REQUIRE(loaded.config.has_value());
    auto host = Host::make(std::move(*loaded.config), {});
    BOOST_REQUIRE_MESSAGE(host.ok(), (host ? "" : host.error().message));
    StartRequest request;
    request.name = "a";
    request.prompt = "x";
    const auto run = (*host)->start(request)->run;

    const auto follow = [&](std::uint64_t after) {
        auto follower = (*host)->follow(run, after);
        std::string text;
        std::vector<std::string> settled;
        std::uint64_t position = 0;
        for (;;) {
            auto event = follower.next({});
            BOOST_REQUIRE(event.ok());
            if (!*event) break;
            const StreamEvent& one = **event;
            if (one.kind == Kind::reset) text.clear();
            if (one.kind == Kind::delta && one.delta == EventKind::text)
                text += *string_member(*parse_json(one.json), "text");
            if (one.kind != Kind::settled) continue;
            BOOST_TEST(one.position > position);
            position = one.position;
            settled.push_back(one.step);
        }
        return std::tuple(text, settled, position);
    };
    std::tuple<std::string, std::vector<std::string>, std::uint64_t> live;
    auto follower = std::thread([&] { live = follow(0); });
    const auto end = (*host)->execute(run, {});
    follower.join();
    BOOST_TEST(end.ok());
    const std::vector<std::string> steps{"a:tools", "a:iter:0"};
    BOOST_TEST(std::get<1>(live) == steps, boost::test_tools::per_element());

    // One that comes when all is over sees what is durable, from where it was.
    BOOST_TEST(std::get<1>(follow(0)) == steps, boost::test_tools::per_element());
    BOOST_TEST(std::get<1>(follow(std::get<2>(live))).empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace foxwedge::compose
