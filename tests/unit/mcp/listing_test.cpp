#include <boost/test/unit_test.hpp>

#include "mcp/listing.hpp"
#include "mcp/names.hpp"
#include "shared_data.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;

namespace {

Json page(std::initializer_list<const char*> names, const char* cursor = nullptr) {
    JsonArray tools;
    for (const char* name : names) tools.push_back(JsonObject{{"name", name}});
    JsonObject result{{"tools", std::move(tools)}};
    if (cursor) result["nextCursor"] = cursor;
    return result;
}

std::string names_of(Pages& pages) {
    std::string names;
    for (const Json& each : pages.all()) names += string_member(each, "name").value_or("?");
    return names;
}

ToolDefinition tool(std::string_view json) {
    std::vector<std::string> warnings;
    auto read = read_tool(*parse_json(json), warnings);
    BOOST_REQUIRE(std::holds_alternative<ToolDefinition>(read));
    return std::get<ToolDefinition>(read);
}
std::string schema_of(std::string_view json) {
    return to_text(tool(json).input_schema);
}
std::string reason_for(std::string_view json) {
    std::vector<std::string> warnings;
    auto read = read_tool(*parse_json(json), warnings);
    BOOST_REQUIRE(std::holds_alternative<ToolList::Dropped>(read));
    return std::get<ToolList::Dropped>(read).reason;
}

} // namespace

// B09
BOOST_AUTO_TEST_SUITE(a_list_in_pages)

BOOST_AUTO_TEST_CASE(goes_on_while_there_is_a_cursor_even_an_empty_one) {
    Pages pages("tools", "name", {});
    BOOST_TEST(pages.take(page({"a"}, "")));
    BOOST_TEST(pages.cursor() == "");
    BOOST_TEST(!pages.take(page({"b"})));
    BOOST_TEST(names_of(pages) == "ab");
    BOOST_TEST(pages.incomplete() == "");
}

BOOST_AUTO_TEST_CASE(ends_at_a_page_that_brings_nothing_new) {
    Pages pages("tools", "name", {});
    BOOST_TEST(pages.take(page({"a", "b"}, "p1")));
    BOOST_TEST(!pages.take(page({"a", "b"}, "p1")));
    BOOST_TEST(names_of(pages) == "ab");
    BOOST_TEST(pages.incomplete() == "pagination_loop");
}

BOOST_AUTO_TEST_CASE(is_bounded_in_pages_and_items) {
    Limits limits;
    limits.pages = 3;
    Pages pages("tools", "name", limits);
    int taken = 0;
    while (pages.take(page({std::to_string(taken).c_str()}, "x"))) ++taken;
    BOOST_TEST(taken == 2);
    BOOST_TEST(pages.incomplete() == "too_many_pages");
    limits.tools = 2;
    Pages items("tools", "name", limits);
    BOOST_TEST(!items.take(page({"a", "b", "c"})));
    BOOST_TEST(names_of(items) == "ab");
    BOOST_TEST(items.incomplete() == "too_many_items");
}

BOOST_AUTO_TEST_CASE(keeps_the_first_of_a_name_and_survives_a_broken_page) {
    Pages pages("tools", "name", {});
    BOOST_TEST(pages.take(*parse_json(
        R"({"tools":[{"name":"a","description":"first"},{"name":"a"},{},7],"nextCursor":"n"})")));
    BOOST_TEST(pages.all().size() == 3u);
    BOOST_TEST(to_text(pages.all()[0]) == R"({"name":"a","description":"first"})");
    BOOST_TEST(!pages.take(*parse_json("null")));
    BOOST_TEST(pages.incomplete() == "invalid_page");
}

BOOST_AUTO_TEST_SUITE_END()

// B12
BOOST_AUTO_TEST_SUITE(a_listed_tool)

