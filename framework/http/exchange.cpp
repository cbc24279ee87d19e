#include "http/exchange.hpp"

#include <utility>

namespace foxwedge::http {

void Exchange::set_sending() {
    std::lock_guard lock(mutex_);
    sending_ = true;
}

bool Exchange::sending() const {
    std::lock_guard lock(mutex_);
    return sending_;
}

void Exchange::set_head(ResponseHead head) {
    std::lock_guard lock(mutex_);
    head_ = std::move(head);
    changed_.notify_all();
}

bool Exchange::push(std::string_view bytes) {
    std::lock_guard lock(mutex_);
    if (!queue_.empty() && queue_.size() + bytes.size() > queue_bytes_) {
        paused_ = true;
        return false;
    }
    queue_.append(bytes);
    changed_.notify_all();
    return true;
}

void Exchange::finish(Status status) {
    std::lock_guard lock(mutex_);
    if (!done_) done_ = std::move(status);
    changed_.notify_all();
}

void Exchange::refuse(Error error) {
    std::lock_guard lock(mutex_);
    refused_ = std::move(error);
}

std::optional<Error> Exchange::refused() const {
    std::lock_guard lock(mutex_);
    return refused_;
}

template <class Ready>
Status Exchange::wait(std::unique_lock<std::mutex>& lock, const Until& until, Millis idle,
                      Ready ready) {
    using Steady = std::chrono::steady_clock;
    const auto given_up = [&](std::string code, std::string message) {
        return Error{std::move(code),
                     std::move(message),
                     sending_ ? Certainty::unknown : Certainty::not_done,
                     {},
                     {}};
    };
    std::optional<Steady::time_point> silent_at;
    if (idle.count() > 0) silent_at = Steady::now() + idle;
    auto end = until.deadline;
    if (silent_at && (!end || *silent_at < *end)) end = silent_at;

    bool is_ready = false;
    if (end)
        is_ready = changed_.wait_until(lock, until.stop, *end, ready);
    else
        is_ready = changed_.wait(lock, until.stop, ready);
    if (is_ready) return {};
    const auto host = request.url.origin();
    if (until.stopped()) return given_up("cancelled", "the request to " + host + " was given up");
    if (until.overdue()) return given_up("timeout", host + " did not answer in time");
    return given_up("timeout", host + " sent nothing for " + to_human_text(idle));
}

Result<ResponseHead> Exchange::head(const Until& until, Millis idle) {
    std::unique_lock lock(mutex_);
    FOXWEDGE_CHECK(wait(lock, until, idle, [&] { return head_ || done_; }));
    if (head_) return *head_;
    if (!*done_) return done_->error();
    return unknown_outcome("connection_lost", request.url.origin() + " answered nothing");
}

Result<std::string> Exchange::next(const Until& until, Millis idle, bool& resume) {
    std::unique_lock lock(mutex_);
    FOXWEDGE_CHECK(wait(lock, until, idle, [&] { return !queue_.empty() || done_; }));
    resume = std::exchange(paused_, false);
    if (!queue_.empty()) return std::exchange(queue_, {});
    if (!*done_) return done_->error();
    return std::string();
}

} // namespace foxwedge::http
