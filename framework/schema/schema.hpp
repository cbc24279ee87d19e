// JSON Schema 2020-12 and draft-07 (also 2019-09, draft-06, draft-04): compiled once, judged fast,
// all violations with pointers. Nothing is ever fetched, and nothing recurses on what strangers
// send.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace foxwedge::schema {

enum class Draft : std::uint8_t { draft4, draft6, draft7, draft2019_09, draft2020_12 };

/// Documents that references may reach besides the standard's own meta-schemas, by URI.
using Documents = std::map<std::string, Json, std::less<>>;

/// What a schema from outside, and judging one value by it, may cost.
struct Limits {
    std::size_t bytes = 256 * 1024; ///< of the schema's text, about
    std::size_t schemas = 5'000;    ///< subschemas
    std::size_t depth = 128;        ///< nested arrays and objects of the schema
    std::size_t steps = 2'000'000;  ///< subschemas applied to one value, and comparisons it takes
};

struct CompileOptions {
    Draft dialect = Draft::draft2020_12; ///< where `$schema` is absent or unknown
    bool assert_format = false;          ///< `format` is checked, not only noted
    bool strict_patterns = false;        ///< a pattern that RE2 cannot express is an error
    const Documents* documents = nullptr;
    Limits limits;
};

struct Violation {
    std::string instance_pointer; ///< the part of the value; RFC 6901
    std::string schema_pointer;   ///< the keyword that objects; behind "URI#" in another document
    std::string message;          ///< a sentence that lets a model correct itself
};

struct CheckOptions {
    std::size_t most_violations = 100;
};

/// An immutable compiled schema. Any thread.
class Schema {
public:
    /// Errors, all permanent: `invalid_schema` (a keyword is malformed, a local reference leads
    /// nowhere or in a circle), `remote_ref` (a reference to a document that is not at hand),
    /// `schema_too_complex` (over the limits), and with strict_patterns the errors of
    /// Pattern::compile. Details: {"schemaPointer": "…"}.
    static Result<Schema> compile(const Json& document, const CompileOptions& = {});

    /// True if `value` conforms. False too if the limit of steps ends the work.
    bool valid(const Json& value) const;
    /// What stands against `value`, in the order of the schema; empty if it conforms. Of
    /// alternatives that all fail, those of the nearest one follow. Where the limit of steps ends
    /// the work there is one alone, whose message starts with "schema_too_complex".
    std::vector<Violation> check(const Json& value, const CheckOptions& = {}) const;

    /// What was read as something else or is not checked: an unknown `$schema`, a pattern.
    const std::vector<std::string>& warnings() const;

    Schema(Schema&&) noexcept;
    Schema& operator=(Schema&&) noexcept;
    ~Schema();

private:
    struct State;
    explicit Schema(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

} // namespace foxwedge::schema
