// What is said about violations: sentences from which a model can correct its arguments.
#pragma once
#include <string>
#include <string_view>

#include "schema/program.hpp"

namespace foxwedge::schema::explain {

std::string type(std::uint8_t types, const Json& value);
std::string choice(const ChoicePart&, const Json& value);
std::string length(std::string_view relation, std::size_t bound, std::string_view text);
std::string pattern(const Json& schema, const Json& value);
std::string format(const Format&, const Json& value);
std::string bound(std::string_view relation, const Json& bound, const Json& value);
std::string count(std::string_view relation, std::size_t bound, std::size_t size,
                  std::string_view what);
std::string missing(std::string_view name);
std::string needed(std::string_view name, std::string_view trigger);
std::string unknown_property(std::string_view name, const MembersPart&);
std::string unexpected_property(std::string_view name);
std::string contains(const ContainsPart&, std::size_t count);
std::string alternatives(std::size_t matches, std::size_t count, bool nearest_follows);
std::string forbidden(const Json& schema);

} // namespace foxwedge::schema::explain
