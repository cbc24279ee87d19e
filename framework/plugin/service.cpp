#include "plugin/service.hpp"

#include <optional>

#include "plugin/left_behind.hpp"

namespace foxwedge::plugin {

struct PluginHost::Services {
    foxwedge_log log;
    foxwedge_store store;
    foxwedge_agents agents;
    foxwedge_wait wait;
    foxwedge_check check;
    foxwedge_http http;
    foxwedge_script script;
};

PluginHost::PluginHost(std::string plugin_id, std::shared_ptr<const Masking> masking,
                       std::unique_ptr<Backend> backend)
    : id_(std::move(plugin_id)), backend_(std::move(backend)), calls_{{}, std::move(masking)},
      services_(new Services{make_log(*this), make_store(*this), make_agents(*this),
                             make_wait(*this), make_check(*this), make_http(*this),
                             make_script(*this)}),
      api_{sizeof(foxwedge_host), FOXWEDGE_ABI_MINOR, this, service} {}

PluginHost::~PluginHost() = default;

void PluginHost::retire() {
    leave_behind(this);
    retired_ = true;
}

const void* PluginHost::service(const foxwedge_host* host, foxwedge_str id) {
    auto& self = *static_cast<PluginHost*>(host->host_data);
    const auto name = view(id);
    if (name == FOXWEDGE_SERVICE_LOG) return &self.services_->log;
    if (name == FOXWEDGE_SERVICE_STORE) return &self.services_->store;
    if (name == FOXWEDGE_SERVICE_AGENTS) return &self.services_->agents;
    if (name == FOXWEDGE_SERVICE_WAIT) return &self.services_->wait;
    if (name == FOXWEDGE_SERVICE_SCRIPT) return &self.services_->script;
    if (name == FOXWEDGE_SERVICE_CHECK) return &self.services_->check;
    if (name == FOXWEDGE_SERVICE_HTTP)
        return self.backend_->has_http() ? &self.services_->http : nullptr;
    return nullptr;
}

std::string error_text(const Error& error) {
    std::string out = "{\"code\":";
    append_quoted(out, error.code);
    out += ",\"message\":";
    append_quoted(out, error.message);
    if (error.retry_after.count() > 0 && error.details.empty())
        out += ",\"details\":{\"retryAfterMs\":" + std::to_string(error.retry_after.count()) + "}";
    if (!error.details.empty()) out += ",\"details\":" + error.details;
    return out + "}";
}

foxwedge_status answer(foxwedge_reply reply, const Result<std::string>& outcome) noexcept {
    const auto status = outcome ? FOXWEDGE_OK : status_of(outcome.error());
    if (!reply.give) return status;
    try {
        const auto text = outcome ? *outcome : error_text(outcome.error());
        if (!text.empty()) reply.give(reply.data, str(text));
        return status;
    } catch (...) {
        return FOXWEDGE_E_INTERNAL;
    }
}

foxwedge_status with_call(PluginHost& host, const foxwedge_call* call, foxwedge_reply reply,
                          const CallWork& work) noexcept {
    try {
        if (!call) return answer(reply, permanent("invalid_request", "this service needs a call"));
        const CallPin pin(call);
        if (!pin || host.retired())
            return answer(reply, permanent("cancelled", "the call is over"));
        std::string text;
        const auto done = pin->serve([&](Call& running, std::unique_ptr<Script>& script) -> Status {
            FOXWEDGE_TRY(made, work(running, script));
            text = std::move(made);
            return {};
        });
        if (!done) return answer(reply, done.error());
        return answer(reply, text);
    } catch (...) {
        return FOXWEDGE_E_INTERNAL; // no memory: there is nothing to say it with
    }
}

} // namespace foxwedge::plugin
