// The functions that rules may call.
#pragma once
#include <span>
#include <string_view>

#include "rule/program.hpp"

namespace foxwedge::rule {

/// What a function sees of the evaluation.
struct Context {
    Arena& arena;
    std::size_t& steps;
    const Program& program;
    const Node& node;
};

using Arguments = std::span<const Value>;

/// A function, or a method whose receiver is its first argument. It gets no failed arguments.
struct Function {
    std::string_view name;
    bool method;
    std::size_t least; ///< arguments, the receiver among them
    std::size_t most;
    Value (*call)(Arguments, Context&);
};

/// Null if there is none of that name and number of arguments.
const Function* function_of(std::string_view name, bool method, std::size_t arguments);
/// True if some function has the name, whatever its arguments.
bool is_function(std::string_view name);

inline constexpr const char* no_overload = "no such overload: an operand has the wrong type";

std::span<const Function> conversion_functions();
std::span<const Function> string_functions();
std::span<const Function> list_functions();
std::span<const Function> time_functions();

/// RFC 3339 to timestamp, "1h30m" to duration; failures where they are not.
Value parse_timestamp(std::string_view);
Value parse_duration_text(std::string_view);
std::string timestamp_text(const Value&);
std::string duration_text(const Value&);
/// Timestamps and durations: what + and - mean.
Value add_times(const Value&, const Value&);
Value subtract_times(const Value&, const Value&);

} // namespace foxwedge::rule
