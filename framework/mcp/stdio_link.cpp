#include "mcp/stdio_link.hpp"

#include <algorithm>

#include <sys/eventfd.h>
#include <unistd.h>

#include "mcp/pending.hpp"

namespace foxwedge::mcp {

using Steady = std::chrono::steady_clock;

std::shared_ptr<StdioLink> StdioLink::make(std::shared_ptr<process::Child> child,
                                           process::Loop& loop, LinkSetup setup) {
    return std::shared_ptr<StdioLink>(new StdioLink(std::move(child), loop, std::move(setup)));
}

StdioLink::StdioLink(std::shared_ptr<process::Child> child, process::Loop& loop, LinkSetup setup)
    : child_(std::move(child)), loop_(loop), setup_(std::move(setup)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), reader_(setup_.limits.frame_bytes) {}

StdioLink::~StdioLink() {
    loop_.unwatch(child_->out());
    ::close(wake_);
}

bool StdioLink::alive() const {
    std::lock_guard lock(mutex_);
    return !dead_;
}

void StdioLink::close() {
    {
        std::lock_guard lock(mutex_);
        dead_ = true;
        if (death_.empty()) death_ = "the connection was closed";
        for (auto& [id, pending] : pending_) settle(*pending, lost(Certainty::unknown));
    }
    stop_what_is_over();
    loop_.unwatch(child_->out());
    child_->stop();
}

void StdioLink::stop_what_is_over() {
    std::vector<std::stop_source> over;
    {
        std::lock_guard lock(mutex_);
        over.swap(over_);
    }
    for (auto& each : over) each.request_stop();
}

void StdioLink::notify(std::string_view method, std::string_view params_json) {
    std::lock_guard lock(mutex_);
    if (!dead_) (void)send(notification_line(method, params_json));
    watch_when_idle();
}

void StdioLink::listen(std::string params_json) {
    std::lock_guard lock(mutex_);
    if (!dead_) (void)send(request_line(next_id_++, "subscriptions/listen", params_json));
    watch_when_idle();
}

/// Wakes whoever waits for `pending` when the caller's stop token fires. Made and destroyed without
/// the mutex: the callback takes it.
struct StdioLink::Waker {
    StdioLink& link;
    Pending& pending;
    void operator()() const {
        std::lock_guard lock(link.mutex_);
        pending.ready.notify_one();
        const std::uint64_t one = 1;
        (void)!::write(link.wake_, &one, sizeof one);
    }
};

Result<Reply> StdioLink::request(std::string_view method, std::string_view params_json,
                                 const RequestOptions& options) {
    Pending mine;
    mine.progress_token = options.progress_token;
    mine.quiet = options.quiet;
    mine.takes_requests = options.server_requests != nullptr;
    std::optional<std::stop_callback<Waker>> waker;
    if (options.until.stop.stop_possible()) waker.emplace(options.until.stop, Waker{*this, mine});

    Lock lock(mutex_);
    if (dead_) return lost(Certainty::not_done);
    ++used_;
    mine.id = next_id_++;
    const Sent sent = send(request_line(mine.id, method, params_json));
    if (dead_) return lost(sent == Sent::nothing ? Certainty::not_done : Certainty::unknown);
    mine.quiet_end = Steady::now() + options.quiet;
    pending_.emplace(mine.id, &mine);
    auto reply = wait(lock, mine, options);
    pending_.erase(mine.id);
    hand_over();
    return reply;
}

Result<Reply> StdioLink::wait(Lock& lock, Pending& mine, const RequestOptions& options) {
    while (!mine.outcome) {
        if (!mine.progress.empty() || !mine.questions.empty()) {
            run_errands(lock, mine, options);
            continue;
        }
        if (options.until.stopped()) return give_up(mine, options);
        const auto now = Steady::now();
        auto end = mine.quiet_end;
        if (options.until.deadline) end = std::min(end, *options.until.deadline);
        if (now >= end) return give_up(mine, options);
        if (leading_) {
            mine.waiting = true;
            mine.ready.wait_until(lock, end);
            mine.waiting = false;
        } else {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
            lead(lock, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
        }
    }
    // Progress that came together with the answer is still news; a question is not.
    if (!mine.progress.empty()) run_errands(lock, mine, options);
    return std::move(*mine.outcome);
}

void StdioLink::lead(Lock& lock, int timeout_ms) {
    leading_ = true;
    const bool also_write = !backlog_.empty();
    lock.unlock();
    pump(timeout_ms, also_write);
    stop_what_is_over();
    lock.lock();
    leading_ = false;
}

void StdioLink::hand_over() {
    if (leading_) return;
    for (auto& [id, pending] : pending_) {
        if (!pending->waiting) continue;
        pending->ready.notify_one();
        return;
    }
    watch_when_idle();
}

void StdioLink::run_errands(Lock& lock, Pending& mine, const RequestOptions& options) {
    auto progress = std::exchange(mine.progress, {});
    std::optional<Request> question;
    if (!mine.questions.empty()) {
        question = std::move(mine.questions.front());
        mine.questions.pop_front();
        mine.asking = OpenQuestion{question->id, {}, false};
    }
    hand_over(); // the others go on while we are busy
    lock.unlock();
    if (options.on_progress)
        for (const Json& each : progress) options.on_progress(each);
    std::string answer;
    if (question) {
        Until until = options.until;
        until.stop = mine.asking->over.get_token();
        const std::stop_callback passed_on(
            options.until.stop, [over = mine.asking->over]() mutable { over.request_stop(); });
        const auto said =
            options.server_requests->answer(question->method, question->params, until);
        const auto* error = std::get_if<RpcError>(&said);
        answer = error ? error_line(question->id, *error)
                       : result_line(question->id, std::get<Json>(said));
    }
    lock.lock();
    if (!question) return;
    if (!dead_ && !mine.asking->taken_back) (void)send(std::move(answer));
    mine.asking.reset();
    // Time spent on the server's own question is not its silence.
    mine.quiet_end = Steady::now() + mine.quiet;
}

Error StdioLink::give_up(Pending& mine, const RequestOptions& options) {
    const bool stopped = options.until.stopped();
    const std::string why = stopped ? "the call was cancelled" : "the call took too long";
    if (options.cancellable && !dead_)
        (void)send(notification_line("notifications/cancelled",
                                     R"({"requestId":)" + std::to_string(mine.id) +
                                         R"(,"reason":)" + quoted(why) + "}"));
    if (stopped)
        return unknown_outcome("cancelled", why + " before \"" + setup_.server + "\" answered");
    return unknown_outcome(
        "timeout",
        "the MCP server \"" + setup_.server +
            "\" did not answer within its time (`timeout` of its entry, else limits.mcpCall)");
}

} // namespace foxwedge::mcp
