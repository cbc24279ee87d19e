// What the tests of this layer share.
#pragma once
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "schema/schema.hpp"

namespace foxwedge::schema {

inline Json json(std::string_view text) {
    auto value = parse_json(text);
    BOOST_TEST_REQUIRE(value.ok(), text << ": " << (value ? "" : value.error().message));
    return *value;
}

inline Schema compiled(std::string_view schema, const CompileOptions& options = {}) {
    auto result = Schema::compile(json(schema), options);
    BOOST_TEST_REQUIRE(result.ok(), schema << ": " << (result ? "" : result.error().message));
    return *std::move(result);
}

inline Error refused(std::string_view schema, const CompileOptions& options = {}) {
    auto result = Schema::compile(json(schema), options);
    BOOST_TEST_REQUIRE(!result.ok(), schema);
    return result.error();
}

/// "instance | schema | message" of each violation, a line each.
inline std::string violations(const Schema& schema, std::string_view value) {
    std::string lines;
    for (const auto& violation : schema.check(json(value))) {
        if (!lines.empty()) lines += "\n";
        lines += violation.instance_pointer + " | " + violation.schema_pointer + " | " +
                 violation.message;
    }
    return lines;
}

} // namespace foxwedge::schema
