#include "mcp/serve_stdio.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>

#include <poll.h>
#include <unistd.h>

#include "base/text.hpp"
#include "mcp/frame.hpp"
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

void refuse(Outlet& outlet, int code, std::string why) {
    std::string line = error_line(nullptr, {code, std::move(why), nullptr});
    line.pop_back();
    outlet.send(line, true);
}

void take_line(ServerSession& session, const std::shared_ptr<PipeOutlet>& outlet,
               const Frame& frame, const StdioServing& serving) {
    if (frame.too_large)
        return refuse(*outlet, rpc::invalid_request,
                      "a message may have " + std::to_string(serving.limits.frame_bytes) +
                          " bytes");
    const auto text = trimmed(frame.text);
    if (text.empty()) return;
    auto parsed = parse_json(text, {serving.limits.json_depth, serving.limits.frame_bytes});
    if (!parsed) return refuse(*outlet, rpc::parse_error, "Parse error: " + parsed.error().message);
    if (!parsed->is_array()) return session.take(classify(std::move(*parsed)), outlet);
    for (Json& each : parsed->get_array()) session.take(classify(std::move(each)), outlet);
}

} // namespace

void serve_stdio(Service& service, const StdioServing& serving) {
    struct sigaction pipe {};
    if (::sigaction(SIGPIPE, nullptr, &pipe) == 0 && pipe.sa_handler == SIG_DFL)
        std::signal(SIGPIPE, SIG_IGN);
    const Seal seal;
    const auto outlet = std::make_shared<PipeOutlet>(serving.out);
    const auto session = std::make_shared<ServerSession>(service, seal);
    session->announce_to(outlet);
    FrameReader reader(serving.limits.frame_bytes);
    while (!outlet->broken()) {
        const auto room = reader.room();
        const ssize_t got = ::read(serving.in, room.data, room.size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) {
            pollfd ready{serving.in, POLLIN, 0};
            (void)::poll(&ready, 1, -1);
            continue;
        }
        if (got <= 0) break;
        reader.filled(static_cast<std::size_t>(got));
        while (auto frame = reader.next()) take_line(*session, outlet, *frame, serving);
    }
    if (auto frame = reader.rest()) take_line(*session, outlet, *frame, serving);
    session->settle(Until{}.within(serving.last_answers));
    session->end();
}

} // namespace foxwedge::mcp
