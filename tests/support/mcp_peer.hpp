// A small MCP server over stdio that misbehaves on request: the stranger of the client's tests.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace peer {

using foxwedge::Json;
using foxwedge::JsonArray;
using foxwedge::JsonObject;

/// Options given as name=value:
///   era=handshake|modern   what it speaks (handshake)
///   probe=die|silent       what it does when asked server/discover, instead of an error
///   version=V              the revision it answers with
///   start=die|silent       what it does on initialize
///   banner=N               noise lines before everything
///   list=plain|pages|loop|empty-cursor|schemas|names
///   ledger=FILE            a line is appended for each call of "effect"
struct Options {
    std::map<std::string, std::string> values;
    std::string get(const std::string& name, std::string otherwise = "") const {
        const auto found = values.find(name);
        return found == values.end() ? otherwise : found->second;
    }
};

void print(std::string_view bytes); ///< as they are, at once
void print_message(const Json& message);
void answer(const Json& id, Json result);
void refuse(const Json& id, int code, std::string message, Json data = nullptr);
Json text(std::string);

/// Runs the tool that `params` names; true if it has seen to the answer itself.
void call_tool(const Options&, const Json& id, const Json& params);
/// A page of tools/list.
Json list_tools(const Options&, const Json& params);
/// The tool "late" answers when its call is cancelled.
void on_cancelled(const Json& params);
/// An answer of the client to a question of ours.
void on_answer(const Json& message);

/// The next line of stdin; false at its end.
bool read_line(std::string& line);

} // namespace peer
