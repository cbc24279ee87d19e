// What all lanes of one executing run share.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "run/activity.hpp"
#include "run/pool.hpp"
#include "run/replay.hpp"
#include "run/run.hpp"

namespace foxwedge::run {

/// Why a run that has not ended takes no further step. Later ones outrank earlier ones.
enum class Ending : std::uint8_t {
    none,
    parking,
    cancelled,
    misfit,
    no_room,
    lost,
    fault,
    mismatch
};

class Execution {
public:
    /// `activation` null: a replay from `records` alone.
    Execution(journal::Activation* activation, const journal::RunHead& head,
              std::span<const journal::Record> records, std::vector<journal::Gate> gates,
              const ExecuteOptions&);

    const journal::RunHead& head() const { return head_; }
    bool replay_only() const { return !activation_; }
    const History& history() const { return history_; }
    Names& names() { return names_; }
    Activity& activity() { return activity_; }
    Pool& pool() { return *pool_; }
    const ExecuteOptions& options() const { return options_; }
    const std::stop_token& stop() const { return stop_; }
    journal::Activation& activation() { return *activation_; }

    /// Recorded time never goes back within a run.
    Time now() const;
    double chance(std::string_view step_key, int attempt) const;

    /// True once no further step may start. Cheap.
    bool ending() const {
        return ending_.load(std::memory_order_relaxed) != Ending::none || stop_.stop_requested();
    }
    /// The reason; a stop that nobody named yet is told apart here.
    Ending why();
    void end(Ending, Error);
    std::optional<Error> ending_error() const;

    /// Commits what `make` gives. Waits for room when the journal is full and makes the batch anew.
    /// Ends the run on `lost` and `io_error`: then, and when it gave up on room, the answer has a
    /// verdict that is neither `recorded` nor `conflict`.
    journal::Committed write(const std::function<journal::Batch()>& make) {
        must_last_ = false; // it is taken along
        return write(make, &journal::Activation::commit);
    }
    /// The same for the outcome of a step of a brief run. `must_last`: before another body begins.
    journal::Committed hold_back(const std::function<journal::Batch()>& make, bool must_last);
    /// Before the body of a step: what must last is on record.
    void before_body();

    /// Blocks until `fired` or until the lane is to unwind (false), whose waits are then noted.
    /// Where `look` is requested `fired` is asked once more.
    bool wait(std::vector<journal::Wait> waits, const Fan* fan, const std::function<bool()>& fired,
              const std::stop_token& look);
    void note_waits(std::vector<journal::Wait>);
    /// Waits for all of `time`, unless the run is stopped.
    void pause(Millis time) const;
    /// As long as one lives, the run does not stay in memory for children: a step whose time is
    /// limited parks on them, and what they need does not count.
    class ParksOnChildren {
    public:
        explicit ParksOnChildren(Execution& run, bool does) : run_(run), does_(does) {
            run_.park_on_children_ += does_;
        }
        ~ParksOnChildren() { run_.park_on_children_ -= does_; }
        ParksOnChildren(const ParksOnChildren&) = delete;
        ParksOnChildren& operator=(const ParksOnChildren&) = delete;

    private:
        Execution& run_;
        const bool does_;
    };
    /// The run does not park while a lane waits for this gate.
    void hold_gate(std::string id);
    std::vector<journal::Wait> waits() const;

    /// The newest gate of a step, from the journal or, in a replay, from what was given.
    std::optional<journal::Gate> gate_of(std::string_view step) const;
    std::optional<journal::Gate> gate(std::string_view id) const;

    /// For the warning: the step whose unwinding reached user code first.
    void note_unwound(std::string_view step);
    std::string unwound_at() const;
    void warn_swallowed(std::string_view where);

    bool watched() const { return static_cast<bool>(options_.events); }
    void tell(Event::Kind, const journal::StepKey&, int attempt = 0,
              const journal::Outcome* = nullptr, std::optional<Millis> delay = {},
              std::string detail_json = {});

private:
    journal::Committed write(const std::function<journal::Batch()>& make,
                             journal::Committed (journal::Activation::*by)(journal::Batch));
    bool hold(const std::vector<journal::Wait>&, Millis waited) const;
    bool is_under_way(std::string_view child, Millis waited) const;

    journal::Activation* activation_;
    const journal::RunHead& head_;
    std::vector<journal::Gate> gates_;
    const ExecuteOptions& options_;
    std::stop_token stop_;
    History history_;
    Names names_;
    Activity activity_;
    Pool own_pool_;
    Pool* pool_;
    std::atomic<Ending> ending_{Ending::none};
    std::atomic<int> park_on_children_{0};
    std::atomic<bool> must_last_{false}; ///< what was held back is
    mutable std::mutex mutex_;
    std::optional<Error> error_;
    std::vector<journal::Wait> waits_;
    std::set<std::string, std::less<>> held_gates_;
    std::string unwound_at_;
};

} // namespace foxwedge::run
