// What the strategy remembers from plan to plan: sums and the last exchanges, never the whole row.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <foxwedge/json.hpp>

namespace summarize {

struct Group {
    std::int64_t n = 0, tokens = 0;
};

struct State {
    std::int64_t keep_from = 0;     ///< first group that is shown
    std::int64_t shown = 0;         ///< tokens of the groups that are shown
    std::int64_t gone = 0;          ///< tokens of those that a summary took the place of
    std::int64_t last_summary = -1; ///< number of the newest summary
    std::int64_t asked = -1;        ///< a summary of [keep_from, asked) was asked for
    std::int64_t useless = 0;       ///< summaries in a row that did not help
    std::int64_t wait = 0;          ///< exchanges to pass before the next is asked for
    std::vector<Group> tail;        ///< the last exchanges, at most as many as stay whole

    /// Throws JsonError if the text is not one of its own.
    static State read(std::string_view text);
    std::string text() const;

    /// Takes in what came since the last plan: exchanges, and the summary that was asked for or the
    /// lack of it.
    void take(const foxwedge::plugin::Array& added, std::size_t keep_last);
    std::int64_t tail_tokens() const;
};

} // namespace summarize
