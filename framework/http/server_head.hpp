// How a response is written. Pure.
#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "http/headers.hpp"

namespace foxwedge::http {

/// Status line and fields with their blank line. Refuses fields that would smuggle another.
Result<std::string> head_text(int status, const Headers&, bool keep_alive);
/// One piece of a chunked body.
std::string chunk_text(std::string_view bytes);
/// "Not Found"
std::string_view reason_of(int status);

} // namespace foxwedge::http
