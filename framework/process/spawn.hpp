// Starting the launcher with clean descriptors. Private to this layer.
#pragma once
#include <string>

#include <sys/types.h>

#include "base/result.hpp"
#include "process/command.hpp"

namespace foxwedge::process {

/// A descriptor that is closed with its owner.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept;
    ~Descriptor() { reset(); }
    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    int release();
    void reset();

private:
    int fd_ = -1;
};

/// The host's ends; all close-on-exec and non-blocking.
struct Spawned {
    pid_t launcher = -1;
    Descriptor in;      ///< written by us, the child's 0
    Descriptor out;     ///< the child's 1
    Descriptor err;     ///< the child's 2
    Descriptor control; ///< a socket to the launcher
};

/// `program` is the file that `command` names. Fails with `spawn_failed` (not_done).
Result<Spawned> spawn(const std::string& launcher, const std::string& program, const Command&);

} // namespace foxwedge::process
