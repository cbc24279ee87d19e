// Services that reach into the run behind a call: store, agents, wait, script.
#include "plugin/service.hpp"

namespace foxwedge::plugin {
namespace {

template <class Service>
PluginHost& host_of(const Service* self) {
    return *static_cast<PluginHost*>(self->host_data);
}

foxwedge_status ask(PluginHost& host, const foxwedge_call* call, Ask what, foxwedge_str request,
                    foxwedge_reply reply) noexcept {
    return with_call(host, call, reply, [&](Call& running, std::unique_ptr<Script>& script) {
        return host.backend().ask({what, view(request), running, script});
    });
}

template <class Service, Ask what>
foxwedge_status with_request(const foxwedge_call* call, const Service* self, foxwedge_str request,
                             foxwedge_reply reply) noexcept {
    return ask(host_of(self), call, what, request, reply);
}
template <class Service, Ask what>
foxwedge_status without_request(const foxwedge_call* call, const Service* self,
                                foxwedge_reply reply) noexcept {
    return ask(host_of(self), call, what, {nullptr, 0}, reply);
}

foxwedge_status wait_for(const foxwedge_call* call, const foxwedge_wait* self, foxwedge_str request,
                         foxwedge_reply reply) noexcept {
    auto& host = host_of(self);
    const auto work = [&](Call& running, std::unique_ptr<Script>& script) -> Result<std::string> {
        FOXWEDGE_TRY(text, host.backend().ask({Ask::wait_for, view(request), running, script}));
        const auto answered = parse_json(text);
        if (answered && !bool_member(*answered, "fired").value_or(false))
            if (const CallPin pin(call); pin) pin->note_wait();
        return std::move(text);
    };
    return with_call(host, call, reply, work);
}

} // namespace

foxwedge_store make_store(PluginHost& self) {
    return {sizeof(foxwedge_store), 0, &self, with_request<foxwedge_store, Ask::store_apply>,
            without_request<foxwedge_store, Ask::store_folder>};
}
foxwedge_agents make_agents(PluginHost& self) {
    return {sizeof(foxwedge_agents),
            0,
            &self,
            with_request<foxwedge_agents, Ask::agents_start>,
            without_request<foxwedge_agents, Ask::agents_next>,
            with_request<foxwedge_agents, Ask::agents_cancel>};
}
foxwedge_wait make_wait(PluginHost& self) {
    return {sizeof(foxwedge_wait), 0, &self, wait_for};
}
foxwedge_script make_script(PluginHost& self) {
    return {sizeof(foxwedge_script),
            0,
            &self,
            with_request<foxwedge_script, Ask::script_start>,
            without_request<foxwedge_script, Ask::script_next>,
            with_request<foxwedge_script, Ask::script_answer>,
            without_request<foxwedge_script, Ask::script_kill>};
}

} // namespace foxwedge::plugin
