// MCP over Streamable HTTP. Each request is one POST; its answer comes as JSON or as a stream,
// which is taken up again where it broke. Callers' own threads do all the waiting.
#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/log.hpp"
#include "http/client.hpp"
#include "http/sse.hpp"
#include "mcp/connection.hpp"
#include "mcp/limits.hpp"
#include "mcp/server_spec.hpp"

namespace foxwedge::mcp {

struct HttpSetup {
    http::Client* client = nullptr;
    Limits limits;
    Log* log = &silent_log();
    const Masker* masker = nullptr;
    std::function<void(bool to_server, std::string_view message)> tap; ///< see opener.hpp
};

/// One session (handshake era) or one origin (2026-07-28). `spec` outlives the link.
class HttpLink final : public Connection {
public:
    HttpLink(const ServerSpec& spec, HttpSetup);

    Result<Reply> request(std::string_view method, std::string_view params_json,
                          const RequestOptions&) override;
    void notify(std::string_view method, std::string_view params_json) override;
    void listen(std::string params_json) override;
    void agreed(Era, std::string_view version) override;
    bool alive() const override { return !dead_; }
    /// Ends the session where there is one; waits a second at most.
    void close() override;

private:
    struct Asked;
    struct Errands;
    Result<Reply> ask(std::string_view method, std::string_view params_json, const RequestOptions&,
                      Errands*);
    Result<Reply> ask_with_errands(std::string_view method, std::string_view params_json,
                                   const RequestOptions&);
    bool run_errands(Errands&, const RequestOptions&, std::stop_source&,
                     const std::optional<Result<Reply>>& outcome);
    void hand_over(Errands*, Request question);
    void hear_questions(std::stop_token);
    void hear_changes(const std::string& params_json, std::stop_token);
    void listens(); ///< or never will: questions are heard as well as they can be
    Result<http::Request> make_request(std::string_view verb, const Until&) const;
    Status exchange(http::Request, Asked&);
    Result<Reply> outcome(Asked&, const Status& sent);
    Result<Reply> refused(Asked&);
    Error lost(Certainty, std::string why) const;
    Status resume(Asked&);
    Status take_event(Asked&, const http::SseEvent&);
    Status take_message(Asked&, Json message, bool repaired);
    std::variant<Json, RpcError> answer_to(const RequestOptions&, const Request&);
    void answer(const RequestOptions&, const Request&);
    void answer_open(Errands&, const RequestOptions&, const Request&);
    void take_back(const Json& id);
    void reply(const Request&, const std::variant<Json, RpcError>&, const Until&);
    void tell_progress(Asked&, Json params);
    static void wait_for(Millis, const Until&);
    void post(std::string line, const Until&);
    Error gave_up(const Asked&, const Error&);

    const ServerSpec& spec_;
    const HttpSetup setup_;
    std::string origin_;
    std::atomic<std::int64_t> next_id_{1};
    std::atomic<bool> dead_{false};
    mutable std::mutex mutex_;
    std::string session_, version_;
    Era era_ = Era::handshake;
    std::vector<Errands*> errands_; ///< of calls under way, oldest first
    bool settled_ = true;           ///< false while the stream beside the calls is being opened
    std::condition_variable settling_;
    std::jthread listener_; ///< of what belongs to no call; last: it uses the rest
};

} // namespace foxwedge::mcp
