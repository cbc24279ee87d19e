#include "process/spawn.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

namespace foxwedge::process {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    if (this != &other) {
        reset();
        fd_ = other.release();
    }
    return *this;
}
int Descriptor::release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
}
void Descriptor::reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

namespace {

Error failed(const char* what, int number) {
    return not_done("spawn_failed", std::string("a child process could not be started: ") + what +
                                        ": " + std::strerror(number));
}

/// The child's 0 to 3 are made by dup2 in order; an end that is itself one of these would be
/// overwritten before its turn, so it moves out of the way.
int out_of_the_way(int fd) {
    if (fd > 3 || fd < 0) return fd;
    const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, 4);
    ::close(fd);
    return moved;
}

struct Pair {
    Descriptor ours;
    Descriptor theirs;
};

Pair take(int ours, int theirs) {
    Pair pair{Descriptor(out_of_the_way(ours)), Descriptor(out_of_the_way(theirs))};
    ::fcntl(pair.ours.get(), F_SETFL, ::fcntl(pair.ours.get(), F_GETFL) | O_NONBLOCK);
    return pair;
}

Result<Pair> make_pipe(bool we_write) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return failed("pipe", errno);
    return we_write ? take(ends[1], ends[0]) : take(ends[0], ends[1]);
}

Result<Pair> make_control() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return failed("socketpair", errno);
    return take(ends[0], ends[1]);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (auto& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
}

std::vector<std::string> launcher_line(const std::string& launcher, const std::string& program,
                                       const Command& command) {
    std::vector<std::string> line{launcher};
    const auto limit = [&](const char* option, std::uint64_t value) {
        if (value == 0) return;
        line.emplace_back(option);
        line.push_back(std::to_string(value));
    };
    limit("--memory", command.memory_bytes);
    limit("--cpu", command.cpu_seconds);
    limit("--files", command.open_files);
    line.emplace_back("--");
    line.push_back(program);
    line.push_back(command.program);
    line.insert(line.end(), command.args.begin(), command.args.end());
    return line;
}

std::vector<std::string> environment_of(const Command& command) {
    std::map<std::string, std::string> merged;
    for (const auto& [name, value] : minimal_environment()) merged[name] = value;
    for (const auto& [name, value] : command.env) merged[name] = value;
    std::vector<std::string> lines;
    for (const auto& [name, value] : merged) lines.push_back(name + "=" + value);
    return lines;
}

/// What happens in the child before the launcher's first instruction.
class SpawnPlan {
public:
    SpawnPlan() {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawnattr_init(&attributes_);
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    void enter(const std::string& folder) {
        if (!folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
    }
    void hand_over(const Pair& pair, int as) {
        ::posix_spawn_file_actions_adddup2(&actions_, pair.theirs.get(), as);
    }
    int run(pid_t& pid, std::vector<std::string> line, std::vector<std::string> environment) {
        ::posix_spawn_file_actions_addclosefrom_np(&actions_, 4);
        return ::posix_spawn(&pid, line[0].c_str(), &actions_, &attributes_, pointers(line).data(),
                             pointers(environment).data());
    }

private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

} // namespace

Result<Spawned> spawn(const std::string& launcher, const std::string& program,
                      const Command& command) {
    FOXWEDGE_TRY(in, make_pipe(true));
    FOXWEDGE_TRY(out, make_pipe(false));
    FOXWEDGE_TRY(err, make_pipe(false));
    FOXWEDGE_TRY(control, make_control());

    SpawnPlan plan;
    plan.enter(command.cwd);
    plan.hand_over(in, 0);
    plan.hand_over(out, 1);
    plan.hand_over(err, 2);
    plan.hand_over(control, 3);
    Spawned spawned;
    if (const int error = plan.run(spawned.launcher, launcher_line(launcher, program, command),
                                   environment_of(command)))
        return failed(
            ("the launcher " + launcher + " in " + (command.cwd.empty() ? "." : command.cwd))
                .c_str(),
            error);
    spawned.in = std::move(in.ours);
    spawned.out = std::move(out.ours);
    spawned.err = std::move(err.ours);
    spawned.control = std::move(control.ours);
    return spawned;
}

} // namespace foxwedge::process
