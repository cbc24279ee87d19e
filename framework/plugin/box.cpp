#include "plugin/box.hpp"

#include <algorithm>
#include <array>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/text.hpp"
#include "plugin/box_parts.hpp"
#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_queued = 64u << 20;  // bytes that wait for one call's thread
constexpr std::size_t longest_words = 2 * 1024; // of a dead box's stderr
constexpr Millis for_exit_code{1'000};

} // namespace

Box::Box(const BoxSetting& setting, std::shared_ptr<process::Child> child)
    : setting_(setting), child_(std::move(child)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      pump_([this] { pump(); }) {}

Result<std::shared_ptr<Box>> Box::start(const BoxSetting& setting) {
    FOXWEDGE_TRY(child, setting.children.start(setting.command));
    std::shared_ptr<Box> box(new Box(setting, std::move(child)));
    FOXWEDGE_CHECK(box->open());
    return box;
}

Status Box::open() {
    Waiting waiting(*this);
    send(FrameKind::open, waiting.id, packed(setting_.opening));
    const auto& limits = setting_.runtime.limits;
    const auto frame = waiting.next({}, Clock::now() + limits.open + limits.create + limits.grace);
    if (!frame) {
        const bool died = dead();
        left_ = true; // it is killed, not asked to leave
        return refusal("open_failed",
                       died ? "its process " + death() + " while it was opened"
                            : "its process did not get it ready in time",
                       "see what the plugin needs");
    }
    FOXWEDGE_TRY(answer, answer_from(frame->body));
    placements_ = static_cast<std::uint32_t>(std::strtoul(answer.c_str(), nullptr, 10));
    return {};
}

Box::~Box() {
    {
        std::unique_lock lock(mutex_);
        for (const auto& [seq, errand] : errands_) errand->stop.request_stop();
        errands_done_.wait(lock, [&] { return errands_.empty(); });
        closing_ = true;
    }
    wake();
    pump_.join();
    ::close(wake_);
    if (left_) child_->kill();
}

bool Box::usable() const {
    std::lock_guard lock(mutex_);
    return !dead_ && !left_;
}
bool Box::dead() const {
    std::lock_guard lock(mutex_);
    return dead_;
}

std::string Box::death() const {
    const auto exit = child_->ended_within(Until{}.within(for_exit_code));
    auto text = exit ? process::to_text(*exit) : std::string("closed its line to the host");
    auto words = setting_.runtime.masking->masked(to_utf8(child_->stderr_tail()));
    if (words.size() > longest_words)
        words = to_utf8(std::string_view(words).substr(words.size() - longest_words));
    const auto last = trimmed(words);
    if (!last.empty()) text.append(", its last words: ").append(last);
    return text;
}

// ---- frames out ----

void Box::wake() {
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
}

void Box::send(FrameKind kind, std::uint64_t id, std::string body) {
    auto bytes = encoded({kind, id, std::move(body)});
    std::lock_guard lock(writing_);
    if (unsent_.empty()) {
        const auto written = child_->write(bytes);
        if (written < 0) return; // its end shows where it is read
        bytes.erase(0, static_cast<std::size_t>(written));
        if (bytes.empty()) return;
    }
    unsent_ += bytes;
    wake();
}

void Box::flush() {
    std::lock_guard lock(writing_);
    if (unsent_.empty()) return;
    const auto written = child_->write(unsent_);
    if (written < 0)
        unsent_.clear();
    else
        unsent_.erase(0, static_cast<std::size_t>(written));
}

void Box::reply(std::uint64_t seq, const Result<std::string>& answer) {
    send(FrameKind::reply, seq, packed(answer));
}

// ---- frames in, on the pump's thread, which never blocks on anything but its poll ----

void Box::pump() {
    FrameReader reader;
    for (;;) {
        bool unsent = false;
        {
            std::lock_guard lock(writing_);
            unsent = !unsent_.empty();
        }
        std::array<pollfd, 3> watched{pollfd{child_->out(), POLLIN, 0}, pollfd{wake_, POLLIN, 0},
                                      pollfd{unsent ? child_->in() : -1, POLLOUT, 0}};
        if (::poll(watched.data(), watched.size(), -1) < 0) continue;
        if (watched[1].revents) {
            std::uint64_t count = 0;
            (void)!::read(wake_, &count, sizeof count);
            std::lock_guard lock(mutex_);
            if (closing_) return;
        }
        flush();
        if (watched[0].revents && !read_frames(reader)) break;
    }
    note_death();
}

bool Box::read_frames(FrameReader& reader) {
    std::array<char, 64 * 1024> bytes;
    const auto got = ::read(child_->out(), bytes.data(), bytes.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    reader.feed({bytes.data(), static_cast<std::size_t>(got)});
    for (;;) {
        auto frame = reader.next();
        if (!frame) {
            child_->kill(); // whatever speaks there is no box any more
            return false;
        }
        if (!*frame) return true;
        take(std::move(**frame));
    }
}

void Box::take(Frame frame) {
    switch (frame.kind) {
    case FrameKind::log: {
        Unpacker unpacker(frame.body);
        const auto level = std::clamp<std::int64_t>(unpacker.number(), 0, int(LogLevel::debug));
        setting_.backend->log(static_cast<LogLevel>(level), to_utf8(unpacker.text()));
        return;
    }
    case FrameKind::http:
        return begin_request(std::move(frame));
    case FrameKind::http_stop:
    case FrameKind::http_taken: {
        std::lock_guard lock(mutex_);
        if (const auto it = errands_.find(frame.id); it != errands_.end()) it->second->hear(frame);
        return;
    }
    default:
        break;
    }
    std::lock_guard lock(mutex_);
    const auto it = waiting_.find(frame.id);
    if (it == waiting_.end()) return; // the caller has left
    auto& waiting = *it->second;
    waiting.bytes += frame.body.size();
    if (waiting.bytes > most_queued) child_->kill();
    waiting.frames.push_back(std::move(frame));
    waiting.came.notify_all();
}

void Box::note_death() {
    std::lock_guard lock(mutex_);
    dead_ = true;
    for (const auto& [id, waiting] : waiting_) waiting->came.notify_all();
    for (const auto& [seq, errand] : errands_) errand->stop.request_stop();
}

// ---- requests over HTTP, each on a thread of its own ----

void Box::begin_request(Frame frame) {
    constexpr std::size_t most_errands = 256;
    auto errand = std::make_shared<Errand>();
    const auto seq = frame.id;
    {
        std::lock_guard lock(mutex_);
        if (errands_.size() < most_errands)
            errands_.emplace(seq, errand);
        else
            errand.reset();
    }
    if (!errand)
        return reply(seq,
                     not_done("too_many_requests", "a plugin has at most 256 requests under way"));
    const bool started = setting_.runtime.threads.run(
        [this, errand, frame = std::move(frame)] { run_request(frame, *errand); });
    if (started) return;
    reply(seq, not_done("out_of_threads", "the system gives no more threads"));
    std::lock_guard lock(mutex_);
    errands_.erase(seq);
}

void Box::run_request(const Frame& frame, Errand& errand) {
    const auto asked = requesting_from(frame.body);
    Sending sending;
    sending.request = asked.request;
    if (asked.for_component) sending.access = setting_.access;
    sending.until.stop = errand.stop.get_token();
    if (asked.left_ms >= 0) sending.until = sending.until.within(Millis(asked.left_ms));
    sending.head = [&](std::string_view head) -> Status {
        send(FrameKind::http_head, frame.id, std::string(head));
        return {};
    };
    sending.chunk = [&](std::string_view bytes) {
        send(FrameKind::http_chunk, frame.id, std::string(bytes));
        return errand.wait_for_room(bytes.size());
    };
    const auto sent = setting_.backend->send(sending);
    reply(frame.id, sent ? Result<std::string>(std::string()) : sent.error());
    std::lock_guard lock(mutex_);
    errands_.erase(frame.id);
    errands_done_.notify_all();
}

} // namespace foxwedge::plugin
