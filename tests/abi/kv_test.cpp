#define BOOST_TEST_MODULE capability_kv
#include <boost/test/unit_test.hpp>

#include <random>
#include <set>

#include "plugin_host/action_tool.hpp"

using foxwedge::plugin::array;
using foxwedge::plugin::object;
using foxwedge::plugin::Value;
using plugin_host::repeated;

namespace {

struct Fixture {
    plugin_host::Host host;
    plugin_host::Plugin plugin{host, FOXWEDGE_PLUGIN_FILE};
    plugin_host::ActionTool kv{host, plugin, "workflow-kv", "kv_store"};

    plugin_host::Outcome call(const Value& arguments) { return kv.call(arguments); }
    plugin_host::Outcome call(const char* arguments) { return kv.call(arguments); }
    Value done(const Value& arguments) { return kv.done(arguments); }
    Value done(const char* arguments) { return kv.done(arguments); }
    std::string refused(const Value& arguments) { return kv.refused(arguments); }
    std::string refused(const char* arguments) { return kv.refused(arguments); }
};

Value set(std::string_view key, Value value = 1) {
    return object({{"action", "set"}, {"key", key}, {"value", std::move(value)}});
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(the_kv_store, Fixture)

BOOST_AUTO_TEST_CASE(lists_one_tool_that_works_through_the_store) {
    const auto tools = kv.instance->list_tools().result;
    BOOST_REQUIRE(tools.array("tools").size() == 1u);
    const auto& tool = tools.array("tools").front();
    BOOST_TEST(tool.string("name") == "kv_store");
    BOOST_TEST(tool.string("effect") == "store");
    BOOST_TEST(!tool["inputSchema"].boolean("additionalProperties", true));
    BOOST_TEST(kv.instance->concurrent());
}

BOOST_AUTO_TEST_CASE(gives_back_any_json_value) {
    for (const char* value : {"null", "true", "0", "-0.5", "18446744073709551615", R"("")",
                              R"(["a",{"b":[]}])", R"({"é":"😀"})"}) {
        done(set("k", Value::parse(value)));
        const auto got = done(R"({"action":"get","key":"k"})");
        BOOST_TEST(got.boolean("found", false));
        BOOST_TEST(to_text(got["value"]) == value);
    }
}

BOOST_AUTO_TEST_CASE(says_that_a_key_is_missing) {
    BOOST_TEST(to_text(done(R"({"action":"get","key":"k"})")) == R"({"found":false})");
    BOOST_TEST(!done(R"({"action":"delete","key":"k"})").boolean("deleted", true));
}

BOOST_AUTO_TEST_CASE(deletes_and_may_be_asked_to_again) {
    done(set("k"));
    BOOST_TEST(done(R"({"action":"delete","key":"k"})").boolean("deleted", false));
    BOOST_TEST(!done(R"({"action":"delete","key":"k"})").boolean("deleted", true));
    BOOST_TEST(!done(R"({"action":"get","key":"k"})").boolean("found", true));
}

BOOST_AUTO_TEST_CASE(keeps_the_scopes_apart) {
    done(R"({"action":"set","key":"k","value":"p"})");
    done(R"({"action":"set","key":"k","value":"c","scope":"conversation"})");
    BOOST_TEST(done(R"({"action":"get","key":"k","scope":"project"})").string("value") == "p");
    BOOST_TEST(done(R"({"action":"get","key":"k","scope":"conversation"})").string("value") == "c");
    done(R"({"action":"delete","key":"k","scope":"conversation"})");
    BOOST_TEST(done(R"({"action":"get","key":"k"})").string("value") == "p");
}

BOOST_AUTO_TEST_CASE(raises_the_revision_with_each_write_deletion_included) {
    std::int64_t last = 0;
    for (int n = 0; n < 3; ++n) {
        done(set("k", n));
        const auto revision = done(R"({"action":"get","key":"k"})").integer("revision", 0);
        BOOST_TEST(revision > last);
        last = revision;
        done(R"({"action":"delete","key":"k"})");
    }
}

BOOST_AUTO_TEST_CASE(writes_only_over_the_revision_that_was_named) {
    done(set("k", "old"));
    const auto revision = done(R"({"action":"get","key":"k"})").integer("revision", 0);
    Value write = set("k", "new");
    write.set("revision", revision);
    done(write);
    const auto stale = call(write);
    BOOST_TEST(stale.result["details"].string("code") == "conflict");
    BOOST_TEST(stale.result["details"].integer("revision", 0) > revision);
    BOOST_TEST(done(R"({"action":"get","key":"k"})").string("value") == "new");
}

BOOST_AUTO_TEST_CASE(writes_with_revision_0_only_where_there_is_no_key) {
    done(R"({"action":"set","key":"k","value":1,"revision":0})");
    BOOST_TEST(refused(R"({"action":"set","key":"k","value":2,"revision":0})") ==
               "conflict /revision");
    done(R"({"action":"delete","key":"k"})");
    done(R"({"action":"set","key":"k","value":3,"revision":0})");
    BOOST_TEST(done(R"({"action":"get","key":"k"})").integer("value", 0) == 3);
}

BOOST_AUTO_TEST_CASE(takes_what_looks_the_same_for_the_same_key) {
    done(set("cafe\u0301")); // an e and its accent
    BOOST_TEST(done("{\"action\":\"get\",\"key\":\"caf\u00e9\"}").boolean("found", false));
    BOOST_TEST(host.store.find("project", "caf\u00e9") != nullptr);
}

BOOST_AUTO_TEST_CASE(counts_code_points_of_the_normal_form) {
    done(set(repeated("\U0001F98A", 500)));
    done(set(repeated("e\u0301", 500))); // 1,000 before, 500 after
    BOOST_TEST(refused(set(repeated("\U0001F98A", 501))) == "input_validation /key 500");
    BOOST_TEST(refused(set(repeated("a", 501))) == "input_validation /key 500");
    BOOST_TEST(refused(object({{"action", "list"}, {"prefix", repeated("é", 501)}})) ==
               "input_validation /prefix 500");
    BOOST_TEST(refused(set("")) == "input_validation /key 1");
}

BOOST_AUTO_TEST_CASE(guards_the_keys_of_the_runtime) {
    const auto write = [&](std::string_view key, std::string_view scope, std::string_view action) {
        Value arguments = object({{"action", action}, {"key", key}, {"scope", scope}});
        if (action == "set") arguments.set("value", 1);
        return refused(arguments);
    };
    for (const char* action : {"set", "delete"}) {
        for (const char* scope : {"project", "conversation"})
            for (const char* key :
                 {"tokenUsage.total", "tokenUsage.entry.r.1", "tokenUsage.entry."})
                BOOST_TEST(write(key, scope, action) == "input_validation /key");
        for (const char* key : {"conversation.state", "agent.pendingPlanApproval", "agent."})
            BOOST_TEST(write(key, "conversation", action) == "input_validation /key");
    }
    for (const char* key : {"conversation.state", "agent.x", "tokenUsage.totals", "agent"})
        done(set(key));
    done(R"({"action":"set","key":"agents","value":1,"scope":"conversation"})");
}

BOOST_AUTO_TEST_CASE(reads_the_keys_of_the_runtime) {
    host.store.put("conversation", "tokenUsage.total", object({{"input", 7}}));
    const auto got = done(R"({"action":"get","key":"tokenUsage.total","scope":"conversation"})");
    BOOST_TEST(got["value"].integer("input", 0) == 7);
    const auto listed = done(R"({"action":"list","scope":"conversation"})");
    BOOST_TEST(listed.array("keys").size() == 1u);
}

BOOST_AUTO_TEST_CASE(refuses_what_the_schema_refuses_and_says_where) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({})", "input_validation /action"},
        {R"({"action":"drop"})", "input_validation /action"},
        {R"({"action":7})", "input_validation /action"},
        {R"({"action":"get"})", "input_validation /key"},
        {R"({"action":"get","key":7})", "input_validation /key"},
        {R"({"action":"get","key":"k","scope":"user"})", "input_validation /scope"},
        {R"({"action":"get","key":"k","value":1})", "input_validation /value"},
        {R"({"action":"get","key":"k","a/b~c":1})", "input_validation /a~1b~0c"},
        {R"({"action":"set","key":"k"})", "input_validation /value"},
        {R"({"action":"set","key":"k","value":1,"revision":-1})", "input_validation /revision 0"},
        {R"({"action":"set","key":"k","value":1,"revision":1.5})", "input_validation /revision"},
        {R"({"action":"set","key":"k","value":1,"limit":1})", "input_validation /limit"},
        {R"({"action":"delete","key":"k","revision":1})", "input_validation /revision"},
        {R"({"action":"list","key":"k"})", "input_validation /key"},
        {R"({"action":"list","limit":0})", "input_validation /limit 1"},
        {R"({"action":"list","limit":201})", "input_validation /limit 200"},
        {R"({"action":"list","cursor":"list:"})", "input_validation /cursor"},
        {R"({"action":"list","cursor":"list:cGs="})", "input_validation /cursor"},
        {R"({"action":"list","cursor":"search:cGs"})", "input_validation /cursor"},
        {R"({"action":"list","cursor":null})", "input_validation /cursor"},
        {R"([])", "input_validation "},
    };
    for (const auto& [arguments, expected] : cases)
        BOOST_TEST(refused(arguments) == expected, arguments);
    BOOST_TEST(refused(object({{"action", "list"}, {"cursor", repeated("x", 3001)}})) ==
               "input_validation /cursor 3000");
    BOOST_TEST(refused(set("k", repeated("x", 4 << 20))) == "input_validation /value 4194304");
}

