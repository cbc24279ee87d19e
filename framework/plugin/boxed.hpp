// A component in processes of its own: started by demand, again after a death, and judged by how
// they die.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>

#include "plugin/box.hpp"
#include "plugin/box_deaths.hpp"
#include "plugin/endpoint.hpp"

namespace foxwedge::plugin {

/// A plugin's file, taken over for boxes: they map the private copy.
struct BoxBuild {
    Descriptor descriptor;
    Digest digest;
    std::string copy;
};

class Boxed final : public Endpoint {
public:
    /// Starts the first box, so that a bad configuration shows now.
    static Result<std::shared_ptr<Boxed>> make(std::shared_ptr<const BoxBuild>, const Component&,
                                               std::unique_ptr<BoxSetting>);

    /// A call whose box died has an unknown outcome: `box_died` (base/loss.hpp) if others may have
    /// been to blame, `box_crashed` if it was alone in there because three had died in a minute.
    Ended call(const VerbRequest&, Call&) override;
    std::uint32_t placements() const override;
    const Component& component() const override { return component_; }
    std::string name() const override { return setting_->name; }

private:
    /// A call's place in a box.
    struct Entry {
        std::shared_ptr<Box> box;
        bool alone = false;
    };
    Boxed(std::shared_ptr<const BoxBuild>, const Component&, std::unique_ptr<BoxSetting>);
    Result<Entry> enter(const Call&);
    void leave(const Entry&);
    void note_death();
    /// With the lock held, which it gives up meanwhile.
    Status start(std::unique_lock<std::mutex>&);
    bool wait(std::unique_lock<std::mutex>&, const Call&, std::optional<Millis>);

    const std::shared_ptr<const BoxBuild> build_;
    const Component& component_; // lives in the build's descriptor
    const std::unique_ptr<const BoxSetting> setting_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<Box> box_; // takes new calls
    BoxDeaths deaths_;
    BoxDeaths::TimePoint may_start_{}; // a new box, after a death
    int inside_ = 0;
    bool starting_ = false, occupied_ = false; // by a call that is alone
};

} // namespace foxwedge::plugin
