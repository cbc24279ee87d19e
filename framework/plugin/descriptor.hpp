// What a plugin says of itself: the JSON of its ELF note, checked.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace foxwedge::plugin {

inline constexpr std::string_view capability_kind = "foxwedge.capability/1";
inline constexpr std::string_view provider_kind = "foxwedge.provider/1";
inline constexpr std::string_view guardrail_kind = "foxwedge.guardrail/1";
inline constexpr std::string_view context_strategy_kind = "foxwedge.context-strategy/1";

/// True for the four kinds that this host can use.
bool is_known_kind(std::string_view kind);
/// True for the kinds that can run in a process of their own.
bool is_isolatable(std::string_view kind);

struct Component {
    std::string kind, id, title;
    Json config_schema;    ///< null: any object
    int max_instances = 0; ///< 0: as many as wanted
    std::vector<std::string> secrets;
    std::string transcript_format; ///< of a provider
};

struct Descriptor {
    std::string id, version, title, license, homepage;
    unsigned abi_major = 0, abi_min_minor = 0;
    std::vector<Component> components;

    const Component* find(std::string_view kind, std::string_view component_id) const;
};

/// True for `[a-z0-9][a-z0-9-]{0,63}`: what plugins and components may be called.
bool is_plugin_id(std::string_view);

/// Reads a descriptor. Refusals without a file name: `bad_descriptor`, and `wrong_abi` (names both
/// versions) for another major or a newer minor than this host speaks. Any thread.
Result<Descriptor> descriptor_from_text(std::string_view text);

} // namespace foxwedge::plugin
