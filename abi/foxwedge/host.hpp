// foxwedge/host.hpp: the host's services for plugins in C++. Take them from the Host that the
// constructor of an instance is given, and keep them: they are small handles.
//
//     Store store_;
//     Notes(const Host& host, const Value&) : store_(host.store()) {}
//     ...
//     Value answer = store_.apply(call, array({object({{"op", "get"}, ...})})).value();
//
// A service that this host lacks fails each use as `unavailable`.
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "call.hpp"
#include "json.hpp"
#include "services.h"

namespace foxwedge::plugin {

/// What a service answered.
struct Reply {
    foxwedge_status status = FOXWEDGE_E_UNSUPPORTED;
    std::string text; ///< JSON: the answer, or {"code", "message", "details"?}

    bool ok() const noexcept { return status == FOXWEDGE_OK; }
    /// The answer; null if there is none. Throws Failure with the service's own error.
    Value value() const {
        if (!ok()) throw failure();
        return text.empty() ? Value() : Value::parse(text);
    }
    /// The error of one that is not ok.
    Failure failure() const {
        try {
            const Value error = Value::parse(text);
            return Failure(status, std::string(error.string("code")),
                           std::string(error.string("message")), error["details"]);
        } catch (const JsonError&) { // none was given
            return Failure(status);
        }
    }
    /// The stable word of a failure; empty if there is none.
    std::string code() const {
        if (ok() || text.empty()) return {};
        return std::string(Value::parse(text).string("code"));
    }
};

namespace detail {

inline void keep_reply(void* data, foxwedge_str text) noexcept {
    auto& reply = *static_cast<Reply*>(data);
    try {
        reply.text.assign(text.data, text.size);
    } catch (...) {
        reply.status = FOXWEDGE_E_INTERNAL; // an answer that could not be kept is none
    }
}

/// A service's struct, or NULL; and one of its functions called with the arguments before the
/// reply.
template <class Struct>
class Service {
public:
    explicit Service(const foxwedge_host* host, const char* id) noexcept
        : api_(static_cast<const Struct*>(host->service(host, str(id)))) {}
    explicit operator bool() const noexcept { return api_ != nullptr; }
    const Struct* raw() const noexcept { return api_; }

protected:
    template <class Function, class... Arguments>
    Reply ask(const foxwedge_call* call, Function Struct::*function, Arguments... arguments) const {
        if (!api_) throw_missing();
        Reply reply{FOXWEDGE_OK, {}};
        const auto status = (api_->*function)(call, api_, arguments..., {&reply, keep_reply});
        if (status != FOXWEDGE_OK) reply.status = status;
        return reply;
    }
    [[noreturn]] static void throw_missing() {
        throw Failure(FOXWEDGE_E_UNSUPPORTED, "unavailable",
                      "this host lacks a service that is needed");
    }
    const Struct* api_;
};

} // namespace detail

/// Lines under the plugin's id. Does nothing where the host keeps no log.
class Log : public detail::Service<foxwedge_log> {
public:
    explicit Log(const foxwedge_host* host) : Service(host, FOXWEDGE_SERVICE_LOG) {}
    void write(std::uint32_t level, std::string_view message) const noexcept {
        if (api_) api_->write(nullptr, api_, level, str(message));
    }
    void error(std::string_view message) const noexcept { write(FOXWEDGE_LOG_ERROR, message); }
    void warn(std::string_view message) const noexcept { write(FOXWEDGE_LOG_WARN, message); }
    void info(std::string_view message) const noexcept { write(FOXWEDGE_LOG_INFO, message); }
    void debug(std::string_view message) const noexcept { write(FOXWEDGE_LOG_DEBUG, message); }
};

/// A response that was kept as a whole.
struct Response {
    int status = 0;
    Value headers; ///< object of texts, names in lower case
    std::string body;
};

/// One request over HTTP. The request: {"method", "url", "headers", "body"?, "timeoutMs"?, ...}.
class Http : public detail::Service<foxwedge_http> {
public:
    explicit Http(const foxwedge_host* host) : Service(host, FOXWEDGE_SERVICE_HTTP) {}

    /// Streams: `on_head(const Value&)` once, then `on_chunk(std::string_view)` for each piece, on
    /// this thread. What they throw ends the transfer and is thrown on. A failure comes back as a
    /// Reply, the reason in its text.
    template <class OnHead, class OnChunk>
    Reply send(const Call& call, const Value& request, OnHead&& on_head, OnChunk&& on_chunk) const;

