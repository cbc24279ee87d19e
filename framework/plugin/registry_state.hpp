// What a registry knows. Private to it.
#pragma once
#include <map>
#include <mutex>

#include "plugin/boxed.hpp"
#include "plugin/file.hpp"
#include "plugin/registry.hpp"

namespace foxwedge::plugin {

/// A plugin on the path and, once it is used, its opened library or what its boxes map.
struct Known {
    Row row;
    std::string folder, name;
    std::shared_ptr<Opened> opened;
    std::shared_ptr<const BoxBuild> boxed;
    FileStamp seen{};               // of the file that lies there now
    std::optional<Error> successor; // why that file is not used, while the loaded one goes on

    bool in_use() const { return opened || boxed; }
};

/// An endpoint, and the build that it was made from.
struct Made {
    std::shared_ptr<Endpoint> endpoint;
    const void* build;
};

/// A file that may be loaded, and what it holds.
struct Admitted {
    PluginFile file;
    Inspected inspected;
    Digest digest;
};

struct Registry::State {
    RegistryOptions options;
    Runtime runtime;
    mutable std::mutex mutex;
    std::vector<Row> rows;
    std::vector<Known> plugins; // in search order, shadowed ones left out
    // By plugin, kind, component and configuration; those of replaced builds are gone.
    std::map<std::string, Made> endpoints;
    std::map<std::string, std::string> asked; ///< as it was asked for → key of one of these

    std::optional<Lock> lock;

    /// Keeps the lock that it had when the new one is damaged.
    Status read_lock_file();
    std::vector<std::string> look();
    Status opened_in_place_of(Known& now, const Known& before);
    void refuse(const std::string& path, const Error&);
    std::vector<std::string> take_over(std::vector<Known> fresh);
    Known* find(std::string_view kind, std::string_view id);
    Result<Known*> by_id(std::string_view plugin_id);
    const PluginUse* use_of(const std::string& plugin_id) const;
    Result<Admitted> admitted(const Known&) const;
    /// A lock that came later leaves what runs under way hold, and refuses its use for new work.
    Status still_locked(const Known&) const;
    Result<std::shared_ptr<Opened>> opened(Known&);
    Result<std::shared_ptr<const BoxBuild>> boxed(Known&);
    void note_loaded(Known&, const Descriptor&, const Digest&);
    Result<std::unique_ptr<BoxSetting>> box_setting(const Known&, const Component&,
                                                    const Json& config);
    Result<Made> make(Known&, std::string_view kind, std::string_view id, const Json& config);
    Result<std::shared_ptr<Endpoint>> endpoint(std::string_view kind, std::string_view id,
                                               const Json& config);
    Error unknown(std::string_view kind, std::string_view id) const;
};

} // namespace foxwedge::plugin
