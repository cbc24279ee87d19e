#include "plugin/box_line.hpp"

#include <cerrno>
#include <unistd.h>

namespace foxwedge::plugin {
namespace {

/// So many events go unanswered; then the plugin waits until the host has dealt with them.
constexpr std::uint64_t events_ahead = 64;

class BoxBackend final : public Backend {
public:
    BoxBackend(BoxLine& line, bool has_http) : line_(line), has_http_(has_http) {}

    Result<std::string> ask(const Asked& asked) override {
        // Every call that came down the line has events of this type.
        const auto* events = static_cast<const BoxEvents*>(asked.call.events);
        if (!events) return permanent("unavailable", "there is no run while a plugin is opened");
        return line_.ask(FrameKind::ask, events->call(), [&](std::uint64_t seq) {
            return packed(Asking{seq, asked.what, std::string(asked.request)});
        });
    }
    Status send(const Sending& sending) override { return line_.request(sending); }
    bool has_http() const override { return has_http_; }
    void log(LogLevel level, std::string_view text) override {
        line_.send(FrameKind::log, 0, Packer().number(static_cast<int>(level)).text(text).take());
    }

private:
    BoxLine& line_;
    const bool has_http_;
};

} // namespace

void BoxLine::send(FrameKind kind, std::uint64_t id, std::string body) {
    const auto bytes = encoded({kind, id, std::move(body)});
    std::lock_guard lock(writing_);
    for (std::size_t done = 0; done < bytes.size();) {
        const auto put = ::write(out_, bytes.data() + done, bytes.size() - done);
        if (put > 0) done += static_cast<std::size_t>(put);
        if (put < 0 && errno != EINTR) ::_exit(0); // the host is gone
    }
}

BoxLine::Question::Question(BoxLine& l) : line(l) {
    std::lock_guard lock(line.mutex_);
    seq = ++line.last_;
    line.came_for_[seq];
}
BoxLine::Question::~Question() {
    std::lock_guard lock(line.mutex_);
    line.came_for_.erase(seq);
}
Frame BoxLine::Question::next() const {
    std::unique_lock lock(line.mutex_);
    auto& frames = line.came_for_[seq];
    line.came_.wait(lock, [&] { return !frames.empty(); });
    auto frame = std::move(frames.front());
    frames.pop_front();
    return frame;
}

void BoxLine::take(Frame frame) {
    std::lock_guard lock(mutex_);
    const auto it = came_for_.find(frame.id);
    if (it == came_for_.end()) return; // nobody waits for it any more
    it->second.push_back(std::move(frame));
    came_.notify_all();
}

Status BoxLine::request(const Sending& sending) {
    const Question question(*this);
    const auto left = sending.until.left();
    send(FrameKind::http, question.seq,
         packed(Requesting{sending.access != nullptr, left ? left->count() : -1,
                           std::string(sending.request)}));
    const auto stop = [&] { send(FrameKind::http_stop, question.seq, {}); };
    const std::stop_callback on_stop(sending.until.stop, stop);
    Status taken;
    for (;;) {
        const auto frame = question.next();
        if (frame.kind == FrameKind::reply) {
            if (!taken) return taken;
            auto end = answer_from(frame.body);
            if (!end) return std::move(end).error();
            return {};
        }
        if (taken) {
            const bool is_head = frame.kind == FrameKind::http_head;
            taken = is_head ? sending.head(frame.body) : sending.chunk(frame.body);
            if (!taken) stop();
        }
        if (frame.kind == FrameKind::http_chunk)
            send(FrameKind::http_taken, question.seq, Packer().number(frame.body.size()).take());
    }
}

bool BoxEvents::receive(EventKind kind, std::string_view payload_json) {
    Happening happening{0, static_cast<std::uint32_t>(kind), std::string(payload_json)};
    if (++sent_ % events_ahead != 0) {
        line_.send(FrameKind::event, call_, packed(happening));
        return true;
    }
    return line_
        .ask(FrameKind::event, call_,
             [&](std::uint64_t seq) {
                 happening.seq = seq;
                 return packed(happening);
             })
        .ok();
}

std::unique_ptr<Backend> make_box_backend(BoxLine& line, bool has_http) {
    return std::make_unique<BoxBackend>(line, has_http);
}

} // namespace foxwedge::plugin
