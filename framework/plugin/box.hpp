// The host's side of one plugin box: a child process that runs one component (box_server.hpp).
#pragma once
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "plugin/backend.hpp"
#include "plugin/box_wire.hpp"
#include "plugin/opened.hpp"
#include "process/supervisor.hpp"

namespace foxwedge::plugin {

/// What all boxes of one component have in common. Outlives them.
struct BoxSetting {
    process::Supervisor& children;
    Runtime& runtime;
    process::Command command;
    Opening opening;
    std::shared_ptr<const http::Caller> access;
    std::unique_ptr<Backend> backend;
    std::string name; ///< "plugin capability-kv": for messages
};

/// Any thread; calls go side by side.
class Box {
public:
    /// Starts the process and opens the component in it. Errors: those of Instances::make, refusal
    /// `open_failed` for one that dies or hangs meanwhile.
    static Result<std::shared_ptr<Box>> start(const BoxSetting&);
    /// Ends what it still does for the plugin, then the process: in peace, but at once if a call
    /// was left in it.
    ~Box();
    Box(const Box&) = delete;
    Box& operator=(const Box&) = delete;

    /// Serves what the plugin asks of the run on this thread. A call that does not come back after
    /// its cancellation is left in the box, which takes no others then. Throws what a run's own
    /// service threw.
    Ended call(const VerbRequest&, Call&);
    std::uint32_t placements() const { return placements_; }
    /// False once it is dead or a call was left in it.
    bool usable() const;
    bool dead() const;
    /// "was ended by signal 6 (Aborted)", with its last words.
    std::string death() const;

private:
    struct Waiting;
    struct Errand;
    class Serving;

    explicit Box(const BoxSetting& setting, std::shared_ptr<process::Child>);
    Status open();

    void send(FrameKind, std::uint64_t id, std::string body);
    void reply(std::uint64_t seq, const Result<std::string>&);
    void flush();
    void wake();

    void pump();
    bool read_frames(FrameReader&);
    void take(Frame);
    void note_death();

    Ended as_heard(Ended, const Until&) const;
    void begin_request(Frame);
    void run_request(const Frame&, Errand&);

    const BoxSetting& setting_;
    const std::shared_ptr<process::Child> child_;
    const int wake_;
    std::uint32_t placements_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable errands_done_;
    std::uint64_t last_ = 0;
    std::map<std::uint64_t, Waiting*> waiting_;
    std::map<std::uint64_t, std::shared_ptr<Errand>> errands_;
    bool dead_ = false, left_ = false, closing_ = false;

    std::mutex writing_;
    std::string unsent_;
    std::thread pump_;
};

} // namespace foxwedge::plugin
