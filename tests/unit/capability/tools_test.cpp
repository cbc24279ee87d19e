// The capabilities as an embedder has them: a host, an agent in C++, the shipped plugins.
#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.hpp"
#include "foxwedge.hpp"
#include "mcp/service.hpp"

using namespace foxwedge;
using namespace foxwedge::capability;
namespace fs = std::filesystem;

namespace {

constexpr auto kv_id = "workflow-kv_kv_store";
constexpr auto memory_id = "workflow-memory_global_memory";
constexpr auto host_id = "workflow-host_host_configuration";

/// A host with a journal of its own, whose scripted model sets a key and then answers.
struct Fixture {
    fs::path folder;
    std::unique_ptr<compose::Host> host;

    explicit Fixture(const char* catalogue = R"({"workflow-kv_kv_store": {"autoApprove": true}})") {
        std::string name = (fs::temp_directory_path() / "capability-XXXXXX").string();
        folder = ::mkdtemp(name.data());
        const auto config = folder / "host.json";
        std::ofstream(config) << R"({"name": "h", "journal": {"path": ")"
                              << (folder / "journal").string() << R"("}, "plugins": {"path": [")"
                              << std::getenv("FOXWEDGE_BUILD_ROOT") << R"(/plugins"]},
            "provider": "scripted", "providers": {"scripted": {"config": {"turns": [
                {"toolCalls": [{"name": "workflow-kv_kv_store",
                    "arguments": {"action": "set", "key": "k", "value": 1}}]},
                {"text": "done"}]}}},
            "tools": )" << catalogue
                              << "}";
        auto loaded = config::load(config.string());
        BOOST_REQUIRE(loaded.config);
        auto made = compose::Host::make(*std::move(loaded.config), {});
        BOOST_REQUIRE_MESSAGE(made, (made ? "" : made.error().message));
        host = *std::move(made);
    }
    ~Fixture() {
        host.reset();
        fs::remove_all(folder);
    }

    agent::World& world() { return host->world(); }

    std::string start() {
        journal::NewRun run;
        run.host = "h";
        run.workflow = "embedded";
        run.input_json = "null";
        run.config_json = "{}";
        run.labels_json = R"({"project":"h"})";
        return (*host->engine().start(run)).run;
    }
    /// Runs an agent with the capabilities' native tools.
    run::Finished run_agent(const std::string& run, const CapabilityOptions& options) {
        auto tools = create_capability_tools(world(), options);
        BOOST_REQUIRE(tools);
        return run_workflow(run, [&](run::Run& lane) -> Result<Json> {
            agent::Agent agent;
            agent.options.prompt = "go";
            agent.tools = *tools;
            FOXWEDGE_TRY(result, agent::agent(lane, "a", agent, world()));
            return agent::to_json(result);
        });
    }
    run::Finished run_workflow(const std::string& run, const run::Workflow& workflow) {
        run::TreeOptions options;
        options.workflow = [&](const journal::RunHead&) -> Result<run::Workflow> {
            return workflow;
        };
        auto finished = run::run_tree(host->engine(), run, options);
        BOOST_REQUIRE_MESSAGE(finished, (finished ? "" : finished.error().message));
        return *finished;
    }
    ToolResult act(const std::string& run, const char* id, const char* arguments) {
        ToolResult out;
        run_workflow(run, [&](run::Run& lane) -> Result<Json> {
            auto result = run_capability_action(lane, id, *parse_json(arguments), world());
            if (!result) return std::move(result).error();
            out = *result;
            return Json();
        });
        return out;
    }
    std::vector<journal::Gate> gates() { return *host->engine().gates({}); }
    void answer(const journal::Gate& gate, const char* word) {
        journal::Answer answer;
        answer.gate = gate.id;
        answer.digest = gate.digest;
        answer.answer = word;
        answer.decided_by = "user:tester";
        BOOST_REQUIRE(host->engine().answer(answer));
    }
};

struct Gated : Fixture {
    Gated() : Fixture(R"({"workflow-kv_kv_store": {}})") {}
};

