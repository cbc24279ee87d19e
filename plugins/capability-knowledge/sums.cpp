#include "sums.hpp"

#include "postings.hpp"

namespace knowledge {

namespace {

// Loops over memory that is not shared, so that the compiler takes many steps at once.

void add_all(float* __restrict scores, const float* __restrict stretch,
             const std::uint8_t* __restrict row, std::size_t size, float worth) {
    for (std::size_t n = 0; n < size; ++n) {
        const auto often = static_cast<float>(row[n]);
        scores[n] += worth * (often / (often + stretch[n]));
    }
}

void count_all(std::uint8_t* __restrict terms, const std::uint8_t* __restrict row,
               std::size_t size) {
    for (std::size_t n = 0; n < size; ++n) terms[n] += row[n] != 0;
}

void set_once(float* __restrict once, const float* __restrict stretch, std::size_t size) {
    for (std::size_t n = 0; n < size; ++n) once[n] = 1 / (1 + stretch[n]);
}

} // namespace

void Sums::begin(const Lengths& lengths, double average_length, bool counts) {
    const auto size = (lengths.size() + run - 1) / run * run;
    lengths_ = lengths;
    lengths_.resize(size);
    scores_.assign(size, 0);
    stretch_.resize(size);
    once_.resize(size);
    counts_ = counts;
    if (counts_) terms_.assign(size, 0);
    const auto base = static_cast<float>(bm25_k1 * (1 - bm25_b));
    const auto per_word = static_cast<float>(bm25_k1 * bm25_b / average_length);
    for (std::size_t n = 0; n < size; ++n) stretch_[n] = base + per_word * lengths_[n];
    set_once(once_.data(), stretch_.data(), size);
}

void Sums::add(std::uint32_t place, std::uint32_t frequency, float worth) {
    const auto often = static_cast<float>(frequency);
    scores_[place] += worth * (often / (often + stretch_[place]));
    if (counts_) ++terms_[place];
}

bool Sums::add_list(std::string_view bytes, float worth) {
    const auto size = static_cast<std::uint32_t>(scores_.size());
    List list;
    if (!take_apart(bytes, size, list)) return false;
    if (!list.row.empty()) {
        add_row(reinterpret_cast<const std::uint8_t*>(list.row.data()), worth);
        return true;
    }
    float* const scores = scores_.data();
    const float* const once = once_.data();
    const auto add_once = [&](std::uint32_t place) { scores[place] += worth * once[place]; };
    const auto add_often = [&](std::uint32_t place, std::uint32_t frequency) {
        add(place, frequency, worth);
    };
    if (!counts_)
        return each_once(list.once, size, add_once) && each_often(list.often, size, add_often);
    const auto count_once = [&](std::uint32_t place) {
        add_once(place);
        ++terms_[place];
    };
    return each_once(list.once, size, count_once) && each_often(list.often, size, add_often);
}

void Sums::add_row(const std::uint8_t* row, float worth) {
    add_all(scores_.data(), stretch_.data(), row, scores_.size(), worth);
    if (counts_) count_all(terms_.data(), row, terms_.size());
}

bool Sums::any_with(std::size_t terms) const {
    const auto asked = static_cast<std::uint8_t>(terms);
    for (std::size_t first = 0; first < terms_.size(); first += run) {
        const std::uint8_t* const counts = &terms_[first];
        int found = 0;
        for (std::size_t n = 0; n < run; ++n) found |= counts[n] >= asked;
        if (found != 0) return true;
    }
    return false;
}

bool Sums::run_above(std::size_t first, float above) const {
    const float* const scores = &scores_[first];
    int found = 0;
    for (std::size_t n = 0; n < run; ++n) found |= scores[n] > above;
    return found != 0;
}

} // namespace knowledge
