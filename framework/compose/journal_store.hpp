// The journal's store as agents read it.
#pragma once
#include <memory>
#include <string>

#include "agent/world.hpp"

namespace foxwedge::compose {

/// Folders of namespaces lie in "<journal_path>/folders/<namespace>".
std::unique_ptr<agent::StoreReader> journal_store(std::shared_ptr<journal::Engine> engine,
                                                  std::string journal_path);

} // namespace foxwedge::compose
