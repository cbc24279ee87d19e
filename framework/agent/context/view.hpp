// What of the history a model gets to see. Strategies choose by numbers of groups; here the numbers
// are kept, the choice is checked, and the messages are put together. Pure.
//
// Entries are the exchanges and the summaries in the order in which they came to be; their numbers
// only grow. A summary stands before everything it leaves.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/transcript.hpp"
#include "contracts/context_strategy.hpp"

namespace foxwedge::agent {

struct Summary {
    std::int64_t from = 0, to = 0; ///< entries that it covers: [from, to)
    std::string text;
};

/// A choice: what is shown of the entries.
struct View {
    std::int64_t keep_from = 0;
    std::vector<std::int64_t> pinned; ///< below keep_from
    std::string state;                ///< the strategy's own
    std::int64_t told = 0;            ///< entries that the strategy has been told of
};
Json to_json(const View&);
View view_from_json(const Json&);

class Context {
public:
    /// Call after each exchange that was appended to the transcript.
    void exchange_appended(std::int64_t estimated_tokens);
    void summary_accepted(Summary, std::int64_t estimated_tokens);
    void adopt(View view) { view_ = std::move(view); }
    const View& view() const { return view_; }

    /// What a strategy is to be told now; token counts are estimates times `factor`.
    ContextRequest request(const Transcript&, double factor) const;
    /// A plan as a view, within bounds: the newest exchange is always kept, what does not exist is
    /// not pinned.
    View checked(const ContextPlan&) const;

    /// Task, summary, pinned and kept exchanges: whole groups, in order.
    std::vector<Message> messages(const Transcript&) const;
    /// The messages of the exchanges among the entries [from, to), for a summary.
    std::vector<Message> covered(const Transcript&, std::int64_t from, std::int64_t to) const;
    /// Our estimates for the entries [from, to), and for all that the view shows.
    std::int64_t tokens(std::int64_t from, std::int64_t to) const;
    std::int64_t shown_tokens() const;
    std::size_t exchanges() const;
    std::int64_t size() const { return static_cast<std::int64_t>(entries_.size()); }

private:
    struct Entry {
        std::optional<std::size_t> group;   ///< index in the transcript
        std::optional<std::size_t> summary; ///< index in summaries_
        std::int64_t tokens = 0;
    };
    void append(Entry);

    std::vector<Entry> entries_;
    std::vector<std::int64_t> sums_{0}; ///< tokens of all entries below n: a turn adds up nothing
    std::optional<std::int64_t> newest_summary_; ///< its entry
    std::vector<Summary> summaries_;
    View view_;
};

/// How a summary is put before a model: as notes, not as a task.
Message summary_message(const Summary&);

} // namespace foxwedge::agent