    /// Waits for the whole response; throws Failure with the service's own error.
    Response send(const Call& call, const Value& request) const {
        Response response;
        const Reply reply = send(
            call, request,
            [&](const Value& head) {
                response.status = static_cast<int>(head.integer("status", 0));
                response.headers = head["headers"];
            },
            [&](std::string_view bytes) { response.body += bytes; });
        reply.value();
        return response;
    }
};

/// The plugin's own keys; see services.h for the operations.
class Store : public detail::Service<foxwedge_store> {
public:
    explicit Store(const foxwedge_host* host) : Service(host, FOXWEDGE_SERVICE_STORE) {}
    /// `ops` is an array of operations; the answer {"results": [...]}.
    Reply apply(const Call& call, Value ops) const {
        return apply_text(call, to_text(object({{"ops", std::move(ops)}})));
    }
    Reply apply_text(const Call& call, std::string_view request) const {
        return ask(call.raw(), &foxwedge_store::apply, str(request));
    }
    /// The answer's text is the path itself.
    Reply folder(const Call& call) const { return ask(call.raw(), &foxwedge_store::folder); }
};

/// Child runs.
class Agents : public detail::Service<foxwedge_agents> {
public:
    explicit Agents(const foxwedge_host* host) : Service(host, FOXWEDGE_SERVICE_AGENTS) {}
    Reply start(const Call& call, const Value& request) const {
        return ask(call.raw(), &foxwedge_agents::start, str(to_text(request)));
    }
    Reply next(const Call& call) const { return ask(call.raw(), &foxwedge_agents::next); }
    Reply cancel(const Call& call, const Value& ticket) const {
        return ask(call.raw(), &foxwedge_agents::cancel,
                   str(to_text(object({{"ticket", ticket}}))));
    }
};

/// Timers and signals.
class Wait : public detail::Service<foxwedge_wait> {
public:
    explicit Wait(const foxwedge_host* host) : Service(host, FOXWEDGE_SERVICE_WAIT) {}
    Reply until(const Call& call, std::int64_t unix_ms) const {
        return wait_for(call, object({{"until", unix_ms}}));
    }
    Reply signal(const Call& call, std::string_view key) const {
        return wait_for(call, object({{"signal", key}}));
    }
    Reply wait_for(const Call& call, const Value& request) const {
        return ask(call.raw(), &foxwedge_wait::wait_for, str(to_text(request)));
    }
};

/// One sandboxed script.
class Script : public detail::Service<foxwedge_script> {
public:
    explicit Script(const foxwedge_host* host) : Service(host, FOXWEDGE_SERVICE_SCRIPT) {}
    Reply start(const Call& call, const Value& request) const {
        return ask(call.raw(), &foxwedge_script::start, str(to_text(request)));
    }
    Reply next(const Call& call) const { return ask(call.raw(), &foxwedge_script::next); }
    Reply answer(const Call& call, const Value& request) const {
        return ask(call.raw(), &foxwedge_script::answer, str(to_text(request)));
    }
    Reply kill(const Call& call) const { return ask(call.raw(), &foxwedge_script::kill); }
};

/// The host's judges. They need no call; give one where there is one.
class Check : public detail::Service<foxwedge_check> {
public:
    explicit Check(const foxwedge_host* host) : Service(host, FOXWEDGE_SERVICE_CHECK) {}
    Reply compile(const foxwedge_call* call, const Value& request) const {
        return ask(call, &foxwedge_check::compile, str(to_text(request)));
    }
    Reply release(const foxwedge_call* call, const Value& handle) const {
        return ask(call, &foxwedge_check::release, str(to_text(object({{"handle", handle}}))));
    }
    Reply validate(const foxwedge_call* call, const Value& request) const {
        return ask(call, &foxwedge_check::validate, str(to_text(request)));
    }
    Reply evaluate(const foxwedge_call* call, const Value& request) const {
        return ask(call, &foxwedge_check::evaluate, str(to_text(request)));
    }
    Reply find_secrets(const foxwedge_call* call, std::string_view text) const {
        return ask(call, &foxwedge_check::find_secrets, str(to_text(object({{"text", text}}))));
    }
};

/// What the constructor of an instance is given. Services stay valid as long as the plugin is open.
class Host {
public:
    explicit Host(const foxwedge_host* host) noexcept : host_(host) {}
    const foxwedge_host* raw() const noexcept { return host_; }
    Log log() const { return Log(host_); }
    Http http() const { return Http(host_); }
    Store store() const { return Store(host_); }
    Agents agents() const { return Agents(host_); }
    Wait wait() const { return Wait(host_); }
    Script script() const { return Script(host_); }
    Check check() const { return Check(host_); }

private:
    const foxwedge_host* host_;
};

namespace detail {

/// A transfer under way. What a function of the plugin throws stays on this side of the boundary.
template <class OnHead, class OnChunk>
struct Receiving {
    OnHead& head;
    OnChunk& chunk;
    Reply reply;
    std::exception_ptr thrown;

    template <class Body>
    foxwedge_status shelter(Body&& body) noexcept {
        try {
            body();
            return FOXWEDGE_OK;
        } catch (...) {
            thrown = std::current_exception();
            return FOXWEDGE_E_CANCELLED;
        }
    }
};

} // namespace detail

template <class OnHead, class OnChunk>
Reply Http::send(const Call& call, const Value& request, OnHead&& on_head,
                 OnChunk&& on_chunk) const {
    if (!api_) throw_missing();
    using Receiving =
        detail::Receiving<std::remove_reference_t<OnHead>, std::remove_reference_t<OnChunk>>;
    Receiving receiving{on_head, on_chunk, {FOXWEDGE_OK, {}}, nullptr};
    foxwedge_http_receiver receiver{};
    receiver.struct_size = sizeof receiver;
    receiver.data = &receiving;
    receiver.head = [](void* data, foxwedge_str json) {
        auto& to = *static_cast<Receiving*>(data);
        return to.shelter([&] { to.head(Value::parse(view(json))); });
    };
    receiver.chunk = [](void* data, foxwedge_str bytes) {
        auto& to = *static_cast<Receiving*>(data);
        return to.shelter([&] { to.chunk(view(bytes)); });
    };
    receiver.failed = [](void* data, foxwedge_str error) {
        detail::keep_reply(&static_cast<Receiving*>(data)->reply, error);
    };
    const std::string text = to_text(request);
    const auto status = api_->send(call.raw(), api_, str(text), &receiver);
    if (receiving.thrown) std::rethrow_exception(receiving.thrown);
    if (status != FOXWEDGE_OK) receiving.reply.status = status;
    return std::move(receiving.reply);
}

} // namespace foxwedge::plugin
