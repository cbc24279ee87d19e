#define BOOST_TEST_MODULE config
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "config/load.hpp"

using namespace foxwedge;
using namespace foxwedge::config;
namespace fs = std::filesystem;

namespace {

/// A folder of config files, and an environment of its own.
struct Files {
    fs::path folder;
    LoadOptions options;
    std::map<std::string, std::string> environment{{"HOME", "/home/u"}};

    Files() {
        std::string name = (fs::temp_directory_path() / "config-XXXXXX").string();
        folder = ::mkdtemp(name.data());
        options.environment = [this](std::string_view key) -> std::optional<std::string> {
            const auto found = environment.find(std::string(key));
            if (found == environment.end()) return std::nullopt;
            return found->second;
        };
    }
    ~Files() { fs::remove_all(folder); }

    fs::path write(const std::string& name, const std::string& text) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name) << text;
        return folder / name;
    }
    Loaded read(const std::string& text) {
        return load(write("host.json", text).string(), options);
    }
    /// All problems, without the folder's name.
    std::string problems(const std::string& text) {
        auto all = to_text(read(text).problems);
        for (std::size_t at; (at = all.find(folder.string() + "/")) != std::string::npos;)
            all.erase(at, folder.string().size() + 1);
        return all;
    }
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_FIXTURE_TEST_CASE(a_small_config_is_enough, Files) {
    const auto loaded = read(R"({"name": "h"})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->project == "h");
    BOOST_TEST(loaded.config->journal.path == "/home/u/.local/state/foxwedge/h");
}

BOOST_FIXTURE_TEST_CASE(comments_and_trailing_commas_are_allowed, Files) {
    BOOST_TEST(read("{ // the host\n \"name\": \"h\", /* more */ \"agents\": {\"a\": {},}, }")
                   .config.has_value());
}

BOOST_FIXTURE_TEST_CASE(an_unknown_key_is_named_with_its_place_and_the_near_one, Files) {
    BOOST_TEST(problems("{\n  \"name\": \"h\",\n  \"agents\": {\"a\": {\"modle\": \"x\"}}\n}") ==
               "host.json:3:20: /agents/a/modle: unknown key; did you mean \"model\"?\n");
}

BOOST_FIXTURE_TEST_CASE(all_mistakes_are_told_at_once_in_order, Files) {
    const auto text = problems(R"({
  "provder": "x",
  "retry": {"maxAttempts": 0, "initialDelay": "soon"},
  "mcpServers": {"s": {"command": "x", "url": "http://y"}}
})");
    BOOST_TEST(has(text, "host.json:2:3: /provder: unknown key; did you mean \"provider\"?"));
    BOOST_TEST(has(text, "/retry/maxAttempts: must be from 1 to 1000"));
    BOOST_TEST(has(text, "/retry/initialDelay"));
    BOOST_TEST(has(text, "/mcpServers/s: a server needs either `command` or `url`"));
    BOOST_TEST(has(text, "the key \"name\" is missing"));
}

BOOST_FIXTURE_TEST_CASE(broken_json_is_named_by_line_and_column, Files) {
    BOOST_TEST(has(problems("{\n  \"name\": h\n}"), "host.json:2:11"));
}

