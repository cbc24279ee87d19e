// Documents and memory: two components of one plugin, because its store is theirs together.
#include "documents.hpp"
#include "memory.hpp"

FOXWEDGE_PLUGIN(foxwedge::plugin::component<knowledge::Documents>("workflow-knowledge"),
                foxwedge::plugin::component<knowledge::Memory>("workflow-memory"));
