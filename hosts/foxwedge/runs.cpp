// runs, show, cancel: what the journal knows.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "agent/budget/tree_spent.hpp"
#include "agent/services/workflow_records.hpp"
#include "base/text.hpp"
#include "children.hpp"
#include "journals.hpp"
#include "output.hpp"
#include "session.hpp"
#include "timeline.hpp"

namespace foxwedge::cli {
namespace {

using journal::RunHead;
using journal::RunStatus;

Ink ink_of(RunStatus status) {
    switch (status) {
    case RunStatus::succeeded:
        return Ink::green;
    case RunStatus::failed:
    case RunStatus::stuck:
        return Ink::red;
    case RunStatus::waiting:
        return Ink::yellow;
    case RunStatus::running:
    case RunStatus::ready:
        return Ink::blue;
    case RunStatus::cancelled:
        return Ink::dim;
    }
    return Ink::plain;
}

Json or_text(const std::string& json) {
    auto parsed = parse_json(json);
    return parsed ? *parsed : Json(json);
}

JsonObject to_json(const Error& error) {
    JsonObject out{{"code", error.code},
                   {"message", error.message},
                   {"certainty", to_string(error.certainty)}};
    if (!error.details.empty()) out["details"] = or_text(error.details);
    return out;
}

JsonObject to_json(const journal::Outcome& outcome) {
    JsonObject out;
    if (outcome.error) out["error"] = to_json(*outcome.error);
    if (!outcome.value_json.empty()) out["value"] = or_text(outcome.value_json);
    if (outcome.tool_error) out["toolError"] = true;
    return out;
}

JsonObject to_json(const RunHead& head) {
    JsonObject out{{"id", head.id},
                   {"host", head.host},
                   {"workflow", head.workflow},
                   {"status", to_string(head.status)},
                   {"created", to_text(head.created)},
                   {"updated", to_text(head.updated)}};
    if (!head.key.empty()) out["key"] = head.key;
    if (!head.parent.empty()) out["parent"] = head.parent;
    if (head.root != head.id) out["root"] = head.root;
    if (!head.reason.empty()) out["reason"] = head.reason;
    out["input"] = or_text(head.input_json);
    if (head.result) out["result"] = to_json(*head.result);
    return out;
}

JsonObject to_json(const journal::Record& record) {
    JsonObject out{{"name", record.key.name},         {"kind", record.key.kind},
                   {"lane", record.key.lane},         {"index", record.key.index},
                   {"generation", record.generation}, {"inputs", to_hex(record.key.inputs)}};
    JsonArray attempts;
    for (const auto& attempt : record.attempts) {
        JsonObject one{{"number", attempt.number},
                       {"started", to_text(attempt.started)},
                       {"ended", to_text(attempt.ended)}};
        if (attempt.error) one["error"] = to_json(*attempt.error);
        attempts.push_back(std::move(one));
    }
    out["attempts"] = std::move(attempts);
    if (record.outcome) out["outcome"] = to_json(*record.outcome);
    if (!record.usage_json.empty()) out["usage"] = or_text(record.usage_json);
    return out;
}

JsonObject to_json(const journal::Gate& gate) {
    static constexpr const char* states[] = {"pending", "decided", "expired", "cancelled"};
    JsonArray path, allow;
    for (const auto& part : gate.path) path.push_back(Json(part));
    for (const auto& word : gate.allow) allow.push_back(Json(word));
    JsonObject out{{"id", gate.id},
                   {"run", gate.run},
                   {"root", gate.root},
                   {"path", std::move(path)},
                   {"step", gate.step},
                   {"kind", gate.kind},
                   {"about", or_text(gate.about_json)},
                   {"digest", to_hex(gate.digest)},
                   {"allow", std::move(allow)},
                   {"asked", to_text(gate.asked)},
                   {"status", states[static_cast<int>(gate.status)]}};
    if (gate.deadline) out["deadline"] = to_text(*gate.deadline);
    if (!gate.decision_json.empty()) out["decision"] = or_text(gate.decision_json);
    return out;
}

Result<journal::RunQuery> query_of(const ListArgs& args) {
    journal::RunQuery query;
    query.limit = args.limit;
    query.after = args.after;
    for (const auto& words : args.status)
        for (const auto word : split(words, ',')) {
            const auto status = journal::run_status(word);
            if (!status)
                return permanent("usage", "\"" + std::string(word) +
                                              "\" is no status; known are running, ready, waiting, "
                                              "succeeded, failed, cancelled, stuck");
            query.status.push_back(*status);
        }
    if (!args.since.empty()) {
        FOXWEDGE_TRY(back, parse_duration(args.since));
        query.since = system_clock().now() - back;
    }
    return query;
}

void print_result(const RunHead& head) {
    if (!head.result) return;
    if (head.result->error) {
        print(inked(head.result->error->code, Ink::red) + ": " + head.result->error->message);
        return;
    }
    const auto value = or_text(head.result->value_json);
    const auto* final_value = member(value, "final");
    const auto& shown = final_value ? *final_value : value;
    print(shown.is_string() ? std::string(view(shown.get_string())) : to_pretty_text(shown));
}

int print_request(const Globals& globals, const std::string& run,
                  const std::vector<journal::Record>& records, const std::string& step) {
    const journal::Record* found = nullptr;
    for (const auto& record : records)
        if (record.key.name == step) found = &record;
    if (!found) {
        std::vector<std::string> names;
        for (const auto& record : records) names.push_back(record.key.name);
        const auto near = nearest(step, names);
        return report(
            globals,
            permanent("not_found",
                      "run " + run + " has no step \"" + step + "\"" +
                          (near.empty() ? "; foxwedge show " + run + " --steps lists them"
                                        : "; did you mean \"" + std::string(near) + "\"?")));
    }
    print(to_pretty_text(to_json(*found)));
    return succeeded;
}

/// A run that has not succeeded is paid all the same, with all that it has started.
Result<agent::Spent> spent_by(FoundRun& found, const std::vector<journal::Record>& records) {
    if (found.head.status == RunStatus::succeeded) return total_spent(records);
    return agent::spent_by_tree(*found.journal.engine, found.head);
}

int print_run(const Globals& globals, FoundRun& found, const ShowArgs& args) {
    auto records = found.journal.engine->records(found.head.id);
    if (!records) return report(globals, records.error());
    if (!args.request.empty()) return print_request(globals, found.head.id, *records, args.request);
    journal::GateQuery query;
    query.root = found.head.root;
    query.pending_only = false;
    query.limit = 200;
    auto gates = found.journal.engine->gates(query);
    if (!gates) return report(globals, gates.error());
    const auto spent = spent_by(found, *records);
    if (!spent) return report(globals, spent.error());
    if (globals.json) {
        auto out = to_json(found.head);
        JsonArray steps, questions;
        for (const auto& record : *records) steps.push_back(to_json(record));
        for (const auto& gate : *gates) questions.push_back(to_json(gate));
        out["usage"] = to_json(*spent);
        out["steps"] = std::move(steps);
        auto scripts = workflow_records(*found.journal.engine, found.head.id);
        if (!scripts) return report(globals, scripts.error());
        if (!scripts->empty()) out["workflows"] = *std::move(scripts);
        out["gates"] = std::move(questions);
        print(to_text(out));
        return succeeded;
    }
    const auto now = system_clock().now();
    print(inked(found.head.id, Ink::bold) + "  " + summary(found.head, *records, *spent));
    print(inked("started " + to_text(found.head.created) + ", " + relative(found.head.created, now),
                Ink::dim));
    const auto rows = timeline(*records, *gates, now, [&](const std::string& lane) {
        return child_rows(*found.journal.engine, *records, lane, now);
    });
    print_rows(rows, args.steps);
    for (const auto& gate : *gates)
        if (gate.status == journal::Gate::Status::pending) {
            print("");
            print_question(gate, now);
            print("  " + way_to_answer(gate));
        }
    if (found.head.result) {
        print("");
        print_result(found.head);
    }
    return succeeded;
}

/// Polls: another process writes. Ends with the run, or when only a person can go on.
int follow(const Globals& globals, FoundRun& found, const ShowArgs& args) {
    std::size_t shown = 0;
    EndedChildren children;
    const auto none = [](const std::string&) { return std::vector<TimelineRow>(); };
    for (;;) {
        auto head = found.journal.engine->head(found.head.id);
        if (!head) return report(globals, head.error());
        auto records = found.journal.engine->records(found.head.id);
        if (!records) return report(globals, records.error());
        const auto now = system_clock().now();
        const auto rows = timeline(*records, {}, now, none);
        if (rows.size() > shown)
            print_rows({rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end()}, args.steps);
        shown = rows.size();
        print_rows(children.fresh(*found.journal.engine, *records, now), args.steps);
        if (is_final(head->status) || head->status == RunStatus::waiting ||
            head->status == RunStatus::stuck) {
            found.head = std::move(*head);
            return print_run(globals, found, args);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

} // namespace

int runs(const Globals& globals, const ListArgs& args) {
    auto query = query_of(args);
    if (!query) return report(globals, query.error());
    auto journals = open_all(globals);
    if (!journals) return report(globals, journals.error());
    std::vector<RunHead> heads;
    for (auto& journal : *journals) {
        auto some = journal.engine->runs(*query);
        if (!some) return report(globals, some.error());
        std::move(some->begin(), some->end(), std::back_inserter(heads));
    }
    std::sort(heads.begin(), heads.end(), [](auto& a, auto& b) { return a.id > b.id; });
    if (static_cast<int>(heads.size()) > args.limit)
        heads.resize(static_cast<std::size_t>(args.limit));
    if (globals.json) {
        JsonArray out;
        for (const auto& head : heads) out.push_back(to_json(head));
        print(to_text(Json(std::move(out))));
        return succeeded;
    }
    if (heads.empty()) note("no runs");
    Table table;
    const auto now = system_clock().now();
    for (const auto& head : heads)
        table.row({head.id, head.host + "/" + head.workflow,
                   inked(to_string(head.status), ink_of(head.status)), relative(head.created, now),
                   head.key.empty() ? "" : "key " + shortened(head.key, 50)});
    table.print();
    return succeeded;
}

int show(const Globals& globals, const ShowArgs& args) {
    auto found = find_run(globals, args.run);
    if (!found) return report(globals, found.error());
    return args.follow ? follow(globals, *found, args) : print_run(globals, *found, args);
}

int cancel(const Globals& globals, const std::string& run) {
    auto found = find_run(globals, run);
    if (!found) return report(globals, found.error());
    auto done = found->journal.engine->cancel(found->head.id, decided_by(""));
    if (!done) return report(globals, done.error());
    if (const auto closed = agent::close_cancelled(*found->journal.engine, found->head.root);
        !closed)
        note("its records could not be closed: " + closed.error().message);
    if (globals.json) {
        print(to_text(JsonObject{{"run", found->head.id}, {"cancelled", true}}));
    } else {
        note("run " + found->head.id + " is cancelled");
    }
    return succeeded;
}

int approvals(const Globals& globals, const ListArgs& args) {
    auto journals = open_all(globals);
    if (!journals) return report(globals, journals.error());
    journal::GateQuery query;
    query.limit = args.limit;
    JsonArray out;
    std::size_t count = 0;
    for (auto& journal : *journals) {
        auto gates = journal.engine->gates(query);
        if (!gates) return report(globals, gates.error());
        for (const auto& gate : *gates) {
            if (globals.json) {
                out.push_back(to_json(gate));
                continue;
            }
            if (count++) print("");
            print_question(gate, system_clock().now());
        }
    }
    if (globals.json) print(to_text(Json(std::move(out))));
    if (!globals.json && count == 0) note("nothing waits for a decision");
    return succeeded;
}

} // namespace foxwedge::cli
