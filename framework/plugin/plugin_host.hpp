// The host as one plugin sees it: its foxwedge_host and the services made for it.
#pragma once
#include <atomic>
#include <memory>
#include <string>

#include <foxwedge/services.h>

#include "plugin/backend.hpp"
#include "plugin/judges.hpp"
#include "plugin/running_call.hpp"

namespace foxwedge::plugin {

/// Lives as long as the process: a thread that a plugin left behind may still knock here, and is
/// answered `cancelled` once the plugin is closed.
class PluginHost {
public:
    PluginHost(std::string plugin_id, std::shared_ptr<const Masking>, std::unique_ptr<Backend>);
    ~PluginHost();
    PluginHost(const PluginHost&) = delete;
    PluginHost& operator=(const PluginHost&) = delete;

    const foxwedge_host* api() const { return &api_; }
    const std::string& plugin_id() const { return id_; }
    CallHome& calls() { return calls_; }
    Backend& backend() { return *backend_; }
    Judges& judges() { return judges_; }
    /// From now on services answer `cancelled`, and nothing lent is used.
    void retire();
    bool retired() const { return retired_; }

    struct Services;

private:
    static const void* service(const foxwedge_host*, foxwedge_str id);

    const std::string id_;
    const std::unique_ptr<Backend> backend_;
    Judges judges_;
    CallHome calls_;
    std::unique_ptr<Services> services_;
    foxwedge_host api_;
    std::atomic<bool> retired_{false};
};

} // namespace foxwedge::plugin
