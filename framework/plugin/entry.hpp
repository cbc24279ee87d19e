// What must hold for an entry and its factories before the host relies on them.
#pragma once
#include <map>
#include <string>

#include <foxwedge/abi.h>

#include "base/result.hpp"
#include "plugin/descriptor.hpp"

namespace foxwedge::plugin {

/// Sizes, versions and functions of an entry, read as data: runs nothing. Refusals `short_entry`,
/// `wrong_abi`, `null_function`, each with what was found and what was expected.
Status check_entry(const foxwedge_entry&);

/// The factories of an opened plugin by component index, compared with its descriptor: every
/// component of a known kind has one, no factory of a known kind lacks a component. Refusals
/// `short_factory`, `null_function`, `factory_mismatch`. Calls factory_at.
Result<std::map<const Component*, const foxwedge_factory*>> match_factories(const foxwedge_entry&,
                                                                            const Descriptor&);

/// An instance that `create` gave for a kind. Refusals `no_instance`, `short_instance`,
/// `null_function`.
Status check_instance(const foxwedge_instance*, std::string_view kind);

} // namespace foxwedge::plugin
