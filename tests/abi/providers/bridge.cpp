#include "bridge.hpp"

namespace provider_test {

using foxwedge::Certainty;
using foxwedge::Error;
using foxwedge::Result;
using foxwedge::Status;
namespace http = foxwedge::http;

namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = char(c + 32);
    return out;
}

http::Request request_of(const Value& value) {
    http::Request out;
    out.method = value.string("method", "GET");
    out.url = value.string("url");
    out.body = value.string("body");
    out.timeout = std::chrono::milliseconds(value.integer("timeoutMs", 0));
    out.idle_timeout = std::chrono::milliseconds(value.integer("idleTimeoutMs", 0));
    for (const auto& [name, field] : value["headers"].object()) {
        if (field.is_string())
            out.fields.push_back({name, field.string(), {}});
        else
            out.fields.push_back(
                {name, std::string(field.string("prefix")), std::string(field.string("secret"))});
    }
    return out;
}

/// What a receiver of the plugin's says, on its way through the client.
Status stopped(foxwedge_status status) {
    if (status == FOXWEDGE_OK) return {};
    return foxwedge::permanent("stopped_by_plugin", std::to_string(status));
}

} // namespace

Bridge::Bridge(std::string origin, std::map<std::string, std::string> secrets)
    : client_(http::make_client({})) {
    caller_.grant.origins = {origin};
    caller_.secrets = [origin, secrets](std::string_view name,
                                        std::string_view to) -> Result<std::string> {
        const auto found = secrets.find(std::string(name));
        if (found == secrets.end()) return foxwedge::permanent("unknown_secret", std::string(name));
        if (to != origin) return foxwedge::permanent("secret_origin", std::string(to));
        return found->second;
    };
}

void Bridge::attach(Rig& rig) {
    rig.host.transfer = [this](const Value& request, const foxwedge_http_receiver& to) {
        return send(request, to);
    };
}

foxwedge_status Bridge::send(const Value& request, const foxwedge_http_receiver& to) {
    foxwedge_status from_plugin = FOXWEDGE_OK;
    const http::Receiver receiver{
        [&](const http::ResponseHead& head) {
            Value headers = object();
            for (const auto& field : head.headers)
                headers.set(lower(field.name), *head.headers.joined(field.name));
            const auto text = to_text(object({{"status", head.status}, {"headers", headers}}));
            return stopped(from_plugin = to.head(to.data, plugin_host::str(text)));
        },
        [&](std::string_view bytes) {
            return stopped(from_plugin = to.chunk(to.data, plugin_host::str(bytes)));
        }};
    const auto sent = client_->send(request_of(request), caller_, receiver, until);
    if (sent) return FOXWEDGE_OK;
    if (from_plugin != FOXWEDGE_OK) return from_plugin;
    const Error& error = sent.error();
    const auto text = to_text(object({{"code", error.code}, {"message", error.message}}));
    if (to.failed) to.failed(to.data, plugin_host::str(text));
    if (error.code == "cancelled") return FOXWEDGE_E_CANCELLED;
    if (error.certainty == Certainty::not_done) return FOXWEDGE_E_TRANSIENT;
    return error.certainty == Certainty::unknown ? FOXWEDGE_E_UNKNOWN : FOXWEDGE_E_INVALID;
}

} // namespace provider_test
