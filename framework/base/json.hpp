// JSON texts and values. Boost.JSON holds the values; reading and writing are ours because
// Boost.JSON 1.81 rounds doubles wrongly, accepts what overflows and has no positions.
// RFC 8259 for texts, RFC 6901 for pointers, RFC 8785 for the canonical form.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include "base/result.hpp"

namespace foxwedge {

using Json = boost::json::value;
using JsonArray = boost::json::array;
using JsonObject = boost::json::object;

/// What a text from outside may cost.
struct JsonLimits {
    std::size_t depth = 128;              ///< nested arrays and objects
    std::size_t bytes = 64 * 1024 * 1024; ///< of text
};

/// Reads one JSON text. Numbers: an integer literal that fits is int64 or uint64, every other
/// number the nearest double ("-0" too). Half a surrogate pair becomes U+FFFD. A number beyond the
/// range of a double, a duplicate key, invalid UTF-8, too deep, too long: error `invalid_json` with
/// details {"line", "column", "offset"} (from 1, 1, 0; columns in bytes). Any thread.
Result<Json> parse_json(std::string_view text, const JsonLimits& = {},
                        boost::json::storage_ptr = {});

/// Writes compact JSON: shortest digits that read back as the same value and kind, except that a
/// whole double below 2^53 reads back as an integer; NaN and infinities become null. Any depth, any
/// thread.
std::string to_text(const Json&);
void append_text(std::string& out, const Json&);
/// For people: indented by `indent` blanks.
std::string to_pretty_text(const Json&, int indent = 2);

/// The one text of a value that digests are taken over: RFC 8785 (members sorted by UTF-16 code
/// units), except that 64-bit integers keep all their digits. Version: see canonical_version.
std::string canonical_text(const Json&);
void append_canonical(std::string& out, const Json&);
inline constexpr int canonical_version = 1;

/// `text` as a JSON string literal, quotes included. Invalid UTF-8 becomes U+FFFD.
std::string quoted(std::string_view text);
void append_quoted(std::string& out, std::string_view text);

/// The member or element at an RFC 6901 pointer, or null. Any thread.
const Json* at_pointer(const Json&, std::string_view pointer);
/// `pointer` with one more token, escaped.
std::string pointer_append(std::string_view pointer, std::string_view token);
std::string pointer_append(std::string_view pointer, std::size_t index);

/// Member `key` of an object with that kind, or nothing: for reading untrusted values.
const Json* member(const Json& object, std::string_view key);
std::optional<std::string_view> string_member(const Json& object, std::string_view key);
std::optional<std::int64_t> integer_member(const Json& object, std::string_view key);
std::optional<double> number_member(const Json& object, std::string_view key);
std::optional<bool> bool_member(const Json& object, std::string_view key);
const JsonObject* object_member(const Json& object, std::string_view key);
const JsonArray* array_member(const Json& object, std::string_view key);

/// True if the two are equal as JSON Schema means it: 1 equals 1.0, objects regardless of order.
bool equal(const Json&, const Json&);

inline std::string_view view(const boost::json::string& s) {
    return {s.data(), s.size()};
}

} // namespace foxwedge
