#include "plugin/entry.hpp"

#include <foxwedge/capability.h>
#include <foxwedge/context_strategy.h>
#include <foxwedge/guardrail.h>
#include <foxwedge/provider.h>

#include "plugin/refusal.hpp"
#include "plugin/text.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::uint32_t most_factories = 1000; // an endless list is a mistake, not a plugin

Error null_function(std::string_view what) {
    return refusal("null_function", "its function " + std::string(what) + " is null",
                   "mend the plugin: this function is required");
}
Error too_short(std::string_view code, std::string_view what, std::size_t found,
                std::size_t wanted) {
    return refusal(code,
                   "its " + std::string(what) + " says that it has " + std::to_string(found) +
                       " bytes, at least " + std::to_string(wanted) + " are needed",
                   "build the plugin against foxwedge's headers, with struct_size set");
}

template <class Kind>
Status check_size(const foxwedge_instance& instance) {
    if (instance.struct_size >= sizeof(Kind)) return {};
    return too_short("short_instance", "instance", instance.struct_size, sizeof(Kind));
}

Status check_capability(const foxwedge_instance& instance) {
    FOXWEDGE_CHECK(check_size<foxwedge_capability>(instance));
    const auto& c = reinterpret_cast<const foxwedge_capability&>(instance);
    if (!c.list_tools) return null_function("list_tools");
    if (!c.run_tool) return null_function("run_tool");
    return {};
}
Status check_provider(const foxwedge_instance& instance) {
    FOXWEDGE_CHECK(check_size<foxwedge_provider>(instance));
    const auto& p = reinterpret_cast<const foxwedge_provider&>(instance);
    if (!p.describe) return null_function("describe");
    if (!p.generate) return null_function("generate");
    return {};
}
Status check_guardrail(const foxwedge_instance& instance) {
    FOXWEDGE_CHECK(check_size<foxwedge_guardrail>(instance));
    if (!reinterpret_cast<const foxwedge_guardrail&>(instance).check) return null_function("check");
    return {};
}
Status check_strategy(const foxwedge_instance& instance) {
    FOXWEDGE_CHECK(check_size<foxwedge_context_strategy>(instance));
    if (!reinterpret_cast<const foxwedge_context_strategy&>(instance).plan)
        return null_function("plan");
    return {};
}

} // namespace

Status check_entry(const foxwedge_entry& entry) {
    if (!FOXWEDGE_HAS(foxwedge_entry, &entry, factory_at))
        return too_short("short_entry", "entry", entry.struct_size, sizeof(foxwedge_entry));
    if (entry.min_host_minor > FOXWEDGE_ABI_MINOR)
        return refusal("wrong_abi",
                       "it needs a host of ABI " + std::to_string(FOXWEDGE_ABI_MAJOR) + "." +
                           std::to_string(entry.min_host_minor) + ", this host speaks " +
                           std::to_string(FOXWEDGE_ABI_MAJOR) + "." +
                           std::to_string(FOXWEDGE_ABI_MINOR),
                       "use a newer foxwedge, or an older build of the plugin");
    if (!entry.open) return null_function("open");
    if (!entry.close) return null_function("close");
    if (!entry.factory_at) return null_function("factory_at");
    return {};
}

Result<std::map<const Component*, const foxwedge_factory*>>
match_factories(const foxwedge_entry& entry, const Descriptor& descriptor) {
    std::map<const Component*, const foxwedge_factory*> found;
    for (std::uint32_t n = 0;; ++n) {
        if (n == most_factories)
            return refusal("factory_mismatch", "its list of factories does not end",
                           "mend the plugin: factory_at returns null past the last one");
        const auto* factory = entry.factory_at(n);
        if (!factory) break;
        if (!FOXWEDGE_HAS(foxwedge_factory, factory, create))
            return too_short("short_factory", "factory", factory->struct_size,
                             sizeof(foxwedge_factory));
        const auto kind = view(factory->kind), id = view(factory->id);
        const auto* component = descriptor.find(kind, id);
        if (!component && !is_known_kind(kind)) continue;
        if (!component)
            return refusal("factory_mismatch",
                           "it makes a " + std::string(kind) + " called " + std::string(id) +
                               ", which its descriptor does not list",
                           "put the component into descriptor.json");
        if (!factory->create && is_known_kind(kind)) return null_function("create");
        found.emplace(component, factory);
    }
    for (const auto& component : descriptor.components)
        if (is_known_kind(component.kind) && !found.contains(&component))
            return refusal("factory_mismatch",
                           "its descriptor lists a " + component.kind + " called " + component.id +
                               ", but it has no factory for it",
                           "return the factory from factory_at, or take it out of descriptor.json");
    return found;
}

Status check_instance(const foxwedge_instance* instance, std::string_view kind) {
    if (!instance)
        return refusal("no_instance", "its create says ok but gives no instance",
                       "mend the plugin: store the instance before returning ok");
    if (instance->struct_size < sizeof(foxwedge_instance))
        return too_short("short_instance", "instance", instance->struct_size,
                         sizeof(foxwedge_instance));
    if (!instance->destroy) return null_function("destroy");
    if (kind == capability_kind) return check_capability(*instance);
    if (kind == provider_kind) return check_provider(*instance);
    if (kind == guardrail_kind) return check_guardrail(*instance);
    return check_strategy(*instance);
}

} // namespace foxwedge::plugin
