#include "compose/rehearsal.hpp"

#include <deque>
#include <map>
#include <mutex>

#include "agent/calls/ending.hpp"
#include "base/text.hpp"
#include "compose/workflows.hpp"
#include "contracts/provider.hpp"
#include "journal/memory_engine.hpp"

namespace foxwedge::compose {
namespace {

using journal::Gate;
using journal::Record;

constexpr int most_gates = 10'000;

Digest call_digest(std::string_view tool, const Json& arguments) {
    return sha256(std::string(tool) + '\0', canonical_text(arguments));
}

Json call_json(std::string_view tool, const Json& arguments) {
    return JsonObject{{"tool", tool}, {"arguments", arguments}};
}

/// Only the list of a server that the record has; it is never asked for anything else.
class RecordedServer final : public ToolSource {
public:
    explicit RecordedServer(ToolList list) : list_(std::move(list)) {}
    Result<ToolList> list(Call&) override { return list_; }
    Result<ToolResult> run(std::string_view name, std::string_view, Call&) override {
        return permanent("rehearsal",
                         "a rehearsal runs no tool, so not \"" + std::string(name) + "\"");
    }

private:
    const ToolList list_;
};

/// The answers that the origin has on record, by tool and canonical arguments. Any thread.
class Book {
public:
    Book(const std::vector<Record>& records, std::vector<Gate> gates) {
        std::map<std::string, const Record*> newest;
        for (const auto& record : records)
            if (record.outcome) newest[record.key.name] = &record; // higher generations come later
        for (const auto& [name, record] : newest) {
            if (record->key.kind == "tool") tools_[record->key.inputs].push_back(record);
            if (record->key.kind == "discovery") servers_[server_of(name)] = record;
        }
        for (auto& gate : gates) {
            if (gate.decision_json.empty()) continue;
            const auto about = parse_json(gate.about_json);
            const auto* const arguments = about ? member(*about, "arguments") : nullptr;
            const auto tool = about ? string_member(*about, "tool") : std::nullopt;
            if (arguments && tool)
                decisions_[call_digest(*tool, *arguments)].push_back(std::move(gate));
        }
    }

    Result<ToolResult> answer(std::string_view tool, const Json& arguments) {
        const std::lock_guard lock(mutex_);
        const auto found = tools_.find(call_digest(tool, arguments));
        while (found != tools_.end() && !found->second.empty()) {
            const Record& record = *found->second.front();
            // Calls that repeat are answered in their order, later ones as the last.
            if (found->second.size() > 1) found->second.pop_front();
            if (record.outcome->error) return *record.outcome->error;
            const auto value = parse_json(record.outcome->value_json);
            if (!value) break;
            auto call = agent::call_record_from_json(*value, record.outcome->tool_error);
            if (call.result) return *std::move(call.result);
            break; // it was refused there: what it would have given is not known
        }
        missing_.push_back(call_json(tool, arguments));
        return permanent("unknown_tool", "not recorded"); // which the model reads
    }

    /// How the question was answered there; one that was not asked lets the call go on to answer().
    journal::Answer decide(const Gate& gate) {
        const std::lock_guard lock(mutex_);
        journal::Answer answer{gate.id, gate.digest, gate.allow.empty() ? "approve" : gate.allow[0],
                               "",      "",          "user:rehearsal"};
        const auto about = parse_json(gate.about_json);
        const auto* const arguments = about ? member(*about, "arguments") : nullptr;
        const std::string tool(about ? string_member(*about, "tool").value_or("") : "");
        const auto found =
            decisions_.find(call_digest(tool, arguments ? *arguments : Json(JsonObject())));
        if (found == decisions_.end()) {
            missing_.push_back(
                JsonObject{{"gate", tool}, {"arguments", arguments ? *arguments : Json()}});
            return answer;
        }
        const auto decision = parse_json(found->second.front().decision_json);
        if (found->second.size() > 1) found->second.pop_front();
        if (!decision) return answer;
        answer.answer = string_member(*decision, "answer").value_or("reject");
        answer.reason = string_member(*decision, "reason").value_or("");
        for (const char* payload : {"arguments", "value"})
            if (const auto* const given = member(*decision, payload))
                answer.payload_json = to_text(*given);
        return answer;
    }

    Result<std::shared_ptr<ToolSource>> server(std::string_view name) {
        const std::lock_guard lock(mutex_);
        const auto found = servers_.find(std::string(name));
        ToolList list;
        if (found != servers_.end() && !found->second->outcome->error) {
            FOXWEDGE_TRY(value, parse_json(found->second->outcome->value_json));
            if (!member(value, "unavailable")) {
                FOXWEDGE_TRY(read, tool_list_from_json(value));
                list = std::move(read);
            }
        } else {
            missing_.push_back(JsonObject{{"server", name}});
        }
        return std::shared_ptr<ToolSource>(std::make_shared<RecordedServer>(std::move(list)));
    }

    std::vector<Json> missing() const {
        const std::lock_guard lock(mutex_);
        return missing_;
    }

private:
    /// "<id>:mcp:<server>:tools"
    static std::string server_of(const std::string& step) {
        const auto from = step.find(":mcp:");
        const auto to = step.rfind(":tools");
        if (from == std::string::npos || to == std::string::npos || to < from + 5) return step;
        return step.substr(from + 5, to - from - 5);
    }

