// Asking a person at the terminal; a decision taken elsewhere withdraws the question.
#pragma once
#include <atomic>
#include <string>

#include "journal/engine.hpp"

namespace foxwedge::cli {

/// True if both standard input and standard error are terminals.
bool person_present();

/// Asks each open question of the tree under `root` until `ended`. On the calling thread.
void answer_questions(journal::Engine&, const std::string& root, const std::atomic<bool>& ended);

} // namespace foxwedge::cli
