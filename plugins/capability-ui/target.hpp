// What a card opens, by kind. Checked here as far as it can be without opening it; whoever opens it
// checks again.
#pragma once
#include <string_view>

#include <foxwedge/json.hpp>

namespace ui {

using foxwedge::plugin::Value;

enum class Kind : unsigned char { knowledge, kv, project, kanban, browser, file };

/// Throws Refused at a word that names no kind.
Kind kind_of(std::string_view word);

/// The members of a target that the kind has, checked, ids in normal form. Throws Refused,
/// `input_validation` below /target.
Value checked_target(Kind, const Value& target);

} // namespace ui
