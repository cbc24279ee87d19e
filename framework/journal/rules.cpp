#include "journal/rules.hpp"

#include <algorithm>

#include "base/id.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace foxwedge::journal {

const char* to_string(RunStatus status) noexcept {
    switch (status) {
    case RunStatus::running:
        return "running";
    case RunStatus::ready:
        return "ready";
    case RunStatus::waiting:
        return "waiting";
    case RunStatus::succeeded:
        return "succeeded";
    case RunStatus::failed:
        return "failed";
    case RunStatus::cancelled:
        return "cancelled";
    case RunStatus::stuck:
        return "stuck";
    }
    return "stuck";
}

std::optional<RunStatus> run_status(std::string_view text) {
    for (auto s : {RunStatus::running, RunStatus::ready, RunStatus::waiting, RunStatus::succeeded,
                   RunStatus::failed, RunStatus::cancelled, RunStatus::stuck})
        if (text == to_string(s)) return s;
    return std::nullopt;
}

namespace {
void append_escaped(std::string& out, std::string_view part) {
    for (const char c : part) {
        if (c == '%')
            out += "%25";
        else if (c == '/')
            out += "%2F";
        else
            out += c;
    }
}
} // namespace

std::string collection_name(std::string_view name_space, std::string_view scope,
                            std::string_view scope_id) {
    std::string name;
    append_escaped(name, name_space);
    name += '/';
    append_escaped(name, scope);
    name += '/';
    append_escaped(name, scope_id);
    return name;
}

std::string start_key(std::string_view host, std::string_view workflow, std::string_view key) {
    return collection_name(host, workflow, key);
}

std::optional<std::string> unfit(const StepKey& key) {
    if (key.name.empty()) return "a step needs a name";
    if (key.name.size() > max_step_name) return "the step's name is longer than 512 bytes";
    return std::nullopt;
}

std::optional<std::string> unfit(std::span<const Effect> effects, const Limits& limits) {
    if (effects.size() > max_effects) return "more than 1,000 store writes in one step";
    std::size_t bytes = 0;
    for (const auto& e : effects) {
        if (e.key.empty()) return "a store key is empty";
        if (e.key.size() > max_store_key) return "a store key is longer than 2,000 bytes";
        if (e.value_json.size() > limits.max_store_value) return "a store value is over 4 MiB";
        bytes += e.key.size() + e.value_json.size() + e.add_json.size();
    }
    if (effects.size() > 1 && bytes > max_effect_bytes)
        return "the step's store writes together are over 4 MiB";
    return std::nullopt;
}

std::optional<std::string> unfit(const Completion& c, const Limits& limits) {
    if (auto bad = unfit(c.key)) return bad;
    if (c.outcome && c.outcome->value_json.size() > limits.max_value)
        return "the outcome of " + c.key.name + " is over " +
               std::to_string(limits.max_value >> 20) + " MiB";
    return unfit(c.effects, limits);
}

std::optional<std::string> unfit(const Checkpoint& c, const Limits& limits) {
    if (auto bad = unfit(c.key)) return bad;
    if (c.bytes.size() > max_checkpoint)
        return "the checkpoint of " + c.key.name + " is over 64 KiB";
    return unfit(c.effects, limits);
}

std::optional<std::string> unfit(const Batch& batch, const Limits& limits) {
    for (const auto& item : batch.intents)
        if (auto bad = unfit(item.key)) return bad;
    for (const auto& item : batch.completions)
        if (auto bad = unfit(item, limits)) return bad;
    for (const auto& item : batch.gates) {
        if (auto bad = unfit(item.key)) return bad;
        if (auto bad = unfit(item.effects, limits)) return bad;
        if (auto bad = unfit(item.on_close, limits)) return bad;
    }
    for (const auto& item : batch.checkpoints)
        if (auto bad = unfit(item, limits)) return bad;
    for (const auto& item : batch.children) {
        if (auto bad = unfit(item.key)) return bad;
        if (const auto fit = check_new_run(item.run, limits); !fit) return fit.error().message;
    }
    return std::nullopt;
}

Status check_new_run(const NewRun& run, const Limits& limits) {
    if (run.workflow.empty()) return permanent("input_validation", "a run needs a workflow");
    if (run.input_json.size() > limits.max_input)
        return permanent("too_large", "the run's input is over 64 MiB");
    if (run.key.size() > max_store_key)
        return permanent("input_validation", "the start key is longer than 2,000 bytes");
    if (!run.id.empty() && !is_id(run.id))
        return permanent("input_validation", "\"" + run.id + "\" is no run id");
    return {};
}

Status check_begun(const NewRun& run) {
    if (run.parent.empty()) return {};
    return permanent("misuse", "a child comes into being with a record of its parent");
}

bool generation_holds(const Record* newest, std::uint32_t generation) {
    if (!newest) return generation == 0;
    if (!newest->outcome) return generation == newest->generation;
    return newest->outcome->error && generation == newest->generation + 1;
}

std::string conflict_of(const StepKey& key, const Record* newest) {
    if (!newest) return "the step " + key.name + " has no earlier generation";
    if (newest->key.name != key.name)
        return "the place of " + key.name + " on record belongs to " + newest->key.name;
    return "the step " + key.name + " is finished already";
}

