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

/// Tasks that one request may listen to.
constexpr std::size_t most_followed = 100;

} // namespace

void ServerSession::announce_to(std::shared_ptr<Outlet> outlet) {
    std::lock_guard lock(mutex_);
    announcements_ = std::move(outlet);
}

/// What of `wanted` this server tells, which is what `open` then holds.
JsonObject ServerSession::honour(const Json& wanted, Subscription& open) const {
    JsonObject honoured;
    const auto list = [&](const char* key, bool& told) {
        told = bool_member(wanted, key).value_or(false);
        if (told) honoured[key] = true;
    };
    list("toolsListChanged", open.tools);
    list("promptsListChanged", open.prompts);
    list("resourcesListChanged", open.resources);
    if (const JsonArray* uris = array_member(wanted, "resourceSubscriptions")) {
        for (const Json& each : *uris)
            if (each.is_string()) open.uris.emplace(view(each.get_string()));
        honoured["resourceSubscriptions"] = *uris;
    }
    if (const JsonArray* ids = array_member(wanted, "taskIds")) {
        const auto& known = service_.tasks().known;
        JsonArray agreed;
        for (const Json& each : *ids)
            if (known && each.is_string() && agreed.size() < most_followed &&
                known(view(each.get_string()), traits_.user)) {
                open.task_ids.emplace_back(view(each.get_string()));
                agreed.push_back(each);
            }
        honoured["taskIds"] = std::move(agreed);
    }
    return honoured;
}

void ServerSession::subscribe(const Caller& caller, const Request& request,
                              std::shared_ptr<Outlet> outlet) {
    Json wanted = JsonObject();
    if (const Json* notes = member(request.params, "notifications")) wanted = *notes;
    if (member(wanted, "taskIds") && !follows_tasks(caller))
        return reply(caller, request, tasks_undeclared(), *outlet);
    Subscription open;
    open.id = request.id;
    open.outlet = outlet;
    JsonObject params = subscription_meta(request.id);
    params["notifications"] = honour(wanted, open);
    bool room = false;
    {
        std::lock_guard lock(mutex_);
        if (ended_) return;
        room = subscriptions_.size() < traits_.calls;
    }
    if (!room) return reply(caller, request, too_many(), *outlet);
    outlet->send(note("notifications/subscriptions/acknowledged", std::move(params)), false);
    if (!open.task_ids.empty())
        open.tasks = service_.tasks().watch(
            open.task_ids, traits_.user, [outlet, id = request.id](const Json& state) {
                JsonObject told = state.get_object();
                told["_meta"] = subscription_meta(id)["_meta"];
                outlet->send(note("notifications/tasks", std::move(told)), false);
            });
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
    if (request.method == "resources/unsubscribe")
        watched_uris_.erase(std::string(*uri));
    else if (watched_uris_.size() < traits_.calls)
        watched_uris_.emplace(*uri);
    else
        return too_many();
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
