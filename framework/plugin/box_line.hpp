// A box's line to its host: frames out, and answers to what the plugin asks.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

#include "plugin/backend.hpp"
#include "plugin/box_wire.hpp"

namespace foxwedge::plugin {

/// Any thread; only one hands in what the host sends. Without a host there is nothing left to do:
/// a line that breaks ends the process.
class BoxLine {
public:
    explicit BoxLine(int out) : out_(out) {}

    void send(FrameKind, std::uint64_t id, std::string body);
    /// Sends `body_of(seq)` and waits for the answer.
    template <class BodyOf>
    Result<std::string> ask(FrameKind kind, std::uint64_t call, BodyOf body_of) {
        const Question question(*this);
        send(kind, call, body_of(question.seq));
        return question.answer();
    }
    /// One request over HTTP: its frames go to `sending` on this thread.
    Status request(const Sending& sending);
    /// A reply, http_head or http_chunk.
    void take(Frame);

private:
    /// A question under way, and the frames that came for it.
    struct Question {
        explicit Question(BoxLine&);
        ~Question();
        Question(const Question&) = delete;
        Frame next() const;
        Result<std::string> answer() const { return answer_from(next().body); }

        BoxLine& line;
        std::uint64_t seq;
    };

    const int out_;
    std::mutex writing_;
    std::mutex mutex_;
    std::condition_variable came_;
    std::uint64_t last_ = 0;
    std::map<std::uint64_t, std::deque<Frame>> came_for_;
};

/// The backend of a box: what plugins ask of the host goes down the line.
std::unique_ptr<Backend> make_box_backend(BoxLine&, bool has_http);

/// Where the events of a call in a box go; it also says which call that is.
class BoxEvents final : public EventReceiver {
public:
    BoxEvents(BoxLine& line, std::uint64_t call) : line_(line), call_(call) {}
    bool receive(EventKind, std::string_view payload_json) override;
    std::uint64_t call() const { return call_; }

private:
    BoxLine& line_;
    const std::uint64_t call_;
    std::uint64_t sent_ = 0;
};

} // namespace foxwedge::plugin
