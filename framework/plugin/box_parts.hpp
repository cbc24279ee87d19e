// What goes on in a box at one moment: calls and requests over HTTP. Private to box*.cpp.
#pragma once
#include <condition_variable>
#include <deque>
#include <optional>

#include "plugin/box.hpp"

namespace foxwedge::plugin {

/// One call, or the opening, whose thread waits for frames.
struct Box::Waiting {
    explicit Waiting(Box& b) : box(b) {
        std::lock_guard lock(box.mutex_);
        id = ++box.last_;
        box.waiting_.emplace(id, this);
    }
    ~Waiting() {
        std::lock_guard lock(box.mutex_);
        box.waiting_.erase(id);
    }
    Waiting(const Waiting&) = delete;

    /// The next frame; nothing if the box is dead, `stop` was requested or it is `until`.
    std::optional<Frame> next(const std::stop_token& stop,
                              std::optional<std::chrono::steady_clock::time_point> until) {
        const std::stop_callback on_stop(stop, [this] {
            std::lock_guard lock(box.mutex_);
            came.notify_all();
        });
        std::unique_lock lock(box.mutex_);
        const auto ready = [&] { return !frames.empty() || box.dead_ || stop.stop_requested(); };
        if (until)
            came.wait_until(lock, *until, ready);
        else
            came.wait(lock, ready);
        if (frames.empty()) return std::nullopt;
        auto frame = std::move(frames.front());
        frames.pop_front();
        bytes -= frame.body.size();
        return frame;
    }

    Box& box;
    std::uint64_t id = 0;
    std::condition_variable came;
    std::deque<Frame> frames;
    std::size_t bytes = 0;
};

/// A request that the host sends for the plugin.
struct Box::Errand {
    static constexpr std::int64_t window = 256 * 1024; // bytes that the plugin has not taken yet

    std::stop_source stop;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::int64_t ahead = 0;

    void hear(const Frame& frame) {
        if (frame.kind == FrameKind::http_stop) {
            stop.request_stop();
            return;
        }
        std::lock_guard lock(mutex);
        ahead -= Unpacker(frame.body).number();
        changed.notify_all();
    }
    Status wait_for_room(std::size_t bytes) {
        std::unique_lock lock(mutex);
        ahead += static_cast<std::int64_t>(bytes);
        if (changed.wait(lock, stop.get_token(), [&] { return ahead <= window; })) return {};
        return permanent("cancelled", "the plugin ended the transfer");
    }
};

} // namespace foxwedge::plugin
