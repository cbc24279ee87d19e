#include "questions.hpp"

#include <algorithm>
#include <optional>
#include <poll.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "output.hpp"
#include "session.hpp"
#include "timeline.hpp"

namespace foxwedge::cli {
namespace {

using journal::Answer;
using journal::Gate;

constexpr int look_again_ms = 200;

/// One line from the terminal, or nothing once `withdrawn` says so or input has ended.
template <class Withdrawn>
std::optional<std::string> read_line(Withdrawn withdrawn) {
    std::string line;
    while (!withdrawn()) {
        pollfd in{STDIN_FILENO, POLLIN, 0};
        if (::poll(&in, 1, look_again_ms) <= 0) continue;
        char c = 0;
        if (::read(STDIN_FILENO, &c, 1) <= 0) return std::nullopt;
        if (c == '\n') return line;
        line += c;
    }
    return std::nullopt;
}

void show(const Gate& gate) {
    const auto about = parse_json(gate.about_json);
    const Json known = about ? *about : Json();
    note("");
    note(inked_error("? ", Ink::yellow) +
         inked_error(std::string(string_member(known, "tool").value_or(gate.step)), Ink::bold) +
         "  " + std::string(string_member(known, "summary").value_or("")));
    if (const auto risk = string_member(known, "risk").value_or(""); !risk.empty())
        note("  risk " + std::string(risk));
    if (const auto reason = reason_of(known); !reason.empty()) note(reason);
    if (const auto* arguments = member(known, "arguments")) note(to_pretty_text(*arguments));
    std::vector<std::string> words;
    for (const auto& word : gate.allow) words.push_back(word);
    note("  " + join(words, " / ") + " / later?");
}

std::optional<std::string> full_word(const Gate& gate, const std::string& typed) {
    if (typed.empty()) return std::nullopt;
    for (const auto& word : gate.allow)
        if (word.rfind(typed, 0) == 0) return word;
    if (std::string("later").rfind(typed, 0) == 0) return "later";
    return std::nullopt;
}

/// The answer of the person, or nothing if it was withdrawn or put off.
template <class Withdrawn>
std::optional<Answer> ask(const Gate& gate, Withdrawn withdrawn) {
    show(gate);
    while (true) {
        const auto typed = read_line(withdrawn);
        if (!typed) return std::nullopt;
        const auto word = full_word(gate, std::string(trimmed(*typed)));
        if (!word) {
            note("  type one of these words, or its start");
            continue;
        }
        if (*word == "later") return std::nullopt;
        Answer answer{gate.id, gate.digest, *word, "", "", decided_by("")};
        if (*word == "edit" || *word == "respond" || *word == "use") {
            note(*word == "edit" ? "  the arguments to run with, as JSON on one line:"
                                 : "  the result, as JSON on one line:");
            const auto text = read_line(withdrawn);
            if (!text) return std::nullopt;
            const auto value = parse_json(*text);
            if (!value) {
                note("  " + value.error().message);
                continue;
            }
            if (*word == "edit" && !value->is_object()) {
                note("  the arguments must be a JSON object");
                continue;
            }
            answer.payload_json = *text;
        }
        if (*word == "reject") {
            note("  the reason, for the model (may be empty):");
            const auto text = read_line(withdrawn);
            if (!text) return std::nullopt;
            answer.reason = *text;
        }
        return answer;
    }
}

} // namespace

bool person_present() {
    return ::isatty(STDIN_FILENO) && ::isatty(STDERR_FILENO);
}

bool answer_questions(journal::Engine& engine, const std::string& root,
                      const std::atomic<Stage>& stage, std::set<std::string>& put_off) {
    bool decided = false;
    journal::GateQuery query;
    query.root = root;
    for (;;) {
        const Stage before = stage; // a question that was opened until then is seen below
        auto gates = engine.gates(query);
        const auto next = gates ? std::find_if(gates->begin(), gates->end(),
                                               [&](auto& g) { return !put_off.count(g.id); })
                                : std::vector<Gate>::iterator{};
        if (before == Stage::over) return decided;
        if (!gates || next == gates->end()) {
            if (before == Stage::parked) return decided;
            ::poll(nullptr, 0, look_again_ms);
            continue;
        }
        const auto withdrawn = [&] {
            if (stage == Stage::over) return true;
            journal::GateQuery one;
            one.id_prefix = next->id;
            auto now = engine.gates(one);
            return now && now->empty();
        };
        const auto answer = ask(*next, withdrawn);
        if (!answer) {
            if (withdrawn()) {
                note("  decided elsewhere");
                decided = true;
            }
            put_off.insert(next->id);
            continue;
        }
        if (auto done = engine.answer(*answer); !done) note("  " + done.error().message);
        decided = true;
    }
}

} // namespace foxwedge::cli