    mutable std::mutex mutex_;
    std::map<Digest, std::deque<const Record*>> tools_;
    std::map<Digest, std::deque<Gate>> decisions_;
    std::map<std::string, const Record*> servers_;
    std::vector<Json> missing_;
};

/// The calls that the model asked for, in order.
std::vector<Json> calls_in(const std::vector<Record>& records) {
    std::map<std::uint32_t, const Record*> answers; // the root lane is in order; newest last
    for (const auto& record : records)
        if (record.key.kind == "model" && record.key.lane.empty() && record.outcome &&
            !record.outcome->error)
            answers[record.key.index] = &record;
    std::vector<Json> out;
    for (const auto& [index, record] : answers) {
        const auto value = parse_json(record->outcome->value_json);
        const auto answer = value ? generated_from_json(*value) : value.error();
        if (!answer) continue;
        for (const Block& block : answer->content) {
            if (block.type != Block::Type::tool_call) continue;
            const auto arguments = parse_json(block.arguments);
            out.push_back(call_json(block.name, arguments ? *arguments : Json(block.arguments)));
        }
    }
    return out;
}

struct Ended {
    Json answer, stop, error, usage;
};
Ended ended_of(const journal::Outcome& outcome) {
    Ended out;
    if (outcome.error)
        out.error = JsonObject{{"code", outcome.error->code}, {"message", outcome.error->message}};
    const auto value = parse_json(outcome.value_json.empty() ? "null" : outcome.value_json);
    if (!value) return out;
    const auto* const final = member(*value, "final");
    out.answer = final ? *final : *value;
    if (const auto* const reason = member(*value, "stopReason")) out.stop = *reason;
    if (const auto* const usage = member(*value, "usage")) out.usage = *usage;
    return out;
}

void compare(Rehearsal& out, const journal::Outcome& before, const journal::Outcome& after) {
    const Ended was = ended_of(before), is = ended_of(after);
    const auto differ = [&](const char* what, const Json& a, const Json& b) {
        if (a != b) out.differences.push_back({what, a, b});
    };
    differ("error", was.error, is.error);
    differ("stop", was.stop, is.stop);
    differ("answer", was.answer, is.answer);
    out.usage_before = was.usage;
    out.usage_after = is.usage;
}

void compare(Rehearsal& out, const std::vector<Json>& before, const std::vector<Json>& after) {
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
        const Json was = i < before.size() ? before[i] : Json();
        const Json is = i < after.size() ? after[i] : Json();
        if (was != is) out.differences.push_back({"call", was, is});
    }
}

/// Answers what is asked as soon as it is on record.
void answer_gates(journal::Engine& engine, const std::string& run, Book& book) {
    journal::GateQuery query;
    query.run = run;
    const auto open = engine.gates(query);
    if (!open) return;
    for (const auto& gate : *open)
        if (!engine.answer(book.decide(gate)))
            (void)engine.cancel(run, "rehearsal"); // cannot be answered: it would wait for ever
}

} // namespace

Json to_json(const Difference& difference) {
    return JsonObject{
        {"what", difference.what}, {"before", difference.before}, {"after", difference.after}};
}

Json to_json(const Rehearsal& rehearsal) {
    JsonArray differences;
    for (const auto& one : rehearsal.differences) differences.push_back(to_json(one));
    return JsonObject{{"run", rehearsal.run},
                      {"same", rehearsal.differences.empty()},
                      {"differences", std::move(differences)},
                      {"usage", JsonObject{{"before", rehearsal.usage_before},
                                           {"after", rehearsal.usage_after}}}};
}

Result<Rehearsal> rehearse(journal::Engine& engine, std::string_view run_id,
                           const config::HostConfig& config, const Json& resolved,
                           agent::World world, const run::EventSink& events) {
    FOXWEDGE_TRY(origin, engine.head(run_id));
    FOXWEDGE_TRY(records, engine.records(run_id));
    journal::GateQuery query;
    query.run = run_id;
    query.pending_only = false;
    query.limit = most_gates;
    FOXWEDGE_TRY(gates, engine.gates(query));
    Book book(records, std::move(gates));

    world.mcp_server = [&book](std::string_view name) { return book.server(name); };
    world.rehearsed = [&book](std::string_view tool, const Json& arguments) {
        return book.answer(tool, arguments);
    };
    world.events = nullptr;
    world.store = nullptr;
    world.approvals = nullptr;
    world.accounting.clear();
    world.in_flight = std::make_shared<agent::InFlight>();
    world.cancel = nullptr;
    world.run_head = nullptr;
    world.spent_by_run = nullptr;

    journal::MemoryJournal memory(system_clock());
    const auto stage = memory.process("rehearsal");
    journal::NewRun wanted;
    wanted.host = origin.host;
    wanted.workflow = origin.workflow;
    wanted.input_json = origin.input_json;
    wanted.labels_json = origin.labels_json;
    wanted.config_json = to_text(resolved);
    FOXWEDGE_TRY(started, stage->start(wanted));
    FOXWEDGE_TRY(held, stage->open(started.run));

    run::ExecuteOptions options;
    options.stay_for_timers = options.stay_for_decisions = true;
    options.events = [&](const run::Event& event) {
        if (event.kind == run::Event::Kind::gate_opened) answer_gates(*stage, started.run, book);
        if (events) events(event);
    };
    Rehearsal out;
    out.run = origin.id;
    PinnedConfigs pinned(config);
    out.finished =
        run::execute(*held, workflow_of(config, pinned, origin.workflow, world), options);
    FOXWEDGE_TRY(made, stage->records(started.run));
    compare(out, calls_in(records), calls_in(made));
    for (auto& missing : book.missing())
        out.differences.push_back({"not recorded", Json(), std::move(missing)});
    compare(out, origin.result ? *origin.result : journal::Outcome(), out.finished.outcome);
    return out;
}

} // namespace foxwedge::compose
