// Instances of one component with one configuration, made by demand, in this process.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "plugin/endpoint.hpp"
#include "plugin/opened.hpp"

namespace foxwedge::plugin {

/// One instance. Destroyed with its last user, unless a call was abandoned on it.
class Instance {
public:
    Instance(std::shared_ptr<Opened> plugin, foxwedge_instance* api)
        : plugin_(std::move(plugin)), api_(api) {}
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;
    foxwedge_instance* api() const { return api_; }
    bool concurrent() const { return (api_->flags & FOXWEDGE_CONCURRENT) != 0; }
    void spoil() { spoilt_ = true; }
    bool spoilt() const { return spoilt_; }

private:
    std::shared_ptr<Opened> plugin_;
    foxwedge_instance* api_;
    std::atomic<bool> spoilt_{false};
};

class Instances final : public Endpoint {
public:
    /// Makes the first instance, so that a bad configuration shows now. `shipped`: see access.hpp.
    static Result<std::shared_ptr<Instances>> make(std::shared_ptr<Opened>, const Component&,
                                                   const Json& config, bool shipped);

    Ended call(const VerbRequest&, Call&) override;
    std::uint32_t placements() const override { return placements_; }
    const Component& component() const override { return component_; }
    std::string name() const override { return "plugin " + plugin_->descriptor().id; }

private:
    Instances(std::shared_ptr<Opened> plugin, const Component& component, std::string config,
              std::shared_ptr<const http::Caller> access)
        : plugin_(std::move(plugin)), component_(component), config_(std::move(config)),
          access_(std::move(access)) {}
    Result<std::shared_ptr<Instance>> create(Call&);
    Error create_failed(const Ended&) const;
    Result<std::shared_ptr<Instance>> acquire(Call&);
    void release(const std::shared_ptr<Instance>&);

    const std::shared_ptr<Opened> plugin_;
    const Component& component_; // lives in the plugin's descriptor
    const std::string config_;
    const std::shared_ptr<const http::Caller> access_;
    std::uint32_t placements_ = 0;

    std::mutex mutex_;
    std::condition_variable freed_;
    std::shared_ptr<Instance> shared_; // of a component whose instances are concurrent
    std::vector<std::shared_ptr<Instance>> free_;
    int alive_ = 0; // made and not spoilt
};

} // namespace foxwedge::plugin
