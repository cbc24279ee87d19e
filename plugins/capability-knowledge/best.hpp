// The best of many, kept without sorting all.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace knowledge {

/// Of equals the newest is the best. Entries come the newest first, so that of equals the first one
/// stays.
class Best {
public:
    explicit Best(std::size_t most) : most_(most), room_(std::max<std::size_t>(2 * most, 1024)) {}

    /// What scores no more is none of the best.
    float above() const { return above_; }
    void take(float score, std::int64_t number) {
        found_.push_back({score, number});
        if (found_.size() == room_) keep_best();
    }
    /// Those from `offset` on, the best first.
    std::vector<std::int64_t> from(std::size_t offset) {
        if (found_.size() > most_) keep_best();
        offset = std::min(offset, found_.size());
        const auto first = found_.begin() + static_cast<std::ptrdiff_t>(offset);
        if (first != found_.end()) std::nth_element(found_.begin(), first, found_.end(), better);
        std::sort(first, found_.end(), better);
        std::vector<std::int64_t> out;
        for (auto at = first; at != found_.end(); ++at) out.push_back(at->number);
        return out;
    }

private:
    struct Found {
        float score;
        std::int64_t number;
    };
    static bool better(const Found& one, const Found& other) {
        return one.score != other.score ? one.score > other.score : one.number > other.number;
    }

    void keep_best() {
        const auto worst = found_.begin() + static_cast<std::ptrdiff_t>(most_) - 1;
        std::nth_element(found_.begin(), worst, found_.end(), better);
        above_ = worst->score;
        found_.resize(most_);
    }

    const std::size_t most_, room_;
    float above_ = 0;
    std::vector<Found> found_;
};

} // namespace knowledge
