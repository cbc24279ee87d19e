// A run as people read it: its turns, and under each what was called, asked and decided.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/budget/spent.hpp"
#include "base/clock.hpp"
#include "journal/engine.hpp"

namespace foxwedge::cli {

struct TimelineRow {
    int depth = 0;    ///< 0: the run's own steps and turns; 1: what a turn did
    std::string mark; ///< "▸" turn, "·" step, "?" question, "○" not started
    std::string what; ///< "turn 1", "refund_order", …
    std::string kind;
    std::string took;   ///< "12 ms", "waiting 3 min"
    std::string remark; ///< calls of a turn, an error, a decision
    enum class State { done, running, waiting, failed, not_started } state = State::done;
    std::string step = {}; ///< the step's whole name, as --at and --request take it
};

/// Rows for the children of one lane, in place of the records of their starts and ends.
using ChildRows = std::function<std::vector<TimelineRow>(const std::string& lane)>;

/// Pure: the same records give the same rows.
std::vector<TimelineRow> timeline(const std::vector<journal::Record>&,
                                  const std::vector<journal::Gate>&, Time now,
                                  const ChildRows& children = {});

/// What all steps together have cost, children that they waited for included.
agent::Spent total_spent(const std::vector<journal::Record>&);

/// "support  succeeded  3 turns  2,310 in · 412 out tokens  $0.013".
std::string summary(const journal::RunHead&, const std::vector<journal::Record>&,
                    const agent::Spent&);

/// With `names` the steps' whole names stand in the place of short ones.
void print_rows(const std::vector<TimelineRow>&, bool names = false);

/// Why a question is put again, indented: "  The arguments do not fit …"; "" for a first one.
std::string reason_of(const Json& about);

/// "foxwedge approvals again 01JD… --resume   (or use, giveUp)": in the words that it takes.
std::string way_to_answer(const journal::Gate&);

/// What a question looks like: tool, arguments, risk, summary, how to answer it.
void print_question(const journal::Gate&, Time now);

} // namespace foxwedge::cli
