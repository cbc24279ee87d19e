#include "mcp/server_session.hpp"

#include <algorithm>

#include "mcp/served_call.hpp"

namespace foxwedge::mcp {
namespace {

constexpr std::string_view meta_prefix = "io.modelcontextprotocol/";

const Json* modern_member(const Json& meta, std::string_view name) {
    return member(meta, std::string(meta_prefix) + std::string(name));
}

} // namespace

std::optional<RpcError> modern_meta_problem(const Json& params) {
    const Json* meta = member(params, "_meta");
    const Json* version = meta ? modern_member(*meta, "protocolVersion") : nullptr;
    const Json* capabilities = meta ? modern_member(*meta, "clientCapabilities") : nullptr;
    if (!version || !version->is_string() || !capabilities || !capabilities->is_object())
        return RpcError{rpc::invalid_params,
                        "_meta needs io.modelcontextprotocol/protocolVersion and "
                        "io.modelcontextprotocol/clientCapabilities",
                        nullptr};
    if (view(version->get_string()) == modern_version) return std::nullopt;
    return RpcError{rpc::unsupported_version, "Unsupported protocol version",
                    Json{{"supported", JsonArray{modern_version}}, {"requested", *version}}};
}

RpcError too_many() {
    return {rpc::internal_error, "too many requests are under way", nullptr};
}

RpcError tasks_undeclared() {
    return {rpc::missing_capability, "the request does not declare the extension of tasks",
            Json{{"requiredCapabilities",
                  JsonObject{{"extensions", JsonObject{{tasks_extension, JsonObject()}}}}}}};
}

void ServerSession::take(Message message, std::shared_ptr<Outlet> outlet) {
    if (auto* request = std::get_if<Request>(&message))
        take_request(std::move(*request), std::move(outlet));
    else if (auto* response = std::get_if<Response>(&message))
        take_response(*response);
    else if (auto* note = std::get_if<Notification>(&message))
        take_notification(*note);
    else {
        const auto& malformed = std::get<Malformed>(message);
        std::string line = error_line(
            malformed.id, {rpc::invalid_request, "Invalid request: " + malformed.reason, {}});
        line.pop_back();
        outlet->refuse(line, rpc::invalid_request);
    }
}

std::optional<RpcError> ServerSession::recognise(const Request& request, CallerPtr& caller) const {
    const Json* meta = member(request.params, "_meta");
    const Json* version = meta ? modern_member(*meta, "protocolVersion") : nullptr;
    if (!version && request.method != "server/discover") {
        std::lock_guard lock(mutex_);
        caller = client_;
        return std::nullopt;
    }
    auto modern = std::make_shared<Caller>();
    modern->era = Era::modern;
    modern->version = modern_version;
    caller = modern;
    if (auto problem = modern_meta_problem(request.params)) return problem;
    modern->capabilities = *modern_member(*meta, "clientCapabilities");
    if (const Json* level = modern_member(*meta, "logLevel"); level && level->is_string())
        modern->log_level = view(level->get_string());
    return std::nullopt;
}

void ServerSession::take_request(Request request, std::shared_ptr<Outlet> outlet) {
    CallerPtr asker;
    auto refusal = recognise(request, asker);
    const Caller& caller = *asker;
    if (refusal) return reply(caller, request, std::move(*refusal), *outlet);
    const bool modern = caller.era == Era::modern;
    const auto& method = request.method;
    const auto now = [&](Answer answer) { reply(caller, request, std::move(answer), *outlet); };
    if (method == "server/discover") return now(discover());
    if (method == "initialize" && !modern) return now(initialize(request.params));
    if (method == "ping" && !modern) return now(Json(JsonObject()));
    if (method == "logging/setLevel" && !modern) {
        const std::string level = text_of(request.params, "level");
        if (!is_log_level(level))
            return now(RpcError{rpc::invalid_params, "Unknown level: " + level, nullptr});
        auto changed = std::make_shared<Caller>(caller);
        changed->log_level = level;
        {
            std::lock_guard lock(mutex_);
            client_ = std::move(changed);
        }
        return now(Json(JsonObject()));
    }
    if (method == "tools/list" || method == "prompts/list" ||
        method == "resources/templates/list" || (method == "resources/list" && !service_.pager()))
        return now(list(method, request.params, modern));
    if ((method == "resources/subscribe" || method == "resources/unsubscribe") && !modern)
        return now(watch(request));
    if (method == "subscriptions/listen" && modern)
        return subscribe(caller, request, std::move(outlet));
    if (method == "tools/call") {
        const auto tool = service_.tool(text_of(request.params, "name"));
        if (!tool)
            return now(RpcError{rpc::invalid_params,
                                "Unknown tool: " + text_of(request.params, "name"), nullptr});
        // What reaches no further than the host's own store is mostly done at once.
        const auto effect = tool->definition.effect;
        const bool brief = effect == ToolEffect::none || effect == ToolEffect::store;
        return start(&ServerSession::call_tool, std::move(asker), std::move(request),
                     std::move(outlet), brief);
    }
    const std::pair<std::string_view, Handler> handlers[] = {
        {"prompts/get", &ServerSession::get_prompt},
        {"resources/list", &ServerSession::list_resources},
        {"resources/read", &ServerSession::read_resource},
        {"completion/complete", &ServerSession::complete}};
    const std::pair<std::string_view, Handler> task_handlers[] = {
        {"tasks/get", &ServerSession::get_task},
        {"tasks/cancel", &ServerSession::cancel_task},
        {"tasks/update", &ServerSession::update_task}};
    if (modern && service_.tasks().state)
        for (const auto& [name, handler] : task_handlers)
            if (method == name) {
                if (!follows_tasks(caller)) return now(tasks_undeclared());
                return start(handler, std::move(asker), std::move(request), std::move(outlet),
                             false);
            }
    for (const auto& [name, handler] : handlers)
        if (method == name)
            return start(handler, std::move(asker), std::move(request), std::move(outlet), true);
    now(RpcError{rpc::method_not_found, "Method not found: " + method, nullptr});
}

bool ServerSession::follows_tasks(const Caller& caller) const {
    if (caller.era != Era::modern || !service_.tasks().state) return false;
    const Json* extensions = member(caller.capabilities, "extensions");
    return extensions && member(*extensions, tasks_extension);
}

void ServerSession::start(Handler handler, CallerPtr caller, Request request,
                          std::shared_ptr<Outlet> outlet, bool brief) {
    std::list<Flight>::iterator flight;
    bool here = traits_.hands == Hands::callers;
    {
        std::unique_lock lock(mutex_);
        if (ended_) return;
        if (flights_.size() >= traits_.calls) {
            lock.unlock();
            return reply(*caller, request, too_many(), *outlet);
        }
        here = here || (traits_.hands == Hands::lent && brief && flights_.empty());
        flights_.push_front({request.id, {}});
        flight = flights_.begin();
    }
    const auto land = [this, flight] {
        std::lock_guard lock(mutex_);
        flights_.erase(flight);
        answered_.notify_all();
    };
    if (here) {
        work(handler, *caller, request, *outlet, *flight);
        return land();
    }
    crew_.run([this, handler, caller = std::move(caller), request = std::move(request),
               outlet = std::move(outlet), flight, land] {
        work(handler, *caller, request, *outlet, *flight);
        land();
    });
}

void ServerSession::work(Handler handler, const Caller& caller, const Request& request,
                         Outlet& outlet, const Flight& flight) {
    ServedCall call(*this, caller, request, outlet, flight.stop.get_token());
    Answer answer = RpcError{rpc::invalid_params, "requestState is not what this server gave", {}};
    // A handler is a host's code: what it throws is its client's answer, not the server's end.
    if (call.state_is_ours()) try {
            answer = (this->*handler)(request.params, call);
        } catch (const std::exception& thrown) {
            answer = call.threw(thrown.what());
        } catch (...) {
            answer = call.threw("the handler threw what is no error");
        }
    // A cancelled request is not answered.
    if (!flight.stop.stop_requested()) reply(caller, request, std::move(answer), outlet);
}

void ServerSession::reply(const Caller& caller, const Request& request, Answer answer,
                          Outlet& outlet) const {
    if (const auto* error = std::get_if<RpcError>(&answer)) {
        std::string line = error_line(request.id, *error);
        line.pop_back();
        return outlet.refuse(line, error->code);
    }
    Json& result = std::get<Json>(answer);
    if (caller.era == Era::modern && result.is_object()) {
        JsonObject& object = result.get_object();
        if (!object.contains("resultType")) object["resultType"] = "complete";
        Json& meta = object["_meta"];
        if (!meta.is_object()) meta = JsonObject();
        meta.get_object()["io.modelcontextprotocol/serverInfo"] = service_.info();
    }
    std::string line = result_line(request.id, result);
    line.pop_back();
    outlet.send(line, true);
}

void ServerSession::take_response(const Response& response) {
    const auto id = own_id(response.id);
    std::lock_guard lock(mutex_);
    const auto question = id ? questions_.find(*id) : questions_.end();
    if (question == questions_.end() || question->second) return;
    question->second = response;
    answered_.notify_all();
}

void ServerSession::take_notification(const Notification& note) {
    if (note.method == "notifications/initialized") {
        std::lock_guard lock(mutex_);
        initialized_ = true;
    }
    if (note.method == "notifications/cancelled")
        if (const Json* id = member(note.params, "requestId")) cancel(*id);
}

void ServerSession::cancel(const Json& id) {
    std::vector<std::stop_source> stops;
    std::list<Subscription> ended;
    {
        std::lock_guard lock(mutex_);
        for (const auto& flight : flights_)
            if (flight.id == id) stops.push_back(flight.stop);
        for (auto each = subscriptions_.begin(); each != subscriptions_.end();) {
            const auto next = std::next(each);
            if (each->id == id) ended.splice(ended.end(), subscriptions_, each);
            each = next;
        }
    }
    for (auto& stop : stops) stop.request_stop();
}

void ServerSession::settle(const Until& until) {
    std::unique_lock lock(mutex_);
    const auto landed = [this] { return flights_.empty(); };
    if (until.deadline)
        answered_.wait_until(lock, until.stop, *until.deadline, landed);
    else
        answered_.wait(lock, until.stop, landed);
}

void ServerSession::leave() {
    std::vector<std::stop_source> stops;
    std::list<Subscription> subscriptions;
    std::shared_ptr<void> listening;
    std::shared_ptr<Outlet> announcements;
    {
        std::lock_guard lock(mutex_);
        ended_ = true;
        for (const auto& flight : flights_) stops.push_back(flight.stop);
        subscriptions.swap(subscriptions_);
        listening.swap(listening_);
        announcements.swap(announcements_);
    }
    for (auto& stop : stops) stop.request_stop();
}

void ServerSession::end() {
    leave();
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [this] { return flights_.empty(); });
}

bool ServerSession::listened_to() const {
    std::lock_guard lock(mutex_);
    return !subscriptions_.empty();
}
bool ServerSession::initialized() const {
    std::lock_guard lock(mutex_);
    return initialized_;
}
std::string ServerSession::version() const {
    std::lock_guard lock(mutex_);
    return client_->version;
}

} // namespace foxwedge::mcp
