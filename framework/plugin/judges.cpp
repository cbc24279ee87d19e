#include "plugin/judges.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::size_t most_handles = 10'000;
constexpr std::size_t most_seen = 256; // then all are forgotten: simple, and rarely reached

Result<Judges::Compiled> compiled(const Json& schema) {
    auto made = schema::Schema::compile(schema);
    if (!made) return std::move(made).error();
    return std::make_shared<const schema::Schema>(std::move(*made));
}

Error no_handle() {
    return permanent("not_found", "there is no such handle");
}

} // namespace

Result<std::uint64_t> Judges::compile(const Json& schema) {
    FOXWEDGE_TRY(made, compiled(schema));
    std::lock_guard lock(mutex_);
    if (handles_.size() >= most_handles)
        return permanent("too_many", "too many handles are open: release some");
    handles_.emplace(++last_, made);
    return last_;
}

Status Judges::release(std::uint64_t handle) {
    std::lock_guard lock(mutex_);
    if (handles_.erase(handle) == 0) return no_handle();
    return {};
}

Result<Judges::Compiled> Judges::by_handle(std::uint64_t handle) const {
    std::lock_guard lock(mutex_);
    const auto it = handles_.find(handle);
    if (it == handles_.end()) return no_handle();
    return it->second;
}

Result<Judges::Compiled> Judges::of(const Json& schema) {
    const auto text = to_text(schema);
    {
        std::lock_guard lock(mutex_);
        if (const auto it = seen_.find(text); it != seen_.end()) return it->second;
    }
    FOXWEDGE_TRY(made, compiled(schema));
    std::lock_guard lock(mutex_);
    if (seen_.size() >= most_seen) seen_.clear();
    seen_.emplace(text, made);
    return made;
}

} // namespace foxwedge::plugin
