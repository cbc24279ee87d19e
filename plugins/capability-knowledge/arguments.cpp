#include "arguments.hpp"

#include "common/normal_form.hpp"
#include "query.hpp"

namespace knowledge {

using capability_kit::refuse;
using namespace foxwedge::plugin;

std::string id_of(const Fields& fields, std::string_view field, std::size_t most) {
    auto id = fields.normal_text(field, most, capability_kit::normal_form);
    if (id.empty()) refuse(field, std::string(field) + " is empty", 1);
    return id;
}

Question question_of(const Fields& fields) {
    Question question;
    question.words = fields.text("query", max_query);
    question.limit = fields.page_size();
    if (words_of(question.words).empty()) refuse("query", "query has no word to search for");
    if (const auto cursor = fields.text_if_there("cursor", max_cursor)) {
        const auto place = read_search_cursor(*cursor, question.words);
        if (!place) refuse("cursor", "this is no cursor of this search");
        question.place = *place;
    }
    return question;
}

std::int64_t list_place_of(const Fields& fields) {
    const auto cursor = fields.text_if_there("cursor", max_cursor);
    if (!cursor) return 0;
    const auto place = read_list_cursor(*cursor);
    if (!place) refuse("cursor", "this is no cursor of a list");
    return *place;
}

Value page_of(const Page& page, std::string_view name, std::string_view id_field,
              std::size_t skipped) {
    Value items = array();
    for (const auto& hit : page.hits) {
        Value item = object({{std::string(id_field), hit.id.substr(skipped)},
                             {"title", hit.title},
                             {"revision", hit.revision}});
        if (!hit.snippet.empty()) item.set("snippet", hit.snippet);
        items.push(std::move(item));
    }
    Value out = object({{std::string(name), std::move(items)}});
    if (!page.cursor.empty()) out.set("cursor", page.cursor);
    return out;
}

} // namespace knowledge
