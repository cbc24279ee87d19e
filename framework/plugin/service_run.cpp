// Services that reach into the run: child runs and waits. They work on the thread of its lane.
#include "plugin/service.hpp"

namespace foxwedge::plugin {
namespace {

PluginHost& host_of(const void* host_data) {
    return *static_cast<PluginHost*>(const_cast<void*>(host_data));
}

Result<std::string> text(Result<Json> answered) {
    if (!answered) return std::move(answered).error();
    return to_text(*answered);
}

Result<Children*> children_of(Call& call) {
    if (!call.children) return permanent("unavailable", "this call belongs to no run");
    return call.children;
}

foxwedge_status start(const foxwedge_call* call, const foxwedge_agents* self, foxwedge_str request,
                      foxwedge_reply reply) noexcept {
    return with_call(host_of(self->host_data), call, reply, true,
                     [&](Call& running) -> Result<std::string> {
                         FOXWEDGE_TRY(children, children_of(running));
                         FOXWEDGE_TRY(json, request_json(request));
                         return text(children->start(json));
                     });
}

foxwedge_status next(const foxwedge_call* call, const foxwedge_agents* self,
                     foxwedge_reply reply) noexcept {
    return with_call(host_of(self->host_data), call, reply, true,
                     [&](Call& running) -> Result<std::string> {
                         FOXWEDGE_TRY(children, children_of(running));
                         return text(children->next());
                     });
}

foxwedge_status cancel(const foxwedge_call* call, const foxwedge_agents* self, foxwedge_str request,
                       foxwedge_reply reply) noexcept {
    return with_call(host_of(self->host_data), call, reply, true,
                     [&](Call& running) -> Result<std::string> {
                         FOXWEDGE_TRY(children, children_of(running));
                         FOXWEDGE_TRY(json, request_json(request));
                         FOXWEDGE_CHECK(children->cancel(json));
                         return std::string("{}");
                     });
}

foxwedge_status wait_for(const foxwedge_call* call, const foxwedge_wait* self, foxwedge_str request,
                         foxwedge_reply reply) noexcept {
    const auto work = [&](Call& running) -> Result<std::string> {
        if (!running.waits) return permanent("unavailable", "this call cannot wait");
        FOXWEDGE_TRY(json, request_json(request));
        FOXWEDGE_TRY(answered, running.waits->wait_for(json));
        if (!bool_member(answered, "fired").value_or(false))
            if (const CallPin pin(call); pin) pin->note_wait();
        return to_text(answered);
    };
    return with_call(host_of(self->host_data), call, reply, true, work);
}

} // namespace

foxwedge_agents make_agents(PluginHost& self) {
    return {sizeof(foxwedge_agents), 0, &self, start, next, cancel};
}
foxwedge_wait make_wait(PluginHost& self) {
    return {sizeof(foxwedge_wait), 0, &self, wait_for};
}

} // namespace foxwedge::plugin
