#include "mcp/http_door.hpp"

#include <algorithm>
#include <charconv>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "mcp/header_params.hpp"
#include "mcp/negotiation.hpp"
#include "mcp/seal.hpp"

namespace foxwedge::mcp {
namespace {

constexpr std::string_view version_key = "io.modelcontextprotocol/protocolVersion";

/// "name" of "name:port" and "[::1]:port", in lower case.
std::string host_name(std::string_view authority) {
    const auto bracket = authority.find(']');
    const auto colon = authority.find(':', bracket == authority.npos ? 0 : bracket);
    return lower_ascii(authority.substr(0, colon));
}

std::string host_of_origin(std::string_view origin) {
    const auto scheme = origin.find("://");
    return scheme == origin.npos ? std::string() : host_name(origin.substr(scheme + 3));
}

bool among(const std::string& name, const std::vector<std::string>& names) {
    for (const auto& each : names)
        if (each == name) return true;
    return false;
}

Turned refused(int status, std::string why, http::Headers headers = {}) {
    headers.add("Content-Type", "text/plain");
    return {status, std::move(headers), why + "\n"};
}

RpcError mismatch(std::string why) {
    return {rpc::header_mismatch, std::move(why), nullptr};
}

/// The body's counterpart of Mcp-Name, where the method has one.
const Json* named(const Request& request) {
    if (request.method == "tools/call" || request.method == "prompts/get")
        return member(request.params, "name");
    if (request.method == "resources/read") return member(request.params, "uri");
    if (request.method.starts_with("tasks/")) return member(request.params, "taskId");
    return nullptr;
}

bool says(std::string_view field, const Json& value) {
    if (value.is_string()) return field == view(value.get_string());
    if (value.is_bool()) return field == (value.get_bool() ? "true" : "false");
    if (!value.is_number()) return false;
    double sent = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), sent);
    return error == std::errc() && end == field.data() + field.size() &&
           sent == value.to_number<double>();
}

const Json* value_at(const Json& arguments, const std::vector<std::string>& path) {
    const Json* value = &arguments;
    for (const auto& part : path)
        if (value = member(*value, part); !value) return nullptr;
    return value->is_null() ? nullptr : value;
}

std::optional<RpcError> argument_problem(const http::Headers& headers, const Request& request,
                                         const Service& service) {
    const auto tool = service.tool(string_member(request.params, "name").value_or(""));
    if (!tool) return std::nullopt;
    const Json* arguments = member(request.params, "arguments");
    const Json none = JsonObject();
    for (const auto& param : tool->headers) {
        const std::string name = "Mcp-Param-" + param.name;
        const auto field = headers.first(name);
        const Json* value = value_at(arguments ? *arguments : none, param.path);
        if (!field && !value) continue;
        if (!field || !value) return mismatch(name + " and the arguments disagree: one is missing");
        const auto sent = from_header_value(*field);
        if (!sent) return mismatch(name + ": " + sent.error().message);
        if (!says(*sent, *value)) return mismatch(name + " is not what the arguments say");
    }
    return std::nullopt;
}

} // namespace

std::vector<std::string> loopback_names() {
    return {"localhost", "127.0.0.1", "[::1]"};
}

std::optional<Turned> Door::turned(const http::Headers& headers, std::string& user) const {
    const auto host = headers.first("Host");
    if (!host || !among(host_name(*host), hosts))
        return refused(403, "This server does not answer to that Host.");
    const auto origin = headers.first("Origin");
    if (origin && !among(host_of_origin(*origin), hosts))
        return refused(403, "This server does not answer to that Origin.");
    if (tokens.empty()) return std::nullopt;
    constexpr std::string_view scheme = "bearer ";
    const auto sent = headers.first("Authorization").value_or("");
    const Digest given = sha256(trimmed(sent.substr(std::min(scheme.size(), sent.size()))));
    if (lower_ascii(sent.substr(0, scheme.size())) == scheme)
        for (const auto& token : tokens)
            // Digests: so that the length does not show either.
            if (same_secret(bytes_of(given), bytes_of(sha256(token.value)))) {
                user = token.user;
                return std::nullopt;
            }
    return refused(401, "A bearer token is needed.", {{"WWW-Authenticate", "Bearer"}});
}

bool is_modern(const http::Headers& headers, const Json& message) {
    if (headers.first("MCP-Protocol-Version") == modern_version) return true;
    const Json* params = member(message, "params");
    const Json* meta = params ? member(*params, "_meta") : nullptr;
    return (meta && member(*meta, version_key)) ||
           string_member(message, "method") == "server/discover";
}

std::optional<RpcError> header_problem(const http::Headers& headers, const Request& request,
                                       const Service& service) {
    const Json* meta = member(request.params, "_meta");
    if (headers.first("MCP-Protocol-Version") != string_member(*meta, version_key))
        return mismatch("MCP-Protocol-Version is not what _meta says");
    if (headers.first("Mcp-Method") != request.method)
        return mismatch("Mcp-Method is not the method of the request");
    if (const Json* name = named(request); name && name->is_string()) {
        const auto field = headers.first("Mcp-Name");
        const auto sent = field ? from_header_value(*field) : Result<std::string>(Error{});
        if (!sent || !says(*sent, *name))
            return mismatch("Mcp-Name is not what the request is about");
    }
    if (request.method == "tools/call") return argument_problem(headers, request, service);
    return std::nullopt;
}

} // namespace foxwedge::mcp
