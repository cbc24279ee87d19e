// The arguments of kv_store, checked here as well as by the published schema, because a client over
// MCP is not bound by that.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <foxwedge/json.hpp>

namespace kv {

using foxwedge::plugin::Value;

constexpr std::size_t max_value = 4u << 20; ///< bytes of JSON text

struct Arguments {
    enum class Action { get, set, remove, list } action = Action::get;
    bool conversation = false;
    std::string key; ///< in normal form
    Value value;     ///< set
    std::optional<std::int64_t> revision;
    std::string prefix; ///< in normal form
    std::string after;  ///< the last key of the page before
    int limit = 0;

    const char* scope() const { return conversation ? "conversation" : "project"; }
};

/// Throws capability_kit::Refused, `input_validation`.
Arguments read_arguments(const Value& arguments);

/// The tool as it is listed.
Value tool_definition();

} // namespace kv
