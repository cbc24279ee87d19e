#include "mcp/served_call.hpp"

#include <algorithm>

#include "contracts/questions.hpp"

namespace foxwedge::mcp {
namespace {

constexpr std::string_view levels[] = {"debug", "info",     "notice", "warning",
                                       "error", "critical", "alert",  "emergency"};

long rank(std::string_view level) {
    return std::find(std::begin(levels), std::end(levels), level) - std::begin(levels);
}

std::string note(std::string_view method, JsonObject params) {
    return to_text(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

} // namespace

bool is_log_level(std::string_view level) {
    return rank(level) < static_cast<long>(std::size(levels));
}

ServedCall::ServedCall(ServerSession& session, const ServerSession::Caller& caller,
                       const Request& request, Outlet& outlet, std::stop_token stop)
    : session_(session), caller_(caller), request_(request), outlet_(outlet), meta_(JsonObject()) {
    until_.stop = std::move(stop);
    if (const JsonObject* meta = object_member(request.params, "_meta")) meta_ = *meta;
    if (const Json* token = member(meta_, "progressToken")) progress_token_ = *token;
    if (const auto state = string_member(request.params, "requestState")) {
        if (auto opened = session.seal_.opened(*state, purpose()))
            kept_ = std::move(*opened);
        else
            state_is_ours_ = false;
    }
}

std::string ServedCall::purpose() const {
    JsonObject what{{"method", request_.method}, {"user", session_.traits_.user}};
    for (const char* key : {"name", "uri", "arguments"})
        if (const Json* value = member(request_.params, key)) what[key] = *value;
    return canonical_text(what);
}

void ServedCall::progress(double done, std::optional<double> total, std::string_view message) {
    if (progress_token_.is_null()) return;
    JsonObject params{{"progressToken", progress_token_}, {"progress", done}};
    if (total) params["total"] = *total;
    if (!message.empty()) params["message"] = message;
    outlet_.send(note("notifications/progress", std::move(params)), false);
}

void ServedCall::log(std::string_view level, const Json& data) {
    if (caller_.log_level.empty() || rank(level) < rank(caller_.log_level)) return;
    outlet_.send(note("notifications/message", {{"level", level}, {"data", data}}), false);
}

bool ServedCall::client_can(std::string_view method, const Json& params, Json& wanted) const {
    if (method == "elicitation/create") {
        wanted = JsonObject{{"elicitation", JsonObject()}};
        const Json* offered = member(caller_.capabilities, "elicitation");
        if (!offered) return false;
        if (string_member(params, "mode") == "url") return member(*offered, "url") != nullptr;
        return !member(*offered, "url") || member(*offered, "form");
    }
    const char* name = method == "roots/list" ? "roots" : "sampling";
    wanted = JsonObject{{name, JsonObject()}};
    return member(caller_.capabilities, name) != nullptr;
}

bool ServedCall::can_follow() const {
    return session_.follows_tasks(caller_);
}

ServerSession::Answer ServedCall::task() const {
    JsonObject result{{"resultType", "task"}};
    if (task_.is_object())
        for (const auto& [name, value] : task_.get_object()) result[name] = value;
    return Json(std::move(result));
}

bool ServedCall::can_ask(std::string_view method) const {
    Json wanted;
    return client_can(method, JsonObject(), wanted);
}

Result<Json> ServedCall::ask(std::string_view key, std::string_view method, const Json& params,
                             const std::stop_token& taken_back) {
    Json wanted;
    if (!client_can(method, params, wanted)) {
        missing_ = wanted;
        return permanent("missing_capability",
                         "the client cannot be asked for " + std::string(method));
    }
    if (caller_.era == Era::handshake) return ask_now(method, params, taken_back);
    if (const Json* responses = member(request_.params, "inputResponses"))
        // What is no answer at all is asked for again.
        if (const Json* response = member(*responses, key); response && response->is_object())
            return *response;
    JsonObject question{{"method", method}};
    if (params.is_object()) question["params"] = params;
    asked_[boost::json::string_view(key.data(), key.size())] = std::move(question);
    return not_done(std::string(input_required_code), "the client is asked");
}

Result<Json> ServedCall::ask_now(std::string_view method, const Json& params,
                                 const std::stop_token& taken_back) {
    std::unique_lock lock(session_.mutex_);
    const std::int64_t id = session_.next_question_++;
    session_.questions_[id];
    lock.unlock();
    std::string line = request_line(id, method, params.is_object() ? to_text(params) : "");
    line.pop_back();
    outlet_.send(line, false);
    std::optional<Response> response;
    {
        std::stop_source over;
        const auto end = [&over] { over.request_stop(); };
        const std::stop_callback by_client(until_.stop, end), by_host(taken_back, end);
        lock.lock();
        session_.answered_.wait(lock, over.get_token(),
                                [&] { return session_.questions_[id].has_value(); });
        response = std::move(session_.questions_[id]);
        session_.questions_.erase(id);
        lock.unlock();
    }
    if (response && response->error) return permanent("client_error", response->error->message);
    if (response) return std::move(response->result);
    outlet_.send(note("notifications/cancelled", JsonObject{{"requestId", id}}), false);
    if (until_.stop.stop_requested())
        return unknown_outcome("cancelled", "the client left before it answered");
    return permanent(taken_back_code, "the question was taken back");
}

ServerSession::Answer ServedCall::input_required() const {
    JsonObject result{{"resultType", "input_required"}};
    if (!asked_.empty()) result["inputRequests"] = asked_;
    if (!keep_.is_null()) result["requestState"] = session_.seal_.closed(keep_, purpose());
    return Json(std::move(result));
}

ServerSession::Answer ServedCall::threw(const char* what) const {
    if (request_.method == "tools/call") return served_result(error_result("internal", what));
    return RpcError{rpc::internal_error, what, nullptr};
}

ServerSession::Answer ServedCall::failed(const Error& error) const {
    if (error.code == input_required_code && caller_.era == Era::modern) return input_required();
    if (error.code == "missing_capability" && caller_.era == Era::modern)
        return RpcError{rpc::missing_capability, error.message,
                        Json{{"requiredCapabilities", missing_}}};
    if (error.code == "not_found" || error.code == "invalid_params")
        return RpcError{rpc::invalid_params, error.message, nullptr};
    return RpcError{rpc::internal_error, error.message, nullptr};
}

} // namespace foxwedge::mcp
