// Telling clients of changes: by subscription (2026-07-28), or to whoever has shaken hands.
#include "mcp/server_session.hpp"

namespace foxwedge::mcp {
namespace {

constexpr const char* list_notes[] = {"notifications/tools/list_changed",
                                      "notifications/prompts/list_changed",
                                      "notifications/resources/list_changed"};

std::string note(std::string_view method, JsonObject params) {
    JsonObject message{{"jsonrpc", "2.0"}, {"method", method}};
    if (!params.empty()) message["params"] = std::move(params);
    return to_text(Json(std::move(message)));
}

JsonObject subscription_meta(const Json& id) {
    return {{"_meta", JsonObject{{"io.modelcontextprotocol/subscriptionId", id}}}};
}

} // namespace

void ServerSession::announce_to(std::shared_ptr<Outlet> outlet) {
    std::lock_guard lock(mutex_);
    announcements_ = std::move(outlet);
}

void ServerSession::subscribe(const Request& request, std::shared_ptr<Outlet> outlet) {
    Json wanted = JsonObject();
    if (const Json* notes = member(request.params, "notifications")) wanted = *notes;
    Subscription open{request.id,
                      bool_member(wanted, "toolsListChanged").value_or(false),
                      bool_member(wanted, "promptsListChanged").value_or(false),
                      bool_member(wanted, "resourcesListChanged").value_or(false),
                      {},
                      outlet};
    JsonObject honoured;
    for (const char* key : {"toolsListChanged", "promptsListChanged", "resourcesListChanged"})
        if (bool_member(wanted, key).value_or(false)) honoured[key] = true;
    if (const JsonArray* uris = array_member(wanted, "resourceSubscriptions")) {
        for (const Json& each : *uris)
            if (each.is_string()) open.uris.emplace(view(each.get_string()));
        honoured["resourceSubscriptions"] = *uris;
    }
    JsonObject params = subscription_meta(request.id);
    params["notifications"] = std::move(honoured);
    outlet->send(note("notifications/subscriptions/acknowledged", std::move(params)), false);
    std::lock_guard lock(mutex_);
    if (ended_) return;
    subscriptions_.push_back(std::move(open));
    if (!listening_)
        listening_ =
            service_.listen([weak = weak_from_this()](Service::List list, std::string_view uri) {
                if (const auto session = weak.lock()) session->hear(list, uri);
            });
}

ServerSession::Answer ServerSession::watch(const Request& request) {
    const auto uri = string_member(request.params, "uri");
    if (!uri) return RpcError{rpc::invalid_params, "uri is missing", nullptr};
    std::lock_guard lock(mutex_);
    if (request.method == "resources/subscribe")
        watched_uris_.emplace(*uri);
    else
        watched_uris_.erase(std::string(*uri));
    return Json(JsonObject());
}

void ServerSession::hear(Service::List list, std::string_view uri) {
    std::vector<std::pair<std::shared_ptr<Outlet>, std::string>> told;
    {
        std::lock_guard lock(mutex_);
        const auto method =
            uri.empty() ? list_notes[static_cast<int>(list)] : "notifications/resources/updated";
        const auto about = [&](JsonObject params) {
            if (!uri.empty()) params["uri"] = uri;
            return note(method, std::move(params));
        };
        for (const auto& each : subscriptions_) {
            const bool listed = list == Service::List::tools     ? each.tools
                                : list == Service::List::prompts ? each.prompts
                                                                 : each.resources;
            if (uri.empty() ? listed : each.uris.count(uri) != 0)
                told.emplace_back(each.outlet, about(subscription_meta(each.id)));
        }
        if (announcements_ && initialized_ && (uri.empty() || watched_uris_.count(uri)))
            told.emplace_back(announcements_, about({}));
    }
    for (const auto& [outlet, message] : told) outlet->send(message, false);
}

} // namespace foxwedge::mcp
