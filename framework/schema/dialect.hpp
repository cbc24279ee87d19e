// Drafts and keywords: which keyword exists where, and where its subschemas are.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "schema/schema.hpp"

namespace foxwedge::schema {

enum class Keyword : std::uint8_t {
    unknown,
    // core
    id,
    old_id,
    schema,
    ref,
    dynamic_ref,
    recursive_ref,
    anchor,
    dynamic_anchor,
    recursive_anchor,
    defs,
    // applicators
    all_of,
    any_of,
    one_of,
    not_,
    if_,
    then,
    else_,
    dependent_schemas,
    dependencies,
    properties,
    pattern_properties,
    additional_properties,
    property_names,
    items,
    prefix_items,
    additional_items,
    contains,
    unevaluated_items,
    unevaluated_properties,
    // assertions
    type,
    enum_,
    const_,
    multiple_of,
    maximum,
    exclusive_maximum,
    minimum,
    exclusive_minimum,
    max_length,
    min_length,
    pattern,
    max_items,
    min_items,
    unique_items,
    max_contains,
    min_contains,
    max_properties,
    min_properties,
    required,
    dependent_required,
    format,
    content_schema,
};

/// Where a keyword's value holds subschemas.
enum class Shape : std::uint8_t { none, schema, list, map, schema_or_list, mixed_map };

enum class Vocabulary : std::uint8_t { core, applicator, unevaluated, validation, format, content };

/// How a resource is to be read.
struct Dialect {
    Draft draft = Draft::draft2020_12;
    bool applicator = true;
    bool unevaluated = true;
    bool validation = true;
    bool assert_format = false;

    bool has(Vocabulary) const;
};

struct KeywordInfo {
    Keyword keyword = Keyword::unknown;
    Shape shape = Shape::none;
};
/// What `name` is in this dialect; unknown if it is nothing.
KeywordInfo keyword_of(std::string_view name, const Dialect&);

/// The draft that a `$schema` names.
std::optional<Draft> draft_of(std::string_view uri);
/// The dialect of a meta-schema of someone's own, by its `$vocabulary`.
Dialect dialect_of(const Json& meta_schema, Dialect otherwise);

} // namespace foxwedge::schema
