// What models' vendors add to a request before they count its tokens, as data: a prompt of their
// own about tools, another spelling of schemas. Measured on recorded usage (docs/agents,
// "Context").
#pragma once
#include <cstdint>
#include <string_view>

namespace foxwedge::agent {

struct Habits {
    std::string_view family;          ///< part of the model's name
    std::int64_t request = 4;         ///< tokens of every request
    std::int64_t tools = 0;           ///< of every request with tools, once
    std::int64_t tool = 12;           ///< of each tool beside its name, description, schema
    std::int64_t schema = 100;        ///< percent of a tool's inputSchema that is counted
    std::int64_t output = 0;          ///< of a shape, beside its schema
    std::int64_t output_schema = 100; ///< percent of a shape's schema that is counted
};

/// The habits of the model's family; the usual ones where the name says nothing. Pure.
const Habits& habits_of(std::string_view model);

} // namespace foxwedge::agent
