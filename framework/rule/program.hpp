// A checked rule: nodes that refer to each other by number.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/pattern.hpp"
#include "rule/rule.hpp"
#include "rule/value.hpp"

namespace foxwedge::rule {

using NodeId = std::uint32_t;

enum class Op : std::uint8_t {
    constant,
    name,   ///< first: which of the names
    local,  ///< first: which of the variables of the macros around
    select, ///< a . text
    has,    ///< the same as a question
    index,  ///< a [ b ]
    list,   ///< args
    map,    ///< args: key, value, key, value …
    call,   ///< function over args
    condition,
    and_,
    or_,
    not_,
    negate,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    in,
    // Macros: over a, with the variable `first`; b is the condition or the result, c the result.
    all,
    exists,
    exists_one,
    map_each,
    filter,
};

struct Function;

struct Node {
    Op op = Op::constant;
    NodeId a = 0;
    NodeId b = 0;
    NodeId c = 0;
    std::uint32_t first = 0; ///< of args, or as the op says
    std::uint32_t count = 0;
    std::int32_t pattern = -1; ///< of a constant pattern, for `matches`
    std::uint32_t depth = 1;
    const Function* function = nullptr;
    Value value; ///< of a constant; the text of a select
};

struct Program {
    std::vector<Node> nodes;
    std::vector<NodeId> args;
    std::vector<std::unique_ptr<std::string>> texts; ///< what constants point into
    std::vector<Pattern> patterns;
    NodeId root = 0;
    std::uint32_t variables = 0; ///< most of them in use at once
    std::size_t steps = 0;
    bool strict = false; ///< the standard: numbers of different kinds do not mix in arithmetic
};

struct CompileOptions {
    std::vector<std::string> names;
    std::string container; ///< names are looked for in this namespace first
    bool strict = false;
    bool checked = true; ///< false: an unknown name or function fails only where it is reached
    Limits limits;
};
Result<Program> compile(std::string_view text, const CompileOptions&);

} // namespace foxwedge::rule
