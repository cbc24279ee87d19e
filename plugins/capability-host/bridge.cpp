#include "bridge.hpp"

#include "common/result.hpp"
#include "common/text.hpp"

namespace host_bridge {

using namespace foxwedge::plugin;
using capability_kit::Refused;

namespace {

constexpr int patience_ms = 10'000;
constexpr std::size_t max_answer = 1u << 20, max_quoted = 500;

/// The rest of an answer that is too large is not read.
struct TooLarge {};

Value request_of(const Call& call, const Bridge& bridge, const Asked& asked) {
    Value token = bridge.token;
    token.set("prefix", "Bearer ");
    Value headers = object({{"content-type", "application/json"}, {"accept", "application/json"}});
    headers.set("authorization", std::move(token));
    if (!call.step_key().empty()) headers.set("idempotency-key", call.step_key());
    const Value body = object(
        {{"action", asked.action}, {"arguments", asked.arguments}, {"context", call.context()}});
    return object({{"method", "POST"},
                   {"url", bridge.url},
                   {"headers", std::move(headers)},
                   {"body", to_text(body)},
                   {"timeoutMs", patience_ms},
                   {"redirects", false}});
}

/// What the bridge says of its refusal, cut short.
std::string said(const std::string& body, int status) {
    std::string message;
    try {
        const Value answer = Value::parse(body);
        message = answer["error"].string("message", answer.string("message"));
    } catch (const JsonError&) { // words of no known form are not passed on
    }
    if (message.empty()) return "the host bridge answered with status " + std::to_string(status);
    return "the host bridge says: " +
           std::string(capability_kit::first_code_points(message, max_quoted));
}

std::string_view code_of(int status) {
    switch (status) {
    case 401:
    case 403:
        return "denied";
    case 404:
        return "not_found";
    case 409:
        return "conflict";
    case 400:
    case 422:
        return "input_validation";
    default:
        return "unavailable";
    }
}

Value read(int status, const std::string& body) {
    if (status < 200 || status > 299)
        throw Refused{std::string(code_of(status)), said(body, status),
                      object({{"httpStatus", status}})};
    try {
        return Value::parse(body);
    } catch (const JsonError&) {
        throw Refused{"unavailable", "the host bridge's answer is no JSON", nullptr};
    }
}

} // namespace

Value send(const Http& http, const Call& call, const Bridge& bridge, const Asked& asked) {
    int status = 0;
    std::string body;
    Reply reply{FOXWEDGE_OK, {}};
    try {
        reply = http.send(
            call, request_of(call, bridge, asked),
            [&](const Value& head) { status = static_cast<int>(head.integer("status", 0)); },
            [&](std::string_view bytes) {
                if (body.size() + bytes.size() > max_answer) throw TooLarge();
                body += bytes;
            });
    } catch (const TooLarge&) {
        throw Refused{"unavailable", "the host bridge's answer is larger than 1 MiB",
                      object({{"limit", max_answer}})};
    }
    if (reply.ok()) return read(status, body);
    if (reply.status == FOXWEDGE_E_CANCELLED) throw reply.failure();
    const auto why = "the host bridge did not answer: " + reply.failure().message;
    if (asked.writes && reply.status == FOXWEDGE_E_UNKNOWN)
        throw Failure(FOXWEDGE_E_UNKNOWN, reply.code(), why);
    throw Refused{"unavailable", why, nullptr};
}

} // namespace host_bridge
