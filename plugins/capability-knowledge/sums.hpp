// What the documents of one block have gathered for a question, place by place. All of it stays in
// the processor's nearest caches, and is worked on in runs that the processor does at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace knowledge {

/// The lengths of a block's documents in words, by place; 0 for what is no longer there.
using Lengths = std::vector<std::uint16_t>;
/// A longer document counts as one of this length.
constexpr std::int64_t longest = 65'535;

constexpr double bm25_k1 = 1.2, bm25_b = 0.75; ///< the usual ones

class Sums {
public:
    /// Begins with a block whose documents are so long. `counts`: whether `terms_at` is asked for.
    void begin(const Lengths&, double average_length, bool counts);

    /// One document has a term so often; `worth` is that of the term.
    void add(std::uint32_t place, std::uint32_t frequency, float worth);
    /// All that a list of the block says. False if these bytes are none.
    bool add_list(std::string_view bytes, float worth);

    /// Whether a document has so many of the terms that were added.
    bool any_with(std::size_t terms) const;
    /// Calls `take(place, score)` for each document that has so many terms and more than
    /// `above()`, from the last place to the first.
    template <class Above, class Take>
    void each_with(std::size_t terms, Above&& above, Take&& take) const;

private:
    static constexpr std::size_t run = 16; ///< places that are worked on at once

    bool is_there(std::size_t place, std::size_t terms) const {
        return lengths_[place] != 0 && (!counts_ || terms_[place] >= terms);
    }
    /// Whether a score of the run from `first` on is above.
    bool run_above(std::size_t first, float above) const;
    void add_row(const std::uint8_t* row, float worth);

    // Their sizes are a whole number of runs.
    Lengths lengths_;
    std::vector<float> scores_;
    std::vector<float> stretch_; ///< how little an occurrence counts in a document of that length
    std::vector<float> once_;    ///< what one occurrence counts
    std::vector<std::uint8_t> terms_;
    bool counts_ = false;
};

template <class Above, class Take>
void Sums::each_with(std::size_t terms, Above&& above, Take&& take) const {
    for (std::size_t first = scores_.size(); first > 0;) {
        first -= run;
        if (!run_above(first, above())) continue;
        for (std::size_t place = first + run; place > first;)
            if (--place; scores_[place] > above() && is_there(place, terms))
                take(place, scores_[place]);
    }
}

} // namespace knowledge
