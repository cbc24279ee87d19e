#include "compose/serving.hpp"

#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "agent/calls/tool_ids.hpp"
#include "agent/calls/workflow_call.hpp"
#include "agent/services/run_store.hpp"
#include "base/text.hpp"
#include "compose/served_documents.hpp"
#include "compose/served_gate.hpp"
#include "compose/served_prompts.hpp"
#include "compose/served_runs.hpp"
#include "compose/served_tasks.hpp"
#include "compose/workflows.hpp"
#include "contracts/questions.hpp"

namespace foxwedge::compose {
namespace {

using mcp::Served;

/// Passes progress and log lines of a tool on to the client that called it.
void pass_on(EventKind kind, std::string_view payload_json, Served& served) {
    const auto payload = parse_json(payload_json);
    if (!payload) return;
    if (kind == EventKind::progress)
        served.progress(number_member(*payload, "progress").value_or(0),
                        number_member(*payload, "total"),
                        string_member(*payload, "message").value_or(""));
    if (kind == EventKind::log)
        served.log(string_member(*payload, "level").value_or("info"),
                   Json(string_member(*payload, "text").value_or("")));
}

class Listener final : public EventReceiver {
public:
    explicit Listener(Served& served) : served_(served) {}
    bool receive(EventKind kind, std::string_view payload_json) override {
        pass_on(kind, payload_json, served_);
        return !served_.until().stopped();
    }

private:
    Served& served_;
};

/// A tool of the catalogue as it is served.
struct Offered {
    std::string id, component, raw_name;
    ToolDefinition definition;
    bool direct = false;                        ///< without effect and gate: answered without a run
    bool workflow = false;                      ///< `id` is an agent's or workflow's name
    std::shared_ptr<capability::ToldTool> told; ///< null of a workflow
};

class HostServing final : public Serving {
public:
    HostServing(Host& host, ServeRequest request)
        : host_(host), request_(std::move(request)), before_(host.world().events) {
        host_.world().events = [this](const agent::StepEvent& event) { hear(event); };
    }
    ~HostServing() override { host_.world().events = before_; }

    Status fill();
    mcp::Service& service() override { return *service_; }

private:
    Error none_of(const std::string& capability) const;
    Status offer_component(const std::string& component, const std::set<std::string>& ids);
    Status offer(Offered);
    Status offer_workflows();
    void hear(const agent::StepEvent&);

    Result<ToolResult> answer(const Offered&, const Json& arguments, Served&);
    Result<ToolResult> run(const Offered&, const Json& arguments, Served&);
    Result<journal::Engine::Begun> begin(const Offered&, const Json& arguments, Served&);
    Result<ToolResult> finished(const Offered&, const std::string& run, const run::Finished&);
    Result<std::optional<journal::Gate>> open_gate(const std::string& run);
    Result<bool> decided(const journal::Gate&, const std::string& run, Served&);
    void give_up(const std::string& run, const std::string& who);
    std::string user_of(const Served& served) const {
        return served.user().empty() ? request_.user : std::string(served.user());
    }

