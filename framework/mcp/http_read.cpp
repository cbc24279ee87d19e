// Messages in the answer to a request over HTTP: the answer itself, what is told and what is asked
// meanwhile.
#include "mcp/http_asked.hpp"
#include "mcp/id_sniffer.hpp"
#include "mcp/peer_notes.hpp"

namespace foxwedge::mcp {

Status HttpLink::take_event(Asked& asked, const http::SseEvent& event) {
    if (event.data.empty()) return {};
    asked.reconnects = 0;
    if (setup_.tap) setup_.tap(false, event.data);
    const JsonLimits limits{setup_.limits.json_depth, setup_.limits.frame_bytes};
    auto parsed = parse_json(event.data, limits);
    if (parsed) return take_message(asked, std::move(*parsed), event.repaired);
    IdSniffer sniffer;
    sniffer.feed(event.data);
    const auto literal = sniffer.id();
    if (literal && own_id_literal(*literal) == asked.id) {
        asked.failure = permanent("invalid_response", "the server's answer is no valid JSON: " +
                                                          parsed.error().message);
        return permanent("answered", "the answer has come");
    }
    setup_.log->debug("mcp", "an event that is no message", {{"server", spec_.name}});
    return {};
}

Status HttpLink::take_message(Asked& asked, Json json, bool repaired) {
    // The error ends the exchange; outcome() looks at the reply first.
    const auto settled = [] { return permanent("answered", "the answer has come"); };
    Message message = classify(std::move(json));
    if (auto* response = std::get_if<Response>(&message)) {
        if (own_id(response->id) != asked.id && !(response->id.is_null() && response->error))
            return {};
        asked.reply = Reply{std::move(response->error), std::move(response->result), repaired};
        return settled();
    }
    const bool others = asked.errands || asked.method == "listen";
    if (auto* request = std::get_if<Request>(&message)) {
        if (others && request->method != "ping" && request->method != "roots/list")
            hand_over(asked.errands, std::move(*request));
        else
            answer(asked.options, *request);
    } else if (auto* note = std::get_if<Notification>(&message)) {
        const Json* token = member(note->params, "progressToken");
        if (note->method == "notifications/progress" && asked.options.on_progress && token &&
            own_id(*token) == asked.options.progress_token)
            tell_progress(asked, std::move(note->params));
        note_in_log(*note, spec_.name, *setup_.log, setup_.masker);
        if (const Json* id = member(note->params, "requestId");
            id && note->method == "notifications/cancelled")
            take_back(*id);
    } else if (own_id(std::get<Malformed>(message).id) == asked.id) {
        asked.failure = permanent("invalid_response", "the server's answer is invalid: " +
                                                          std::get<Malformed>(message).reason);
        return settled();
    }
    return {};
}

void HttpLink::tell_progress(Asked& asked, Json params) {
    if (!asked.errands) return asked.options.on_progress(params);
    std::lock_guard lock(mutex_);
    // A flood of progress must not fill the memory of a slow listener.
    if (asked.errands->progress.size() < 1000) asked.errands->progress.push_back(std::move(params));
    asked.errands->changed.notify_all();
}

std::variant<Json, RpcError> HttpLink::answer_to(const RequestOptions& options,
                                                 const Request& request) {
    if (request.method == "ping") return Json(JsonObject());
    if (request.method == "roots/list") {
        JsonArray roots;
        for (const auto& uri : spec_.roots) roots.push_back(JsonObject{{"uri", uri}});
        return Json{{"roots", std::move(roots)}};
    }
    if (options.server_requests)
        return options.server_requests->answer(request.method, request.params, options.until);
    return RpcError{rpc::method_not_found, "this client does not answer " + request.method,
                    nullptr};
}

void HttpLink::reply(const Request& request, const std::variant<Json, RpcError>& said,
                     const Until& until) {
    const auto* error = std::get_if<RpcError>(&said);
    post(error ? error_line(request.id, *error) : result_line(request.id, std::get<Json>(said)),
         until);
}

void HttpLink::answer(const RequestOptions& options, const Request& request) {
    reply(request, answer_to(options, request), options.until);
}

} // namespace foxwedge::mcp
