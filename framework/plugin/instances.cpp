#include "plugin/instances.hpp"

#include <foxwedge/capability.h>
#include <foxwedge/context_strategy.h>
#include <foxwedge/guardrail.h>
#include <foxwedge/provider.h>

#include "plugin/access.hpp"
#include "plugin/entry.hpp"
#include "plugin/left_behind.hpp"
#include "plugin/refusal.hpp"
#include "plugin/text.hpp"
#include "plugin/verb.hpp"

namespace foxwedge::plugin {
namespace {

/// The request as the verb's own, for a call that its caller may have left.
struct Kept {
    Verb verb;
    std::string json, name;
    std::uint32_t placement;
};

foxwedge_status perform(foxwedge_instance* self, Verb verb, std::string_view json,
                        std::string_view name, std::uint32_t placement, const foxwedge_call* call) {
    switch (verb) {
    case Verb::list_tools:
        return reinterpret_cast<foxwedge_capability*>(self)->list_tools(self, call);
    case Verb::run_tool:
        return reinterpret_cast<foxwedge_capability*>(self)->run_tool(self, str(name), str(json),
                                                                      call);
    case Verb::describe:
        return reinterpret_cast<foxwedge_provider*>(self)->describe(self, call);
    case Verb::generate:
        return reinterpret_cast<foxwedge_provider*>(self)->generate(self, str(json), call);
    case Verb::count_tokens: {
        const auto* provider = reinterpret_cast<foxwedge_provider*>(self);
        if (!FOXWEDGE_HAS(foxwedge_provider, self, count_tokens) || !provider->count_tokens)
            return FOXWEDGE_E_UNSUPPORTED;
        return provider->count_tokens(self, str(json), call);
    }
    case Verb::check:
        return reinterpret_cast<foxwedge_guardrail*>(self)->check(self, placement, str(json), call);
    case Verb::plan:
        return reinterpret_cast<foxwedge_context_strategy*>(self)->plan(self, str(json), call);
    }
    return FOXWEDGE_E_UNSUPPORTED;
}

} // namespace

const char* to_string(Verb verb) noexcept {
    switch (verb) {
    case Verb::list_tools:
        return "list_tools";
    case Verb::run_tool:
        return "run_tool";
    case Verb::describe:
        return "describe";
    case Verb::generate:
        return "generate";
    case Verb::count_tokens:
        return "count_tokens";
    case Verb::check:
        return "check";
    case Verb::plan:
        return "plan";
    }
    return "?";
}

Instance::~Instance() {
    if (spoilt_) {
        leave_behind(api_);
        return;
    }
    try {
        api_->destroy(api_);
    } catch (...) {
        // It is gone for us either way.
    }
}

Result<std::shared_ptr<Instances>> Instances::make(std::shared_ptr<Opened> plugin,
                                                   const Component& component, const Json& config,
                                                   bool shipped) {
    auto access = std::make_shared<const http::Caller>(
        access_of(component, config, shipped, plugin->runtime().lent, plugin->runtime().masking));
    std::shared_ptr<Instances> made(
        new Instances(std::move(plugin), component, to_text(config), std::move(access)));
    Call call;
    FOXWEDGE_TRY(first, made->acquire(call));
    if (component.kind == guardrail_kind)
        made->placements_ = reinterpret_cast<foxwedge_guardrail*>(first->api())->placements;
    made->release(first);
    return made;
}

Result<std::shared_ptr<Instance>> Instances::create(Call& outer) {
    const auto* factory = plugin_->factory(component_);
    if (!factory)
        return refusal("unknown_kind", "this host does not know the kind " + component_.kind,
                       "use a newer foxwedge");
    struct Making {
        foxwedge_instance* instance = nullptr;
        std::string config;
    };
    const auto making = std::make_shared<Making>();
    making->config = config_;
    Call call = outer;
    call.step_key.clear();
    call.until.deadline.reset(); // waiting for an instance counts against no deadline of a call
    call.until = call.until.within(plugin_->runtime().limits.create);
    const auto* host = plugin_->host().api();
    const auto end = run_verb(
        *plugin_, call, access_,
        [factory, host, making](const foxwedge_call* c) {
            return factory->create(factory, host, str(making->config), c, &making->instance);
        },
        {}, false);
    if (end.status != FOXWEDGE_OK) return create_failed(end);
    if (auto fit = check_instance(making->instance, component_.kind); !fit) {
        // Its destroy is not to be trusted either.
        leave_behind(making->instance);
        return std::move(fit).error();
    }
    return std::make_shared<Instance>(plugin_, making->instance);
}

Error Instances::create_failed(const Ended& end) const {
    const auto what = name() + ": create of " + component_.id;
    auto error = error_of(end, what);
    if (error.message.rfind(what, 0) != 0) error.message.insert(0, what + ": ");
    return error;
}

Result<std::shared_ptr<Instance>> Instances::acquire(Call& call) {
    FOXWEDGE_CHECK(plugin_->accepts_work());
    const std::stop_callback wake(call.until.stop, [this] {
        std::lock_guard lock(mutex_);
        freed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    for (;;) {
        if (shared_ && !shared_->spoilt()) return shared_;
        if (!free_.empty()) {
            auto instance = std::move(free_.back());
            free_.pop_back();
            return instance;
        }
        if (component_.max_instances == 0 || alive_ < component_.max_instances) break;
        if (call.until.stopped())
            return unknown_outcome("cancelled", "cancelled while waiting for an instance");
        freed_.wait(lock);
    }
    ++alive_;
    lock.unlock();
    auto instance = create(call);
    lock.lock();
    if (!instance) {
        --alive_;
        freed_.notify_one();
    } else if ((*instance)->concurrent()) {
        // Two that were made at the same time: one serves all, the other goes with its first user.
        if (!shared_ || shared_->spoilt()) shared_ = *instance;
    }
    return instance;
}

void Instances::release(const std::shared_ptr<Instance>& instance) {
    std::lock_guard lock(mutex_);
    if (instance->spoilt()) {
        // A shared one counts once, however many calls were left on it.
        if (!instance->concurrent() || shared_ == instance) --alive_;
        if (shared_ == instance) shared_.reset();
    } else if (!instance->concurrent()) {
        free_.push_back(instance);
    }
    freed_.notify_one();
}

Ended Instances::call(const VerbRequest& request, Call& call) {
    const auto before = std::chrono::steady_clock::now();
    auto acquired = acquire(call);
    if (!acquired) return ended_by_host(std::move(acquired).error());
    const auto& instance = *acquired;
    Ended end;
    if (runs_here(plugin_->runtime(), call)) {
        end = run_verb(
            *plugin_, call, access_,
            [&](const foxwedge_call* c) {
                return perform(instance->api(), request.verb, request.json, request.name,
                               request.placement, c);
            },
            [instance](const foxwedge_call* c) {
                if (instance->api()->interrupt) instance->api()->interrupt(instance->api(), c);
            },
            true);
    } else {
        Call own = call;
        if (own.until.deadline) *own.until.deadline += std::chrono::steady_clock::now() - before;
        const auto kept = std::make_shared<const Kept>(Kept{
            request.verb, std::string(request.json), std::string(request.name), request.placement});
        end = run_verb(
            *plugin_, own, access_,
            [instance, kept](const foxwedge_call* c) {
                return perform(instance->api(), kept->verb, kept->json, kept->name, kept->placement,
                               c);
            },
            [instance](const foxwedge_call* c) {
                if (instance->api()->interrupt) instance->api()->interrupt(instance->api(), c);
            },
            true);
    }
    if (end.abandoned) instance->spoil();
    release(instance);
    return end;
}

} // namespace foxwedge::plugin
