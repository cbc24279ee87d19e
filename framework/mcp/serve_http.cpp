#include "mcp/serve_http.hpp"

#include <condition_variable>
#include <thread>

#include "base/text.hpp"
#include "mcp/http_sessions.hpp"

namespace foxwedge::mcp {
namespace {

using Answering = std::shared_ptr<http::Responder>;

void turn_away(const Answering& answering, Turned turned) {
    (void)answering->respond(turned.status, std::move(turned.headers), std::move(turned.body));
}

/// A refusal in JSON-RPC's form.
void refuse(const Answering& answering, int status, const Json& id, const RpcError& error) {
    std::string body = error_line(id, error);
    body.pop_back();
    (void)answering->respond(status, {{"Content-Type", "application/json"}}, std::move(body));
}

void refuse(const Answering& answering, int status, std::string why) {
    refuse(answering, status, nullptr, {rpc::invalid_request, std::move(why), nullptr});
}

bool accepts(const http::Headers& headers, std::string_view type) {
    const auto accept = headers.joined("Accept");
    if (!accept) return true;
    for (const auto each : split(*accept, ',')) {
        const auto range = http::media_type(trimmed(each));
        if (range == type || range == "*/*") return true;
        if (range.ends_with("/*") && type.starts_with(range.substr(0, range.size() - 1)))
            return true;
    }
    return false;
}

/// A request of 2026-07-28 that listens: kept while its client stays.
struct Listener {
    std::shared_ptr<ServerSession> session;
    std::shared_ptr<HttpOutlet> outlet;
};

class McpHttpService final : public HttpService {
public:
    McpHttpService(Service& service, HttpServing serving)
        : service_(service), serving_(std::move(serving)), seal_(seal_of(serving_.seal_key)),
          sessions_(serving_.sessions, serving_.session_idle) {
        door_.hosts = loopback_names();
        door_.hosts.push_back(lower_ascii(serving_.address));
        for (const auto& name : serving_.hosts) door_.hosts.push_back(lower_ascii(name));
        door_.tokens = serving_.tokens;
    }
    ~McpHttpService() override {
        tending_ = std::jthread();
        sessions_.close_all();
        std::map<std::shared_ptr<ServerSession>, std::shared_ptr<HttpOutlet>> single;
        std::map<std::shared_ptr<http::Responder>, Listener> listeners;
        {
            std::lock_guard lock(mutex_);
            ended_ = true;
            single.swap(single_);
            listeners.swap(listeners_);
        }
        for (const auto& [session, outlet] : single) session->leave();
        for (const auto& [answering, listener] : listeners) {
            listener.session->leave();
            listener.outlet->finish();
        }
        server_.reset();
    }

    Status listen() {
        auto server = http::make_server(
            serving_.address, serving_.port,
            [this](http::ServerRequest request, Answering answering) {
                serve(request, std::move(answering));
            },
            serving_.http);
        if (!server) return std::move(server).error();
        server_ = std::move(*server);
        tending_ = std::jthread([this](std::stop_token stop) { tend(std::move(stop)); });
        return {};
    }
    std::uint16_t port() const override { return server_->port(); }
    std::string url() const override { return server_->origin() + serving_.path; }

private:
    void serve(const http::ServerRequest& request, Answering answering) {
        if (request.path() != serving_.path)
            return turn_away(answering, {404, {{"Content-Type", "text/plain"}}, "Not here.\n"});
        std::string user;
        if (auto turned = door_.turned(request.headers, user))
            return turn_away(answering, std::move(*turned));
        if (request.method == "POST") return post(request, std::move(answering), user);
        const bool modern = request.headers.first("MCP-Protocol-Version") == modern_version;
        if (request.method == "GET" && !modern) return get(request, std::move(answering), user);
        if (request.method == "DELETE" && !modern) return end_session(request, answering, user);
        turn_away(answering, {405, {{"Allow", modern ? "POST" : "POST, GET, DELETE"}}, ""});
    }

