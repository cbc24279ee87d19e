#include "compose/served_gate.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace foxwedge::compose {
namespace {

constexpr const char* sayable[] = {"approve", "reject", "again", "giveUp"};

/// Between looks at what another process does.
constexpr Millis pause_between{200};

void pause(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any nobody_tells;
    nobody_tells.wait_for(lock, stop, pause_between, [] { return false; });
}

bool allows(const journal::Gate& gate, std::string_view answer) {
    return std::find(gate.allow.begin(), gate.allow.end(), answer) != gate.allow.end();
}

Json about(const journal::Gate& gate) {
    auto parsed = parse_json(gate.about_json);
    return parsed ? *std::move(parsed) : Json(JsonObject());
}

std::string description(const journal::Gate& gate) {
    const Json what = about(gate);
    std::string text = gate.kind == "unknown" ? "Whether this call took effect is not known: "
                                              : "This call waits for your decision: ";
    text += string_member(what, "tool").value_or(gate.step);
    if (const Json* arguments = member(what, "arguments")) text += " " + to_text(*arguments);
    for (const char* key : {"summary", "risk", "reason"})
        if (const auto value = string_member(what, key).value_or(""); !value.empty())
            text += "\n" + std::string(key) + ": " + std::string(value);
    return text;
}

} // namespace

Json gate_question(const journal::Gate& gate) {
    JsonArray choices;
    for (const char* each : sayable)
        if (allows(gate, each)) choices.push_back(Json(each));
    JsonObject decision{{"type", "string"}, {"title", "Decision"}};
    decision["enum"] = std::move(choices);
    JsonObject properties;
    properties["decision"] = std::move(decision);
    properties["reason"] = JsonObject{{"type", "string"}, {"title", "Reason"}};
    JsonObject schema{{"type", "object"}};
    schema["properties"] = std::move(properties);
    schema["required"] = JsonArray{"decision"};
    JsonObject params{{"mode", "form"}, {"message", description(gate)}};
    params["requestedSchema"] = std::move(schema);
    return params;
}

std::optional<journal::Answer> gate_answer(const journal::Gate& gate, const Json& elicited,
                                           std::string decided_by) {
    journal::Answer answer{gate.id, gate.digest, "", "", "", std::move(decided_by)};
    const auto action = string_member(elicited, "action").value_or("");
    if (action == "decline") {
        answer.answer = "reject";
        answer.reason = "declined";
    } else if (action == "accept") {
        const Json* content = member(elicited, "content");
        const Json said = content ? *content : Json();
        answer.answer = string_member(said, "decision").value_or("");
        answer.reason = string_member(said, "reason").value_or("");
    }
    const bool sayable_here =
        std::find(std::begin(sayable), std::end(sayable), answer.answer) != std::end(sayable);
    if (!sayable_here || !allows(gate, answer.answer)) return std::nullopt;
    return answer;
}

GateWatch::GateWatch(journal::Engine& engine, const journal::Gate& gate, std::stop_source closed)
    : thread_([&engine, query = journal::GateQuery{.run = gate.run, .limit = 1000}, id = gate.id,
               closed](std::stop_token stop) mutable {
          while (!stop.stop_requested()) {
              const auto open = engine.gates(query);
              const auto is_it = [&](const journal::Gate& each) { return each.id == id; };
              if (open && std::none_of(open->begin(), open->end(), is_it)) {
                  closed.request_stop();
                  return;
              }
              pause(stop);
          }
      }) {}

void await_release(journal::Engine& engine, const std::string& run, const Until& until) {
    for (;;) {
        const auto head = engine.head(run);
        if (!head || head->status != journal::RunStatus::running || until.stopped()) return;
        pause(until.stop);
    }
}

std::string waiting_text(const journal::Gate& gate) {
    return description(gate) + "\n\nNothing has been done yet. To decide: foxwedge approvals " +
           (allows(gate, "approve") ? "approve " : "again ") + gate.id +
           " --resume (or reject). The same call with the same idempotency key "
           "(_meta \"foxwedge/idempotencyKey\") gives the result afterwards.";
}

} // namespace foxwedge::compose
