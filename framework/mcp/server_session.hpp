// One client of a Service: requests in, answers out, in the client's own revision. Transports feed
// it.
#pragma once
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>

#include "base/clock.hpp"
#include "http/crew.hpp"
#include "mcp/message.hpp"
#include "mcp/negotiation.hpp"
#include "mcp/seal.hpp"
#include "mcp/service.hpp"

namespace foxwedge::mcp {

/// Takes messages on their way to the client. Any thread; may block.
class Outlet {
public:
    virtual ~Outlet() = default;
    /// One message as JSON text without line end. `last`: it answers the request that the outlet
    /// was given with, and nothing follows.
    virtual void send(std::string_view message, bool last) = 0;
    /// The answer is an error with this JSON-RPC code: HTTP has a status for some.
    virtual void refuse(std::string_view message, std::int64_t /*code*/) { send(message, true); }
    /// Lets the client come back for the rest; nothing where it cannot.
    virtual void hang_up(Millis /*retry*/) {}
};

/// Who works on requests that may take their time.
enum class Hands : std::uint8_t {
    crew,    ///< threads of the session's own
    callers, ///< the thread that brings the request
    lent, ///< that one while nothing else is under way and no commit is waited for; else the crew
};

/// How a transport uses a session.
struct SessionTraits {
    std::string user; ///< whom the transport has recognised; "" for nobody
    Hands hands = Hands::crew;
    std::size_t calls = 4096; ///< under way at a time; more are refused
};

/// What is wrong with the `_meta` that every request of 2026-07-28 carries, if anything.
std::optional<RpcError> modern_meta_problem(const Json& params);
/// The answer to who asks about tasks without saying that it follows them.
RpcError tasks_undeclared();
/// The answer to who asks for more at a time than it may.
RpcError too_many();

/// A connection (stdio), a session or a single request (HTTP). Any thread.
class ServerSession : public std::enable_shared_from_this<ServerSession> {
public:
    /// Both outlive the session.
    ServerSession(Service& service, const Seal& seal, SessionTraits traits = {})
        : service_(service), seal_(seal), traits_(std::move(traits)) {}
    ~ServerSession() { end(); }

    /// Takes one message. Its answer, and what belongs to it, goes to `outlet`; what belongs to no
    /// request goes there too unless there is a stream of its own (see announce_to). What only
    /// tells of the server is answered before this returns; see Hands for the rest.
    void take(Message, std::shared_ptr<Outlet> outlet);
    /// Where changes are told in the handshake era.
    void announce_to(std::shared_ptr<Outlet>);
    /// Waits until no request is under way; a listening client does not count.
    void settle(const Until&);
    /// True while a client listens by subscription.
    bool listened_to() const;
    /// Cancels what is under way; nothing more is taken.
    void leave();
    /// The same, and waits for it. Nothing is sent afterwards.
    void end();
    /// Cancels one request, as its client's hang-up does.
    void cancel(const Json& id);

    bool initialized() const;
    std::string version() const;

private:
    friend class ServedCall;
    struct Flight { ///< a request under way
        Json id;
        std::stop_source stop;
    };
    struct Caller { ///< what is known of the client for one request
        Era era = Era::handshake;
        std::string version;
        Json capabilities;
        std::string log_level; ///< "" for none
    };
    using CallerPtr = std::shared_ptr<const Caller>; ///< shared by the requests of a handshake
    using Answer = std::variant<Json, RpcError>;
    using Handler = Answer (ServerSession::*)(const Json& params, class ServedCall&);
    struct Subscription { ///< an open subscriptions/listen
        Json id;
        bool tools = false, prompts = false, resources = false;
        std::set<std::string, std::less<>> uris;
        std::vector<std::string> task_ids;
        std::shared_ptr<Outlet> outlet;
        std::shared_ptr<void> tasks; ///< while it lives, their states are told
    };

    void take_request(Request, std::shared_ptr<Outlet>);
    void take_response(const Response&);
    void take_notification(const Notification&);
    std::optional<RpcError> recognise(const Request&, CallerPtr&) const;
    void start(Handler, CallerPtr, Request, std::shared_ptr<Outlet>, bool brief);
    void work(Handler, const Caller&, const Request&, Outlet&, const Flight&);
    void reply(const Caller&, const Request&, Answer, Outlet&) const;

    Answer initialize(const Json& params);
    Answer discover() const;
    Answer list(std::string_view method, const Json& params, bool modern) const;
    Answer list_resources(const Json& params, ServedCall&);
    JsonObject honour(const Json& wanted, Subscription&) const;
    void subscribe(const Caller&, const Request&, std::shared_ptr<Outlet>);
    bool follows_tasks(const Caller&) const;
    Answer watch(const Request&);
    Answer call_tool(const Json& params, ServedCall&);
    Answer get_prompt(const Json& params, ServedCall&);
    Answer read_resource(const Json& params, ServedCall&);
    Answer complete(const Json& params, ServedCall&);
    Answer get_task(const Json& params, ServedCall&);
    Answer cancel_task(const Json& params, ServedCall&);
    Answer update_task(const Json& params, ServedCall&);
    void hear(Service::List, std::string_view uri);

    Service& service_;
    const Seal& seal_;
    const SessionTraits traits_;
    mutable std::mutex mutex_;
    std::condition_variable_any answered_;
    CallerPtr client_ = std::make_shared<const Caller>(); ///< of the handshake
    bool initialized_ = false, ended_ = false;
    std::list<Flight> flights_;
    std::list<Subscription> subscriptions_;
    std::map<std::int64_t, std::optional<Response>> questions_;
    std::int64_t next_question_ = 1;
    std::shared_ptr<Outlet> announcements_;
    std::set<std::string, std::less<>> watched_uris_;
    std::shared_ptr<void> listening_;
    http::Crew crew_; ///< last: its threads use the rest
};

} // namespace foxwedge::mcp
