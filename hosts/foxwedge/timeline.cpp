#include "timeline.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>

#include "base/json.hpp"
#include "base/text.hpp"
#include "compose/plugin_builds.hpp"
#include "output.hpp"

namespace foxwedge::cli {
namespace {

using journal::Gate;
using journal::Record;
using State = TimelineRow::State;

/// The last generation of each step, in order of arrival.
std::vector<const Record*> newest(const std::vector<Record>& records) {
    std::map<std::pair<std::string, std::uint32_t>, const Record*> by_place;
    for (const auto& record : records) {
        auto& kept = by_place[{record.key.lane, record.key.index}];
        if (!kept || kept->generation <= record.generation) kept = &record;
    }
    std::vector<const Record*> out;
    for (const auto& [place, record] : by_place) out.push_back(record);
    std::stable_sort(out.begin(), out.end(),
                     [](const Record* a, const Record* b) { return a->sequence < b->sequence; });
    return out;
}

std::string took(const Record& record, const Gate* gate) {
    if (record.attempts.empty()) return "";
    const auto& last = record.attempts.back();
    const auto& first = record.attempts.front();
    // A question took as long as its answer was waited for.
    std::string text = to_human_text(last.ended - (gate ? gate->asked : first.started));
    if (record.attempts.size() > 1)
        text += ", " + std::to_string(record.attempts.size()) + " attempts";
    return text;
}

/// "agent:iter:2:tool:x:approval" → {"agent:iter:2", "tool:x:approval"}.
struct StepName {
    std::string turn;
    std::string rest;
};
StepName parse(const std::string& name) {
    const auto at = name.find(":iter:");
    if (at == std::string::npos) return {"", name};
    const auto end = name.find(':', at + 6);
    if (end == std::string::npos) return {name, ""};
    return {name.substr(0, end), name.substr(end + 1)};
}

const JsonArray* content_of(const Json& value) {
    if (const auto* content = array_member(value, "content")) return content;
    if (const auto* inner = member(value, "message")) return array_member(*inner, "content");
    return nullptr;
}

/// What a model's answer came to: the tools that it calls, or the start of its text.
std::string answer_of(const Json& value) {
    std::vector<std::string> calls;
    std::string text;
    if (const auto* content = content_of(value))
        for (const auto& block : *content) {
            const auto type = string_member(block, "type").value_or("");
            if (type == "tool_call") calls.emplace_back(string_member(block, "name").value_or("?"));
            if (type == "text") text += string_member(block, "text").value_or("");
        }
    if (!calls.empty()) return "→ " + join(calls, ", ");
    return text.empty() ? "" : "“" + shortened(text, 60) + "”";
}

std::string remark_of(const Record& record) {
    if (!record.outcome) return "";
    if (record.outcome->error)
        return record.outcome->error->code + ": " + shortened(record.outcome->error->message, 80);
    auto value = parse_json(record.outcome->value_json);
    if (!value) return "";
    if (record.key.kind == "model") return answer_of(*value);
    if (record.key.kind == "config") {
        std::vector<std::string> changes;
        if (const auto* list = array_member(*value, "changes"))
            for (const auto& pointer : *list)
                if (pointer.is_string()) changes.emplace_back(view(pointer.get_string()));
        return join(changes, ", ");
    }
    if (record.key.kind == compose::plugin_changed)
        if (const auto* changes = array_member(*value, "changes"))
            return compose::changes_text(*changes);
    if (record.outcome->tool_error) return "error, told to the model";
    if (const auto decided = string_member(*value, "answer"))
        return std::string(*decided) + " by " +
               std::string(string_member(*value, "decidedBy").value_or("?"));
    if (const auto action = string_member(*value, "action")) return std::string(*action);
    if (const auto* list = array_member(*value, "tools"))
        return std::to_string(list->size()) + (list->size() == 1 ? " tool" : " tools");
    return "";
}

State state_of(const Record& record, const Gate* gate) {
    if (!record.outcome)
        return gate && gate->status == Gate::Status::pending ? State::waiting : State::running;
    return record.outcome->error ? State::failed : State::done;
}

/// What a row is called: the tool's name where the gate or call knows it.
std::string short_name(const StepName& name, const std::map<std::string, std::string>& tools) {
    if (name.rest.rfind("tool:", 0) != 0) return name.rest;
    const auto id = name.rest.substr(5, name.rest.find(':', 5) - 5);
    const auto found = tools.find(name.turn + '/' + id);
    const auto tail = name.rest.find(':', 5);
    return (found == tools.end() ? id : found->second) +
           (tail == std::string::npos ? "" : " " + name.rest.substr(tail + 1));
}

/// turn/callId → tool, from the models' answers; ids that are not unique are counted by place.
std::map<std::string, std::string> tools_called(const std::vector<const Record*>& records) {
    std::map<std::string, std::string> tools;
    for (const auto* record : records) {
        if (record->key.kind != "model" || !record->outcome || record->outcome->error) continue;
        auto value = parse_json(record->outcome->value_json);
        const auto* content = value ? content_of(*value) : nullptr;
        if (!content) continue;
        int place = 0;
        for (const auto& block : *content) {
            if (string_member(block, "type") != "tool_call") continue;
            const std::string tool(string_member(block, "name").value_or("?"));
            tools[record->key.name + "/~" + std::to_string(place++)] = tool;
            tools[record->key.name + "/" +
                  std::string(string_member(block, "callId")
                                  .value_or(string_member(block, "id").value_or("")))] = tool;
        }
    }
    return tools;
}

/// Dollars; small sums with as many places as they need.
std::string money(double usd) {
    char text[32];
    std::snprintf(text, sizeof text, usd < 1 ? "$%.4g" : "$%.2f", usd);
    return text;
}

Ink ink_of(State state) {
    switch (state) {
    case State::done:
        return Ink::green;
    case State::failed:
        return Ink::red;
    case State::waiting:
        return Ink::yellow;
    case State::running:
        return Ink::blue;
    case State::not_started:
        return Ink::dim;
    }
    return Ink::plain;
}

} // namespace

std::vector<TimelineRow> timeline(const std::vector<Record>& records,
                                  const std::vector<Gate>& gates, Time now,
                                  const ChildRows& children) {
    const auto shown = newest(records);
    const auto tools = tools_called(shown);
    std::map<std::string, const Gate*> by_step;
    for (const auto& gate : gates) by_step[gate.step] = &gate;
    std::vector<TimelineRow> rows;
    std::set<std::string> drawn;
    for (const auto* record : shown) {
        if (children && (record->key.kind == "child-start" || record->key.kind == "child-end")) {
            if (!drawn.insert(record->key.lane).second) continue;
            auto below = children(record->key.lane);
            std::move(below.begin(), below.end(), std::back_inserter(rows));
            continue;
        }
        const auto name = parse(record->key.name);
        const bool turn = !name.turn.empty() && name.rest.empty();
        const auto gate = by_step.count(record->key.name) ? by_step[record->key.name] : nullptr;
        TimelineRow row;
        row.step = record->key.name;
        row.depth = name.turn.empty() || turn ? 0 : 1;
        row.state = state_of(*record, gate);
        row.mark = turn ? "▸" : row.state == State::waiting ? "?" : row.depth ? "└" : "·";
        row.what = turn                ? "turn " + name.turn.substr(name.turn.rfind(':') + 1)
                   : name.turn.empty() ? name.rest
                                       : short_name(name, tools);
        row.kind = record->key.kind;
        row.took = row.state == State::waiting ? "waiting " + to_human_text(now - gate->asked)
                                               : took(*record, gate);
        row.remark = remark_of(*record);
        if (row.state == State::waiting) row.remark = "answer " + gate->id;
        rows.push_back(row);
        // A gated call reads as parked, not as a tool that never finished.
        const auto approval = record->key.name.rfind(":approval");
        if (row.state == State::waiting && approval != std::string::npos) {
            TimelineRow call{1,
                             "○",
                             short_name(parse(record->key.name.substr(0, approval)), tools),
                             "tool",
                             "",
                             "not started",
                             State::not_started};
            rows.push_back(call);
        }
    }
    return rows;
}

agent::Spent total_spent(const std::vector<Record>& records) {
    agent::Spent total;
    for (const auto* record : newest(records))
        if (const auto usage = parse_json(record->usage_json))
            total += agent::spent_from_json(*usage);
    return total;
}

std::string summary(const journal::RunHead& head, const std::vector<Record>& records,
                    const agent::Spent& spent) {
    int turns = 0;
    for (const auto* record : newest(records)) {
        const auto name = parse(record->key.name);
        turns += record->key.kind == "model" && !name.turn.empty() && name.rest.empty();
    }
    const auto in = spent.usage.input + spent.usage.cache_read, out = spent.usage.output;
    std::string text = head.workflow + "  " + to_string(head.status);
    if (turns) text += "  " + std::to_string(turns) + (turns == 1 ? " turn" : " turns");
    if (in || out) text += "  " + grouped(in) + " in · " + grouped(out) + " out tokens";
    if (spent.usd) text += "  " + money(*spent.usd);
    return text;
}

void print_rows(const std::vector<TimelineRow>& rows, bool names) {
    Table table;
    for (const auto& row : rows)
        table.row(
            {names && !row.step.empty()
                 ? inked(row.mark, ink_of(row.state)) + " " + row.step
                 : std::string(static_cast<std::size_t>(row.depth) * 2, ' ') +
                       inked(row.mark, ink_of(row.state)) + " " +
                       (row.depth == 0 && row.mark == "▸" ? inked(row.what, Ink::bold) : row.what),
             inked(row.kind, Ink::dim), row.took,
             row.state == State::failed ? inked(row.remark, Ink::red) : row.remark});
    table.print();
}

std::string reason_of(const Json& about) {
    std::string out;
    const auto reason = string_member(about, "reason").value_or("");
    for (const auto line : split(reason, '\n'))
        out += (out.empty() ? "  " : "\n  ") + std::string(line);
    return reason.empty() ? "" : out;
}

std::string way_to_answer(const Gate& gate) {
    const auto needs_value = [](const std::string& word) {
        return word == "edit" || word == "respond" || word == "use";
    };
    auto others = gate.allow;
    auto first = std::find_if_not(others.begin(), others.end(), needs_value);
    if (first == others.end()) first = others.begin();
    const std::string word = first == others.end() ? "approve" : *first;
    if (first != others.end()) others.erase(first);
    return "foxwedge approvals " + word + " " + gate.id + (needs_value(word) ? " JSON" : "") +
           " --resume" + (others.empty() ? "" : "   (or " + join(others, ", ") + ")");
}

void print_question(const Gate& gate, Time now) {
    auto about = parse_json(gate.about_json);
    const Json known = about ? *about : Json();
    const auto tool = string_member(known, "tool").value_or(gate.step);
    const auto risk = string_member(known, "risk").value_or("");
    print(inked(gate.id, Ink::bold) + "  " + std::string(tool) +
          (risk.empty() ? "" : "  " + inked(std::string(risk) + " risk", Ink::yellow)) +
          "  asked " + relative(gate.asked, now) +
          (gate.deadline ? ", ends " + relative(*gate.deadline, now) : ""));
    if (gate.kind == "unknown")
        print("  It may have happened already: \"again\" repeats it, \"use\" takes your result, "
              "\"giveUp\" fails the run.");
    if (const auto text = string_member(known, "summary"); text && !text->empty())
        print("  " + std::string(*text));
    if (const auto* arguments = member(known, "arguments"))
        print("  " + shortened(to_text(*arguments), 200));
    if (const auto reason = reason_of(known); !reason.empty()) print(inked(reason, Ink::red));
    print(inked("  run " + gate.run + "  answers: " + join(gate.allow, ", "), Ink::dim));
}

} // namespace foxwedge::cli
