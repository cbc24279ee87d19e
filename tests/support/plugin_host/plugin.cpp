#include "plugin.hpp"

#include <dlfcn.h>

namespace plugin_host {

Plugin::Plugin(Host& host, const std::string& path) : host_(host) {
    // Never unmapped, as in the real host.
    void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(::dlerror());
    entry_ = static_cast<const foxwedge_entry*>(::dlsym(library, FOXWEDGE_ENTRY_SYMBOL));
    if (!entry_) throw std::runtime_error(path + " has no entry");
    Call call;
    if (entry_->open(host.api(), call.api()) != FOXWEDGE_OK)
        throw std::runtime_error(path + " does not open: " + call.message);
}

Plugin::~Plugin() {
    entry_->close();
}

const foxwedge_factory* Plugin::factory(std::string_view id) const {
    for (std::uint32_t n = 0; const auto* found = entry_->factory_at(n); ++n)
        if (view(found->id) == id) return found;
    return nullptr;
}

std::unique_ptr<Instance> Plugin::create(std::string_view id, const Value& config) {
    const auto* maker = factory(id);
    if (!maker) throw std::logic_error("no factory " + std::string(id));
    foxwedge_instance* made = nullptr;
    Call call;
    const auto status = maker->create(maker, host_.api(), str(to_text(config)), call.api(), &made);
    if (status != FOXWEDGE_OK) {
        Outcome outcome;
        outcome.status = status;
        outcome.code = call.code;
        outcome.message = call.message;
        if (!call.details.empty()) outcome.details = Value::parse(call.details);
        throw NotCreated(outcome);
    }
    if (!made) throw std::logic_error("ok without an instance");
    return std::make_unique<Instance>(host_, made);
}

template <class Verb>
Outcome Instance::drive(Verb&& verb) {
    Call call;
    call.cancel_after = cancel_after;
    call.time_left = time_left;
    if (!step_key.empty()) call.name_step(step_key);
    Outcome outcome;
    outcome.status = verb(call.api());
    if (outcome.status == FOXWEDGE_OK) {
        if (call.results != 1) throw std::logic_error("ok needs exactly one result");
        outcome.result = Value::parse(call.result);
        outcome.committed = host_.store.commit(call.writes);
    }
    outcome.code = call.code;
    outcome.message = call.message;
    if (!call.details.empty()) outcome.details = Value::parse(call.details);
    outcome.events = std::move(call.events);
    return outcome;
}

Outcome Instance::list_tools() {
    const auto* api = reinterpret_cast<foxwedge_capability*>(made_);
    return drive([&](const foxwedge_call* call) { return api->list_tools(made_, call); });
}

Outcome Instance::run_text(std::string_view tool, std::string_view arguments) {
    const auto* api = reinterpret_cast<foxwedge_capability*>(made_);
    return drive([&](const foxwedge_call* call) {
        return api->run_tool(made_, str(tool), str(arguments), call);
    });
}

Outcome Instance::describe() {
    const auto* api = reinterpret_cast<foxwedge_provider*>(made_);
    return drive([&](const foxwedge_call* call) { return api->describe(made_, call); });
}

Outcome Instance::generate(const Value& request) {
    const auto* api = reinterpret_cast<foxwedge_provider*>(made_);
    const auto text = to_text(request);
    return drive([&](const foxwedge_call* call) { return api->generate(made_, str(text), call); });
}

Outcome Instance::count_tokens(const Value& request) {
    const auto* api = reinterpret_cast<foxwedge_provider*>(made_);
    const auto text = to_text(request);
    return drive(
        [&](const foxwedge_call* call) { return api->count_tokens(made_, str(text), call); });
}

std::uint32_t Instance::placements() const {
    return reinterpret_cast<foxwedge_guardrail*>(made_)->placements;
}

Outcome Instance::check(std::uint32_t placement, const Value& subject) {
    const auto* api = reinterpret_cast<foxwedge_guardrail*>(made_);
    const auto text = to_text(subject);
    return drive(
        [&](const foxwedge_call* call) { return api->check(made_, placement, str(text), call); });
}

Outcome Instance::plan(const Value& request) {
    const auto* api = reinterpret_cast<foxwedge_context_strategy*>(made_);
    const auto text = to_text(request);
    return drive([&](const foxwedge_call* call) { return api->plan(made_, str(text), call); });
}

} // namespace plugin_host
