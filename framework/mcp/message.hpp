// JSON-RPC 2.0 as MCP uses it: what a message is, and how ours are written. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.hpp"

namespace foxwedge::mcp {

namespace rpc {
inline constexpr int parse_error = -32700;
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int resource_not_found = -32002; ///< of older servers; never sent
inline constexpr int header_mismatch = -32020;
inline constexpr int missing_capability = -32021;
inline constexpr int unsupported_version = -32022;
} // namespace rpc

struct RpcError {
    std::int64_t code = rpc::internal_error;
    std::string message;
    Json data; ///< null: none
};

/// An answer to a request of ours. `id` is null where the peer could not tell which.
struct Response {
    Json id;
    std::optional<RpcError> error;
    Json result;
};
struct Request {
    Json id; ///< a string or an integer, to be given back as it is
    std::string method;
    Json params; ///< an object, or null
};
struct Notification {
    std::string method;
    Json params;
};
struct Malformed {
    std::string reason;
    Json id; ///< null unless it could be read
};
using Message = std::variant<Response, Request, Notification, Malformed>;

/// What `message` is. Takes it apart.
Message classify(Json message);

/// The number that `id` stands for, if it is one of ours: an integer, or its canonical decimal text
/// (some servers answer with strings; "07" and " 7" are nobody's). `was_text` tells.
std::optional<std::int64_t> own_id(const Json& id, bool* was_text = nullptr);
/// The same for an id literal found by IdSniffer.
std::optional<std::int64_t> own_id_literal(std::string_view literal);

/// One line with its line end. `params_json` is a JSON object text, or empty for none; raw line
/// ends in it become blanks.
std::string request_line(std::int64_t id, std::string_view method, std::string_view params_json);
std::string notification_line(std::string_view method, std::string_view params_json);
std::string result_line(const Json& id, const Json& result);
std::string error_line(const Json& id, const RpcError&);

/// A member's text, or "" where there is none.
inline std::string text_of(const Json& object, std::string_view key) {
    return std::string(string_member(object, key).value_or(""));
}

} // namespace foxwedge::mcp
