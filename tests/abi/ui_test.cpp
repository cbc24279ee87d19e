#define BOOST_TEST_MODULE capability_ui
#include <boost/test/unit_test.hpp>

#include "plugin_host/action_tool.hpp"

using foxwedge::plugin::object;
using foxwedge::plugin::Value;

namespace {

struct Fixture {
    plugin_host::Host host;
    plugin_host::Plugin plugin{host, FOXWEDGE_PLUGIN_FILE};
    plugin_host::ActionTool cards{host, plugin, "workflow-ui", "present_card"};

    /// The checked command of a call that succeeds.
    Value card(const char* arguments) {
        const auto outcome = cards.call(arguments);
        BOOST_TEST(outcome.status == FOXWEDGE_OK);
        BOOST_TEST(!outcome.result.boolean("isError", false), to_text(outcome.result));
        BOOST_TEST(outcome.result.array("content").size() == 1u);
        return outcome.result["details"]["card"];
    }
    std::string refused(const char* arguments) { return cards.refused(arguments); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(resource_cards, Fixture)

BOOST_AUTO_TEST_CASE(sends_the_command_of_every_kind) {
    for (
        const char* target :
        {R"("knowledge","target":{"source":"server","projectId":"p","documentId":"d"})",
         R"("kv","target":{"source":"local","scope":"conversation","key":"k","conversationId":"c"})",
         R"("project","target":{"source":"local","projectId":"p","configurationId":"x"})",
         R"("project","target":{"source":"current"})",
         R"("kanban","target":{"source":"current","configurationId":"x"})",
         R"("browser","target":{"url":"https://example.com/a?b#c"})",
         R"("file","target":{"source":"current","filePath":"docs/a..b.md"})"}) {
        const auto arguments =
            std::string(R"({"action":"upsert","cardId":"c","title":"T","kind":)") + target + "}";
        const auto sent = card(arguments.c_str());
        const auto given = Value::parse(arguments);
        BOOST_TEST(sent["kind"] == given["kind"]);
        BOOST_TEST(sent["target"] == given["target"], to_text(sent));
        BOOST_TEST(sent.string("operation") == "show");
    }
}

BOOST_AUTO_TEST_CASE(previews_and_pins_boards_and_pages_unless_told_not_to) {
    const auto flags = [&](const char* arguments) {
        const auto sent = card(arguments);
        return to_text(sent["pinned"]) + ' ' + to_text(sent["preview"]);
    };
    BOOST_TEST(flags(R"({"action":"upsert","cardId":"c","kind":"kanban",
        "target":{"source":"current"}})") == "true true");
    BOOST_TEST(flags(R"({"action":"upsert","cardId":"c","kind":"browser","preview":false,
        "target":{"url":"http://a"}})") == "true false");
    BOOST_TEST(flags(R"({"action":"upsert","cardId":"c","kind":"browser","pinned":false,
        "target":{"url":"http://a"}})") == "false true");
    // Whether it is a Kanban project is known to the host alone.
    BOOST_TEST(flags(R"({"action":"upsert","cardId":"c","kind":"project",
        "target":{"source":"current"}})") == "null null");
    BOOST_TEST(flags(R"({"action":"upsert","cardId":"c","kind":"knowledge",
        "target":{"source":"local","documentId":"d"}})") == "null null");
    BOOST_TEST(flags(R"({"action":"upsert","cardId":"c","kind":"knowledge","pinned":true,
        "target":{"source":"local","documentId":"d"}})") == "true null");
}

BOOST_AUTO_TEST_CASE(takes_the_values_of_a_preview) {
    const auto sent = card(R"({"action":"upsert","cardId":"roadmap-board","kind":"kanban",
        "target":{"source":"current","configurationId":"configuration-id"},"pinned":true,
        "preview":true,"kanban":{"mode":"preview","values":{"title":"Roadmap"}}})");
    BOOST_TEST(sent["kanban"] ==
               Value::parse(R"({"mode":"preview","values":{"title":"Roadmap"}})"));
}

BOOST_AUTO_TEST_CASE(keeps_the_cards_that_stand) {
    card(R"({"action":"upsert","cardId":"c","kind":"browser","target":{"url":"http://a"}})");
    card(R"({"action":"upsert","cardId":"c","kind":"browser","target":{"url":"http://b"}})");
    const auto* kept = host.store.find("conversation", "card/c");
    BOOST_REQUIRE(kept != nullptr);
    BOOST_TEST((*kept->value)["target"].string("url") == "http://b");
    const auto removed = card(R"({"action":"remove","cardId":"c"})");
    BOOST_TEST(removed == Value::parse(R"({"action":"remove","cardId":"c"})"));
    BOOST_TEST(host.store.find("conversation", "card/c") == nullptr);
    card(R"({"action":"remove","cardId":"c"})");
}

BOOST_AUTO_TEST_CASE(refuses_what_does_not_belong_together_and_says_where) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({})", "input_validation /action"},
        {R"({"action":"pin","cardId":"c"})", "input_validation /action"},
        {R"({"action":"remove"})", "input_validation /cardId"},
        {R"({"action":"remove","cardId":""})", "input_validation /cardId 1"},
        {R"({"action":"remove","cardId":"c","pinned":true})", "input_validation /pinned"},
        {R"({"action":"upsert","cardId":"c"})", "input_validation /kind"},
        {R"({"action":"upsert","cardId":"c","kind":"page"})", "input_validation /kind"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban"})", "input_validation /target"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban","target":{}})",
         "input_validation /target/source"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban","target":{"source":"moon"}})",
         "input_validation /target/source"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban","target":{"source":"local","key":"k"}})",
         "input_validation /target/key"},
        {R"({"action":"upsert","cardId":"c","kind":"project","target":{"source":"local"}})",
         "input_validation /target/projectId"},
        {R"({"action":"upsert","cardId":"c","kind":"knowledge","target":{"source":"local"}})",
         "input_validation /target/documentId"},
        {R"({"action":"upsert","cardId":"c","kind":"kv","target":{"source":"local"}})",
         "input_validation /target/key"},
        {R"({"action":"upsert","cardId":"c","kind":"kv","target":{"source":"local","key":"k","scope":"user"}})",
         "input_validation /target/scope"},
        {R"({"action":"upsert","cardId":"c","kind":"kv","target":{"source":"local","key":"k","conversationId":"x"}})",
         "input_validation /target/conversationId"},
        {R"({"action":"upsert","cardId":"c","kind":"kv","preview":true,"target":{"source":"local","key":"k"}})",
         "input_validation /preview"},
        {R"({"action":"upsert","cardId":"c","kind":"browser","target":{"url":"http://a"},"kanban":{"mode":"preview","values":{}}})",
         "input_validation /kanban"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban","target":{"source":"current"},"kanban":{"mode":"save","values":{}}})",
         "input_validation /kanban/mode"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban","target":{"source":"current"},"kanban":{"mode":"preview"}})",
         "input_validation /kanban/values"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban","target":{"source":"current"},"operation":"delete"})",
         "input_validation /operation"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban","target":{"source":"current"},"pinned":"yes"})",
         "input_validation /pinned"},
        {R"({"action":"upsert","cardId":"c","kind":"kanban","target":{"source":"current"},"extra":1})",
         "input_validation /extra"},
    };
    for (const auto& [arguments, expected] : cases)
        BOOST_TEST(refused(arguments) == expected, arguments);
}

BOOST_AUTO_TEST_CASE(opens_no_address_with_credentials_and_no_other_scheme) {
    for (const char* url :
         {"ftp://a", "javascript:alert(1)", "//a", "http://", "http://:80/", "https://u:p@a/",
          "https://u@a", "http://a b", "http://a\\b", "http://\n", "HTTP:a", ""}) {
        Value arguments = Value::parse(R"({"action":"upsert","cardId":"c","kind":"browser"})");
        arguments.set("target", object({{"url", url}}));
        BOOST_TEST(refused(to_text(arguments).c_str()) == "input_validation /target/url", url);
    }
}

BOOST_AUTO_TEST_CASE(opens_no_file_outside_of_the_project) {
    for (const char* path : {"/etc/passwd", "..", "../x", "a/../../x", "a/..", "~/x", "C:/x",
                             "a\\b", "\\\\host\\x", ""}) {
        Value arguments = Value::parse(R"({"action":"upsert","cardId":"c","kind":"file"})");
        arguments.set("target", object({{"source", "current"}, {"filePath", path}}));
        BOOST_TEST(refused(to_text(arguments).c_str()) == "input_validation /target/filePath",
                   path);
    }
}

BOOST_AUTO_TEST_CASE(holds_its_limits) {
    Value arguments = Value::parse(
        R"({"action":"upsert","cardId":"c","kind":"browser","target":{"url":"http://a"}})");
    arguments.set("title", std::string(200, 'x'));
    BOOST_TEST(!cards.call(arguments).result.boolean("isError", false));
    arguments.set("title", std::string(201, 'x'));
    BOOST_TEST(cards.call(arguments).result["details"].integer("limit", 0) == 200);
}

BOOST_AUTO_TEST_SUITE_END()
