#include "mcp/serve_stdio.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>

#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"
#include "mcp/frame.hpp"
#include "mcp/relay.hpp"
#include "mcp/server_session.hpp"

namespace foxwedge::mcp {
namespace {

class PipeOutlet final : public Outlet {
public:
    explicit PipeOutlet(int fd) : fd_(fd) {}

    void send(std::string_view message, bool) override {
        std::lock_guard lock(mutex_);
        line_.assign(message);
        line_ += '\n';
        std::string_view left = line_;
        while (!left.empty() && !broken_) {
            const ssize_t written = ::write(fd_, left.data(), left.size());
            if (written > 0)
                left.remove_prefix(static_cast<std::size_t>(written));
            else if (written < 0 && errno == EAGAIN)
                wait_for_room();
            else if (written < 0 && errno != EINTR)
                broken_ = true;
        }
    }
    bool broken() const { return broken_; }

private:
    void wait_for_room() {
        pollfd room{fd_, POLLOUT, 0};
        (void)::poll(&room, 1, -1);
    }
    const int fd_;
    std::mutex mutex_;
    std::string line_; ///< kept: its memory is used again
    std::atomic<bool> broken_{false};
};

/// One client over pipes.
class PipeServer {
public:
    PipeServer(Service& service, const StdioServing& serving)
        : serving_(serving), seal_(seal_of(serving.seal_key)),
          outlet_(std::make_shared<PipeOutlet>(serving.out)),
          session_(
              std::make_shared<ServerSession>(service, seal_, SessionTraits{.hands = Hands::lent})),
          reader_(serving.limits.frame_bytes) {
        session_->announce_to(outlet_);
    }
    void serve() {
        relay_.run([this] { return go_on(); });
        session_->end();
    }

private:
    bool go_on();
    std::optional<Frame> next_frame();
    bool take(const Frame&);
    bool give(Json message);
    bool refuse(int code, std::string why);

    const StdioServing& serving_;
    const Seal seal_;
    const std::shared_ptr<PipeOutlet> outlet_;
    const std::shared_ptr<ServerSession> session_;
    FrameReader reader_; ///< like what follows, of whoever has the loop
    bool ended_ = false;
    JsonArray batch_; ///< what is left of one, the last first
    Relay relay_;
};

/// Reads until the stream ends. False: another thread goes on with it.
bool PipeServer::go_on() {
    while (!outlet_->broken()) {
        if (!batch_.empty()) {
            Json next = std::move(batch_.back());
            batch_.pop_back();
            if (!give(std::move(next))) return false;
            continue;
        }
        const auto frame = next_frame();
        if (!frame) break;
        if (!take(*frame)) return false;
    }
    session_->settle(Until{}.within(serving_.last_answers));
    session_->leave();
    return true;
}

std::optional<Frame> PipeServer::next_frame() {
    for (;;) {
        if (auto frame = reader_.next()) return frame;
        if (ended_) return std::nullopt;
        const auto room = reader_.room();
        const ssize_t got = ::read(serving_.in, room.data, room.size);
        if (got > 0) {
            reader_.filled(static_cast<std::size_t>(got));
        } else if (got < 0 && errno == EAGAIN) {
            pollfd ready{serving_.in, POLLIN, 0};
            (void)::poll(&ready, 1, -1);
        } else if (got == 0 || errno != EINTR) {
            ended_ = true;
            return reader_.rest();
        }
    }
}

/// Takes the frame apart before anything is worked on: its text is the reader's.
bool PipeServer::take(const Frame& frame) {
    const auto& limits = serving_.limits;
    if (frame.too_large)
        return refuse(rpc::invalid_request,
                      "a message may have " + std::to_string(limits.frame_bytes) + " bytes");
    const auto text = trimmed(frame.text);
    if (text.empty()) return true;
    auto parsed = parse_json(text, {limits.json_depth, limits.frame_bytes});
    if (!parsed) return refuse(rpc::parse_error, "Parse error: " + parsed.error().message);
    if (!parsed->is_array()) return give(std::move(*parsed));
    batch_ = std::move(parsed->get_array());
    std::reverse(batch_.begin(), batch_.end());
    return true;
}

bool PipeServer::give(Json message) {
    return relay_.work([&] { session_->take(classify(std::move(message)), outlet_); });
}

bool PipeServer::refuse(int code, std::string why) {
    std::string line = error_line(nullptr, {code, std::move(why), nullptr});
    line.pop_back();
    outlet_->send(line, true);
    return true;
}

} // namespace

void serve_stdio(Service& service, const StdioServing& serving) {
    struct sigaction pipe {};
    if (::sigaction(SIGPIPE, nullptr, &pipe) == 0 && pipe.sa_handler == SIG_DFL)
        std::signal(SIGPIPE, SIG_IGN);
    PipeServer(service, serving).serve();
}

} // namespace foxwedge::mcp