std::string stuck_reason(std::span<const Record> records) {
    const Record* last = nullptr;
    for (const auto& r : records) {
        if (!r.outcome) return "the host died again and again in the step " + r.key.name;
        if (!last || r.sequence > last->sequence) last = &r;
    }
    return last ? "the host died again and again after the step " + last->key.name
                : "the host died again and again before the first step";
}

bool is_due(const Gate& gate, Time now) {
    return gate.status == Gate::Status::pending && gate.deadline && *gate.deadline <= now;
}

namespace {

/// ": reject by user:ann, 2026-11-30T10:00:00.000Z".
std::string first_of(const Gate& gate) {
    const auto decision = parse_json(gate.decision_json);
    if (!decision) return "";
    const auto part = [&](std::string_view name) {
        return std::string(string_member(*decision, name).value_or("?"));
    };
    return ": " + part("answer") + " by " + part("decidedBy") + ", " + part("at");
}

} // namespace

Status judge(const Gate& gate, const Answer& answer, Time now) {
    if (gate.status == Gate::Status::expired || is_due(gate, now))
        return permanent("expired", "nobody answered this gate in time; its deadline was " +
                                        to_text(gate.deadline.value_or(now)));
    if (gate.status == Gate::Status::cancelled)
        return permanent("conflict", "this gate was closed: nobody waits for its answer any more",
                         gate.decision_json);
    if (gate.status == Gate::Status::decided)
        return permanent("conflict", "this gate has been decided already" + first_of(gate),
                         gate.decision_json);
    if (answer.digest != gate.digest)
        return permanent("approval_stale",
                         "what this gate asks has changed since it was shown; look at it again");
    if (std::find(gate.allow.begin(), gate.allow.end(), answer.answer) == gate.allow.end())
        return permanent("not_allowed", "this gate takes " + join(gate.allow, ", ") + ", not \"" +
                                            answer.answer + "\"");
    // What can never be the gate's outcome must not be its decision: the run would wait for room.
    const auto most = Limits().max_value;
    if (decision_of(answer, now).size() > most)
        return permanent("too_large",
                         "the answer is larger than " + std::to_string(most) + " bytes");
    return {};
}

std::string decision_of(const Answer& answer, Time now) {
    std::string out = "{\"answer\":" + quoted(answer.answer) +
                      ",\"decidedBy\":" + quoted(answer.decided_by) +
                      ",\"at\":" + quoted(to_text(now));
    if (!answer.payload_json.empty())
        out += (answer.answer == "edit" ? ",\"arguments\":" : ",\"value\":") + answer.payload_json;
    if (!answer.reason.empty()) out += ",\"reason\":" + quoted(answer.reason);
    return out + "}";
}

std::string timeout_decision(const Gate& gate, Time now) {
    const std::string answer = gate.on_timeout.empty() ? "reject" : gate.on_timeout;
    return "{\"answer\":" + quoted(answer) + R"(,"decidedBy":"system:timeout","at":)" +
           quoted(to_text(now)) + "}";
}

std::string cancel_decision(Time now) {
    return R"({"answer":"reject","decidedBy":"system:cancel","at":)" + quoted(to_text(now)) + "}";
}

namespace {
/// Integers stay integers while the sum fits.
std::optional<Json> sum(const Json& a, const Json& b) {
    if (!a.is_number() || !b.is_number()) return std::nullopt;
    std::int64_t total = 0;
    if (a.is_int64() && b.is_int64() &&
        !__builtin_add_overflow(a.get_int64(), b.get_int64(), &total))
        return Json(total);
    return Json(a.to_number<double>() + b.to_number<double>());
}
} // namespace

Result<std::string> added(std::optional<std::string_view> current, std::string_view add) {
    const Error no_sum =
        permanent("conflict", "the stored value and what is to be added have no sum");
    FOXWEDGE_TRY(more, parse_json(add));
    if (more.is_number()) {
        if (!current) return to_text(more);
        FOXWEDGE_TRY(had, parse_json(*current));
        const auto total = sum(had, more);
        if (!total) return no_sum;
        return to_text(*total);
    }
    if (!more.is_object()) return no_sum;
    Json had = JsonObject();
    if (current) {
        FOXWEDGE_TRY(parsed, parse_json(*current));
        had = std::move(parsed);
    }
    if (!had.is_object()) return no_sum;
    for (const auto& member : more.get_object()) {
        Json& slot = had.get_object()[member.key()];
        const auto total = sum(slot.is_null() ? Json(0) : slot, member.value());
        if (!total) return no_sum;
        slot = *total;
    }
    return to_text(had);
}

Error key_conflict(const NewRun& run, std::string_view existing) {
    return permanent("key_conflict",
                     "the start key \"" + run.key + "\" of workflow \"" + run.workflow +
                         "\" belongs to run " + std::string(existing) + ", which has another input",
                     R"({"run":)" + quoted(existing) + "}");
}

Error cancelled_by(std::string_view who) {
    return permanent("cancelled", "cancelled by " + std::string(who));
}

bool count_death(std::uint32_t& deaths, std::uint32_t& unclean, const Death& death) {
    if (death.progressed) {
        deaths = 0;
        unclean = 0;
    }
    ++unclean;
    if (death.alone && !death.progressed) ++deaths;
    return deaths >= deaths_to_stuck;
}

} // namespace foxwedge::journal
