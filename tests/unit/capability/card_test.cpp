#include <boost/test/unit_test.hpp>

#include "contracts/resource_card.hpp"

using namespace foxwedge;

namespace {

std::string problem(const char* card) {
    return resource_card_problem(*parse_json(card)).value_or("");
}

} // namespace

BOOST_AUTO_TEST_CASE(a_summary_names_kind_operation_and_target) {
    for (
        const char* card :
        {R"({"kind":"knowledge","operation":"read","title":"T",
             "target":{"source":"server","projectId":"p","documentId":"d"}})",
         R"({"kind":"kv","operation":"write","target":{"source":"local","scope":"project"}})",
         R"({"kind":"project","operation":"open","target":{"source":"current"}})",
         R"({"kind":"kanban","operation":"show","target":{"source":"local","configurationId":"c"}})",
         R"({"kind":"browser","operation":"open","target":{"url":"https://a/b"}})",
         R"({"kind":"file","operation":"read","target":{"source":"current","filePath":"a/b..c"}})"})
        BOOST_TEST(problem(card) == "", card);
    for (const char* card :
         {"[]", "{}", R"({"kind":"page","operation":"read","target":{"source":"local"}})",
          R"({"kind":"kv","operation":"delete","target":{"source":"local"}})",
          R"({"kind":"kv","operation":"read"})", R"({"kind":"kv","operation":"read","target":{}})",
          R"({"kind":"kv","operation":"read","target":{"source":"moon"}})",
          R"({"kind":"kv","operation":"read","target":{"source":"local","url":"http://a"}})",
          R"({"kind":"kv","operation":"read","target":{"source":"local","key":7}})",
          R"({"kind":"kv","operation":"read","title":7,"target":{"source":"local"}})",
          R"({"kind":"kv","operation":"read","pinned":true,"target":{"source":"local"}})",
          R"({"kind":"browser","operation":"open","target":{"url":"https://u:p@a"}})",
          R"({"kind":"browser","operation":"open","target":{"url":"javascript:a"}})",
          R"({"kind":"file","operation":"open","target":{"source":"current","filePath":"../a"}})",
          R"({"kind":"file","operation":"open","target":{"source":"current","filePath":"/a"}})",
          R"({"kind":"file","operation":"open","target":{"source":"local","filePath":"~/a"}})",
          R"({"kind":"file","operation":"open","target":{"source":"local","filePath":"C:/a"}})",
          R"({"kind":"file","operation":"open","target":{"source":"local","filePath":"..\\a"}})"})
        BOOST_TEST(problem(card) != "", card);
}

BOOST_AUTO_TEST_CASE(a_title_has_at_most_200_characters) {
    Json card = *parse_json(R"({"kind":"kv","operation":"read","target":{"source":"local"}})");
    std::string title;
    for (int n = 0; n < 200; ++n) title += "é";
    card.get_object()["title"] = title;
    BOOST_TEST(!resource_card_problem(card));
    card.get_object()["title"] = title + "é";
    BOOST_TEST(resource_card_problem(card).has_value());
}

BOOST_AUTO_TEST_CASE(a_misfit_is_dropped_and_the_result_stays) {
    ToolResult result = text_result("done");
    result.details = *parse_json(R"({"resourceCard":{"kind":"page"},"other":1})");
    BOOST_TEST(drop_misfit_card(result) != "");
    BOOST_TEST(to_text(result.details) == R"({"other":1})");
    BOOST_TEST(result.content.size() == 1u);
    BOOST_TEST(drop_misfit_card(result) == "");
}

BOOST_AUTO_TEST_CASE(a_failed_call_has_no_card) {
    ToolResult result = error_result("conflict", "no");
    result.details.get_object()["resourceCard"] =
        *parse_json(R"({"kind":"kv","operation":"read","target":{"source":"local"}})");
    BOOST_TEST(drop_misfit_card(result) != "");
    BOOST_TEST(to_text(result.details) == R"({"code":"conflict"})");
}
