#define BOOST_TEST_MODULE capability_knowledge
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <stdlib.h>

#include "plugin_host/action_tool.hpp"

using foxwedge::plugin::array;
using foxwedge::plugin::object;
using foxwedge::plugin::Value;
using plugin_host::repeated;

namespace {

std::string new_folder() {
    std::string path = (std::filesystem::temp_directory_path() / "knowledge-XXXXXX").string();
    if (!::mkdtemp(path.data())) throw std::runtime_error("no folder");
    return path;
}

/// Both tools, with a detector that takes "sesame" for a secret.
struct Fixture {
    plugin_host::Host host;
    plugin_host::Plugin plugin{host, FOXWEDGE_PLUGIN_FILE};
    plugin_host::ActionTool documents{host, plugin, "workflow-knowledge", "knowledge_documents"};
    plugin_host::ActionTool memory{host, plugin, "workflow-memory", "global_memory"};

    Fixture() {
        host.folder = new_folder();
        host.judge = [](std::string_view what,
                        const Value& request) -> std::pair<foxwedge_status, Value> {
            if (what != "find_secrets") return {FOXWEDGE_E_UNSUPPORTED, Value()};
            Value found = array();
            const std::string text(request.string("text"));
            if (const auto at = text.find("sesame"); at != std::string::npos)
                found.push(object({{"kind", "password"}, {"from", at}, {"to", at + 6}}));
            return {FOXWEDGE_OK, object({{"secrets", std::move(found)}})};
        };
    }
    ~Fixture() { std::filesystem::remove_all(host.folder); }

