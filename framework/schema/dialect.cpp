#include "schema/dialect.hpp"

#include <array>
#include <unordered_map>

namespace foxwedge::schema {
namespace {

using enum Draft;

struct Row {
    std::string_view name;
    Keyword keyword;
    Vocabulary vocabulary;
    Shape shape = Shape::none;
    Draft first = draft4;
    Draft last = draft2020_12;
};

constexpr auto core = Vocabulary::core;
constexpr auto applicator = Vocabulary::applicator;
constexpr auto unevaluated = Vocabulary::unevaluated;
constexpr auto validation = Vocabulary::validation;

constexpr std::array rows{
    Row{"$id", Keyword::id, core, Shape::none, draft6},
    Row{"id", Keyword::old_id, core, Shape::none, draft4, draft4},
    Row{"$schema", Keyword::schema, core},
    Row{"$ref", Keyword::ref, core},
    Row{"$dynamicRef", Keyword::dynamic_ref, core, Shape::none, draft2020_12},
    Row{"$recursiveRef", Keyword::recursive_ref, core, Shape::none, draft2019_09, draft2019_09},
    Row{"$anchor", Keyword::anchor, core, Shape::none, draft2019_09},
    Row{"$dynamicAnchor", Keyword::dynamic_anchor, core, Shape::none, draft2020_12},
    Row{"$recursiveAnchor", Keyword::recursive_anchor, core, Shape::none, draft2019_09,
        draft2019_09},
    Row{"$defs", Keyword::defs, core, Shape::map, draft2019_09},
    Row{"definitions", Keyword::defs, core, Shape::map},
    Row{"allOf", Keyword::all_of, applicator, Shape::list},
    Row{"anyOf", Keyword::any_of, applicator, Shape::list},
    Row{"oneOf", Keyword::one_of, applicator, Shape::list},
    Row{"not", Keyword::not_, applicator, Shape::schema},
    Row{"if", Keyword::if_, applicator, Shape::schema, draft7},
    Row{"then", Keyword::then, applicator, Shape::schema, draft7},
    Row{"else", Keyword::else_, applicator, Shape::schema, draft7},
    Row{"dependentSchemas", Keyword::dependent_schemas, applicator, Shape::map, draft2019_09},
    // Later drafts keep it for schemas that were written for earlier ones.
    Row{"dependencies", Keyword::dependencies, applicator, Shape::mixed_map},
    Row{"properties", Keyword::properties, applicator, Shape::map},
    Row{"patternProperties", Keyword::pattern_properties, applicator, Shape::map},
    Row{"additionalProperties", Keyword::additional_properties, applicator, Shape::schema},
    Row{"propertyNames", Keyword::property_names, applicator, Shape::schema, draft6},
    Row{"items", Keyword::items, applicator, Shape::schema_or_list},
    Row{"prefixItems", Keyword::prefix_items, applicator, Shape::list, draft2020_12},
    Row{"additionalItems", Keyword::additional_items, applicator, Shape::schema, draft4,
        draft2019_09},
    Row{"contains", Keyword::contains, applicator, Shape::schema, draft6},
    Row{"unevaluatedItems", Keyword::unevaluated_items, unevaluated, Shape::schema, draft2019_09},
    Row{"unevaluatedProperties", Keyword::unevaluated_properties, unevaluated, Shape::schema,
        draft2019_09},
    Row{"type", Keyword::type, validation},
    Row{"enum", Keyword::enum_, validation},
    Row{"const", Keyword::const_, validation, Shape::none, draft6},
    Row{"multipleOf", Keyword::multiple_of, validation},
    Row{"maximum", Keyword::maximum, validation},
    Row{"exclusiveMaximum", Keyword::exclusive_maximum, validation},
    Row{"minimum", Keyword::minimum, validation},
    Row{"exclusiveMinimum", Keyword::exclusive_minimum, validation},
    Row{"maxLength", Keyword::max_length, validation},
    Row{"minLength", Keyword::min_length, validation},
    Row{"pattern", Keyword::pattern, validation},
    Row{"maxItems", Keyword::max_items, validation},
    Row{"minItems", Keyword::min_items, validation},
    Row{"uniqueItems", Keyword::unique_items, validation},
    Row{"maxContains", Keyword::max_contains, validation, Shape::none, draft2019_09},
    Row{"minContains", Keyword::min_contains, validation, Shape::none, draft2019_09},
    Row{"maxProperties", Keyword::max_properties, validation},
    Row{"minProperties", Keyword::min_properties, validation},
    Row{"required", Keyword::required, validation},
    Row{"dependentRequired", Keyword::dependent_required, validation, Shape::none, draft2019_09},
    Row{"format", Keyword::format, Vocabulary::format},
    Row{"contentSchema", Keyword::content_schema, Vocabulary::content, Shape::schema, draft2019_09},
};

const Row* row_of(std::string_view name) {
    static const auto index = [] {
        std::unordered_map<std::string_view, const Row*> by_name;
        for (const auto& row : rows) by_name.emplace(row.name, &row);
        return by_name;
    }();
    auto found = index.find(name);
    return found == index.end() ? nullptr : found->second;
}

} // namespace

bool Dialect::has(Vocabulary vocabulary) const {
    switch (vocabulary) {
    case Vocabulary::applicator:
        return applicator;
    case Vocabulary::unevaluated:
        return unevaluated;
    case Vocabulary::validation:
        return validation;
    default:
        return true;
    }
}

KeywordInfo keyword_of(std::string_view name, const Dialect& dialect) {
    const auto* row = row_of(name);
    if (!row || dialect.draft < row->first || dialect.draft > row->last ||
        !dialect.has(row->vocabulary))
        return {};
    auto shape = row->shape;
    if (shape == Shape::schema_or_list && dialect.draft == draft2020_12) shape = Shape::schema;
    return {row->keyword, shape};
}

std::optional<Draft> draft_of(std::string_view uri) {
    if (uri.ends_with('#')) uri.remove_suffix(1);
    for (std::string_view scheme : {"https://", "http://"})
        if (uri.starts_with(scheme)) uri.remove_prefix(scheme.size());
    if (uri == "json-schema.org/draft/2020-12/schema") return draft2020_12;
    if (uri == "json-schema.org/draft/2019-09/schema") return draft2019_09;
    if (uri == "json-schema.org/draft-07/schema") return draft7;
    if (uri == "json-schema.org/draft-06/schema") return draft6;
    if (uri == "json-schema.org/draft-04/schema") return draft4;
    return std::nullopt;
}

Dialect dialect_of(const Json& meta_schema, Dialect otherwise) {
    auto dialect = otherwise;
    if (auto uri = string_member(meta_schema, "$schema"))
        if (auto draft = draft_of(*uri)) dialect.draft = *draft;
    const auto* vocabularies = object_member(meta_schema, "$vocabulary");
    if (!vocabularies) return dialect;
    dialect.applicator = dialect.unevaluated = dialect.validation = false;
    for (const auto& member : *vocabularies) {
        std::string_view uri(member.key().data(), member.key().size());
        if (uri.ends_with("/vocab/applicator")) dialect.applicator = true;
        if (uri.ends_with("/vocab/unevaluated")) dialect.unevaluated = true;
        if (uri.ends_with("/vocab/validation")) dialect.validation = true;
        if (uri.ends_with("/vocab/format-assertion")) dialect.assert_format = true;
    }
    if (dialect.draft == draft2019_09) dialect.unevaluated = dialect.applicator;
    return dialect;
}

} // namespace foxwedge::schema
