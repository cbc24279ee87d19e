#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>

#include "child_reading.hpp"
#include "eventually.hpp"
#include "process/supervisor.hpp"

using namespace foxwedge;
using namespace foxwedge::process;
using foxwedge::test::eventually;
using foxwedge::test::read_line;
using foxwedge::test::runs;

namespace {

/// A shell whose child, like a server under a package runner, does not listen to SIGTERM; prints
/// the ids of both.
const char* const deaf_tree =
    "sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & sleep 0; wait";
/// A process that left its group, its session and its parent; prints its id.
const char* const stray = "setsid sh -c 'sleep 1000 & echo $!' & wait; sleep 1000";

/// A host program started without our launcher, so that nothing but its own cleans up after it.
class RawHost {
public:
    explicit RawHost(const char* script) {
        const std::string program =
            std::string(std::getenv("FOXWEDGE_BUILD_ROOT")) + "/tests/support/child-host";
        int in[2];
        int out[2];
        BOOST_REQUIRE(::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(in[0], 0);
            ::dup2(out[1], 1);
            ::execl(program.c_str(), "child-host", "sh", "-c", script, nullptr);
            ::_exit(127);
        }
        ::close(in[0]);
        ::close(out[1]);
        in_ = in[1];
        FILE* answers = ::fdopen(out[0], "r");
        BOOST_REQUIRE(std::fscanf(answers, "%d", &descendant_) == 1);
        std::fclose(answers);
    }
    ~RawHost() { ::close(in_); }
    pid_t descendant() const { return descendant_; }
    void kill() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }

private:
    pid_t pid_ = 0, descendant_ = 0;
    int in_ = -1;
};

constexpr Ladder quick{std::chrono::milliseconds(30), std::chrono::milliseconds(30)};

Until soon() {
    return Until{}.within(std::chrono::seconds(20));
}

std::shared_ptr<Child> shell(Supervisor& supervisor, std::string script) {
    auto child = supervisor.start({.program = "sh", .args = {"-c", std::move(script)}});
    BOOST_REQUIRE(child.ok());
    return *child;
}

} // namespace

// B08
BOOST_AUTO_TEST_SUITE(the_end_of_a_child)

BOOST_AUTO_TEST_CASE(comes_by_itself_when_stdin_is_closed) {
    Supervisor supervisor({}, {std::chrono::hours(1), std::chrono::hours(1)});
    auto child = supervisor.start({.program = "cat"});
    BOOST_REQUIRE(child.ok());
    (*child)->stop();
    BOOST_TEST((*child)->gone_within(soon()));
}

BOOST_AUTO_TEST_CASE(comes_by_sigterm_where_stdin_is_ignored) {
    Supervisor supervisor({}, {std::chrono::milliseconds(30), std::chrono::hours(1)});
    auto child = shell(supervisor, "exec sleep 1000");
    child->stop();
    BOOST_REQUIRE(child->gone_within(soon()));
    BOOST_TEST(to_text(*child->ended()) == "was ended by signal 15 (Terminated)");
}

BOOST_AUTO_TEST_CASE(comes_by_sigkill_to_the_whole_tree_in_the_end) {
    Supervisor supervisor({}, quick);
    auto child = shell(supervisor, deaf_tree);
    const pid_t grandchild = std::stoi(read_line(*child));
    BOOST_TEST(runs(grandchild));
    child->stop();
    BOOST_TEST(child->gone_within(soon()));
    BOOST_TEST(!runs(grandchild));
}

BOOST_AUTO_TEST_CASE(takes_along_who_left_group_session_and_parent) {
    Supervisor supervisor({}, quick);
    auto child = shell(supervisor, stray);
    const pid_t away = std::stoi(read_line(*child));
    child->kill();
    BOOST_TEST(child->gone_within(soon()));
    BOOST_TEST(!runs(away));
}

BOOST_AUTO_TEST_CASE(takes_along_what_it_left_behind) {
    Supervisor supervisor;
    auto child = shell(supervisor, "sleep 1000 >&2 & echo $!; exit 0");
    const pid_t orphan = std::stoi(read_line(*child));
    BOOST_TEST(child->gone_within(soon()));
    BOOST_TEST(!runs(orphan));
}

BOOST_AUTO_TEST_CASE(is_seen_through_by_the_supervisor_and_leaves_no_zombie) {
    {
        Supervisor supervisor({}, quick);
        for (int i = 0; i < 5; ++i) (void)shell(supervisor, deaf_tree);
        for (int i = 0; i < 5; ++i)
            BOOST_TEST(!supervisor.start({.program = "/no/such/program"}).ok());
    }
    BOOST_TEST(::waitpid(-1, nullptr, WNOHANG) == -1);
    BOOST_TEST(errno == ECHILD);
}

BOOST_AUTO_TEST_CASE(comes_with_the_death_of_the_host_even_by_sigkill) {
    for (const char* script : {deaf_tree, stray}) {
        RawHost host(script);
        BOOST_TEST(runs(host.descendant()));
        host.kill();
        BOOST_TEST(eventually([&] { return !runs(host.descendant()); }));
    }
}

BOOST_AUTO_TEST_SUITE_END()