    Host& host_;
    const ServeRequest request_;
    const std::function<void(const agent::StepEvent&)> before_;
    std::unique_ptr<mcp::Service> service_;
    std::mutex mutex_;
    std::map<std::string, Served*> calls_; ///< by run
};

/// `capability`: a tool's id or a component's.
Error HostServing::none_of(const std::string& capability) const {
    std::vector<std::string> known;
    for (const auto& [id, entry] : host_.config().tools) {
        known.push_back(id);
        known.emplace_back(agent::component_of(id));
    }
    const auto near = nearest(capability, known);
    return permanent("unregistered_tool",
                     "no tool of \"" + capability +
                         "\" is in the catalogue; declare it under `tools` in the config" +
                         (near.empty() || near == capability
                              ? ""
                              : "; did you mean \"" + std::string(near) + "\"?"));
}

Status HostServing::fill() {
    std::map<std::string, std::set<std::string>> wanted;
    for (const auto& [id, entry] : host_.config().tools) {
        const std::string component(agent::component_of(id));
        const bool asked = request_.capability.empty() || request_.capability == id ||
                           request_.capability == component;
        if (asked && entry.enabled) wanted[component].insert(id);
    }
    if (wanted.empty() && !request_.capability.empty()) return none_of(request_.capability);
    const std::string name =
        request_.capability.empty() ? host_.config().name : wanted.begin()->first;
    service_ = std::make_unique<mcp::Service>(name, "1.0.0");
    const auto& unavailable = host_.world().unavailable;
    for (const auto& [component, ids] : wanted) {
        // In no list, as in an agent's; a call by its id says why.
        if (unavailable && !unavailable(component).empty()) continue;
        FOXWEDGE_CHECK(offer_component(component, ids));
    }
    serve_tasks(host_, request_.user, *service_);
    if (request_.capability.empty()) {
        if (request_.workflows) FOXWEDGE_CHECK(offer_workflows());
        serve_prompts(host_.config(), *service_);
        serve_runs(host_, request_.user, *service_);
    }
    if (wanted.count(std::string(agent::component_of(documents_tool))))
        serve_documents(host_, *service_);
    return {};
}

Status HostServing::offer_component(const std::string& component,
                                    const std::set<std::string>& ids) {
    FOXWEDGE_TRY(source, host_.world().capability(component));
    Call call;
    call.scope.project = host_.config().project;
    FOXWEDGE_TRY(list, source->list(call));
    for (auto& tool : list.tools) {
        Offered offered;
        offered.id = agent::capability_tool_id(component, tool.name);
        if (!ids.count(offered.id)) continue;
        const auto& entry = host_.config().tools.at(offered.id);
        offered.component = component;
        offered.raw_name = tool.name;
        offered.direct = tool.effect == ToolEffect::none && entry.auto_approve && !entry.approval &&
                         !request_.record_all;
        offered.definition = std::move(tool);
        offered.told = std::make_shared<capability::ToldTool>(offered.id, offered.definition);
        FOXWEDGE_CHECK(offer(std::move(offered)));
    }
    return {};
}

Status HostServing::offer_workflows() {
    for (const std::string& name : host_.names()) {
        Offered offered;
        offered.id = name;
        offered.workflow = true;
        offered.definition.description =
            "Runs \"" + name + "\" of the host \"" + host_.config().name + "\" with this input.";
        offered.definition.input_schema = JsonObject{{"type", "object"}};
        FOXWEDGE_CHECK(offer(std::move(offered)));
    }
    return {};
}

Status HostServing::offer(Offered offered) {
    mcp::ServedTool tool;
    tool.definition = offered.definition;
    tool.definition.name = request_.capability.empty() ? offered.id : offered.raw_name;
    tool.run = [this, offered = std::move(offered)](const Json& arguments, Served& served) {
        return offered.direct ? answer(offered, arguments, served)
                              : run(offered, arguments, served);
    };
    return service_->add(std::move(tool));
}

void HostServing::hear(const agent::StepEvent& event) {
    if (before_) before_(event);
    std::lock_guard lock(mutex_);
    if (const auto call = calls_.find(event.run); call != calls_.end())
        pass_on(event.kind, event.payload_json, *call->second);
}

Result<ToolResult> HostServing::answer(const Offered& offered, const Json& arguments,
                                       Served& served) {
    FOXWEDGE_TRY(source, host_.world().capability(offered.component));
    Call call;
    call.until = served.until();
    call.scope.project = host_.config().project;
    call.scope.conversation = request_.conversation;
    call.scope.user = user_of(served);
    agent::RunStore store(host_.world().store, call.scope, false);
    Listener listener(served);
    call.store = &store;
    call.events = &listener;
    return source->run(offered.raw_name, to_text(arguments), call);
}

Result<journal::Engine::Begun> HostServing::begin(const Offered& offered, const Json& arguments,
                                                  Served& served) {
    if (const auto kept = string_member(served.kept(), "run"))
        return journal::Engine::Begun{std::string(*kept), nullptr};
    StartRequest request;
    request.name = (offered.workflow ? "" : std::string(call_prefix)) + offered.id;
    request.input_json = to_text(arguments);
    request.conversation = request_.conversation;
    request.user = user_of(served);
    // One client's keys are not another's.
    if (const auto key = string_member(served.meta(), "foxwedge/idempotencyKey"))
        request.key = "mcp:" + request.user + ":" + std::string(*key);
    if (!offered.workflow) return host_.begin(request);
    // What an agent's model has said is paid for, and on record before anything else happens.
    FOXWEDGE_TRY(started, host_.start(request));
    return journal::Engine::Begun{std::move(started.run), nullptr};
}

Result<ToolResult> HostServing::run(const Offered& offered, const Json& arguments, Served& served) {
    FOXWEDGE_TRY(begun, begin(offered, arguments, served));
    const std::string id = begun.run;
    struct Listening {
        Listening(HostServing& serving, std::string run, Served& served)
            : serving_(serving), run_(std::move(run)), served_(served) {
            std::lock_guard lock(serving_.mutex_);
            serving_.calls_[run_] = &served;
        }
        ~Listening() {
            std::lock_guard lock(serving_.mutex_);
            if (const auto own = serving_.calls_.find(run_);
                own != serving_.calls_.end() && own->second == &served_)
                serving_.calls_.erase(own);
        }
        HostServing& serving_;
        const std::string run_;
        Served& served_;
    } listening(*this, id, served);
    const std::stop_callback left(served.until().stop,
                                  [&] { give_up(id, "user:" + user_of(served)); });
    ExecuteRequest request;
    request.told = offered.told;
    for (;;) {
        FOXWEDGE_TRY(end, host_.execute_begun(std::exchange(begun, {id, nullptr}), request));
        service_->changed(run_uri(id));
        if (end.how != run::Ended::parked) {
            auto result = finished(offered, id, end);
            if (result && offered.id == documents_tool) tell_of_document(*result, *service_);
            return result;
        }
        FOXWEDGE_TRY(gate, open_gate(id));
        if (!gate)
            return error_result("waiting",
                                "The call waits for something that is no decision: run " + id +
                                    " (foxwedge show " + id + ").");
        FOXWEDGE_TRY(went_on, decided(*gate, id, served));
        if (went_on) continue;
        if (served.can_follow() && !offered.workflow) {
            FOXWEDGE_TRY(task, task_state(host_, id, served.user(), request_.user));
            served.go_on_as(std::move(task));
            return not_done(std::string(mcp::task_code), "the call goes on as a task");
        }
        ToolResult waits = text_result(waiting_text(*gate));
        waits.details = JsonObject{{"code", "waiting"}, {"run", id}, {"gate", gate->id}};
        return waits;
    }
}

Result<std::optional<journal::Gate>> HostServing::open_gate(const std::string& run) {
    journal::GateQuery query;
    query.root = run;
    query.limit = 1;
    FOXWEDGE_TRY(gates, host_.engine().gates(query));
    return gates.empty() ? std::optional<journal::Gate>() : std::optional(std::move(gates.front()));
}

/// True if the gate is closed now. Since 2026-07-28 the question ends the round: the error
/// `input_required` goes up, and the next round finds the run in what was kept.
Result<bool> HostServing::decided(const journal::Gate& gate, const std::string& run,
                                  Served& served) {
    if (!served.can_ask("elicitation/create")) return false;
    served.keep(JsonObject{{"run", run}});
    std::stop_source closed;
    const GateWatch watch(host_.engine(), gate, closed);
    const auto elicited =
        served.ask(gate.id, "elicitation/create", gate_question(gate), closed.get_token());
    if (!elicited && elicited.error().code == taken_back_code) {
        await_release(host_.engine(), run, served.until());
        return true;
    }
    if (!elicited) return elicited.error();
    const auto answer = gate_answer(gate, *elicited, "user:" + user_of(served));
    if (!answer) return false;
    auto done = host_.engine().answer(*answer);
    // Somebody else was faster, or the gate's time was up: the run goes on all the same.
    if (!done && done.error().code != "conflict" && done.error().code != "expired")
        return std::move(done).error();
    return true;
}

Result<ToolResult> HostServing::finished(const Offered& offered, const std::string& run,
                                         const run::Finished& end) {
    if (offered.workflow && end.how == run::Ended::succeeded)
        return agent::result_of_child({run, journal::RunStatus::succeeded, end.outcome});
    journal::Outcome outcome = end.outcome;
    if (end.error) outcome.error = end.error;
    return result_of_call(run, end.how == run::Ended::succeeded, outcome);
}

/// A call that waits for a person outlives its connection; any other ends with it.
void HostServing::give_up(const std::string& run, const std::string& who) {
    const auto gate = open_gate(run);
    if (gate && *gate) return;
    (void)host_.engine().cancel(run, who);
}

} // namespace

Result<std::unique_ptr<Serving>> make_serving(Host& host, ServeRequest request) {
    auto serving = std::make_unique<HostServing>(host, std::move(request));
    FOXWEDGE_CHECK(serving->fill());
    return std::unique_ptr<Serving>(std::move(serving));
}

} // namespace foxwedge::compose