struct All : Fixture {
    All()
        : Fixture(R"({"workflow-kv_kv_store": {"autoApprove": true},
            "workflow-knowledge_knowledge_documents": {"autoApprove": true},
            "workflow-memory_global_memory": {"autoApprove": true},
            "workflow-ui_present_card": {"autoApprove": true},
            "workflow-host_host_configuration": {"autoApprove": true}})") {}
};

} // namespace

BOOST_FIXTURE_TEST_CASE(only_what_is_declared_enabled_and_available_is_offered, All) {
    const auto ids = list_capability_tool_ids(world());
    BOOST_TEST(ids.size() == 3u); // no bridge was injected, memory was not asked for
    BOOST_TEST(list_capability_tool_ids(world(), true).size() == 4u);
    BOOST_TEST(is_capability_available(kv_id, world()));
    BOOST_TEST(is_capability_available(memory_id, world()));
    BOOST_TEST(!is_capability_available(host_id, world()));
    BOOST_TEST(!is_capability_available("workflow-kv_other", world()));
    Fixture one(R"({"workflow-kv_kv_store": {"enabled": false}, "workflow-ui_present_card": {}})");
    BOOST_TEST(list_capability_tool_ids(one.world()) ==
                   std::vector<std::string>{"workflow-ui_present_card"},
               boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(native_and_mcp_renderings_are_the_same_bytes, All) {
    const auto tools = create_capability_tools(world(), {{}, true});
    BOOST_REQUIRE(tools);
    BOOST_TEST(tools->size() == 4u);
    for (const auto& tool : *tools) {
        const std::string component = tool.options.name.substr(0, tool.options.name.find('_'));
        Call call;
        const auto source = world().capability(component);
        BOOST_REQUIRE(source);
        const auto list = (*source)->list(call);
        BOOST_REQUIRE(list);
        const auto served = mcp::listed_tool(list->tools.front());
        BOOST_TEST(component + "_" + std::string(*string_member(served, "name")) ==
                   tool.options.name);
        BOOST_TEST(*string_member(served, "description") == tool.options.description);
        BOOST_TEST(to_text(*member(served, "inputSchema")) == to_text(tool.options.input_schema));
    }
}

BOOST_FIXTURE_TEST_CASE(one_capability_is_a_server_of_bare_names, All) {
    const auto serving = compose::create_capability_server(*host, kv_id);
    BOOST_REQUIRE(serving);
    auto& service = (*serving)->service();
    BOOST_TEST(*string_member(service.info(), "name") == "workflow-kv");
    const auto listed = service.listed_tools();
    BOOST_REQUIRE(listed.size() == 1u);
    BOOST_TEST(*string_member(listed.front(), "name") == "kv_store");
    const auto tools = create_capability_tools(world(), {});
    BOOST_REQUIRE(tools);
    for (const auto& tool : *tools)
        if (tool.options.name == kv_id)
            BOOST_TEST(to_text(*member(listed.front(), "inputSchema")) ==
                       to_text(tool.options.input_schema));
    BOOST_TEST(compose::create_capability_server(*host, "workflow-kv").error().code ==
               "unknown_tool");
    BOOST_TEST(compose::create_capability_server(*host, host_id).error().code == "unavailable");
    Gated gated;
    BOOST_TEST(compose::create_capability_server(*gated.host, memory_id).error().code ==
               "unregistered_tool");
}

BOOST_FIXTURE_TEST_CASE(without_approve_the_embedder_answers_for_the_tools, Gated) {
    const auto finished = run_agent(start(), {});
    BOOST_TEST(static_cast<int>(finished.how) == static_cast<int>(run::Ended::succeeded));
    BOOST_TEST(gates().empty());
}

BOOST_FIXTURE_TEST_CASE(the_gate_asks_once_and_the_approved_call_runs_once, Gated) {
    const ToolApprovalGate gate(world());
    const CapabilityOptions options{gate.as_approve()};
    const auto run = start();
    BOOST_TEST(static_cast<int>(run_agent(run, options).how) ==
               static_cast<int>(run::Ended::parked));
    BOOST_REQUIRE(gates().size() == 1u);
    answer(gates().front(), "approve");
    const auto finished = run_agent(run, options);
    BOOST_TEST(static_cast<int>(finished.how) == static_cast<int>(run::Ended::succeeded));
    BOOST_TEST(gates().empty());
    const auto stored =
        host->engine().get(journal::collection_name("capability-kv", "project", "h"), "k");
    BOOST_REQUIRE(stored);
    BOOST_REQUIRE(*stored);
    BOOST_TEST((*stored)->value_json == "1");
    BOOST_TEST((*stored)->revision > 0u);
}

BOOST_FIXTURE_TEST_CASE(a_rejected_call_is_denied_with_the_reason, Gated) {
    const auto run = start();
    const char* set = R"({"action":"set","key":"k","value":1})";
    act(run, kv_id, set);
    BOOST_REQUIRE(gates().size() == 1u);
    answer(gates().front(), "reject");
    const auto denied = act(run, kv_id, set);
    BOOST_TEST(denied.is_error);
    BOOST_TEST(*string_member(denied.details, "code") == "denied");
}

BOOST_FIXTURE_TEST_CASE(an_undeclared_tool_fails_as_unregistered, Gated) {
    const ToolApprovalGate gate(world());
    const Json arguments = JsonObject();
    run_workflow(start(), [&](run::Run& lane) -> Result<Json> {
        const auto asked = gate.approve({"workflow-ui_present_card", arguments}, lane, "s");
        BOOST_TEST(!asked);
        BOOST_TEST(asked.error().code == "unregistered_tool");
        return Json();
    });
}

BOOST_FIXTURE_TEST_CASE(the_cards_of_a_conversation_are_there_to_be_read, All) {
    const auto run = start();
    const auto card = act(run, "workflow-ui_present_card",
                          R"({"action":"upsert","cardId":"c","kind":"browser",
                              "target":{"url":"http://a"}})");
    BOOST_TEST(!card.is_error);
    const auto cards = compose::conversation_cards(*host, run);
    BOOST_REQUIRE(cards);
    BOOST_REQUIRE(cards->size() == 1u);
    BOOST_TEST(to_text(cards->front()) == to_text(*member(card.details, "card")));
    BOOST_TEST(compose::conversation_cards(*host, "other")->empty());
}

BOOST_AUTO_TEST_CASE(a_card_opens_no_file_outside_of_the_project) {
    std::string root = (fs::temp_directory_path() / "cards-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(root.data()));
    const fs::path folder = fs::path(root) / "project";
    fs::create_directories(folder / "docs");
    std::ofstream(folder / "docs/inside.md") << "inside";
    std::ofstream(fs::path(root) / "outside.md") << "outside";
    fs::create_symlink("docs/inside.md", folder / "link.md");
    fs::create_symlink("docs", folder / "linked");
    fs::create_symlink("../outside.md", folder / "out.md");
    fs::create_symlink(root, folder / "up");
    BOOST_REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const auto opened = [&](const char* path) -> std::string {
        const auto file = compose::open_card_file(
            folder, JsonObject{{"kind", "file"},
                               {"target", JsonObject{{"source", "local"}, {"filePath", path}}}});
        if (!file) return file.error().code;
        auto text = read_whole(*file, path, 100);
        ::close(*file);
        return text ? *text : text.error().code;
    };
    for (const char* path : {"docs/inside.md", "link.md", "linked/inside.md", "./docs//inside.md"})
        BOOST_TEST(opened(path) == "inside", path);
    for (const char* path :
         {"out.md", "up/outside.md", "../outside.md", "docs/../../outside.md", "/etc/passwd"})
        BOOST_TEST(opened(path) == "denied", path);
    BOOST_TEST(opened("docs/gone.md") == "not_found");
    BOOST_TEST(opened("docs") == "unavailable");
    BOOST_TEST(opened("pipe") == "unavailable");
    BOOST_TEST(opened("") == "input_validation");
    BOOST_TEST(compose::open_card_file(folder, JsonObject{{"kind", "kv"}}).error().code ==
               "input_validation");
    fs::remove_all(root);
}

BOOST_FIXTURE_TEST_CASE(a_capability_without_its_bridge_says_what_is_missing, All) {
    const auto result = act(start(), host_id, R"({"action":"get_configurations"})");
    BOOST_TEST(result.is_error);
    BOOST_TEST(*string_member(result.details, "code") == "unavailable");
    BOOST_TEST((to_text(result.content).find("HOST_BRIDGE_URL") != std::string::npos));
}
