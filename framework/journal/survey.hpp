// Walking through a whole journal in child processes: whatever kills the walker costs one row or
// the rest of a broken page, not the walk.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "journal/environment.hpp"
#include "journal/isolated.hpp"
#include "journal/maintenance.hpp"

namespace foxwedge::journal {

/// What is done with one row, inside the child. `say` takes lines for `line` below.
using VisitRow =
    std::function<void(Txn&, std::string_view key, std::string_view value, const Say& say)>;

/// Visits every row of `table` that can be reached, from both ends if the middle is broken. `line`
/// gets what visits say; `broken` is told of places that killed the walker, with the row's key.
Status walk(const std::string& path, Table table, const VisitRow& visit,
            const std::function<void(std::string_view line)>& line,
            const std::function<void(const std::string& key, const std::string& how)>& broken);

/// A problem as a line, and back.
std::string problem_line(const Problem&);
std::optional<Problem> problem_of(std::string_view line);

/// One run's row, records and gates as lines of an export, after "> "; problems as problem lines;
/// `counts` as "# runs records".
void survey_run(Txn&, std::string_view key, const Say&, bool with_content);
void survey_gate(Txn&, std::string_view key, const Say&, bool with_content);
void survey_item(Txn&, std::string_view key, std::string_view row, const Say&, bool with_content);
void survey_content(Txn&, std::string_view key, const Say&);

} // namespace foxwedge::journal
