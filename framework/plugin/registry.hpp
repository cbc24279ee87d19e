// The plugins of one host: found on the search path, loaded when something uses them, turned into
// providers, tools, guardrails and context strategies.
//
//     FOXWEDGE_TRY(registry, Registry::open(options));
//     FOXWEDGE_TRY(model, registry->provider("anthropic", config));
//
// Any thread. Outlives everything that it made.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "contracts/context_strategy.hpp"
#include "contracts/guardrail.hpp"
#include "contracts/provider.hpp"
#include "contracts/tool.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/listing.hpp"
#include "plugin/lock.hpp"
#include "plugin/opened.hpp"

namespace foxwedge::process {
class Supervisor;
}

namespace foxwedge::plugin {

/// An entry of `plugins.load`.
struct PluginUse {
    std::string id;
    Json config; ///< for its components, where a use gives none of its own; null: none
    bool isolated = false;
    std::string sha256; ///< hex; "" for any content
};

/// What a plugin's box may use at most; 0: no limit.
struct BoxLimits {
    std::uint64_t memory_bytes = 0; ///< of address space
    std::uint64_t cpu_seconds = 0;
};

struct RegistryOptions {
    /// In search order; see search_path() in plugin/search.hpp.
    std::vector<std::string> folders;
    std::vector<PluginUse> uses;
    std::string lock_file;    ///< where it exists, only what it pins is loaded; "": none
    std::string state_folder; ///< private copies go to "<state_folder>/plugins"
    Lent lent;
    CallLimits limits;
    process::Supervisor* children = nullptr; ///< null: nothing can be isolated
    BoxLimits box;
};

/// What a run records of a plugin.
struct Build {
    std::string id, version, sha256;
    bool operator==(const Build&) const = default;
};
Json to_json(const Build&);

class Registry {
public:
    /// Looks at the folders; loads nothing. Error `bad_lock`.
    static Result<std::unique_ptr<Registry>> open(RegistryOptions);
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    /// Looks again, at the lock too. New and changed files serve new instances, and removed ones no
    /// longer do; what was made before keeps its library. A changed file that cannot be opened
    /// changes nothing for a plugin that is in use; rows() says why. Returns the ids whose file
    /// came, went or changed.
    std::vector<std::string> refresh();

    /// Loads a plugin before anything uses it. Errors: `unknown_plugin`, the refusal of its file.
    Status load(std::string_view plugin_id);
    /// All that can be judged without running it: file, digest, lock, `sha256`. Errors as of load.
    Status judge(std::string_view plugin_id);

    /// Each finds a component by its id, loads its plugin if need be and makes a first instance
    /// with `config` (null: the config of `plugins.load`, else {}), checked against the component's
    /// configSchema. The same component and config give the same instances. Errors:
    /// `unknown_component` (with a did-you-mean), the refusal of the plugin's file,
    /// `invalid_config` with a pointer, what the plugin said.
    Result<std::shared_ptr<Provider>> provider(std::string_view id, const Json& config);
    Result<std::shared_ptr<ToolSource>> capability(std::string_view id, const Json& config);
    Result<std::shared_ptr<Guardrail>> guardrail(std::string_view id, const Json& config);
    Result<std::shared_ptr<ContextStrategy>> context_strategy(std::string_view id,
                                                              const Json& config);

    /// The component of that kind, without loading anything; nothing if no usable plugin has it.
    struct Found {
        Component component;
        Build build; ///< sha256 empty while its file has not been digested
        std::string path;
    };
    std::optional<Found> find(std::string_view kind, std::string_view id) const;
    /// The id of the plugin that brings a component, if the component's configuration has a member
    /// of that name. Copies nothing: each run asks.
    std::optional<std::string> plugin_with(std::string_view kind, std::string_view id,
                                           std::string_view setting) const;
    /// Ids of all components of that kind, in order.
    std::vector<std::string> ids(std::string_view kind) const;
    /// What is on the path, the refused and the shadowed too.
    std::vector<Row> rows() const;
    /// The build that serves new instances of a component: loads nothing, digests its file once.
    Result<Build> build_of(std::string_view kind, std::string_view id);

    /// Replaces every secret that was given out, and what the host's own mask knows.
    std::string masked(std::string_view text) const;
    /// Calls that had to be left behind: with any, the host must end by _exit after its last
    /// commit.
    int abandoned_calls() const;

private:
    struct State;
    explicit Registry(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

} // namespace foxwedge::plugin
