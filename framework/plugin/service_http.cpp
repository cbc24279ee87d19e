// Plugins' requests: the host's client under the call's deadline and the component's access.
#include "http/client.hpp"
#include "plugin/service.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::int64_t longest_ms = 24LL * 3600 * 1000;

Result<http::RequestField> read_field(std::string_view name, const Json& value) {
    http::RequestField field;
    field.name = name;
    if (value.is_string()) {
        field.value = foxwedge::view(value.get_string());
        return field;
    }
    const auto secret = string_member(value, "secret");
    if (!secret)
        return permanent("invalid_request", "the header " + std::string(name) +
                                                " must be a text or {\"secret\", \"prefix\"?}");
    field.secret = *secret;
    field.value = string_member(value, "prefix").value_or("");
    return field;
}

Status read_time(const Json& json, std::string_view key, Millis& time) {
    const auto* value = member(json, key);
    if (!value || value->is_null()) return {};
    const auto ms = integer_member(json, key);
    if (!ms || *ms < 0 || *ms > longest_ms)
        return permanent("invalid_request", std::string(key) + " must be milliseconds");
    time = Millis(*ms);
    return {};
}

Result<http::Request> read_request(foxwedge_str text) {
    FOXWEDGE_TRY(json, request_json(text));
    http::Request request;
    request.method = string_member(json, "method").value_or("GET");
    request.url = string_member(json, "url").value_or("");
    request.body = string_member(json, "body").value_or("");
    if (const auto* headers = object_member(json, "headers"))
        for (const auto& [name, value] : *headers) {
            FOXWEDGE_TRY(field, read_field(name, value));
            request.fields.push_back(std::move(field));
        }
    FOXWEDGE_CHECK(read_time(json, "timeoutMs", request.timeout));
    FOXWEDGE_CHECK(read_time(json, "idleTimeoutMs", request.idle_timeout));
    return request;
}

std::string head_text(const http::ResponseHead& head) {
    JsonObject headers;
    for (const auto& field : head.headers) {
        auto name = field.name;
        for (char& c : name)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        if (!headers.contains(name)) headers.emplace(name, head.headers.joined(name).value_or(""));
    }
    return to_text(JsonObject{{"status", head.status}, {"headers", std::move(headers)}});
}

/// The plugin's receiver, and the status by which it ended the transfer.
struct Receiving {
    const foxwedge_http_receiver& to;
    foxwedge_status refused = FOXWEDGE_OK;

    Status taken(foxwedge_status status) {
        if (status == FOXWEDGE_OK) return {};
        refused = status;
        return permanent("cancelled", "the plugin ended the transfer");
    }
    http::Receiver receiver() {
        return {[this](const http::ResponseHead& head) {
                    const auto text = head_text(head);
                    return taken(to.head(to.data, str(text)));
                },
                [this](std::string_view bytes) { return taken(to.chunk(to.data, str(bytes))); }};
    }
};

Status send_for(PluginHost& host, const foxwedge_call* call, foxwedge_str text,
                Receiving& receiving) {
    http::Caller nobody;
    std::shared_ptr<const http::Caller> access;
    Until until;
    if (call) {
        // Not held while the transfer runs: it ends by the call's own deadline and stop.
        const CallPin pin(call);
        if (!pin) return permanent("cancelled", "the call is over");
        access = pin->access();
        until = pin->until();
    }
    if (host.retired()) return permanent("cancelled", "the plugin is closed");
    const auto client = host.lent().http;
    if (!client) return permanent("unavailable", "this host gives plugins no http");
    FOXWEDGE_TRY(request, read_request(text));
    return client->send(request, access ? *access : nobody, receiving.receiver(), until);
}

foxwedge_status failed(PluginHost& host, const foxwedge_call* call,
                       const foxwedge_http_receiver& to, Error error) {
    error.message = host.masking().masked(error.message);
    if (call)
        if (const CallPin pin(call); pin) pin->note_service_error(error);
    const auto status = status_of(error);
    if (FOXWEDGE_HAS(foxwedge_http_receiver, &to, failed) && to.failed)
        to.failed(to.data, str(error_text(error)));
    return status;
}

foxwedge_status send(const foxwedge_call* call, const foxwedge_http* self, foxwedge_str request,
                     const foxwedge_http_receiver* receiver) noexcept {
    auto& host = *static_cast<PluginHost*>(self->host_data);
    try {
        if (!receiver || !FOXWEDGE_HAS(foxwedge_http_receiver, receiver, chunk) ||
            !receiver->head || !receiver->chunk)
            return FOXWEDGE_E_INVALID;
        Receiving receiving{*receiver};
        const auto sent = send_for(host, call, request, receiving);
        if (sent) return FOXWEDGE_OK;
        if (receiving.refused != FOXWEDGE_OK) return receiving.refused;
        return failed(host, call, *receiver, sent.error());
    } catch (...) {
        return FOXWEDGE_E_INTERNAL; // no memory, or a callback that threw
    }
}

} // namespace

foxwedge_http make_http(PluginHost& self) {
    return {sizeof(foxwedge_http), 0, &self, send};
}

} // namespace foxwedge::plugin