    void create(std::string_view id, std::string_view title, std::string_view markdown) {
        documents.done(object(
            {{"action", "create"}, {"documentId", id}, {"title", title}, {"markdown", markdown}}));
    }
    /// Ids that a search finds, best first, with spaces between.
    std::string found(std::string_view query) {
        std::string out;
        const auto page = documents.done(object({{"action", "search"}, {"query", query}}));
        for (const Value& hit : page.array("documents"))
            (out += out.empty() ? "" : " ") += hit.string("documentId");
        return out;
    }
    std::string index_file() const {
        for (const auto& entry : std::filesystem::directory_iterator(host.folder))
            if (entry.path().extension() == ".sqlite") return entry.path().string();
        return "";
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(knowledge_documents, Fixture)

BOOST_AUTO_TEST_CASE(lists_one_tool_per_component_that_works_through_the_store) {
    for (auto* tool : {&documents, &memory}) {
        const auto tools = tool->instance->list_tools().result;
        BOOST_REQUIRE(tools.array("tools").size() == 1u);
        BOOST_TEST(tools.array("tools").front().string("name") == tool->name);
        BOOST_TEST(tools.array("tools").front().string("effect") == "store");
    }
}

BOOST_AUTO_TEST_CASE(keeps_what_was_created_and_gives_an_id_where_none_was_named) {
    create("refunds", "Refunds", "# Refunds\nWithin 30 days.");
    const auto read = documents.done(R"({"action":"read","documentId":"refunds"})");
    BOOST_TEST(read.string("title") == "Refunds");
    BOOST_TEST(read.string("markdown") == "# Refunds\nWithin 30 days.");
    BOOST_TEST(read.integer("revision", 0) > 0);
    const auto one = documents.done(R"({"action":"create","title":"A","markdown":""})");
    const auto two = documents.done(R"({"action":"create","title":"A","markdown":""})");
    BOOST_TEST(one.string("documentId") != two.string("documentId"));
    Value read_one = object({{"action", "read"}, {"documentId", one["documentId"]}});
    BOOST_TEST(documents.done(read_one).string("title") == "A");
}

BOOST_AUTO_TEST_CASE(gives_an_attempt_that_is_done_again_the_same_id) {
    const auto arguments = Value::parse(R"({"action":"create","title":"A","markdown":"b"})");
    const auto id = [&] {
        documents.instance->step_key = "run-1/the-same";
        return to_text(documents.instance->run(documents.name, arguments).result["details"]);
    };
    const auto first = id();
    host.store = {}; // the first attempt was never committed
    BOOST_TEST(first == id());
}

BOOST_AUTO_TEST_CASE(changes_only_what_is_named) {
    create("d", "Old", "text");
    documents.done(R"({"action":"update","documentId":"d","title":"New"})");
    BOOST_TEST(documents.done(R"({"action":"read","documentId":"d"})").string("markdown") ==
               "text");
    documents.done(R"({"action":"update","documentId":"d","markdown":"more"})");
    const auto read = documents.done(R"({"action":"read","documentId":"d"})");
    BOOST_TEST(read.string("title") == "New");
    BOOST_TEST(read.string("markdown") == "more");
}

BOOST_AUTO_TEST_CASE(writes_only_over_the_revision_that_was_named) {
    create("d", "D", "1");
    const auto revision = documents.done(R"({"action":"read","documentId":"d"})")["revision"];
    documents.done(R"({"action":"update","documentId":"d","markdown":"2"})");
    for (const char* action : {"update", "delete"}) {
        Value stale = object({{"action", action}, {"documentId", "d"}, {"revision", revision}});
        if (action == std::string("update")) stale.set("markdown", "3");
        const auto outcome = documents.call(stale);
        BOOST_TEST(outcome.result["details"].string("code") == "conflict");
        BOOST_TEST(outcome.result["details"].integer("revision", 0) > revision.integer());
    }
    BOOST_TEST(
        documents.refused(R"({"action":"create","documentId":"d","title":"x","markdown":"x"})") ==
        "conflict /documentId");
    BOOST_TEST(documents.done(R"({"action":"read","documentId":"d"})").string("markdown") == "2");
}

BOOST_AUTO_TEST_CASE(says_that_a_document_is_not_there) {
    for (const char* arguments : {R"({"action":"read","documentId":"none"})",
                                  R"({"action":"update","documentId":"none","title":"x"})",
                                  R"({"action":"delete","documentId":"none"})"})
        BOOST_TEST(documents.refused(arguments) == "not_found /documentId");
    create("d", "D", "");
    documents.done(R"({"action":"delete","documentId":"d"})");
    BOOST_TEST(documents.refused(R"({"action":"read","documentId":"d"})") ==
               "not_found /documentId");
}

BOOST_AUTO_TEST_CASE(finds_a_document_under_the_composed_form_of_its_id) {
    create("cafe\u0301", "Café", "");
    documents.done("{\"action\":\"read\",\"documentId\":\"caf\u00e9\"}");
}

BOOST_AUTO_TEST_CASE(holds_its_limits_without_the_schema) {
    const auto create_with = [&](const char* field, std::string text) {
        Value arguments = object({{"action", "create"}, {"title", "t"}, {"markdown", "m"}});
        arguments.set(field, std::move(text));
        return arguments;
    };
    documents.done(create_with("documentId", repeated("\U0001F98A", 200)));
    documents.done(create_with("title", repeated("é", 200)));
    documents.done(create_with("markdown", repeated("日", 200'000)));
    BOOST_TEST(documents.refused(create_with("documentId", repeated("a", 201))) ==
               "input_validation /documentId 200");
    BOOST_TEST(documents.refused(create_with("title", repeated("é", 201))) ==
               "input_validation /title 200");
    BOOST_TEST(documents.refused(create_with("markdown", repeated("日", 200'001))) ==
               "input_validation /markdown 200000");
    BOOST_TEST(documents.refused(object({{"action", "search"}, {"query", repeated("q", 501)}})) ==
               "input_validation /query 500");
    BOOST_TEST(documents.refused(object({{"action", "list"}, {"cursor", repeated("1", 81)}})) ==
               "input_validation /cursor 80");
}

BOOST_AUTO_TEST_CASE(refuses_what_the_schema_refuses_and_says_where) {
    const std::pair<const char*, const char*> cases[] = {
        {R"([])", "input_validation "},
        {R"({})", "input_validation /action"},
        {R"({"action":"drop"})", "input_validation /action"},
        {R"({"action":1})", "input_validation /action"},
        {R"({"action":"read"})", "input_validation /documentId"},
        {R"({"action":"read","documentId":7})", "input_validation /documentId"},
        {R"({"action":"read","documentId":""})", "input_validation /documentId 1"},
        {R"({"action":"read","documentId":"d","title":"x"})", "input_validation /title"},
        {R"({"action":"create","title":"x"})", "input_validation /markdown"},
        {R"({"action":"create","markdown":"x"})", "input_validation /title"},
        {R"({"action":"create","title":"","markdown":"x"})", "input_validation /title 1"},
        {R"({"action":"update","documentId":"d"})", "input_validation "},
        {R"({"action":"update","documentId":"d","title":"x","revision":-1})",
         "input_validation /revision 0"},
        {R"({"action":"search"})", "input_validation /query"},
        {R"({"action":"search","query":"?!"})", "input_validation /query"},
        {R"({"action":"search","query":"x","limit":0})", "input_validation /limit 1"},
        {R"({"action":"search","query":"x","limit":201})", "input_validation /limit 200"},
        {R"({"action":"search","query":"x","cursor":"list:1"})", "input_validation /cursor"},
        {R"({"action":"list","cursor":"search:a0.0"})", "input_validation /cursor"},
        {R"({"action":"list","cursor":"list:x"})", "input_validation /cursor"},
        {R"({"action":"list","cursor":null})", "input_validation /cursor"},
        {R"({"action":"list","query":"x"})", "input_validation /query"},
        {R"({"action":"read","documentId":"assistant-memory-x"})", "input_validation /documentId"},
        {R"({"action":"create","documentId":"assistant-memory-","title":"x","markdown":""})",
         "input_validation /documentId"},
    };
    for (const auto& [arguments, expected] : cases)
        BOOST_TEST(documents.refused(arguments) == expected, arguments);
}

BOOST_AUTO_TEST_CASE(ranks_the_best_match_first_and_shows_where_it_is) {
    create("pets", "Pets", "A dog and a cat. " + repeated("Nothing else here. ", 50));
    create("cat", "The cat", "All about the cat: what a cat eats, where a cat sleeps.");
    create("dog", "The dog", "All about the dog.");
    BOOST_TEST(found("cat") == "cat pets");
    BOOST_TEST(found("CATS") == "cat pets"); // stems, letter case
    const auto page = documents.done(R"({"action":"search","query":"sleeps"})");
    BOOST_REQUIRE(page.array("documents").size() == 1u);
    const auto& hit = page.array("documents").front();
    BOOST_TEST(hit.string("title") == "The cat");
    BOOST_TEST((hit.string("snippet").find("sleeps") != std::string_view::npos));
}

BOOST_AUTO_TEST_CASE(asks_for_all_words_and_settles_for_any) {
    create("both", "x", "red apples");
    create("one", "x", "red pears");
    BOOST_TEST(found("red apples") == "both");
    BOOST_TEST(found("green apples") == "both");
    BOOST_TEST(found("blue") == "");
}

BOOST_AUTO_TEST_CASE(finds_words_whatever_their_accents) {
    create("a", "Crème brûlée", "Ein Törtchen für Zoë");
    for (const char* query : {"creme brulee", "Crème", "TORTCHEN", "zoe", "cre\u0300me"})
        BOOST_TEST(found(query) == "a", query);
}

BOOST_AUTO_TEST_CASE(finds_words_of_scripts_without_spaces) {
    create("zh", "退款政策", "客户可以在三十天内申请退款。请联系客服。");
    create("ja", "返金について", "ご注文から三十日以内に返金を申請できます。");
    create("ko", "환불 정책", "고객은 30일 이내에 환불을 요청할 수 있습니다.");
    BOOST_TEST(found("退款") == "zh");
    BOOST_TEST(found("申请退款") == "zh");
    BOOST_TEST(found("返金") == "ja");
    BOOST_TEST(found("환불") == "ko");
    BOOST_TEST(found("款") == "zh");       // one character, at an end
    BOOST_TEST(found("服") == "zh");       // and inside
    BOOST_TEST(found("如何退款") == "zh"); // not in this order anywhere, but some pair is
    BOOST_TEST(found("猫") == "");
    const auto page = documents.done(R"({"action":"search","query":"联系客服"})");
    BOOST_TEST((page.array("documents").front().string("snippet").find("请联系客服") !=
                std::string_view::npos));
}

BOOST_AUTO_TEST_CASE(takes_nothing_of_a_question_for_syntax) {
    create("d", "D", "alpha NEAR beta OR gamma");
    for (const char* query :
         {"\"", "alpha\"", "alpha*", "NEAR(alpha beta)", "title:alpha", "-alpha", "(alpha",
          "alpha AND", "^alpha", "alpha\\", "{alpha}", "a'b alpha"}) {
        const auto outcome = documents.call(object({{"action", "search"}, {"query", query}}));
        BOOST_TEST(outcome.status == FOXWEDGE_OK, query);
        BOOST_TEST((!outcome.result.boolean("isError", false) ||
                    outcome.result["details"].string("code") == "input_validation"),
                   query);
    }
    BOOST_TEST(found("title:alpha") == "d");
}

BOOST_AUTO_TEST_CASE(shows_every_change_at_the_next_search) {
    create("d", "D", "alpha");
    BOOST_TEST(found("alpha") == "d");
    documents.done(R"({"action":"update","documentId":"d","markdown":"beta"})");
    BOOST_TEST(found("alpha") == "");
    BOOST_TEST(found("beta") == "d");
    documents.done(R"({"action":"delete","documentId":"d"})");
    BOOST_TEST(found("beta") == "");
    BOOST_TEST(documents.done(R"({"action":"list"})").array("documents").empty());
}

BOOST_AUTO_TEST_CASE(makes_an_index_again_that_is_missing_damaged_or_anothers) {
    create("d", "D", "alpha");
    BOOST_TEST(found("alpha") == "d");
    const auto file = index_file();
    BOOST_REQUIRE(!file.empty());
    const auto reopened = [&] { documents.instance = plugin.create("workflow-knowledge"); };

    documents.instance.reset();
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file + end);
    reopened();
    BOOST_TEST(found("alpha") == "d");

    documents.instance.reset();
    std::ofstream(file, std::ios::binary) << "this is no database at all, it is just some text";
    reopened();
    BOOST_TEST(found("alpha") == "d");

    documents.instance.reset();
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    reopened();
    BOOST_TEST(found("alpha") == "d");

    host.store = {}; // another journal at the same place
    create("e", "E", "beta");
    BOOST_TEST(found("alpha") == "");
    BOOST_TEST(found("beta") == "e");
}

BOOST_AUTO_TEST_CASE(works_without_a_folder) {
    host.folder.clear();
    create("d", "D", "alpha");
    BOOST_TEST(found("alpha") == "d");
}

BOOST_AUTO_TEST_CASE(pages_through_every_document_once_while_others_come_and_go) {
    std::mt19937 random(11); // NOLINT: the same documents each time
    const auto pick = [&](int below) {
        return static_cast<int>(std::uniform_int_distribution<>(0, below - 1)(random));
    };
    const auto put = [&](const std::string& id) {
        host.store.put("project", "document/" + id,
                       object({{"title", id}, {"markdown", "word " + id}}));
    };
    for (int round = 0; round < 12; ++round) {
        host.store = {};
        std::set<std::string> steady, seen;
        for (int n = pick(40); n >= 0; --n) steady.insert("k" + std::to_string(pick(1000)));
        for (const auto& id : steady) put(id);
        put("assistant-memory-x");
        Value list = object({{"action", "list"}, {"limit", 1 + pick(7)}});
        for (bool more = true; more;) {
            const auto page = documents.done(list);
            BOOST_TEST(page.array("documents").size() <=
                       static_cast<std::size_t>(list.integer("limit", 0)));
            for (const Value& item : page.array("documents")) {
                const std::string id(item.string("documentId"));
                if (steady.count(id)) BOOST_TEST(seen.insert(id).second, id);
            }
            more = page.has("cursor");
            if (more) list.set("cursor", page["cursor"]);
            put("x" + std::to_string(pick(10))); // somebody else writes and deletes
        }
        BOOST_TEST(seen.size() == steady.size());
        // A search gives the same ones, each once.
        std::set<std::string> hits;
        Value search = object({{"action", "search"}, {"query", "word"}, {"limit", 1 + pick(7)}});
        for (bool more = true; more;) {
            const auto page = documents.done(search);
            for (const Value& item : page.array("documents"))
                BOOST_TEST(hits.insert(std::string(item.string("documentId"))).second);
            more = page.has("cursor");
            if (more) search.set("cursor", page["cursor"]);
        }
        for (const auto& id : steady) BOOST_TEST(hits.count(id) == 1u, id);
        BOOST_TEST(hits.count("assistant-memory-x") == 0u);
    }
}

BOOST_AUTO_TEST_CASE(takes_a_cursor_only_with_the_search_that_it_came_from) {
    for (int n = 0; n < 3; ++n) create("d" + std::to_string(n), "D", "alpha beta");
    const auto page = documents.done(R"({"action":"search","query":"alpha","limit":1})");
    const auto cursor = std::string(page.string("cursor"));
    BOOST_REQUIRE(!cursor.empty());
    BOOST_TEST(cursor.size() <= 80u);
    BOOST_TEST(
        documents.refused(object({{"action", "search"}, {"query", "beta"}, {"cursor", cursor}})) ==
        "input_validation /cursor");
    BOOST_TEST(documents.refused(object({{"action", "list"}, {"cursor", cursor}})) ==
               "input_validation /cursor");
}

BOOST_AUTO_TEST_CASE(carries_a_resource_card) {
    create("d", "Title", "x");
    const auto card = [&](const char* arguments) {
        return documents.call(arguments).result["details"]["resourceCard"];
    };
    BOOST_TEST(card(R"({"action":"read","documentId":"d"})") ==
               Value::parse(R"({"kind":"knowledge","operation":"read","title":"Title","target":
                   {"source":"local","projectId":"p","documentId":"d"}})"));
    BOOST_TEST(card(R"({"action":"list"})") ==
               Value::parse(R"({"kind":"knowledge","operation":"read","target":
                   {"source":"local","projectId":"p"}})"));
    BOOST_TEST(card(R"({"action":"delete","documentId":"d"})").string("operation") == "write");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(global_memory, Fixture)

BOOST_AUTO_TEST_CASE(remembers_finds_and_forgets) {
    const auto kept = memory.done(
        R"({"action":"remember","markdown":"# Shipping\nThe customer wants green parcels."})");
    Value read = object({{"action", "read"}, {"memoryId", kept["memoryId"]}});
    BOOST_TEST(memory.done(read).string("title") == "Shipping");
    const auto hits = memory.done(R"({"action":"search","query":"parcel"})");
    BOOST_REQUIRE(hits.array("memories").size() == 1u);
    BOOST_TEST(hits.array("memories").front()["memoryId"] == kept["memoryId"]);
    BOOST_TEST(memory.done(R"({"action":"list"})").array("memories").size() == 1u);
    Value forget = object({{"action", "forget"}, {"memoryId", kept["memoryId"]}});
    memory.done(forget);
    BOOST_TEST(memory.refused(forget) == "not_found /memoryId");
    BOOST_TEST(memory.done(R"({"action":"list"})").array("memories").empty());
}

BOOST_AUTO_TEST_CASE(replaces_a_note_of_the_same_id) {
    memory.done(R"({"action":"remember","memoryId":"m","markdown":"one","title":"T"})");
    memory.done(R"({"action":"remember","memoryId":"m","markdown":"two"})");
    const auto read = memory.done(R"({"action":"read","memoryId":"m"})");
    BOOST_TEST(read.string("markdown") == "two");
    BOOST_TEST(read.string("title") == "two");
    BOOST_TEST(memory.done(R"({"action":"list"})").array("memories").size() == 1u);
}

BOOST_AUTO_TEST_CASE(keeps_documents_and_memories_apart_in_one_store) {
    create("d", "D", "alpha");
    memory.done(R"({"action":"remember","memoryId":"m","markdown":"alpha"})");
    BOOST_TEST(host.store.find("project", "document/assistant-memory-m") != nullptr);
    BOOST_TEST(found("alpha") == "d");
    BOOST_TEST(memory.done(R"({"action":"search","query":"alpha"})").array("memories").size() ==
               1u);
    BOOST_TEST(documents.done(R"({"action":"list"})").array("documents").size() == 1u);
}

BOOST_AUTO_TEST_CASE(refuses_secrets_and_never_repeats_them) {
    for (const char* arguments : {R"({"action":"remember","markdown":"open sesame"})",
                                  R"({"action":"remember","markdown":"x","title":"sesame"})",
                                  R"({"action":"remember","markdown":"x","memoryId":"sesame"})"}) {
        const auto outcome = memory.call(arguments);
        BOOST_TEST(outcome.result["details"].string("code") == "input_validation");
        BOOST_TEST(outcome.result["details"]["kinds"] == array({"password"}));
        BOOST_TEST(to_text(outcome.result).find("sesame") == std::string::npos);
        BOOST_TEST(host.store.live_keys() == 0u);
    }
}

BOOST_AUTO_TEST_CASE(remembers_nothing_without_a_detector) {
    host.judge = nullptr;
    const auto outcome = memory.call(R"({"action":"remember","markdown":"x"})");
    BOOST_TEST(outcome.status != FOXWEDGE_OK);
    BOOST_TEST(host.store.live_keys() == 0u);
}

BOOST_AUTO_TEST_CASE(holds_its_limits_without_the_schema) {
    const auto remember = [](const char* field, std::string text) {
        Value arguments = object({{"action", "remember"}, {"markdown", "m"}});
        arguments.set(field, std::move(text));
        return arguments;
    };
    memory.done(remember("memoryId", repeated("é", 183)));
    memory.done(remember("markdown", repeated("é", 100'000)));
    BOOST_TEST(memory.refused(remember("memoryId", repeated("é", 184))) ==
               "input_validation /memoryId 183");
    BOOST_TEST(memory.refused(remember("markdown", repeated("é", 100'001))) ==
               "input_validation /markdown 100000");
    BOOST_TEST(memory.refused(remember("title", repeated("é", 201))) ==
               "input_validation /title 200");
    BOOST_TEST(memory.refused(remember("markdown", "")) == "input_validation /markdown 1");
}

BOOST_AUTO_TEST_CASE(refuses_a_cursor_of_the_other_action) {
    for (int n = 0; n < 3; ++n)
        memory.done(object({{"action", "remember"}, {"markdown", "alpha " + std::to_string(n)}}));
    const auto list = memory.done(R"({"action":"list","limit":2})");
    const auto search = memory.done(R"({"action":"search","query":"alpha","limit":2})");
    BOOST_TEST(list.string("cursor").substr(0, 5) == "list:");
    BOOST_TEST(search.string("cursor").substr(0, 7) == "search:");
    BOOST_TEST(memory.refused(object({{"action", "list"}, {"cursor", search["cursor"]}})) ==
               "input_validation /cursor");
    BOOST_TEST(memory.refused(object(
                   {{"action", "search"}, {"query", "alpha"}, {"cursor", list["cursor"]}})) ==
               "input_validation /cursor");
    const auto rest = memory.done(object({{"action", "list"}, {"cursor", list["cursor"]}}));
    BOOST_TEST(rest.array("memories").size() == 1u);
    BOOST_TEST(!rest.has("cursor"));
}

BOOST_AUTO_TEST_SUITE_END()
