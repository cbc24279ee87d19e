// What a client of a run sees as it happens: text while a model answers, and what has become
// durable. Any number of clients, coming and going; one that joins late gets what the attempt under
// way has said so far. In a process that does not execute the run only what is durable is seen.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/world.hpp"
#include "journal/engine.hpp"
#include "run/run.hpp"

namespace foxwedge::compose {

struct StreamEvent {
    enum class Kind : std::uint8_t {
        reset,   ///< an attempt of `step` begins: what earlier ones said is void
        delta,   ///< number `n` of the attempt; never durable
        settled, ///< `step` has an outcome on record; `position` orders it for ever
        ended,   ///< the run has: the last event
    } kind = Kind::ended;
    std::string run, step;
    int attempt = 1;
    std::uint64_t n = 0;
    EventKind delta = EventKind::text;
    std::string json; ///< delta: the payload; settled: the outcome's value; ended: the result's
    std::uint64_t position = 0;
};

/// What this process executes, told to those who listen. Any thread.
class Broadcast {
public:
    /// A queue of one listener; closed when it is destroyed.
    class Ear {
    public:
        /// The next event of a step under way; none once something may have become durable, or
        /// after `patience`, or when `stop` is requested.
        std::optional<StreamEvent> wait(Millis patience, std::stop_token stop);

    private:
        friend class Broadcast;
        std::mutex mutex_;
        std::condition_variable_any changed_;
        std::deque<std::optional<StreamEvent>> queue_; ///< none: look at the journal
    };

    std::shared_ptr<Ear> listen(const std::string& run);
    void said(const agent::StepEvent&);
    void happened(const run::Event&);

private:
    struct Attempt {
        int number = 0;
        std::size_t bytes = 0;
        std::vector<StreamEvent> events; ///< the reset first
    };
    struct Live {
        std::map<std::string, Attempt> steps; ///< under way, by name
        std::list<std::weak_ptr<Ear>> ears;
    };
    void tell(Live&, const std::optional<StreamEvent>&);

    std::mutex mutex_;
    std::map<std::string, Live, std::less<>> runs_;
};

/// One client of one run. Used by one thread at a time.
class Follower {
public:
    /// `after`: the position of the last settled event that the client has; 0: from the start.
    Follower(std::shared_ptr<journal::Engine>, std::shared_ptr<Broadcast::Ear>, std::string run,
             std::uint64_t after);
    /// The next event, in order: every settled one exactly once. Blocks; none when `stop` is
    /// requested, and after `ended`.
    Result<std::optional<StreamEvent>> next(std::stop_token stop);

private:
    Status look();

    const std::shared_ptr<journal::Engine> engine_;
    const std::shared_ptr<Broadcast::Ear> ear_;
    const std::string run_;
    std::uint64_t after_;
    std::deque<StreamEvent> settled_;
    std::set<std::string> done_; ///< steps of which nothing more is to come
    bool looked_ = false, ended_ = false;
};

} // namespace foxwedge::compose