BOOST_FIXTURE_TEST_CASE(the_environment_is_filled_in_once, Files) {
    environment["MODEL"] = "${env:HOME}";
    const auto loaded = read(
        R"({"name": "h", "agents": {"a": {"model": "${env:MODEL}", "provider": "${env:P:-q}"}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->agents.at("a").model == "${env:HOME}");
    BOOST_TEST(loaded.config->agents.at("a").provider == "q");
}

BOOST_FIXTURE_TEST_CASE(an_unset_variable_is_a_problem, Files) {
    BOOST_TEST(has(problems(R"({"name": "${env:NOPE}"})"), "${env:NOPE} is not set"));
}

BOOST_FIXTURE_TEST_CASE(a_file_is_filled_in_as_it_is_from_beside_the_config, Files) {
    write("parts/text.md", "say ${env:HOME}");
    const auto loaded =
        read(R"({"name": "h", "agents": {"a": {"instructions": "${file:parts/text.md}"}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->agents.at("a").instructions == "say ${env:HOME}");
}

BOOST_FIXTURE_TEST_CASE(secret_bearing_fields_keep_the_reference, Files) {
    environment["KEY"] = "very-secret";
    const auto loaded = read(
        R"({"name": "h", "mcpServers": {"s": {"command": "x", "env": {"A": "${secret:K}", "B": "${env:KEY}"}}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->mcp_servers.at("s").env.at("A") == "${secret:K}");
    BOOST_TEST(!has(to_text(loaded.config->resolved), "very-secret"));
}

BOOST_FIXTURE_TEST_CASE(a_secret_elsewhere_is_refused, Files) {
    BOOST_TEST(has(problems(R"({"name": "h", "agents": {"a": {"instructions": "${secret:K}"}}})"),
                   "/agents/a/instructions: ${secret:…} is allowed only in"));
}

BOOST_FIXTURE_TEST_CASE(input_is_left_for_the_run_in_prompt_and_instructions_only, Files) {
    const auto loaded =
        read(R"({"name": "h", "agents": {"a": {"prompt": "do ${input.task}, pay $${5}"}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->agents.at("a").prompt == "do ${input.task}, pay $${5}");
    BOOST_TEST(has(problems(R"({"name": "h", "agents": {"a": {"model": "${input.m}"}}})"),
                   "only in prompt and instructions"));
}

BOOST_FIXTURE_TEST_CASE(an_approvals_summary_is_left_for_the_gate, Files) {
    const auto loaded = read(
        R"({"name": "h", "agents": {"a": {"approval": {"summary": "${tool}: ${args.a.b} $${x}"}}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->agents.at("a").approval->summary == "${tool}: ${args.a.b} $${x}");
}

BOOST_FIXTURE_TEST_CASE(includes_are_merged_and_the_later_wins, Files) {
    write("base/a.json", R"({"name": "low", "agents": {"a": {"model": "m", "maxIterations": 3}}})");
    const auto loaded = read(
        R"({"include": ["base/a.json"], "name": "high", "agents": {"a": {"maxIterations": 4}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->name == "high");
    BOOST_TEST(loaded.config->agents.at("a").model == "m");
    BOOST_TEST(loaded.config->agents.at("a").max_iterations == 4);
}

BOOST_FIXTURE_TEST_CASE(a_mistake_in_an_included_file_is_placed_there, Files) {
    write("base/a.json", "{\n\"agents\": {\"a\": {\"maxIterations\": \"x\"}}}");
    BOOST_TEST(has(problems(R"({"include": ["base/a.json"], "name": "h"})"), "base/a.json:2:"));
}

BOOST_FIXTURE_TEST_CASE(an_include_cycle_is_refused, Files) {
    write("a.json", R"({"include": ["host.json"]})");
    BOOST_TEST(has(problems(R"({"include": ["a.json"], "name": "h"})"), "includes itself"));
}

BOOST_FIXTURE_TEST_CASE(paths_are_relative_to_the_file_that_names_them, Files) {
    // B18: a server's cwd is resolved against the config file's folder.
    write("sub/s.json", R"({"mcpServers": {"s": {"command": "./bin/srv", "cwd": "work"}}})");
    const auto loaded =
        read(R"({"include": ["sub/s.json"], "name": "h", "journal": {"path": "j"}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->mcp_servers.at("s").cwd == (folder / "sub/work").string());
    BOOST_TEST(loaded.config->mcp_servers.at("s").command == (folder / "sub/bin/srv").string());
    BOOST_TEST(loaded.config->journal.path == (folder / "j").string());
}

BOOST_FIXTURE_TEST_CASE(roots_of_a_server_are_paths_or_uris, Files) {
    const auto loaded = read(R"({"name": "h", "mcpServers": {"s": {"command": "x",
        "roots": [".", "my notes/für", "file:///srv/a%20b"]}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    const std::string here = "file://" + folder.string();
    const std::vector<std::string> expected{here + "/", here + "/my%20notes/f%C3%BCr",
                                            "file:///srv/a%20b"};
    BOOST_TEST(loaded.config->mcp_servers.at("s").roots == expected,
               boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_pasted_server_block_works_and_grants_no_approval, Files) {
    const auto loaded = read(
        R"({"name": "h", "mcpServers": {"s": {"type": "stdio", "command": "npx", "args": ["-y", "x"],
            "env": {}, "disabled": false, "autoApprove": ["all"], "description": "d"}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.problems.size() == 2u);
    BOOST_TEST(!loaded.config->mcp_servers.at("s").requires_approval.all.has_value());
}

BOOST_FIXTURE_TEST_CASE(approval_of_a_server_is_a_bit_a_rule_a_table_or_a_predicate, Files) {
    const auto loaded = read(R"({"name": "h", "mcpServers": {
        "bit": {"command": "x", "requiresApproval": true},
        "rule": {"command": "x", "requiresApproval": {"risk": "high"}},
        "table": {"command": "x", "requiresApproval": {"drop": true, "quiet": null, "*": false}},
        "cel": {"command": "x", "requiresApproval": "tool.name == 'drop'"}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    const auto& servers = loaded.config->mcp_servers;
    BOOST_TEST(std::get<bool>(*servers.at("bit").requires_approval.all));
    BOOST_TEST(std::holds_alternative<ApprovalRule>(*servers.at("rule").requires_approval.all));
    BOOST_TEST(servers.at("table").requires_approval.by_tool.size() == 3u);
    BOOST_TEST(!servers.at("table").requires_approval.by_tool.at("quiet").has_value());
    BOOST_TEST(servers.at("cel").requires_approval.predicate == "tool.name == 'drop'");
}

BOOST_FIXTURE_TEST_CASE(contradictions_are_refused, Files) {
    BOOST_TEST(has(problems(R"({"name": "h", "agents": {"a": {"tools":
        [{"use": "t", "requiresApproval": false, "approval": {}}]}}})"),
                   "contradict each other"));
    BOOST_TEST(has(problems(R"({"name": "h", "agents": {"a": {"tools":
        [{"name": "t"}]}}})"),
                   "needs `name` and `workflow`"));
}

BOOST_FIXTURE_TEST_CASE(names_that_point_nowhere_are_refused_with_the_near_one, Files) {
    BOOST_TEST(has(problems(R"({"name": "h", "mcpServers": {"orders": {"command": "x"}},
        "agents": {"a": {"mcpServers": ["order"]}}})"),
                   "did you mean \"orders\"?"));
}

BOOST_FIXTURE_TEST_CASE(set_overrides_a_value, Files) {
    options.sets = {{"agents.a.maxIterations", "2"}, {"agents.a.model", "big"}};
    const auto loaded = read(R"({"name": "h", "agents": {"a": {"model": "small"}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    BOOST_TEST(loaded.config->agents.at("a").max_iterations == 2);
    BOOST_TEST(loaded.config->agents.at("a").model == "big");
}

BOOST_FIXTURE_TEST_CASE(a_tool_that_an_agent_names_is_declared, Files) {
    const char* agent = R"("agents": {"a": {"tools": ["kv_store", "b_*", "orders_look"],
        "mcpServers": ["orders"]}}, "mcpServers": {"orders": {"command": "orders"}}})";
    const auto found = problems(std::string(R"({"name": "h", )") + agent);
    BOOST_TEST(has(found, "/agents/a/tools/0"), found);
    BOOST_TEST(!has(found, "/agents/a/tools/1"), found);
    BOOST_TEST(!has(found, "/agents/a/tools/2"), found);
    BOOST_TEST(problems(std::string(R"({"name": "h", "tools": {"kv_store": {}}, )") + agent) == "");
}

BOOST_FIXTURE_TEST_CASE(the_pinned_form_reads_back_as_the_same_config, Files) {
    const auto loaded = read(
        R"({"name": "h", "tools": {"x": {}}, "agents": {"a": {"tools": ["x"], "approval": {"risk": [{"if": "true", "level": "low"}]}}}})");
    BOOST_REQUIRE_MESSAGE(loaded.config, to_text(loaded.problems));
    auto again = read_pinned(loaded.config->resolved, loaded.config->file);
    BOOST_REQUIRE(again);
    BOOST_TEST(to_text(again->resolved) == to_text(loaded.config->resolved));
    BOOST_TEST(again->agents.at("a").tools.at(0).use == "x");
}