    void post(const http::ServerRequest& request, Answering answering, const std::string& user) {
        if (http::media_type(request.headers.first("Content-Type").value_or("")) !=
            "application/json")
            return refuse(answering, 415, "Content-Type must be application/json");
        if (!accepts(request.headers, "application/json") &&
            !accepts(request.headers, "text/event-stream"))
            return refuse(answering, 406, "answers are application/json or text/event-stream");
        auto body =
            parse_json(request.body, {serving_.limits.json_depth, serving_.limits.frame_bytes});
        if (!body)
            return refuse(answering, 400, nullptr,
                          {rpc::parse_error, "Parse error: " + body.error().message, nullptr});
        if (is_modern(request.headers, *body))
            return post_modern(request, classify(std::move(*body)), answering, user);
        post_in_session(request, std::move(*body), answering, user);
    }

    void post_modern(const http::ServerRequest& request, Message message,
                     const Answering& answering, const std::string& user) {
        if (std::holds_alternative<Notification>(message))
            return (void)answering->respond(202, {}, "");
        const auto* asked = std::get_if<Request>(&message);
        if (!asked) return refuse(answering, 400, "a request or a notification is expected");
        const auto missing = modern_meta_problem(asked->params);
        if (missing && missing->code == rpc::invalid_params)
            return refuse(answering, 400, asked->id, *missing);
        if (const auto problem = header_problem(request.headers, *asked, service_))
            return refuse(answering, 400, asked->id, *problem);
        const Json id = asked->id;
        const auto session = std::make_shared<ServerSession>(
            service_, seal_, SessionTraits{.user = user, .hands = Hands::callers});
        const auto outlet =
            std::make_shared<HttpOutlet>(HttpOutlet::Traits{.status = true}, answering);
        if (!enter(session, outlet)) return refuse(answering, 503, "the server is going away");
        // Closing the response is how a client cancels.
        answering->on_gone([weak = std::weak_ptr(session), id] {
            if (const auto open = weak.lock()) open->cancel(id);
        });
        session->take(std::move(message), outlet);
        leave(session);
        if (session->listened_to()) listen_on(answering, {session, outlet});
    }

    void post_in_session(const http::ServerRequest& request, Json body, const Answering& answering,
                         const std::string& user) {
        std::vector<Message> messages;
        if (body.is_array())
            for (Json& each : body.get_array()) messages.push_back(classify(std::move(each)));
        else
            messages.push_back(classify(std::move(body)));
        int answers = 0;
        for (const auto& message : messages)
            answers += std::holds_alternative<Request>(message) ||
                       std::holds_alternative<Malformed>(message);
        if (messages.empty()) return refuse(answering, 400, "a batch holds at least one message");

        const auto* first = std::get_if<Request>(&messages.front());
        if (first && first->method == "initialize" && messages.size() == 1) {
            const auto session = sessions_.open(service_, seal_, user);
            return initialize(*session, std::move(messages.front()), answering);
        }
        const auto session = session_of(request, answering, user);
        if (!session) return;
        if (body.is_array() && session->session->version() != "2025-03-26")
            return refuse(answering, 400, "batches belong to revision 2025-03-26");
        if (answers == 0) {
            for (auto& message : messages) session->session->take(std::move(message), nullptr);
            return (void)answering->respond(202, {}, "");
        }
        const auto outlet = session->outlet(answering, answers);
        for (auto& message : messages) session->session->take(std::move(message), outlet);
        // A request that was cancelled has no answer; the response ends all the same.
        outlet->finish();
    }

    /// The answer carries the new session's id, so it is made by hand.
    void initialize(HttpSession& session, Message message, const Answering& answering) {
        struct Kept final : Outlet {
            void send(std::string_view message, bool) override { text = message; }
            std::string text;
        };
        const auto kept = std::make_shared<Kept>();
        session.session->take(std::move(message), kept);
        (void)answering->respond(
            200, {{"Content-Type", "application/json"}, {"Mcp-Session-Id", session.id}},
            kept->text);
    }

