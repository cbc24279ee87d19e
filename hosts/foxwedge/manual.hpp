// The manual page, made from the same source as --help so that the two cannot differ.
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace foxwedge::cli {

/// foxwedge.1 in troff (man macros).
std::string manual_page(const CLI::App&);

} // namespace foxwedge::cli
