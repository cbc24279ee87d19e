// Compiled schemas and rules of one plugin, by handle and by text.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "base/json.hpp"
#include "rule/rule.hpp"
#include "schema/schema.hpp"

namespace foxwedge::plugin {

/// A rule with the names that it may use, in the order of its values.
struct NamedRule {
    rule::Rule rule;
    std::vector<std::string> names;
    /// With the members of `values`; one that is absent cannot be used.
    Result<Json> evaluate(const JsonObject& values) const;
};
using CompiledSchema = std::shared_ptr<const schema::Schema>;
using CompiledRule = std::shared_ptr<const NamedRule>;

/// Any thread.
class Judges {
public:
    Result<std::uint64_t> compile_schema(const Json& schema);
    Result<std::uint64_t> compile_rule(std::string_view text, std::vector<std::string> names);
    /// Error `not_found` for a handle that was never given or was given back.
    Status release(std::uint64_t handle);
    /// `not_found` too for a handle of the other sort.
    Result<CompiledSchema> schema_of(std::uint64_t handle) const;
    Result<CompiledRule> rule_of(std::uint64_t handle) const;
    /// Compiled on the first use, and kept for the next ones.
    Result<CompiledSchema> schema_for(const Json& schema);
    Result<CompiledRule> rule_for(std::string_view text, std::vector<std::string> names);

private:
    using Compiled = std::variant<CompiledSchema, CompiledRule>;
    Result<std::uint64_t> keep(Compiled);
    template <class Sort>
    Result<Sort> by_handle(std::uint64_t) const;
    template <class Sort, class Make>
    Result<Sort> seen(const std::string& text, Make);

    mutable std::mutex mutex_;
    std::uint64_t last_ = 0;
    std::map<std::uint64_t, Compiled> handles_;
    std::map<std::string, Compiled> seen_;
};

} // namespace foxwedge::plugin
