// From a schema's JSON to a Program.
#pragma once
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "schema/library.hpp"
#include "schema/program.hpp"

namespace foxwedge::schema {

/// Compiles what the root reaches, subschema by subschema, without recursion.
class Compiler {
public:
    Compiler(const CompileOptions&, Library&, Program&, std::vector<std::string>& warnings);
    Status run(const Json& document);

private:
    /// The keywords of one subschema, gathered before ops are laid out in their order.
    struct Draft_;

    NodeId node_for(Location);
    Status compile(NodeId);
    Status keyword(Draft_&, Keyword, const Json& value);
    Status subschemas(Draft_&, Keyword, const Json& value);
    Status assertion(Draft_&, Keyword, const Json& value);
    Status string_keyword(Draft_&, Keyword, const Json& value);
    Status number_keyword(Draft_&, Keyword, const Json& value);
    Status count_keyword(Draft_&, Keyword, const Json& value);
    Status types(Draft_&, const Json& value);
    Status choice(Draft_&, Keyword, const Json& value);
    Status required(Draft_&, const Json& value);
    Status properties(Draft_&, const Json& value);
    Status pattern_properties(Draft_&, const Json& value);
    Status dependencies(Draft_&, Keyword, const Json& value);
    Status needs(Draft_&, std::string_view trigger, const Json& names, const Json& keyword);
    Status list(Draft_&, OpKind, const Json& value);
    Status reference(Draft_&, Keyword, const Json& value);
    Status dynamic_reference(Draft_&, std::string_view name, Location fallback, const Json& value);
    Result<std::int32_t> pattern(Draft_&, const Json& value, std::string_view text);
    Status lay_out(Draft_&);
    Result<NodeId> sub(const Draft_&, const Json& value);
    Error malformed(const Draft_&, const Json& value, const char* expected) const;

    /// Adds the places that dynamic references may lead to; true if there were new ones.
    bool extend_dynamics();
    /// Leads past nodes that only refer to another one.
    void shorten();
    Status no_circles() const;

    const CompileOptions& options_;
    Library& library_;
    Program& program_;
    std::vector<std::string>& warnings_;
    std::unordered_map<const Json*, NodeId> by_schema_;
    std::deque<Location> queue_; ///< of the nodes that are not compiled yet, in their order
    std::unordered_map<std::string_view, std::int32_t> pattern_of_;
    std::vector<std::string> dynamic_names_; ///< beside program_.dynamics
    std::size_t compiled_ = 0;
};

} // namespace foxwedge::schema
