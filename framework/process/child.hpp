// One child's state, shared by its handle and the watching thread. Private to this layer.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>

#include "process/spawn.hpp"
#include "process/supervisor.hpp"
#include "process/tail.hpp"

namespace foxwedge::process {

inline constexpr std::size_t stderr_kept = 64 * 1024;

class ChildState : public std::enable_shared_from_this<ChildState> {
public:
    ChildState(Spawned, Loop&, Ladder);

    void watch();
    ssize_t write(std::string_view);
    int in() const;
    int out() const { return out_.get(); }
    void close_in();
    void stop();
    void kill();
    std::optional<Exit> ended_within(const Until&) const;
    bool gone_within(const Until&) const;
    std::string stderr_tail() const;
    pid_t pid() const;
    /// The handle is gone: nobody reads `out` any more.
    void close_out();
    /// The loop is about to end though the launcher has not: nothing may use it any more.
    void abandon();

private:
    void drain_stderr();
    void hear_launcher();
    void take_report(std::string_view line); // with the mutex held
    void order(char) const;
    template <class Done>
    bool wait(const Until&, Done) const;

    Loop& loop_;
    const Ladder ladder_;
    const pid_t launcher_;
    Descriptor out_; ///< touched by its one reader only

    mutable std::mutex mutex_;
    mutable std::condition_variable_any changed_;
    Descriptor in_;
    Descriptor err_;
    Descriptor control_;
    std::string heard_;
    Tail tail_{stderr_kept};
    std::optional<Exit> exit_;
    pid_t pid_ = 0;
    bool stopping_ = false;
    bool gone_ = false;
};

/// What callers own. Its end starts the stop ladder.
class ChildHandle final : public Child {
public:
    explicit ChildHandle(std::shared_ptr<ChildState> state) : state_(std::move(state)) {}
    ~ChildHandle() override {
        state_->close_out();
        state_->stop();
    }
    ssize_t write(std::string_view bytes) override { return state_->write(bytes); }
    int in() const override { return state_->in(); }
    int out() const override { return state_->out(); }
    void close_in() override { state_->close_in(); }
    void stop() override { state_->stop(); }
    void kill() override { state_->kill(); }
    std::optional<Exit> ended() const override {
        return state_->ended_within(Until{}.within(std::chrono::milliseconds(0)));
    }
    std::optional<Exit> ended_within(const Until& until) const override {
        return state_->ended_within(until);
    }
    bool gone_within(const Until& until) const override { return state_->gone_within(until); }
    std::string stderr_tail() const override { return state_->stderr_tail(); }
    pid_t pid() const override { return state_->pid(); }

private:
    std::shared_ptr<ChildState> state_;
};

} // namespace foxwedge::process
