// One component in a sealed process of its own, called in ways that a host calls it, and in some
// that no host should have to.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugin/box.hpp"
#include "plugin/conformance/store.hpp"

namespace foxwedge::plugin::conformance {

/// What answers a component's requests over HTTP in place of the network.
struct Vendor {
    /// Gives `sending` its response, or says why there is none. Any thread.
    std::function<Status(const Sending& sending)> answer;
};
/// Nobody listens.
Vendor unreachable();
/// The whole response at once; `headers` is a JSON object.
Vendor responding(int status, Json headers, std::string body);
/// Accepts the request, and says nothing until it is given up.
Vendor silent();

struct TrialSetting {
    process::Supervisor& children;
    std::vector<std::string> seal; ///< arguments of the box
    std::string library, digest_hex, plugin_id;
    std::string folder;    ///< where the component may keep files
    Millis longest{5'000}; ///< for a call that nothing ends earlier
    Millis grace{2'000};   ///< from its end until it is left behind
};

/// How a call is made.
struct Manner {
    std::string step_key = "check:1";
    std::optional<Millis> deadline;     ///< default: the trial's longest
    std::optional<Millis> cancel_after; ///< 0: before it begins
    TrialStore* store = nullptr;
};

struct Event {
    EventKind kind;
    std::string payload;
};

/// What a call came to.
struct Told {
    Ended end;
    std::vector<Event> events;
    std::vector<Json> requests; ///< over HTTP
    int asked = 0;              ///< of store, agents, wait and script
    Millis took{};
    Json result; ///< with status ok: the result; null if it is no JSON

    bool ok() const { return end.status == FOXWEDGE_OK && !result.is_null(); }
    std::string code() const { return end.said ? end.said->code : ""; }
    /// What no call may do, whatever it was asked for: break a promise, end its process, not end.
    /// Empty if it did nothing of that.
    std::string problem;
};
/// "ok", or the status and what was said with it.
std::string described(const Told&);

/// Any one thread.
class Trial {
public:
    Trial(const TrialSetting&, const Component&, Json config);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    /// Starts a process and makes an instance in it, unless there is one. `call` does it by itself.
    Status open();
    /// The next call meets a new instance in a new process.
    void restart();
    Told call(const VerbRequest&, const Manner& = {});
    std::uint32_t placements() const;
    const Component& component() const { return component_; }
    const Json& config() const { return config_; }
    const TrialSetting& setting() const { return setting_; }

    /// Who answers the requests of the calls that follow.
    void answer_with(Vendor);

private:
    class Outside;

    const TrialSetting& setting_;
    const Component& component_;
    const Json config_;
    Runtime runtime_;
    std::unique_ptr<BoxSetting> box_setting_;
    std::shared_ptr<Box> box_;
    std::mutex mutex_; // of what the outside uses and notes down
    Vendor vendor_ = unreachable();
    std::vector<Json> requests_;
    int asked_ = 0;
};

} // namespace foxwedge::plugin::conformance