    std::shared_ptr<HttpSession> session_of(const http::ServerRequest& request,
                                            const Answering& answering, const std::string& user) {
        const auto version = request.headers.first("MCP-Protocol-Version");
        if (version && !is_known_version(*version)) {
            refuse(answering, 400,
                   "MCP-Protocol-Version \"" + std::string(*version) + "\" is not supported");
            return nullptr;
        }
        const auto id = request.headers.first("Mcp-Session-Id");
        if (!id) {
            refuse(answering, 400, "Mcp-Session-Id is missing: begin with initialize");
            return nullptr;
        }
        auto session = sessions_.find(*id, user);
        if (!session)
            refuse(answering, 404, "this session is unknown or has ended: begin with initialize");
        return session;
    }

    void get(const http::ServerRequest& request, Answering answering, const std::string& user) {
        if (!accepts(request.headers, "text/event-stream"))
            return refuse(answering, 406, "a GET is answered with text/event-stream");
        const auto session = session_of(request, answering, user);
        if (!session) return;
        const auto last = request.headers.first("Last-Event-ID");
        if (!last) return (void)session->announcements(std::move(answering));
        std::size_t number = 0;
        const auto stream = session->stream_of(*last, number);
        if (!stream) return refuse(answering, 404, "nothing is kept for this Last-Event-ID");
        stream->resume(std::move(answering), number);
    }

    void end_session(const http::ServerRequest& request, const Answering& answering,
                     const std::string& user) {
        const auto session = session_of(request, answering, user);
        if (!session) return;
        (void)sessions_.close(session->id, user);
        (void)answering->respond(204, {}, "");
    }

    bool enter(const std::shared_ptr<ServerSession>& session,
               const std::shared_ptr<HttpOutlet>& outlet) {
        std::lock_guard lock(mutex_);
        if (!ended_) single_[session] = outlet;
        return !ended_;
    }
    void leave(const std::shared_ptr<ServerSession>& session) {
        std::lock_guard lock(mutex_);
        single_.erase(session);
    }

    void listen_on(const Answering& answering, Listener listener) {
        {
            std::lock_guard lock(mutex_);
            if (ended_) return listener.outlet->finish();
            listeners_[answering] = std::move(listener);
        }
        answering->on_gone([this, key = std::weak_ptr(answering)] {
            Listener ended;
            std::lock_guard lock(mutex_);
            if (const auto found = listeners_.find(key.lock()); found != listeners_.end()) {
                ended = std::move(found->second);
                listeners_.erase(found);
            }
        });
    }

    /// Signs of life, and the end of what nobody uses.
    void tend(std::stop_token stop) {
        std::mutex quiet;
        std::condition_variable_any woken;
        std::unique_lock lock(quiet);
        while (!woken.wait_for(lock, stop, serving_.keep_alive,
                               [&] { return stop.stop_requested(); })) {
            sessions_.tend();
            std::vector<std::shared_ptr<HttpOutlet>> outlets;
            {
                std::lock_guard inner(mutex_);
                for (const auto& [answering, listener] : listeners_)
                    outlets.push_back(listener.outlet);
                for (const auto& [session, outlet] : single_) outlets.push_back(outlet);
            }
            for (const auto& outlet : outlets) outlet->keep_alive();
        }
    }

    Service& service_;
    const HttpServing serving_;
    const Seal seal_;
    Door door_;
    HttpSessions sessions_;
    std::mutex mutex_;
    bool ended_ = false;
    /// Requests of 2026-07-28 under way.
    std::map<std::shared_ptr<ServerSession>, std::shared_ptr<HttpOutlet>> single_;
    std::map<std::shared_ptr<http::Responder>, Listener> listeners_;
    std::unique_ptr<http::Server> server_;
    std::jthread tending_;
};

} // namespace

Result<std::unique_ptr<HttpService>> serve_http(Service& service, HttpServing serving) {
    auto made = std::make_unique<McpHttpService>(service, std::move(serving));
    FOXWEDGE_CHECK(made->listen());
    return std::unique_ptr<HttpService>(std::move(made));
}

} // namespace foxwedge::mcp
