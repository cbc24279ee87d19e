// Shared by the readers of this layer: errors that point at the member that is wrong.
#pragma once
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace foxwedge {

/// "`pointer`: `what`" with details {"pointer"}.
Error shape_error(std::string_view code, std::string_view pointer, std::string_view what);

/// A required text member.
Result<std::string> text_at(const Json& object, std::string_view key, std::string_view code,
                            std::string_view pointer);
/// An optional text member: "" when absent, an error when it is no text.
Result<std::string> text_or_empty(const Json& object, std::string_view key, std::string_view code,
                                  std::string_view pointer);
/// An optional boolean member.
Result<bool> bool_or(const Json& object, std::string_view key, bool absent, std::string_view code,
                     std::string_view pointer);

} // namespace foxwedge
