// Asking a person at the terminal; a decision taken elsewhere withdraws the question.
#pragma once
#include <atomic>
#include <set>
#include <string>

#include "journal/engine.hpp"

namespace foxwedge::cli {

/// True if both standard input and standard error are terminals.
bool person_present();

enum class Stage {
    active, ///< executing here: more questions may come
    parked, ///< nothing but decisions is left
    over,   ///< nobody's answer counts any more
};

/// Asks each open question of the tree under `root`, until all are answered or put off and the run
/// is no longer active. On the calling thread. True if one was decided, here or elsewhere.
bool answer_questions(journal::Engine&, const std::string& root, const std::atomic<Stage>&,
                      std::set<std::string>& put_off);

} // namespace foxwedge::cli
