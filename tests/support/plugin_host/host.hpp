// A host that exists only to drive a plugin in a test: calls that record what they are told, and
// the services log, store (in memory), http (a canned response) and check (whatever the test says).
// It uses nothing of the framework, so that a plugin is tested against the contract alone.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <foxwedge/json.hpp>
#include <foxwedge/services.h>

#include "store.hpp"

namespace plugin_host {

inline std::string_view view(foxwedge_str s) {
    return {s.data, s.size};
}
inline foxwedge_str str(std::string_view s) {
    return {s.data(), s.size()};
}

/// One call as the host sees it. Lives until the verb has returned and the test has looked at it.
class Call {
public:
    Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    const foxwedge_call* api() const { return &api_; }
    void name_step(std::string key) {
        step_key_ = std::move(key);
        api_.step_key = str(step_key_);
    }
    static Call& of(const foxwedge_call* call) { return *static_cast<Call*>(call->host_data); }

    int cancel_after = -1;        ///< events; the call is cancelled once it has emitted so many
    std::int64_t time_left = -1;  ///< ms
    bool read_only_store = false; ///< as outside a tool's call

    struct Event {
        std::uint32_t number;
        Value payload;
    };
    std::vector<Event> events;
    int results = 0;
    std::string result;
    int errors = 0;
    std::string code, message, details;
    MemoryStore::Batch writes;

private:
    std::string step_key_ = "run-1/support:iter:0:tool:a";
    std::string context_ =
        R"({"project":"p","conversation":"c","run":"r","agent":"support","user":"u"})";
    foxwedge_call api_{};
};

/// What a verb came to.
struct Outcome {
    foxwedge_status status = FOXWEDGE_OK;
    Value result;
    std::string code, message;
    Value details;
    std::vector<Call::Event> events;
    bool committed = true; ///< false: the verb was ok, its writes met a conflict
};

class Host {
public:
    Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    const foxwedge_host* api() const { return &api_; }

    MemoryStore store;
    std::string folder; ///< what the store lends for derived files; "" for none
    std::vector<std::string> log_lines;
    std::vector<std::string> missing; ///< ids of services that this host does not offer

    // http: what was asked, and what is answered, piece by piece.
    std::vector<Value> requests;
    Value response_head = foxwedge::plugin::object({{"status", 200}, {"headers", Value()}});
    std::vector<std::string> response_pieces;
    foxwedge_status response_status = FOXWEDGE_OK; ///< given after the pieces
    /// Instead of the canned answer: the test's own way to the network.
    std::function<foxwedge_status(const Value& request, const foxwedge_http_receiver&)> transfer;

    /// The judge: function name ("compile", "validate", ...) and request in, answer out. A status
    /// other than ok comes with {"code", "message"} as answer.
    std::function<std::pair<foxwedge_status, Value>(std::string_view, const Value&)> judge;

private:
    foxwedge_host api_{};
    foxwedge_log log_{};
    foxwedge_store store_{};
    foxwedge_http http_{};
    foxwedge_check check_{};
};

} // namespace plugin_host
