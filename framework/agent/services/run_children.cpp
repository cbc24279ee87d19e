#include "agent/services/run_children.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "agent/budget/tree_spent.hpp"
#include "agent/calls/workflow_call.hpp"
#include "run/on_record.hpp"

namespace foxwedge::agent {
namespace {

Error refused(std::string message) {
    return permanent("input_validation", std::move(message));
}

/// An agent's tools but for these.
void leave_out(Json& agent, const JsonArray& without) {
    auto* const tools = agent.get_object().if_contains("tools");
    if (!tools || !tools->is_array()) return;
    const auto named = [](const Json& tool) {
        return tool.is_string() ? std::string(view(tool.get_string()))
                                : std::string(string_member(tool, "use").value_or(""));
    };
    auto& list = tools->get_array();
    for (auto at = list.begin(); at != list.end();) {
        const auto name = named(*at);
        const bool out = std::any_of(without.begin(), without.end(), [&](const Json& one) {
            return one.is_string() && view(one.get_string()) == name;
        });
        at = out ? list.erase(at) : at + 1;
    }
}

/// An agent's result says how it stopped; a plain workflow's is its value.
struct ChildValue {
    const Json* value = nullptr;
    std::optional<std::string_view> reason;
};
ChildValue value_of_child(const Json& result) {
    const Json* const final = member(result, "final");
    const auto reason = string_member(result, "stopReason");
    return {final && reason ? final : &result, reason};
}

/// How a run stands or ended, for who started it. `value`: of its outcome, null for none.
JsonObject told(const std::string& run, journal::RunStatus status,
                const std::optional<Error>& error, const Json* value) {
    JsonObject answer{{"ticket", run}, {"status", to_string(status)}};
    if (error) answer["error"] = JsonObject{{"code", error->code}, {"message", error->message}};
    if (!value) return answer;
    const auto [result, reason] = value_of_child(*value);
    if (reason) answer["stopReason"] = *reason;
    if (const Json* const agents = member(*value, "agentsStarted"))
        answer["agentsStarted"] = *agents;
    if (!error) answer["value"] = *result;
    return answer;
}

std::optional<Json> value_of(const journal::Outcome& outcome) {
    auto value = parse_json(outcome.value_json);
    return value ? std::optional(*std::move(value)) : std::nullopt;
}

Json labels_of(const journal::RunHead& head) {
    auto labels = parse_json(head.labels_json.empty() ? "{}" : head.labels_json);
    return labels ? *std::move(labels) : Json();
}

/// What a run's result says that it has cost, its children included.
Spent spent_of(const Json* value) {
    const Json* const usage = value ? member(*value, "usage") : nullptr;
    return usage ? spent_from_json(*usage) : Spent();
}

/// Where a run keeps what its children have cost that ended without a result.
journal::Effect cost_of_child(const std::string& run, const std::string& child) {
    journal::Effect effect;
    effect.collection = journal::collection_name("foxwedge.children-spent", "run", run);
    effect.key = child;
    return effect;
}

std::int64_t scripts_above(const journal::RunHead& head) {
    return integer_member(labels_of(head), "scripts").value_or(0);
}

} // namespace

struct RunChildren::Wanted {
    std::string key, workflow;
    JsonObject options;
    JsonArray without;
    bool is_agent = false, detached = false;

