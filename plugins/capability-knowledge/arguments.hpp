// The limits of both tools, and what they read alike.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/fields.hpp"
#include "index.hpp"

namespace knowledge {

using capability_kit::Fields, foxwedge::plugin::Value;

// Unicode code points.
constexpr std::size_t max_title = 200, max_id = 200, max_query = 500;
constexpr std::size_t max_markdown = 200'000, max_memory = 100'000;

/// An id in normal form, not empty. `what` is the field.
std::string id_of(const Fields&, std::string_view field, std::size_t most);
/// `query`, `cursor` and `limit` of a search.
Question question_of(const Fields&);
/// `cursor` of a list: after which revision it goes on.
std::int64_t list_place_of(const Fields&);

/// The page as the tools answer it: {<name>: [{<id_field>, title, revision, snippet?}], cursor?};
/// ids without their first `skipped` bytes.
Value page_of(const Page&, std::string_view name, std::string_view id_field, std::size_t skipped);

/// The tools as they are listed.
Value documents_definition();
Value memory_definition();

} // namespace knowledge
