#include "plugin/lent.hpp"

#include <algorithm>

namespace foxwedge::plugin {

void Masking::learn(std::string_view name, std::string_view value) {
    std::lock_guard lock(mutex_);
    const bool is_known = std::any_of(known_.begin(), known_.end(),
                                      [&](const auto& known) { return known.value == value; });
    if (is_known) return;
    known_.push_back({std::string(name), std::string(value)});
    masker_ = std::make_shared<const Masker>(known_);
}

std::string Masking::masked(std::string_view text) const {
    std::shared_ptr<const Masker> masker;
    {
        std::lock_guard lock(mutex_);
        masker = masker_;
    }
    if (!first_) return masker ? masker->masked(text) : std::string(text);
    auto once = first_(text);
    return masker ? masker->masked(once) : once;
}

} // namespace foxwedge::plugin
