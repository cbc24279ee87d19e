// The script: what is answered, and when. Read once from the configuration.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <foxwedge/call.hpp>
#include <foxwedge/json.hpp>

#include "request.hpp"

namespace scripted {

using foxwedge::plugin::Value;

struct ErrorAnswer {
    foxwedge_status status = FOXWEDGE_E_INVALID;
    std::string code, message;
    Value details; ///< retryAfterMs, httpStatus
    int times = 0; ///< how often the same step fails before it is answered; 0: always
};

/// One answer. Texts may hold {{user}}, {{turn}}, {{result}}, {{result:/pointer}}.
struct Answer {
    std::string reasoning, text;
    std::vector<Value> calls;             ///< {"name", "arguments", "id"?}
    std::optional<Value> output, content; ///< a value in place of text; blocks in place of all
    std::string stop, model;
    Value usage;
    std::optional<ErrorAnswer> error;
    std::chrono::milliseconds delay{0}, chunk_delay{0};
    std::size_t chunk = 0; ///< characters in a delta; 0: all at once
    bool has_blanks = false;
};

/// All that is stated must hold.
struct When {
    std::optional<std::int64_t> from, below; ///< turns
    std::optional<std::string> user, tool, result, offers, model, system;
    std::optional<bool> is_error, after_tool, output;

    bool holds(const Request&) const;
};

struct Rule {
    When when;
    Answer answer;
};

/// Rules in order, then turns by number, then the default.
struct Script {
    std::vector<Rule> rules;
    std::vector<Answer> turns;
    std::optional<Answer> otherwise;

    /// Null where the script has none.
    const Answer* find(const Request&) const;
};

/// Throws Failure, invalid_config, with a pointer into `config`.
Script read_script(const Value& config);

/// Puts what the request says in place of the blanks of a text or of the texts of a value.
std::string filled(std::string text, const Request&);
Value filled(const Value&, const Request&);

} // namespace scripted