BOOST_AUTO_TEST_CASE(gets_an_object_schema) {
    BOOST_TEST(schema_of(R"({"name":"t","inputSchema":{"type":"object"}})") ==
               R"({"type":"object"})");
    BOOST_TEST(schema_of(R"({"name":"t"})") == R"({"type":"object"})");
    BOOST_TEST(schema_of(R"({"name":"t","inputSchema":{}})") == R"({"type":"object"})");
    BOOST_TEST(schema_of(R"({"name":"t","inputSchema":{"anyOf":[{"type":"object"}]}})") ==
               R"({"anyOf":[{"type":"object"}],"type":"object"})");
    BOOST_TEST(schema_of(R"({"name":"t","inputSchema":{"type":["object","null"]}})") ==
               R"({"type":"object"})");
}

BOOST_AUTO_TEST_CASE(is_dropped_with_its_reason_where_no_object_would_do) {
    BOOST_TEST(reason_for(R"({"name":"t2","inputSchema":{"type":"string"}})") ==
               "its inputSchema has type \"string\", not object");
    BOOST_TEST(reason_for(R"({"name":"t","inputSchema":false})") ==
               "its inputSchema is no schema of an object");
    BOOST_TEST(reason_for(R"({"inputSchema":{}})") == "it has no name");
    BOOST_TEST(reason_for("7") == "it has no name");
}

BOOST_AUTO_TEST_CASE(keeps_its_texts_hints_and_dialect) {
    const auto read = tool(R"({"name":"t","title":"T","description":7,"inputSchema":
        {"$schema":"http://json-schema.org/draft-07/schema#","type":"object"},
        "outputSchema":[],"annotations":{"readOnlyHint":true}})");
    BOOST_TEST(read.title == "T");
    BOOST_TEST(read.description == "");
    BOOST_TEST(read.annotations.read_only.value_or(false));
    BOOST_TEST(member(read.input_schema, "$schema"));
    BOOST_TEST(read.output_schema.is_null());
}

BOOST_AUTO_TEST_SUITE_END()

// B10
BOOST_AUTO_TEST_SUITE(a_tool_id)

BOOST_AUTO_TEST_CASE(fits_every_model_service) {
    BOOST_TEST(tool_id("orders", "lookup") == "orders_lookup");
    BOOST_TEST(tool_id("s", "mail.send").substr(0, 12) == "s_mail_send_");
    BOOST_TEST(tool_id("s", "mail.send").size() == 11u + 13u);
    BOOST_TEST(tool_id("s", std::string(140, 'n')).size() == 64u);
    BOOST_TEST(tool_id("s", std::string(62, 'n')).size() == 64u);
    BOOST_TEST(tool_id("s", std::string(62, 'n')).back() == 'n');
    for (const std::string raw : {"mail.send", "files/read", "day plan", "\xC3\xA4", "", "a\nb"})
        for (const char c : tool_id("s", raw))
            BOOST_TEST((std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'));
}

BOOST_AUTO_TEST_CASE(is_never_shared_by_two_tools) {
    BOOST_TEST(tool_id("s", "a.b") != tool_id("s", "a/b"));
    BOOST_TEST(tool_id("s", "a.b") != tool_id("s", "a_b"));
    BOOST_TEST(tool_id("s", "a", {"s_a"}) != "s_a");
    BOOST_TEST(tool_id("s", "a", {"s_a"}).substr(0, 4) == "s_a_");
}

BOOST_AUTO_TEST_CASE(exists_for_all_tools_of_35_real_servers_and_their_schemas_are_kept) {
    const auto folder = test::shared_data("mcp-tools");
    if (!folder) return;
    std::set<std::string, std::less<>> ids;
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(*folder)) {
        const auto parsed = parse_json(test::read_file(file.path()));
        const JsonArray* tools = parsed ? array_member(*parsed, "tools") : nullptr;
        if (!tools) continue;
        for (const Json& raw : *tools) {
            std::vector<std::string> warnings;
            auto read = read_tool(raw, warnings);
            BOOST_REQUIRE(std::holds_alternative<ToolDefinition>(read));
            const auto& definition = std::get<ToolDefinition>(read);
            BOOST_TEST((definition.input_schema == *member(raw, "inputSchema")));
            const auto id = tool_id(file.path().stem().string(), definition.name, ids);
            BOOST_TEST(id.size() <= 64u);
            BOOST_TEST(ids.insert(id).second);
            ++count;
        }
    }
    BOOST_TEST(count == 751u);
}

BOOST_AUTO_TEST_SUITE_END()
