// Opening: one thread opens while the others wait for its outcome; failures come as one error.
#include "mcp/client.hpp"

namespace foxwedge::mcp {

Result<std::shared_ptr<const Client::Open>> Client::connect(const Until& until) {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (open_ && open_->connection->alive()) return open_;
        if (!opening_) break;
        const auto before = attempts_;
        const auto finished = [&] { return attempts_ != before; };
        const bool in_time = until.deadline
                                 ? opened_.wait_until(lock, until.stop, *until.deadline, finished)
                                 : opened_.wait(lock, until.stop, finished);
        if (until.stopped())
            return not_done("cancelled", "the call was cancelled before it was sent");
        if (!in_time)
            return not_done("timeout",
                            "the MCP server \"" + spec_.name + "\" was not ready in time");
        // One start for all who wait; but a start that its caller gave up says nothing.
        if (last_failure_ && last_failure_->code != "cancelled") return *last_failure_;
    }
    opening_ = true;
    open_.reset();
    lock.unlock();
    auto opened = open_now(until);
    lock.lock();
    opening_ = false;
    ++attempts_;
    last_failure_.reset();
    if (opened)
        open_ = *opened;
    else
        last_failure_ = opened.error();
    opened_.notify_all();
    return opened;
}

Error Client::unavailable(const Error& why) const {
    if (why.code == "cancelled" || why.certainty == Certainty::permanent) return why;
    Error error = not_done("server_unavailable", "the MCP server \"" + spec_.name +
                                                     "\" is not available: " + why.message);
    error.details = why.details;
    error.retry_after = why.retry_after;
    return error;
}

Status Client::may_start() {
    const auto now = std::chrono::steady_clock::now();
    std::lock_guard lock(mutex_);
    auto& failed = failed_starts_;
    while (!failed.empty() && now - failed.front() > around_.limits.starts_window)
        failed.pop_front();
    if (failed.size() < static_cast<std::size_t>(around_.limits.starts)) return {};
    const auto left = around_.limits.starts_window - (now - failed.front());
    return not_done("restart_storm",
                    "it failed to start " + std::to_string(failed.size()) +
                        " times within a short time",
                    std::chrono::ceil<Millis>(left));
}

Result<std::shared_ptr<const Client::Open>> Client::open_now(const Until& until) {
    if (auto status = may_start(); !status) return unavailable(status.error());
    const auto failed = [&](const Error& why) {
        std::lock_guard lock(mutex_);
        failed_starts_.push_back(std::chrono::steady_clock::now());
        return unavailable(why);
    };
    const Until by = until.within(spec_.start_timeout);
    auto connection = opener_->open();
    if (!connection) return failed(connection.error());
    auto session = negotiate(*connection, by);
    if (!session) {
        (*connection)->close();
        return failed(session.error());
    }
    auto open = std::make_shared<Open>();
    open->session = std::move(*session);
    open->connection = *connection;
    const bool logs = open->session.offers("logging") && spec_.log_level != "off";
    if (open->session.era == Era::modern)
        open->meta = modern_meta(face_, open->session.version) + (logs ? log_level_member() : "");
    else if (logs)
        ask_for_log(*open->connection, by);
    const Json* changing = at_pointer(open->session.capabilities, "/tools/listChanged");
    if (open->session.era == Era::modern && changing && *changing == Json(true))
        open->connection->listen(R"({"notifications":{"toolsListChanged":true},"_meta":{)" +
                                 open->meta + "}}");
    {
        std::lock_guard lock(mutex_);
        era_ = open->session.era;
        failed_starts_.clear();
    }
    around_.log->info("mcp", "server ready",
                      {{"server", spec_.name}, {"version", open->session.version}});
    return std::shared_ptr<const Open>(std::move(open));
}

std::string Client::log_level_member() const {
    return R"(,"io.modelcontextprotocol/logLevel":)" + quoted(spec_.log_level);
}

void Client::ask_for_log(Connection& connection, const Until& until) {
    // The server has the request all the same where its answer comes late: nobody waits for that.
    constexpr Millis at_most{1000};
    RequestOptions options;
    options.until = until;
    options.quiet = at_most;
    options.cancellable = false;
    const auto reply = connection.request("logging/setLevel",
                                          R"({"level":)" + quoted(spec_.log_level) + "}", options);
    if (!reply || reply->error)
        around_.log->debug("mcp", "the server does not say that it logs as it was asked to",
                           {{"server", spec_.name}});
}

Result<Session> Client::negotiate(std::shared_ptr<Connection>& connection, const Until& until) {
    using What = Negotiation::Step::What;
    std::optional<Era> remembered;
    {
        std::lock_guard lock(mutex_);
        remembered = era_;
    }
    Negotiation negotiation(face_, remembered, opener_->reopens());
    auto step = negotiation.start();
    while (step.what == What::send || step.what == What::restart_then_send) {
        if (step.what == What::restart_then_send) {
            connection->close();
            FOXWEDGE_TRY(fresh, opener_->open());
            connection = fresh;
        }
        RequestOptions options;
        options.until = until;
        options.cancellable = false;
        const bool probe = step.method == "server/discover";
        options.quiet = probe ? spec_.probe_timeout : spec_.start_timeout;
        auto reply = connection->request(step.method, step.params, options);
        if (reply && reply->error)
            step = negotiation.on_error(*reply->error);
        else if (reply)
            step = negotiation.on_result(std::move(reply->result));
        else if (reply.error().code == "cancelled")
            return std::move(reply).error();
        else if (reply.error().code == "timeout" && !until.overdue())
            step = negotiation.on_silence();
        else
            step = negotiation.on_death(reply.error());
    }
    if (step.what == What::failed) return step.error;
    connection->agreed(negotiation.session().era, negotiation.session().version);
    if (negotiation.session().era == Era::handshake)
        connection->notify("notifications/initialized", "");
    return std::move(negotiation.session());
}

void Client::stop_when_idle() {
    std::lock_guard lock(mutex_);
    --open_calls_;
    if (!around_.children || idle_planned_) return;
    idle_planned_ = true;
    around_.children->loop().after(around_.limits.idle_stop,
                                   [weak = weak_from_this(), uses = uses_] {
                                       if (const auto client = weak.lock())
                                           client->idle_check(uses);
                                   });
}

void Client::idle_check(std::uint64_t uses_then) {
    std::shared_ptr<const Open> idle;
    {
        std::lock_guard lock(mutex_);
        idle_planned_ = false;
        if (uses_ == uses_then && open_calls_ == 0) idle = std::exchange(open_, nullptr);
        // A used one is looked at again after its next call ends; a call under way ends in one.
        else if (open_calls_ == 0) {
            idle_planned_ = true;
            around_.children->loop().after(around_.limits.idle_stop,
                                           [weak = weak_from_this(), uses = uses_] {
                                               if (const auto client = weak.lock())
                                                   client->idle_check(uses);
                                           });
        }
    }
    if (idle) idle->connection->close();
}

} // namespace foxwedge::mcp
