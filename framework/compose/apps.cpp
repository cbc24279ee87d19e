#include "compose/apps.hpp"

#include <condition_variable>
#include <stop_token>
#include <thread>

#include "agent/calls/workflow_call.hpp"
#include "base/file.hpp"
#include "compose/host.hpp"
#include "compose/served_gate.hpp"
#include "config/load.hpp"
#include "contracts/questions.hpp"
#include "contracts/services.hpp"

namespace foxwedge::compose {
namespace {

/// How long a run stays away whose app's run is in other hands.
constexpr Millis look_again{2'000};
/// A workflow takes its time; the tool's own `timeout` says how long it may.
constexpr Millis longest_call{24 * 3'600'000};

/// Ends a run of an app with the call that waits for it: at its deadline, or when the run that
/// calls was cancelled. One that only lost its lease goes on elsewhere and finds the app's run
/// again.
class Watch {
public:
    Watch(const Until& until, std::function<bool()> caller_is_cancelled, std::function<void()> end)
        : caller_is_cancelled_(std::move(caller_is_cancelled)), end_(std::move(end)),
          on_stop_(until.stop, [this] {
              if (caller_is_cancelled_()) end_();
          }) {
        if (!until.deadline) return;
        clock_ = std::jthread([this, deadline = *until.deadline](std::stop_token done) {
            std::mutex mutex;
            std::unique_lock lock(mutex);
            std::condition_variable_any never;
            never.wait_until(lock, done, deadline, [] { return false; });
            if (!done.stop_requested()) end_();
        });
    }

private:
    const std::function<bool()> caller_is_cancelled_;
    const std::function<void()> end_;
    std::jthread clock_;
    const std::stop_callback<std::function<void()>> on_stop_;
};

/// Nothing that can be asked here: the call comes again later.
Error waits(Call& call, const std::string& app, const std::string& run) {
    const std::string why = "run " + run + " of app \"" + app + "\" is not over";
    if (!call.waits) return not_done("waiting", why);
    const auto until = system_clock().now() + look_again;
    const Json wish = JsonObject{{"until", until.time_since_epoch().count()}};
    if (auto asked = call.waits->wait_for(wish); !asked) return std::move(asked).error();
    return permanent(std::string(parked_code), why);
}

} // namespace

class Apps::Hosted final : public ToolSource {
public:
    Hosted(Apps& apps, std::string name, const config::AppEntry& entry)
        : apps_(apps), name_(std::move(name)), entry_(entry) {}

    Result<ToolList> list(Call&) override {
        FOXWEDGE_TRY(host, apps_.host(name_, entry_));
        ToolList list;
        for (const std::string& workflow : host->names()) {
            ToolDefinition tool;
            tool.name = workflow;
            list.tools.push_back(std::move(tool));
        }
        return list;
    }

    Result<ToolResult> run(std::string_view workflow, std::string_view arguments,
                           Call& call) override {
        FOXWEDGE_TRY(host, apps_.host(name_, entry_));
        FOXWEDGE_TRY(name, host->resolve_name(workflow));
        StartRequest request;
        request.name = name;
        request.input_json = arguments;
        request.key = "app:" + call.step_key; // a call that is repeated joins its run
        request.conversation = call.scope.conversation;
        request.user = call.scope.user;
        FOXWEDGE_TRY(started, host->start(request));
        const std::string& id = started.run;
        const Watch watch(
            call.until,
            [&] {
                const auto caller = apps_.callers_.head(call.scope.run);
                return caller && caller->reason.starts_with("cancelled");
            },
            [&] { (void)host->engine().cancel(id, "parent"); });
        for (;;) {
            const auto ended = host->execute(id, {});
            if (!ended && ended.error().code == "run_held") return waits(call, name_, id);
            if (!ended) return ended.error();
            if (ended->how == run::Ended::cancelled && call.until.overdue())
                return unknown_outcome("timeout", "run " + id + " of app \"" + name_ +
                                                      "\" was ended: it took too long");
            if (ended->how != run::Ended::parked || ended->error) return result(*ended, id);
            FOXWEDGE_CHECK(decide(*host, id, call));
        }
    }

private:
    /// Puts what the app's run waits for to the people of the run that calls.
    Status decide(Host& host, const std::string& id, Call& call) {
        journal::GateQuery query;
        query.root = id;
        query.limit = 1;
        FOXWEDGE_TRY(gates, host.engine().gates(query));
        Questions* const questions = call.waits ? call.waits->questions() : nullptr;
        if (gates.empty() || !questions) return waits(call, name_, id);
        FOXWEDGE_TRY(said, questions->ask("elicitation/create", gate_question(gates.front())));
        const auto answer = gate_answer(gates.front(), said, "user:" + call.scope.user);
        if (!answer) return waits(call, name_, id);
        auto done = host.engine().answer(*answer);
        // Somebody else was faster, or its time was up: the run goes on all the same.
        if (!done && done.error().code != "conflict" && done.error().code != "expired")
            return std::move(done).error();
        return {};
    }

    static Result<ToolResult> result(const run::Finished& ended, const std::string& id) {
        run::ChildResult child{id, journal::RunStatus::succeeded, ended.outcome};
        if (ended.how == run::Ended::cancelled) child.status = journal::RunStatus::cancelled;
        if (ended.error) child.outcome.error = ended.error;
        return agent::result_of_child(child);
    }

    Apps& apps_;
    const std::string name_;
    const config::AppEntry& entry_;
};

std::string app_client(std::string_view app) {
    return "app:" + std::string(app);
}

mcp::ServerSpec app_spec(const std::string& app, const config::AppEntry& entry,
                         const config::Limits& limits) {
    McpServerOptions server;
    server.name = app_client(app);
    server.url = entry.url;
    server.headers = entry.headers;
    return mcp::server_spec(server, limits.mcp_start, longest_call);
}

Apps::Apps(const std::map<std::string, config::AppEntry>& entries, journal::Engine& callers,
           Log& log)
    : entries_(entries), callers_(callers), log_(log) {}
Apps::~Apps() = default;

Result<std::shared_ptr<ToolSource>> Apps::find(std::string_view name) {
    const auto entry = entries_.find(std::string(name));
    if (entry == entries_.end())
        return permanent("unknown_app", "no entry \"" + std::string(name) + "\" in apps");
    return std::shared_ptr<ToolSource>(
        std::make_shared<Hosted>(*this, entry->first, entry->second));
}

Result<Host*> Apps::host(const std::string& name, const config::AppEntry& entry) {
    const std::lock_guard lock(mutex_);
    auto& host = hosts_[name];
    if (host) return host.get();
    const auto unusable = [&](const std::string& why) {
        return permanent("app_unavailable", "app \"" + name + "\": " + why);
    };
    if (auto there = check_regular_file(entry.config); !there)
        return unusable(there.error().message);
    auto loaded = config::load(entry.config);
    if (!loaded.config) return unusable("\n" + config::to_text(loaded.problems));
    HostOptions options;
    options.log = &log_;
    auto made = Host::make(*std::move(loaded.config), std::move(options));
    if (!made) return unusable(made.error().message);
    host = *std::move(made);
    return host.get();
}

int Apps::abandoned_calls() const {
    const std::lock_guard lock(mutex_);
    int sum = 0;
    for (const auto& [name, host] : hosts_)
        if (host) sum += host->abandoned_calls();
    return sum;
}

} // namespace foxwedge::compose
