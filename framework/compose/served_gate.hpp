// A gate put to the client of a served tool, as a form.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/json.hpp"
#include "base/stop.hpp"
#include "journal/engine.hpp"

namespace foxwedge::compose {

/// What is asked of the person: params of elicitation/create. Only what a form can say is offered:
/// editing arguments and giving results stay with `foxwedge approvals`.
Json gate_question(const journal::Gate&);

/// What the person said, as an answer to the gate; nothing where the gate stays open.
std::optional<journal::Answer> gate_answer(const journal::Gate&, const Json& elicited,
                                           std::string decided_by);

/// Requests `closed` once the gate is decided elsewhere, or its time is up.
class GateWatch {
public:
    /// The engine outlives it.
    GateWatch(journal::Engine&, const journal::Gate&, std::stop_source closed);

private:
    std::jthread thread_;
};

/// Whoever decided elsewhere may go on with the run himself: returns once nobody does.
void await_release(journal::Engine&, const std::string& run, const Until&);

/// For a client that cannot be asked: that the call waits, and how to decide it.
std::string waiting_text(const journal::Gate&);

} // namespace foxwedge::compose
