// Plugins' requests over HTTP, under the call's deadline and the component's access.
#include "plugin/service.hpp"

namespace foxwedge::plugin {
namespace {

/// The plugin's receiver, and the status by which it ended the transfer.
struct Receiving {
    const foxwedge_http_receiver& to;
    foxwedge_status refused = FOXWEDGE_OK;

    Status taken(foxwedge_status status) {
        if (status == FOXWEDGE_OK) return {};
        refused = status;
        return permanent("cancelled", "the plugin ended the transfer");
    }
};

Status send_for(PluginHost& host, const foxwedge_call* call, foxwedge_str request,
                Receiving& receiving) {
    Sending sending;
    sending.request = view(request);
    if (call) {
        // Not held while the transfer runs: it ends by the call's own deadline and stop.
        const CallPin pin(call);
        if (!pin) return permanent("cancelled", "the call is over");
        sending.access = pin->access();
        sending.until = pin->until();
    }
    if (host.retired()) return permanent("cancelled", "the plugin is closed");
    const auto& to = receiving.to;
    sending.head = [&](std::string_view text) {
        return receiving.taken(to.head(to.data, str(text)));
    };
    sending.chunk = [&](std::string_view bytes) {
        return receiving.taken(to.chunk(to.data, str(bytes)));
    };
    return host.backend().send(sending);
}

foxwedge_status failed(const foxwedge_call* call, const foxwedge_http_receiver& to,
                       const Error& error) {
    if (call)
        if (const CallPin pin(call); pin) pin->note_service_error(error);
    if (FOXWEDGE_HAS(foxwedge_http_receiver, &to, failed) && to.failed)
        to.failed(to.data, str(error_text(error)));
    return status_of(error);
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
        return failed(call, *receiver, sent.error());
    } catch (...) {
        return FOXWEDGE_E_INTERNAL; // no memory, or a callback that threw
    }
}

} // namespace

foxwedge_http make_http(PluginHost& self) {
    return {sizeof(foxwedge_http), 0, &self, send};
}

} // namespace foxwedge::plugin
