#include "process/child.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace foxwedge::process {

std::string to_text(const Exit& exit) {
    switch (exit.kind) {
    case Exit::Kind::exited:
        return "exited with code " + std::to_string(exit.value);
    case Exit::Kind::signaled:
        return "was ended by signal " + std::to_string(exit.value) + " (" +
               ::strsignal(exit.value) + ")";
    case Exit::Kind::not_started:
        return std::string("could not be executed: ") + std::strerror(exit.value);
    case Exit::Kind::lost:
        break;
    }
    return "was lost: its launcher was killed";
}

ChildState::ChildState(Spawned spawned, Loop& loop, Ladder ladder)
    : loop_(loop), ladder_(ladder), launcher_(spawned.launcher), out_(std::move(spawned.out)),
      in_(std::move(spawned.in)), err_(std::move(spawned.err)),
      control_(std::move(spawned.control)) {}

void ChildState::watch() {
    // The loop's callbacks keep the state alive until the launcher has ended and is reaped.
    loop_.watch(err_.get(), [self = shared_from_this()] { self->drain_stderr(); });
    loop_.watch(control_.get(), [self = shared_from_this()] { self->hear_launcher(); });
}

ssize_t ChildState::write(std::string_view bytes) {
    std::lock_guard lock(mutex_);
    if (!in_) return -EPIPE;
    for (;;) {
        const ssize_t written = ::write(in_.get(), bytes.data(), bytes.size());
        if (written >= 0) return written;
        if (errno == EINTR) continue;
        return errno == EAGAIN ? 0 : -errno;
    }
}

int ChildState::in() const {
    std::lock_guard lock(mutex_);
    return in_.get();
}
void ChildState::close_in() {
    std::lock_guard lock(mutex_);
    in_.reset();
}
void ChildState::close_out() {
    out_.reset();
}

void ChildState::drain_stderr() {
    char bytes[16 * 1024];
    std::lock_guard lock(mutex_);
    while (err_) {
        const ssize_t got = ::read(err_.get(), bytes, sizeof bytes);
        if (got > 0) {
            tail_.append({bytes, static_cast<std::size_t>(got)});
            // One flooding child must not keep the thread from the others.
            if (static_cast<std::size_t>(got) < sizeof bytes) return;
            continue;
        }
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        loop_.unwatch(err_.get());
        err_.reset();
    }
}

void ChildState::take_report(std::string_view line) {
    const auto blank = line.find(' ');
    if (blank == line.npos) return;
    const int number = std::atoi(std::string(line.substr(blank + 1)).c_str());
    const auto what = line.substr(0, blank);
    if (what == "pid") pid_ = number;
    if (exit_) return;
    if (what == "exit") exit_ = Exit{Exit::Kind::exited, number};
    if (what == "signal") exit_ = Exit{Exit::Kind::signaled, number};
    if (what == "exec") exit_ = Exit{Exit::Kind::not_started, number};
}

void ChildState::hear_launcher() {
    // What the child said last belongs to its end.
    drain_stderr();
    std::lock_guard lock(mutex_);
    char bytes[256];
    const ssize_t got = ::read(control_.get(), bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got > 0) {
        heard_.append(bytes, static_cast<std::size_t>(got));
        for (std::size_t end; (end = heard_.find('\n')) != heard_.npos; heard_.erase(0, end + 1))
            take_report(std::string_view(heard_).substr(0, end));
    } else {
        int status = 0;
        while (::waitpid(launcher_, &status, 0) < 0 && errno == EINTR) {
        }
        if (!exit_) exit_ = Exit{Exit::Kind::lost, 0};
        gone_ = true;
        loop_.unwatch(control_.get());
        control_.reset();
        if (err_) loop_.unwatch(err_.get());
        err_.reset();
        in_.reset();
    }
    changed_.notify_all();
}

void ChildState::order(char what) const {
    if (control_) (void)!::send(control_.get(), &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ChildState::stop() {
    std::lock_guard lock(mutex_);
    in_.reset();
    if (stopping_ || gone_) return;
    stopping_ = true;
    loop_.after(ladder_.after_close, [self = shared_from_this()] {
        std::lock_guard held(self->mutex_);
        if (self->gone_) return;
        self->order('T');
        self->loop_.after(self->ladder_.after_term, [self] { self->kill(); });
    });
}

void ChildState::kill() {
    std::lock_guard lock(mutex_);
    order('K');
}

void ChildState::abandon() {
    std::lock_guard lock(mutex_);
    gone_ = true;
}

template <class Done>
bool ChildState::wait(const Until& until, Done done) const {
    std::unique_lock lock(mutex_);
    if (!until.deadline) {
        changed_.wait(lock, until.stop, done);
        return done();
    }
    return changed_.wait_until(lock, until.stop, *until.deadline, done);
}

std::optional<Exit> ChildState::ended_within(const Until& until) const {
    wait(until, [this] { return exit_.has_value(); });
    std::lock_guard lock(mutex_);
    return exit_;
}
bool ChildState::gone_within(const Until& until) const {
    return wait(until, [this] { return gone_; });
}

std::string ChildState::stderr_tail() const {
    std::lock_guard lock(mutex_);
    return tail_.text();
}
pid_t ChildState::pid() const {
    std::lock_guard lock(mutex_);
    return pid_;
}

} // namespace foxwedge::process
