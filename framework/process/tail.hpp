// The last bytes of an endless text.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace foxwedge::process {

/// Keeps the last `capacity` bytes of what is appended, whether or not it has line ends. One
/// thread.
class Tail {
public:
    explicit Tail(std::size_t capacity) : capacity_(capacity) {}

    void append(std::string_view bytes) {
        total_ += bytes.size();
        if (bytes.size() > capacity_) bytes.remove_prefix(bytes.size() - capacity_);
        // Cutting only at twice the capacity makes each byte move once at most.
        if (kept_.size() + bytes.size() > 2 * capacity_) kept_.erase(0, kept_.size() - capacity_);
        kept_.append(bytes);
    }
    std::string text() const {
        return kept_.size() > capacity_ ? kept_.substr(kept_.size() - capacity_) : kept_;
    }
    std::size_t total() const { return total_; }

private:
    std::size_t capacity_;
    std::size_t total_ = 0;
    std::string kept_;
};

} // namespace foxwedge::process
