#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>

#include "child_reading.hpp"
#include "eventually.hpp"
#include "process/supervisor.hpp"

using namespace foxwedge;
using namespace foxwedge::process;
using foxwedge::test::read_all;
using foxwedge::test::read_line;

namespace {

struct Fixture {
    Supervisor supervisor;
    std::shared_ptr<Child> start(Command command) {
        auto child = supervisor.start(command);
        BOOST_REQUIRE_MESSAGE(child.ok(), (child.ok() ? "" : child.error().message));
        return *child;
    }
    std::shared_ptr<Child> shell(std::string script) {
        return start({.program = "sh", .args = {"-c", std::move(script)}});
    }
    static Until soon() { return Until{}.within(std::chrono::seconds(20)); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_child, Fixture)

BOOST_AUTO_TEST_CASE(reads_what_is_written_and_answers) {
    auto child = start({.program = "cat"});
    BOOST_TEST(child->write("hello\n") == 6);
    BOOST_TEST(read_line(*child) == "hello");
    child->close_in();
    BOOST_TEST(child->write("more\n") == -EPIPE);
    const auto exit = child->ended_within(soon());
    BOOST_REQUIRE(exit);
    BOOST_TEST((exit->kind == Exit::Kind::exited && exit->value == 0));
}

BOOST_AUTO_TEST_CASE(tells_how_it_ended) {
    auto by_code = shell("exit 3")->ended_within(soon());
    BOOST_REQUIRE(by_code);
    BOOST_TEST(to_text(*by_code) == "exited with code 3");
    auto by_signal = shell("kill -9 $$")->ended_within(soon());
    BOOST_REQUIRE(by_signal);
    BOOST_TEST(to_text(*by_signal) == "was ended by signal 9 (Killed)");
}

BOOST_AUTO_TEST_CASE(that_cannot_be_executed_says_why) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("foxwedge-no-program-" + std::to_string(::getpid()));
    std::ofstream(path) << "#!/nowhere/interpreter\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    const auto exit = start({.program = path.string()})->ended_within(soon());
    std::filesystem::remove(path);
    BOOST_REQUIRE(exit);
    BOOST_TEST((exit->kind == Exit::Kind::not_started && exit->value == ENOENT));
}

// B18
BOOST_AUTO_TEST_CASE(gets_a_minimal_environment_and_what_the_config_gives) {
    ::setenv("FOXWEDGE_TEST_API_KEY", "secret", 1);
    auto child =
        start({.program = "env", .env = {{"DEMO_MODE", ""}, {"TWICE", "1"}, {"TWICE", "2"}}});
    const std::string all = "\n" + read_all(*child);
    BOOST_TEST(all.find("\nDEMO_MODE=\n") != all.npos);
    BOOST_TEST(all.find("\nTWICE=2\n") != all.npos);
    BOOST_TEST(all.find("\nPATH=") != all.npos);
    BOOST_TEST(all.find("FOXWEDGE_TEST_API_KEY") == all.npos);
}

BOOST_AUTO_TEST_CASE(runs_in_its_folder) {
    auto child = start({.program = "pwd", .cwd = "/usr"});
    BOOST_TEST(read_all(*child) == "/usr\n");
}

BOOST_AUTO_TEST_CASE(that_is_to_run_in_a_missing_folder_is_refused) {
    const auto child = supervisor.start({.program = "pwd", .cwd = "/no/such/folder"});
    BOOST_REQUIRE(!child.ok());
    BOOST_TEST(child.error().code == "spawn_failed");
    BOOST_TEST(child.error().message.find("/no/such/folder") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(inherits_no_descriptor_of_the_host) {
    const int leaky = ::open("/dev/null", O_RDONLY); // without close-on-exec
    auto child = shell("ls /proc/$$/fd | tr '\\n' ' '");
    std::string fds = read_all(*child);
    ::close(leaky);
    // The shell itself may keep its pipe to `tr`'s sibling open for a moment: 10 is the shell's.
    BOOST_TEST(fds.substr(0, 6) == "0 1 2 ");
    BOOST_TEST(fds.find(" " + std::to_string(leaky) + " ") == fds.npos);
}

// B03
BOOST_AUTO_TEST_CASE(may_flood_stderr_without_line_ends) {
    auto child = shell("head -c 1048576 /dev/zero | tr '\\0' 'x' >&2; printf last >&2; echo done");
    BOOST_TEST(read_line(*child) == "done");
    BOOST_REQUIRE(child->ended_within(soon()));
    const auto tail = child->stderr_tail();
    BOOST_TEST(tail.size() == 64u * 1024u);
    BOOST_TEST(tail.substr(tail.size() - 5) == "xlast");
}

BOOST_AUTO_TEST_CASE(obeys_limits) {
    auto child = start({.program = "sh", .args = {"-c", "ulimit -n"}, .open_files = 32});
    BOOST_TEST(read_all(*child) == "32\n");
}

BOOST_AUTO_TEST_SUITE_END()
