// Shell completion, made from the same source as --help so that the two cannot differ.
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace foxwedge::cli {

/// A script for bash (4 or newer) that completes commands, options and file names.
std::string bash_completion(const CLI::App&);

} // namespace foxwedge::cli
