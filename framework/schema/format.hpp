// The formats of JSON Schema that are checked where `format` asserts.
#pragma once
#include <string_view>

namespace foxwedge::schema {

struct Format {
    std::string_view name;
    bool (*valid)(std::string_view text);
    std::string_view example; ///< for messages
};

/// Null for a format that is not known, which then accepts everything.
const Format* format_of(std::string_view name);

namespace format {
bool date_time(std::string_view);
bool date(std::string_view);
bool time(std::string_view);
bool duration(std::string_view);
bool email(std::string_view);
bool hostname(std::string_view);
bool ipv4(std::string_view);
bool ipv6(std::string_view);
bool uri(std::string_view);
bool uri_reference(std::string_view);
bool uuid(std::string_view);
bool json_pointer(std::string_view);
bool relative_json_pointer(std::string_view);
} // namespace format

} // namespace foxwedge::schema
