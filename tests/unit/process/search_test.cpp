#include <boost/test/unit_test.hpp>

#include <cstdlib>

#include "process/command.hpp"

using namespace foxwedge;
using namespace foxwedge::process;

BOOST_AUTO_TEST_SUITE(finding_a_program)

BOOST_AUTO_TEST_CASE(searches_the_path_of_the_child) {
    Command command{.program = "sh"};
    BOOST_TEST(*find_program(command) != "");
    command.env = {{"PATH", "/nowhere"}};
    BOOST_TEST(!find_program(command).ok());
}

// B18, B06
BOOST_AUTO_TEST_CASE(that_is_missing_names_command_path_and_folder) {
    const Command command{.program = "no-such-program", .env = {{"PATH", "/bin"}}, .cwd = "/tmp"};
    const auto found = find_program(command);
    BOOST_REQUIRE(!found.ok());
    const auto& message = found.error().message;
    BOOST_TEST(message.find("no-such-program") != message.npos);
    BOOST_TEST(message.find("PATH=/bin") != message.npos);
    BOOST_TEST(message.find("cwd=/tmp") != message.npos);
    BOOST_TEST((found.error().certainty == Certainty::not_done));
}

BOOST_AUTO_TEST_CASE(takes_a_path_relative_to_the_folder_of_the_child) {
    const Command command{.program = "./sh", .cwd = "/bin"};
    BOOST_TEST(*find_program(command) == "/bin/./sh");
}

BOOST_AUTO_TEST_CASE(does_not_take_a_folder_or_a_plain_file_for_a_program) {
    BOOST_TEST(!find_program({.program = "/tmp"}).ok());
    BOOST_TEST(!find_program({.program = "/etc/passwd"}).ok());
    BOOST_TEST(!find_program({.program = ""}).ok());
}

BOOST_AUTO_TEST_CASE(gives_of_the_host_only_six_variables) {
    ::setenv("FOXWEDGE_TEST_API_KEY", "secret", 1);
    for (const auto& [name, value] : minimal_environment())
        BOOST_TEST((name == "PATH" || name == "HOME" || name == "LANG" || name == "TMPDIR" ||
                    name == "USER" || name == "SHELL"));
}

BOOST_AUTO_TEST_SUITE_END()
