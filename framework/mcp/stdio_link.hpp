// MCP over a child's pipes. Whoever waits for an answer reads the pipe himself while nobody else
// does, and deals out what is not his: a reader thread would cost two thread switches a call.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/log.hpp"
#include "mcp/connection.hpp"
#include "mcp/frame.hpp"
#include "mcp/limits.hpp"
#include "process/supervisor.hpp"

namespace foxwedge::mcp {

/// What a link needs to know of its server besides the pipes.
struct LinkSetup {
    std::string server; ///< for texts
    Limits limits;
    Log* log = &silent_log();
    const Masker* masker = nullptr;
    std::vector<std::string> roots;                                    ///< answered to roots/list
    std::function<void(bool to_server, std::string_view message)> tap; ///< see opener.hpp
};

class StdioLink final : public Connection, public std::enable_shared_from_this<StdioLink> {
public:
    /// `loop` reads while nobody waits: it must outlive the link.
    static std::shared_ptr<StdioLink> make(std::shared_ptr<process::Child>, process::Loop& loop,
                                           LinkSetup);
    ~StdioLink() override;

    Result<Reply> request(std::string_view method, std::string_view params_json,
                          const RequestOptions&) override;
    void notify(std::string_view method, std::string_view params_json) override;
    void listen(std::string params_json) override;
    bool alive() const override;
    void close() override;

private:
    struct Pending;
    struct Waker;
    using Lock = std::unique_lock<std::mutex>;

    StdioLink(std::shared_ptr<process::Child>, process::Loop&, LinkSetup);

    // Sending (link_send.cpp). All with the mutex held.
    enum class Sent { whole, nothing, part };
    Sent send(std::string line);
    void flush();

    // Waiting (stdio_link.cpp).
    Result<Reply> wait(Lock&, Pending&, const RequestOptions&);
    void lead(Lock&, int timeout_ms);
    void hand_over();
    void run_errands(Lock&, Pending&, const RequestOptions&);
    Error give_up(Pending&, const RequestOptions&);
    void stop_what_is_over(); ///< without the mutex

    // Reading (link_read.cpp). Only by the leader, without the mutex.
    void pump(int timeout_ms, bool also_write);
    void take_frame(const Frame&);
    void take_message(Message, bool repaired);
    void take_response(Response, bool repaired);
    void take_request(Request);
    void take_notification(Notification);
    void take_too_large(const Frame&);
    void take_noise(std::string_view line);
    void fail_one_or_all(std::optional<std::int64_t> id, const Error&);
    void settle(Pending&, Result<Reply>);
    void die(std::string code, std::string why, bool may_wait);
    std::string cause_of_death() const;
    Error lost(Certainty) const;

    // Watching while nobody waits (link_idle.cpp).
    void watch_when_idle();
    void idle_check();
    void idle_ready();

    const std::shared_ptr<process::Child> child_;
    process::Loop& loop_;
    const LinkSetup setup_;
    const int wake_;     ///< an eventfd: the leader is to look up
    FrameReader reader_; ///< the leader's

    mutable std::mutex mutex_;
    std::unordered_map<std::int64_t, Pending*> pending_;
    std::deque<std::string> backlog_; ///< what the pipe had no room for
    std::size_t backlog_sent_ = 0;    ///< bytes of its first line that are gone
    std::int64_t next_id_ = 1;
    std::uint64_t used_ = 0; ///< counts requests, to see idleness
    std::uint64_t seen_used_ = 0;
    bool leading_ = false;
    bool dead_ = false;
    bool watched_ = false, watch_planned_ = false;
    std::vector<std::stop_source> over_; ///< of questions that nobody wants answered any more
    std::string death_code_, death_;
    std::size_t noise_ = 0;
    bool heard_ = false; ///< a valid message has come
    bool warned_text_ids_ = false;
};

} // namespace foxwedge::mcp