BOOST_AUTO_TEST_CASE(takes_a_cursor_only_with_the_list_that_it_came_from) {
    for (const char* key : {"a1", "a2", "b1"}) done(set(key));
    const auto page = done(R"({"action":"list","prefix":"a","limit":1})");
    const auto cursor = std::string(page.string("cursor"));
    BOOST_TEST(!cursor.empty());
    const auto with = [&](const char* name, const char* value) {
        return refused(object({{"action", "list"}, {"cursor", cursor}, {name, value}}));
    };
    BOOST_TEST(with("prefix", "b") == "input_validation /cursor");
    BOOST_TEST(with("scope", "conversation") == "input_validation /cursor");
}

BOOST_AUTO_TEST_CASE(pages_through_every_key_once_while_others_come_and_go) {
    std::mt19937 random(7); // NOLINT: the same keys each time
    const auto pick = [&](int below) {
        return static_cast<int>(std::uniform_int_distribution<>(0, below - 1)(random));
    };
    const std::string_view letters[] = {"a", "é", "~", "日", "\U0001F98A", "%", " "};
    const auto any_key = [&](std::string_view start) {
        std::string key(start);
        for (int n = pick(6); n >= 0; --n) key += letters[pick(7)];
        return key;
    };
    for (int round = 0; round < 30; ++round) {
        host.store = {};
        std::set<std::string> steady, seen;
        for (int n = pick(60); n >= 0; --n) steady.insert(any_key("k"));
        for (const auto& key : steady) host.store.put("project", key, 1);
        for (int n = 0; n < 5; ++n) host.store.put("project", any_key("x"), 1);
        host.store.put("conversation", "k-other", 1);
        std::string last;
        Value list = object({{"action", "list"}, {"prefix", "k"}, {"limit", 1 + pick(9)}});
        for (bool more = true; more;) {
            const auto page = done(list);
            for (const Value& item : page.array("keys")) {
                const std::string key(item.string("key"));
                BOOST_TEST((key > last)); // in order, so none twice
                BOOST_TEST(item.integer("revision", 0) > 0);
                seen.insert(last = key);
            }
            more = page.has("cursor");
            if (more) list.set("cursor", page["cursor"]);
            const auto passing = any_key("k"); // somebody else writes and deletes
            if (!steady.count(passing)) host.store.put("project", passing, 2);
        }
        for (const auto& key : steady) BOOST_TEST(seen.count(key) == 1u, key);
    }
}

