// Ctrl-Z: a process is never stopped inside a commit, so that the others go on.
#include <boost/test/unit_test.hpp>

#include <csignal>
#include <cstdlib>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "subject.hpp"
#include "support.hpp"

extern char** environ;

using namespace foxwedge;
using namespace foxwedge::journal;
using namespace foxwedge::journal::test;

BOOST_AUTO_TEST_SUITE(suspend)

BOOST_AUTO_TEST_CASE(a_process_stopped_by_ctrl_z_does_not_hold_the_others_up) {
    const char* const program = std::getenv("FOXWEDGE_JOURNAL_VICTIM");
    BOOST_REQUIRE(program);
    TemporaryFolder folder;
    std::string path = folder.path() + "/j", name = program;
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    char* argv[] = {name.data(), path.data(), nullptr};
    pid_t pid = 0;
    BOOST_REQUIRE(::posix_spawn(&pid, program, &actions, nullptr, argv, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    char byte = 0;
    BOOST_REQUIRE(::read(ends[0], &byte, 1) == 1); // it works

    auto engine = open_at(path, std::size_t{64} << 30);
    for (int i = 0; i < 40; ++i) {
        BOOST_REQUIRE(::kill(pid, SIGTSTP) == 0);
        int status = 0;
        BOOST_REQUIRE(::waitpid(pid, &status, WUNTRACED) == pid);
        BOOST_REQUIRE(WIFSTOPPED(status));
        // Would wait for ever if the other one were inside a commit.
        BOOST_TEST(engine->start(some_run()).ok());
        BOOST_REQUIRE(::kill(pid, SIGCONT) == 0);
    }
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ::close(ends[0]);
    BOOST_TEST(check_journal(path)->sound());
}

BOOST_AUTO_TEST_SUITE_END()
