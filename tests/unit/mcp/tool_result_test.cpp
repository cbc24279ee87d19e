#include <boost/test/unit_test.hpp>

#include "mcp/tool_result.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;

namespace {

Result<ToolResult> read(std::string_view json, bool repaired = false) {
    return read_tool_result(*parse_json(json), repaired);
}
std::string text(const ToolResult& result) {
    return std::string(result.content.empty()
                           ? "(none)"
                           : string_member(result.content[0], "text").value_or("(no text)"));
}
std::string code(const ToolResult& result) {
    return std::string(string_member(result.details, "code").value_or(""));
}

} // namespace

BOOST_AUTO_TEST_SUITE(a_tool_result)

// B15
BOOST_AUTO_TEST_CASE(that_is_only_structured_is_shown_as_text) {
    for (const char* json : {R"({"structuredContent":{"total":36}})",
                             R"({"content":[],"structuredContent":{"total":36}})"}) {
        const auto result = read(json);
        BOOST_REQUIRE(result.ok());
        BOOST_TEST(!result->is_error);
        BOOST_TEST(text(*result) == R"({"total":36})");
    }
    const auto array = read(R"({"structuredContent":[1,2]})");
    BOOST_REQUIRE(array.ok());
    BOOST_TEST(text(*array) == "[1,2]");
    BOOST_TEST(bool_member(array->details, "nonConforming").value_or(false));
}

// B15
BOOST_AUTO_TEST_CASE(that_is_nothing_is_a_tool_error_for_the_model) {
    for (const char* json : {"{}", "null", R"({"_meta":{}})"}) {
        const auto result = read(json);
        BOOST_REQUIRE(result.ok());
        BOOST_TEST(result->is_error);
        BOOST_TEST(code(*result) == "empty_result");
    }
}

BOOST_AUTO_TEST_CASE(with_an_empty_list_of_content_is_a_result) {
    const auto result = read(R"({"content":[]})");
    BOOST_REQUIRE(result.ok());
    BOOST_TEST(!result->is_error);
}

BOOST_AUTO_TEST_CASE(that_is_an_error_is_an_answer_of_the_other_side) {
    const auto result =
        read(R"({"content":[{"type":"text","text":"no such order"}],"isError":true})");
    BOOST_REQUIRE(!result.ok());
    BOOST_TEST(result.error().code == "tool_error");
    BOOST_TEST(result.error().message == "no such order");
    BOOST_TEST((result.error().certainty == Certainty::done_with_error));
    const auto shown = returned_to_model(result.error());
    BOOST_TEST(shown.is_error);
    BOOST_TEST(text(shown) == "no such order");
}

// Measured: SDK v1 servers put the refusal of bad arguments into a result.
BOOST_AUTO_TEST_CASE(that_wraps_a_refusal_of_arguments_is_for_the_model) {
    const auto result = read(
        R"({"content":[{"type":"text","text":"MCP error -32602: Tool nope not found"}],"isError":true})");
    BOOST_REQUIRE(result.ok());
    BOOST_TEST(result->is_error);
    BOOST_TEST(code(*result) == "invalid_params");
}

BOOST_AUTO_TEST_CASE(that_breaks_the_protocol_fails_for_good) {
    for (const char* json :
         {"7", "[]", R"({"content":"x"})", R"({"content":["x"]})", R"({"content":[{"text":"x"}]})",
          R"({"resultType":"odd","content":[]})"}) {
        const auto result = read(json);
        BOOST_REQUIRE_MESSAGE(!result.ok(), json);
        BOOST_TEST(result.error().code == "invalid_response");
        BOOST_TEST((result.error().certainty == Certainty::permanent));
    }
}

// B05
BOOST_AUTO_TEST_CASE(that_was_repaired_says_so) {
    const auto result = read(R"({"content":[{"type":"text","text":"x"}]})", true);
    BOOST_REQUIRE(result.ok());
    BOOST_TEST(bool_member(result->details, "repairedUtf8").value_or(false));
}

BOOST_AUTO_TEST_CASE(carries_our_cards) {
    const auto result = read(R"({"content":[],"_meta":{"foxwedge/resourceCard":{"kind":"kv"}}})");
    BOOST_REQUIRE(result.ok());
    BOOST_TEST(to_text(result->details) == R"({"resourceCard":{"kind":"kv"}})");
}

BOOST_AUTO_TEST_CASE(in_place_of_which_an_error_came) {
    const auto refused = read_tool_error({rpc::invalid_params, "Tool nope not found", nullptr});
    BOOST_REQUIRE(refused.ok());
    BOOST_TEST(refused->is_error);
    BOOST_TEST(code(*refused) == "invalid_params");
    const auto failed = read_tool_error({-32000, "broken", Json{{"why", "x"}}});
    BOOST_REQUIRE(!failed.ok());
    BOOST_TEST(failed.error().code == "rpc_error");
    BOOST_TEST((failed.error().certainty == Certainty::done_with_error));
    BOOST_TEST(failed.error().details == R"({"code":-32000,"data":{"why":"x"}})");
}

BOOST_AUTO_TEST_SUITE_END()
