// foxwedge/plugin.hpp: a plugin in C++17 without touching the C structs.
//
// Derive from Capability, Provider, Guardrail or ContextStrategy, return values, throw Failure when
// something goes wrong, and list what there is in FOXWEDGE_PLUGIN:
//
//     class Dice : public foxwedge::plugin::Capability {
//     public:
//         Dice(const Host&, const Value& config) : sides_(config.integer("sides", 6)) {}
//         Value tools() override { return Value::parse(R"({"tools": [...]})"); }
//         Value run(std::string_view tool, const Value& arguments, Call& call) override;
//         ...
//     };
//     FOXWEDGE_PLUGIN(foxwedge::plugin::component<Dice>("dice"))
//
// No exception leaves the plugin: one that is not a Failure makes the verb end as a mistake of the
// plugin, with what() as the message. An instance takes one call at a time unless its class says
// `static constexpr bool concurrent = true;`.
#pragma once
#include <exception>
#include <memory>
#include <new>

#include "call.hpp"
#include "capability.h"
#include "context_strategy.h"
#include "guardrail.h"
#include "host.hpp"
#include "json.hpp"
#include "provider.h"

namespace foxwedge::plugin {

/// Base of the four kinds.
class Instance {
public:
    static constexpr bool concurrent = false;
    virtual ~Instance() = default;
    Instance() = default;
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    /// The call was cancelled: wake what waits for something other than the host. Any thread.
    virtual void interrupt(const foxwedge_call*) noexcept {}
};

/// Tools: see capability.h for what the values look like.
class Capability : public Instance {
public:
    virtual Value tools() = 0;
    virtual Value run(std::string_view tool, const Value& arguments, Call&) = 0;
};

/// A model: see provider.h. Where parsing costs too much, override generate_text instead.
class Provider : public Instance {
public:
    virtual Value describe() = 0;
    virtual Value generate(const Value& request, Call&) = 0;
    /// From request to result as texts.
    virtual std::string generate_text(std::string_view request, Call& call) {
        return to_text(generate(Value::parse(request), call));
    }
    /// Tokens of a request; the default says that the adapter cannot count.
    virtual std::int64_t count_tokens(const Value& /*request*/, Call&) {
        throw Failure(FOXWEDGE_E_UNSUPPORTED, "unsupported", "this provider does not count tokens");
    }
};

/// A check: see guardrail.h. `placements` are the bits of those that it wants.
class Guardrail : public Instance {
public:
    explicit Guardrail(std::uint32_t placements) noexcept : placements_(placements) {}
    virtual Value check(std::uint32_t placement, const Value& subject, Call&) = 0;
    std::uint32_t placements() const noexcept { return placements_; }

private:
    const std::uint32_t placements_;
};

/// A choice of what the model sees: see context_strategy.h.
class ContextStrategy : public Instance {
public:
    virtual Value plan(const Value& request) = 0;
};

// --- The C side of an instance -------------------------------------------------------------------

/// Runs `body` and turns what it throws into a status.
template <class Body>
foxwedge_status contained(const foxwedge_call* call, Body&& body) noexcept {
    const Call answer(call);
    try {
        body();
        return FOXWEDGE_OK;
    } catch (const Failure& failure) {
        return answer.fail(failure);
    } catch (const std::bad_alloc&) {
        return answer.fail(FOXWEDGE_E_INTERNAL, "out_of_memory", "the plugin ran out of memory");
    } catch (const std::exception& e) {
        return answer.fail(FOXWEDGE_E_INTERNAL, "exception", e.what());
    } catch (...) {
        return answer.fail(FOXWEDGE_E_INTERNAL, "exception", "something that is no std::exception");
    }
}

namespace detail {

/// The struct that the host sees and the object behind it, in one piece.
template <class Struct, class Base>
struct Holder {
    Struct api{};
    std::unique_ptr<Base> object;
};
template <class Struct, class Base>
Base& object_of(foxwedge_instance* self) noexcept {
    return *static_cast<Holder<Struct, Base>*>(self->plugin_data)->object;
}

inline void fill(foxwedge_capability& api, const Capability&) noexcept {
    api.list_tools = [](foxwedge_instance* self, const foxwedge_call* call) {
        return contained(call, [&] {
            Call(call).result(object_of<foxwedge_capability, Capability>(self).tools());
        });
    };
    api.run_tool = [](foxwedge_instance* self, foxwedge_str name, foxwedge_str arguments,
                      const foxwedge_call* call) {
        return contained(call, [&] {
            Call answer(call);
            answer.result(object_of<foxwedge_capability, Capability>(self).run(
                view(name), Value::parse(view(arguments)), answer));
        });
    };
}

inline void fill(foxwedge_provider& api, const Provider&) noexcept {
    api.describe = [](foxwedge_instance* self, const foxwedge_call* call) {
        return contained(call, [&] {
            Call(call).result(object_of<foxwedge_provider, Provider>(self).describe());
        });
    };
    api.generate = [](foxwedge_instance* self, foxwedge_str request, const foxwedge_call* call) {
        return contained(call, [&] {
            Call answer(call);
            answer.result_text(
                object_of<foxwedge_provider, Provider>(self).generate_text(view(request), answer));
        });
    };
    api.count_tokens = [](foxwedge_instance* self, foxwedge_str request,
                          const foxwedge_call* call) {
        return contained(call, [&] {
            Call answer(call);
            const auto tokens = object_of<foxwedge_provider, Provider>(self).count_tokens(
                Value::parse(view(request)), answer);
            answer.result(object({{"tokens", tokens}}));
        });
    };
}

inline void fill(foxwedge_guardrail& api, const Guardrail& guardrail) noexcept {
    api.placements = guardrail.placements();
    api.check = [](foxwedge_instance* self, std::uint32_t placement, foxwedge_str subject,
                   const foxwedge_call* call) {
        return contained(call, [&] {
            Call answer(call);
            answer.result(object_of<foxwedge_guardrail, Guardrail>(self).check(
                placement, Value::parse(view(subject)), answer));
        });
    };
}

inline void fill(foxwedge_context_strategy& api, const ContextStrategy&) noexcept {
    api.plan = [](foxwedge_instance* self, foxwedge_str request, const foxwedge_call* call) {
        return contained(call, [&] {
            Call(call).result(object_of<foxwedge_context_strategy, ContextStrategy>(self).plan(
                Value::parse(view(request))));
        });
    };
}

template <class T>
struct KindOf {
    template <class Struct, class Base>
    struct Is {
        using struct_type = Struct;
        using base_type = Base;
    };
    static auto find(const Capability*) -> Is<foxwedge_capability, Capability>;
    static auto find(const Provider*) -> Is<foxwedge_provider, Provider>;
    static auto find(const Guardrail*) -> Is<foxwedge_guardrail, Guardrail>;
    static auto find(const ContextStrategy*) -> Is<foxwedge_context_strategy, ContextStrategy>;
    using type = decltype(find(static_cast<const T*>(nullptr)));
    using Struct = typename type::struct_type;
    using Base = typename type::base_type;
    static constexpr std::string_view name() {
        if constexpr (std::is_same_v<Base, Capability>)
            return FOXWEDGE_KIND_CAPABILITY;
        else if constexpr (std::is_same_v<Base, Provider>)
            return FOXWEDGE_KIND_PROVIDER;
        else if constexpr (std::is_same_v<Base, Guardrail>)
            return FOXWEDGE_KIND_GUARDRAIL;
        else
            return FOXWEDGE_KIND_CONTEXT_STRATEGY;
    }
};

template <class T>
foxwedge_status create(const foxwedge_factory*, const foxwedge_host* host, foxwedge_str config,
                       const foxwedge_call* call, foxwedge_instance** instance) {
    using Struct = typename KindOf<T>::Struct;
    using Base = typename KindOf<T>::Base;
    return contained(call, [&] {
        auto made = std::make_unique<Holder<Struct, Base>>();
        made->object = std::make_unique<T>(Host(host), Value::parse(view(config)));
        auto& head = made->api.base;
        head.struct_size = sizeof(Struct);
        head.flags = T::concurrent ? FOXWEDGE_CONCURRENT : 0u;
        head.plugin_data = made.get();
        head.destroy = [](foxwedge_instance* self) {
            delete static_cast<Holder<Struct, Base>*>(self->plugin_data);
        };
        head.interrupt = [](foxwedge_instance* self, const foxwedge_call* running) {
            object_of<Struct, Base>(self).interrupt(running);
        };
        fill(made->api, *made->object);
        *instance = &made.release()->api.base;
    });
}

} // namespace detail

/// One component: an instance is `T(const Host&, const Value& config)`. `id` is a literal.
template <class T>
constexpr foxwedge_factory component(std::string_view id) noexcept {
    return {sizeof(foxwedge_factory), 0, str(detail::KindOf<T>::name()), str(id),
            &detail::create<T>};
}

} // namespace foxwedge::plugin

/// Once at file scope: the entry of a plugin with these components, in the descriptor's order.
#define FOXWEDGE_PLUGIN(...)                                                                       \
    namespace {                                                                                    \
    constexpr foxwedge_factory foxwedge_plugin_factories[] = {__VA_ARGS__};                        \
    foxwedge_status foxwedge_plugin_open(const foxwedge_host*, const foxwedge_call*) {             \
        return FOXWEDGE_OK;                                                                        \
    }                                                                                              \
    void foxwedge_plugin_close() {}                                                                \
    const foxwedge_factory* foxwedge_plugin_factory_at(std::uint32_t index) {                      \
        constexpr auto count = sizeof foxwedge_plugin_factories / sizeof(foxwedge_factory);        \
        return index < count ? &foxwedge_plugin_factories[index] : nullptr;                        \
    }                                                                                              \
    }                                                                                              \
    const foxwedge_entry foxwedge_entry_v1 = {                                                     \
        sizeof(foxwedge_entry), FOXWEDGE_ABI_MINOR,        0, 0, foxwedge_plugin_open,             \
        foxwedge_plugin_close,  foxwedge_plugin_factory_at}
