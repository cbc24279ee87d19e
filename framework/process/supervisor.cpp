#include "process/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "process/child.hpp"

namespace foxwedge::process {
namespace {

void ignore_broken_pipes() {
    struct sigaction now {};
    if (::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
        now.sa_handler = SIG_IGN;
        ::sigaction(SIGPIPE, &now, nullptr);
    }
}

} // namespace

struct Supervisor::State {
    std::mutex mutex;
    std::string launcher;
    Ladder ladder;
    Loop loop;
    std::vector<std::weak_ptr<ChildState>> children;
};

Supervisor::Supervisor(std::string launcher, Ladder ladder) : state_(std::make_shared<State>()) {
    state_->launcher = std::move(launcher);
    state_->ladder = ladder;
    ignore_broken_pipes();
}

Supervisor::~Supervisor() {
    std::vector<std::weak_ptr<ChildState>> children;
    {
        std::lock_guard lock(state_->mutex);
        children.swap(state_->children);
    }
    std::vector<std::shared_ptr<ChildState>> alive;
    for (auto& each : children)
        if (auto child = each.lock()) alive.push_back(std::move(child));
    for (auto& child : alive) child->stop();
    const Until enough = Until{}.within(state_->ladder.after_close + state_->ladder.after_term +
                                        std::chrono::milliseconds(900));
    for (auto& child : alive)
        if (!child->gone_within(enough)) child->kill();
    for (auto& child : alive)
        if (!child->gone_within(Until{}.within(std::chrono::milliseconds(1000)))) child->abandon();
}

Result<std::shared_ptr<Child>> Supervisor::start(const Command& command) {
    {
        std::lock_guard lock(state_->mutex);
        if (state_->launcher.empty()) {
            FOXWEDGE_TRY(found, find_libexec("launcher"));
            state_->launcher = found;
        }
    }
    FOXWEDGE_TRY(program, find_program(command));
    FOXWEDGE_TRY(spawned, spawn(state_->launcher, program, command));
    auto state = std::make_shared<ChildState>(std::move(spawned), state_->loop, state_->ladder);
    state->watch();
    std::lock_guard lock(state_->mutex);
    auto& all = state_->children;
    all.erase(std::remove_if(all.begin(), all.end(), [](auto& each) { return each.expired(); }),
              all.end());
    all.push_back(state);
    return std::shared_ptr<Child>(std::make_shared<ChildHandle>(std::move(state)));
}

Loop& Supervisor::loop() {
    return state_->loop;
}

} // namespace foxwedge::process