BOOST_AUTO_TEST_CASE(carries_a_resource_card) {
    const auto card = [&](const char* arguments) {
        return call(arguments).result["details"]["resourceCard"];
    };
    BOOST_TEST(card(R"({"action":"set","key":"k","value":1})") ==
               Value::parse(R"({"kind":"kv","operation":"write","title":"k","target":
                   {"source":"local","scope":"project","projectId":"p","key":"k"}})"));
    BOOST_TEST(card(R"({"action":"list","scope":"conversation"})") ==
               Value::parse(R"({"kind":"kv","operation":"read","target":{"source":"local",
                   "scope":"conversation","projectId":"p","conversationId":"c"}})"));
    const auto long_key = call(set(repeated("é", 500))).result["details"]["resourceCard"];
    BOOST_TEST(std::string(long_key.string("title")) == repeated("é", 200));
    BOOST_TEST(!call(R"({"action":"get","key":7})").result["details"].has("resourceCard"));
}

BOOST_AUTO_TEST_CASE(writes_nothing_when_somebody_was_faster) {
    done(set("k", "old"));
    // Between the look and the commit: the host sees the conflict and runs the call again.
    host.store.put("project", "k", "theirs");
    Value write = set("k", "mine");
    write.set("revision", 1);
    BOOST_TEST(call(write).result["details"].string("code") == "conflict");
    BOOST_TEST(done(R"({"action":"get","key":"k"})").string("value") == "theirs");
}

BOOST_AUTO_TEST_CASE(knows_no_other_tool) {
    const auto outcome = kv.instance->run("kv", object());
    BOOST_TEST(outcome.status == FOXWEDGE_E_UNSUPPORTED);
    BOOST_TEST(outcome.code == "unknown_tool");
}

BOOST_AUTO_TEST_CASE(fails_as_unavailable_where_the_host_has_no_store) {
    host.missing = {FOXWEDGE_SERVICE_STORE};
    const auto without = plugin.create("workflow-kv");
    const auto outcome = without->run("kv_store", set("k"));
    BOOST_TEST(outcome.status == FOXWEDGE_E_UNSUPPORTED);
    BOOST_TEST(outcome.code == "unavailable");
}

BOOST_AUTO_TEST_SUITE_END()