    bool is_script() const { return workflow.starts_with(script_prefix); }
};

RunChildren::RunChildren(run::StepCall& step, std::string name, Caller caller, World& world)
    : step_(step), name_(std::move(name)), caller_(std::move(caller)), world_(world),
      records_in_(caller_.turn ? std::string() : calling_run_of(step.lane().head())) {}

Result<RunChildren::Wanted> RunChildren::wanted_of(const Json& request) const {
    const auto key = string_member(request, "key");
    if (!key || key->empty()) return refused("a child needs a \"key\", a text of its own");
    const auto agent = string_member(request, "agent"),
               workflow = string_member(request, "workflow");
    if (agent && workflow) return refused("a child is either an \"agent\" or a \"workflow\"");
    Wanted out{std::string(*key),
               std::string(agent ? *agent : workflow.value_or(caller_.agent)),
               {},
               {},
               !workflow,
               bool_member(request, "detached").value_or(false)};
    if (out.workflow == script_prefix) out.workflow += caller_.agent;
    if (out.workflow.empty() || out.workflow == script_prefix)
        return permanent("no_agent", "no agent calls here: name one in \"agent\" or \"workflow\"");
    if (const auto* const options = object_member(request, "options")) out.options = *options;
    if (const auto* const output = member(request, "output")) out.options["output"] = *output;
    if (const auto* const without = array_member(request, "without")) out.without = *without;
    if (workflow && !out.options.empty())
        return refused("\"options\" and \"output\" go with an agent, not with a workflow");
    if (out.detached && !caller_.turn)
        return permanent("no_turn", "only what an agent's own turn starts may go on by itself: "
                                    "here the run ends with the call");
    return out;
}

Status RunChildren::check_depth(const Wanted& wanted) const {
    if (caller_.path.size() >= deepest_agent)
        return permanent("too_deep", "agents start agents " + std::to_string(deepest_agent - 1) +
                                         " deep at most");
    if (!wanted.is_agent && scripts_above(step_.lane().head()) >= deepest_script)
        return permanent("too_deep", "scripts start scripts " + std::to_string(deepest_script) +
                                         " deep at most");
    return {};
}

/// The configuration for a child whose agent is asked with other options.
Result<std::string> RunChildren::config_for(const Wanted& wanted) {
    const std::string asked =
        wanted.workflow + '\n' + to_text(wanted.options) + '\n' + to_text(wanted.without);
    if (const auto known = configs_.find(asked); known != configs_.end()) return known->second;
    std::string text = config_of_child(step_.lane());
    if (!wanted.options.empty() || !wanted.without.empty()) {
        FOXWEDGE_TRY(config, parse_json(text));
        auto* const agents = config.get_object().if_contains("agents");
        auto* const entry = agents && agents->is_object()
                                ? agents->get_object().if_contains(wanted.workflow)
                                : nullptr;
        if (!entry && !wanted.options.empty())
            return refused("options go with an agent; the configuration has none called \"" +
                           wanted.workflow + "\"");
        if (entry) {
            leave_out(*entry, wanted.without);
            for (const auto& [name, value] : wanted.options) entry->get_object()[name] = value;
        }
        text = to_text(config);
    }
    return configs_.emplace(asked, std::move(text)).first->second;
}

std::string RunChildren::labels_for(const Wanted& wanted, const Json& request) const {
    run::Run& lane = step_.lane();
    auto labels = parse_json(labels_of_child(lane.head(), caller_.path, caller_.budget));
    auto& out = labels->get_object();
    if (const auto prompt = string_member(request, "prompt")) out["prompt"] = *prompt;
    for (const char* name : {"label", "phase"})
        if (const auto text = string_member(request, name)) out[name] = *text;
    if (!wanted.is_agent) out["scripts"] = scripts_above(lane.head()) + 1;
    if (wanted.is_script() && caller_.turn) out["recordsIn"] = lane.id();
    if (wanted.detached) out["detached"] = true;
    return to_text(out);
}

/// Why a child of this step name cannot be the next one on record.
std::optional<Error> RunChildren::another(const std::string& name) const {
    const auto recorded = caller_.script ? step_.lane().next_step() : std::string_view();
    if (recorded.empty() || recorded == name) return std::nullopt;
    const auto shown = [&](std::string_view step) {
        return std::string(step.starts_with(name_ + ":") ? step.substr(name_.size() + 1) : step);
    };
    return permanent("nondeterminism",
                     "another request than on record: \"" + shown(name) + "\" is asked, \"" +
                         shown(recorded) + "\" is on record",
                     to_text(JsonObject{{"asked", shown(name)}, {"recorded", shown(recorded)}}));
}

void RunChildren::note_start(run::ChildSpec& child, const Json& request) {
    if (records_in_.empty()) return;
    JsonObject record{{"type", "agent-start"},
                      {"seq", integer_member(request, "seq").value_or(0)},
                      {"label", string_member(request, "label").value_or("")}};
    if (const auto phase = string_member(request, "phase")) record["phase"] = *phase;
    child.effects = [this, record, n = ++records_](const std::string& id) {
        auto whole = record;
        whole["childId"] = id;
        return std::vector{workflow_record(records_in_, step_.lane().id(), n, std::move(whole))};
    };
}

/// What a child has cost that has ended just now. Without a result it is looked for below the
/// child, once: what was seen is kept with the end.
Spent RunChildren::cost_of_end(const run::ChildResult& ended,
                               std::vector<journal::Effect>& effects) {
    if (const auto said = spent_by_result(ended.outcome)) return *said;
    const auto spent =
        world_.spent_by_run ? world_.spent_by_run(ended.run) : Result<Spent>(Spent());
    if (!spent || *spent == Spent()) return {};
    effects.push_back(cost_of_child(step_.lane().id(), ended.run));
    effects.back().value_json = to_text(to_json(*spent));
    return *spent;
}

Result<Spent> RunChildren::recorded_cost(const run::ChildResult& ended) const {
    if (!world_.store) return Spent();
    const auto kept = cost_of_child(step_.lane().id(), ended.run);
    FOXWEDGE_TRY(item, world_.store->get(kept.collection, kept.key));
    if (!item) return Spent();
    FOXWEDGE_TRY(usage, parse_json(item->value_json));
    return spent_from_json(usage);
}

std::vector<journal::Effect> RunChildren::note_end(const run::ChildResult& ended) {
    const auto open = open_.find(ended.run);
    if (caller_.turn && open != open_.end() && open->second.seq < 0) {
        const bool failed = ended.outcome.error.has_value();
        const auto* const reason = ended.status == journal::RunStatus::cancelled ? "cancelled"
                                   : failed                                      ? "error"
                                                                                 : "completed";
        const auto& run = step_.lane().id();
        std::vector<journal::Effect> closing;
        if (ended.status != journal::RunStatus::succeeded && world_.store)
            closing =
                closing_records([this](auto&&... where) { return world_.store->scan(where...); },
                                run, ended.run, reason);
        if (closing.empty())
            closing.push_back(
                workflow_record(run, ended.run, record_of_end,
                                JsonObject{{"type", "run-end"}, {"stopReason", reason}}));
        return closing;
    }
    if (records_in_.empty()) return {};
    const auto* const outcome = ended.status == journal::RunStatus::cancelled ? "cancelled"
                                : ended.outcome.error                         ? "failed"
                                                                              : "completed";
    return {workflow_record(records_in_, step_.lane().id(), ++records_,
                            JsonObject{{"type", "agent-end"},
                                       {"seq", open == open_.end() ? 0 : open->second.seq},
                                       {"outcome", outcome}})};
}

/// A child that this run has started to go on by itself.
Result<journal::RunHead> RunChildren::detached_child(std::string_view run) const {
    if (!world_.run_head) return permanent("unavailable", "this host tells nothing of its runs");
    auto head = world_.run_head(run);
    if (!head || head->parent != step_.lane().id() ||
        !bool_member(labels_of(*head), "detached").value_or(false))
        return permanent("unknown_run", "this run has started no \"" + std::string(run) +
                                            "\" that goes on by itself");
    return head;
}

/// What such a run has cost is a part of the first step that sees its end, and of no other.
Status RunChildren::count_once(const journal::RunHead& ended) {
    if (!world_.store || !ended.result || !counted_.insert(ended.id).second) return {};
    journal::Effect mark;
    mark.collection =
        journal::collection_name("foxwedge.workflows-counted", "run", step_.lane().id());
    mark.key = ended.id;
    mark.value_json = "true";
    mark.expect = 0; // of two at a time one is done again, and finds it
    FOXWEDGE_TRY(counted, world_.store->get(mark.collection, mark.key));
    if (counted) return {};
    const auto value = value_of(*ended.result);
    if (ended.status == journal::RunStatus::succeeded) {
        spent_ += spent_of(value ? &*value : nullptr);
    } else if (world_.spent_by_run) {
        FOXWEDGE_TRY(spent, world_.spent_by_run(ended.id));
        spent_ += spent;
    }
    effects_.push_back(std::move(mark));
    return {};
}

Result<Json> RunChildren::find(std::string_view run, bool wait) {
    FOXWEDGE_TRY(head, detached_child(run));
    if (wait && !is_final(head.status)) {
        if (!step_.lane().wait_for({journal::Wait::On::child, {}, head.id})) return run::parked();
        FOXWEDGE_TRY(ended, world_.run_head(run));
        head = std::move(ended);
    }
    const auto outcome = head.result.value_or(journal::Outcome());
    const auto value = value_of(outcome);
    auto answer = told(head.id, head.status, outcome.error, value ? &*value : nullptr);
    if (const auto label = string_member(labels_of(head), "label")) answer["label"] = *label;
    const auto caller = calling_run_of(head);
    if (is_final(head.status)) FOXWEDGE_CHECK(count_once(head));
    if (head.status == journal::RunStatus::cancelled && !caller.empty() && world_.store) {
        const ScanStore scan = [&](auto&&... where) { return world_.store->scan(where...); };
        for (auto& one : closing_records(scan, caller, head.id, "cancelled"))
            effects_.push_back(std::move(one));
    }
    return Json(std::move(answer));
}

Result<Json> RunChildren::start(const Json& request) {
    if (const auto run = string_member(request, "find"))
        return find(*run, bool_member(request, "wait").value_or(false));
    if (const auto most = integer_member(request, "ahead"))
        return ahead(*most, bool_member(request, "usage").value_or(false));
    FOXWEDGE_TRY(wanted, wanted_of(request));
    if (const auto known = tickets_.find(wanted.key); known != tickets_.end())
        return Json(JsonObject{{"ticket", known->second}});
    FOXWEDGE_CHECK(check_depth(wanted));
    run::Run& lane = step_.lane();
    run::ChildSpec child;
    child.name = name_ + ":child:" + wanted.key;
    if (auto wrong = another(child.name)) return std::move(*wrong);
    child.workflow = wanted.workflow;
    const Json* const input = member(request, "input");
    child.input_json = input ? to_text(*input) : "null";
    if (lane.replaying()) { // it exists: what it was created with is not needed again
        if (!records_in_.empty()) ++records_;
    } else {
        FOXWEDGE_TRY(config, config_for(wanted));
        child.config_json = std::move(config);
        child.labels_json = labels_for(wanted, request);
        note_start(child, request);
    }
    lane.unwinds(false); // the caller may be a plugin, which no exception may cross
    auto started = lane.start_child(child);
    lane.unwinds(true);
    if (!started) return std::move(started).error();
    tickets_[wanted.key] = *started;
    const auto seq = integer_member(request, "seq").value_or(0);
    open_[*started] = {wanted.key, wanted.is_script() ? -1 : seq};
    return Json(JsonObject{{"ticket", *started}});
}

Result<Json> RunChildren::next() {
    run::Run& lane = step_.lane();
    const std::string name = name_ + ":ended:" + std::to_string(given_);
    if (!open_.empty())
        if (auto wrong = another(name)) return std::move(*wrong);
    if (!ahead_.empty()) return next_told();
    const bool recorded = lane.replaying();
    lane.unwinds(false);
    Spent spent;
    auto ended = [&] {
        const Ledger::UnderWay::Waits waits(caller_.counted);
        return lane.next_child(name, [&](const auto& end) {
            auto effects = note_end(end);
            if (end.status != journal::RunStatus::succeeded) spent = cost_of_end(end, effects);
            return effects;
        });
    }();
    lane.unwinds(true);
    if (!ended) return std::move(ended).error();
    if (recorded && ended->status != journal::RunStatus::succeeded) {
        FOXWEDGE_TRY(before, recorded_cost(*ended));
        spent = before;
    }
    if (recorded && !records_in_.empty()) ++records_; // its record has this number
    ++given_;
    open_.erase(ended->run);
    const auto value = value_of(ended->outcome);
    auto answer = told(ended->run, ended->status, ended->outcome.error, value ? &*value : nullptr);
    if (recorded) answer["recorded"] = true;
    if (ended->status == journal::RunStatus::succeeded) spent = spent_of(value ? &*value : nullptr);
    answer["usage"] = to_json(spent);
    spent_ += spent;
    return Json(std::move(answer));
}

Result<Json> RunChildren::next_told() {
    run::Run& lane = step_.lane();
    lane.unwinds(false);
    const auto passed =
        run::pass_child_end(lane, name_ + ":ended:" + std::to_string(given_), ahead_.front().run);
    lane.unwinds(true);
    if (!passed) return passed.error();
    const auto told = std::move(ahead_.front());
    ahead_.pop_front();
    if (!records_in_.empty()) ++records_; // its record has this number
    ++given_;
    open_.erase(told.run);
    spent_ += told.spent;
    return Json(JsonObject{{"ticket", told.run}, {"recorded", true}});
}

void RunChildren::read_record() {
    on_record_.emplace();
    constexpr std::string_view started = ":child:", ended = ":ended:";
    for (const journal::Record& record : run::records_of(step_.lane())) {
        std::string_view name = record.key.name;
        if (!record.outcome || record.outcome->error || !name.starts_with(name_)) continue;
        name.remove_prefix(name_.size());
        const std::string_view value = record.outcome->value_json;
        if (record.key.kind == "child-start" && name.starts_with(started) && value.size() > 2)
            on_record_->keys[value.substr(1, value.size() - 2)] = name.substr(started.size());
        if (record.key.kind != "child-end" || !name.starts_with(ended)) continue;
        // They were recorded one after the other: their numbers have no holes.
        if (name.substr(ended.size()) == std::to_string(on_record_->ends.size()))
            on_record_->ends.push_back(&record);
    }
}

/// The plain ones among the next ends on record, as many as stand there in a row: what the script
/// is going to be told in any case, if it asks as before. Takes nothing.
Result<Json> RunChildren::ahead(std::int64_t most, bool with_usage) {
    constexpr std::size_t most_bytes = 32u << 10;
    if (!caller_.script) return refused("only a script's children can be told ahead");
    if (!on_record_) read_record();
    JsonArray ends;
    std::size_t bytes = 0;
    std::size_t at = given_ + ahead_.size();
    for (; at < on_record_->ends.size() && std::cmp_less(ends.size(), most); ++at) {
        const auto& text = on_record_->ends[at]->outcome->value_json;
        bytes += text.size();
        if (!ends.empty() && bytes > most_bytes) break;
        FOXWEDGE_TRY(end, parse_json(text));
        const auto run = string_member(end, "run"), status = string_member(end, "status");
        const auto key = run ? on_record_->keys.find(*run) : on_record_->keys.end();
        const Json* const result = member(end, "value");
        if (key == on_record_->keys.end() || status != "succeeded" || !result) break;
        const auto answer = value_of_child(*result);
        if (answer.reason && *answer.reason != "final") break;
        ahead_.push_back({std::string(*run), spent_of(result)});
        JsonObject told{{"key", key->second}};
        told["value"] = *answer.value;
        if (with_usage) told["usage"] = to_json(ahead_.back().spent);
        ends.push_back(std::move(told));
    }
    return Json(JsonObject{{"ends", std::move(ends)}, {"more", at < on_record_->ends.size()}});
}

Status RunChildren::await_end(const std::string& run) const {
    constexpr int looks = 1'000;
    constexpr std::chrono::milliseconds pause{5};
    for (int i = 0; i < looks && world_.run_head && !step_.until().stopped(); ++i) {
        const auto head = world_.run_head(run);
        if (!head || is_final(head->status)) break;
        std::this_thread::sleep_for(pause);
    }
    return {};
}

Status RunChildren::cancel(const Json& request) {
    const auto ticket = string_member(request, "ticket");
    const auto is_it = [&](const auto& one) { return one.second == *ticket; };
    if (!ticket) return refused("a \"ticket\" says which child");
    if (std::none_of(tickets_.begin(), tickets_.end(), is_it))
        if (auto known = detached_child(*ticket); !known) {
            if (known.error().code != "unknown_run") return std::move(known).error();
            return refused("this call has started no child \"" + std::string(*ticket) + "\"");
        }
    if (!world_.cancel) return permanent("unavailable", "this host ends no children");
    run::Run& lane = step_.lane();
    lane.unwinds(false);
    auto created = lane.create_children();
    lane.unwinds(true);
    if (!created) return created;
    if (!ending_.insert(std::string(*ticket)).second) return await_end(std::string(*ticket));
    auto done = world_.cancel(*ticket);
    // One that has ended already is what was wanted.
    if (!done && done.error().code != "run_finished") return done;
    return {};
}

} // namespace foxwedge::agent
