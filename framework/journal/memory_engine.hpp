// The engine in memory: the second implementation of the seam, for tests. One MemoryJournal is the
// "disk"; each MemoryEngine on it is one "process". A cut kills the process after any durable
// operation, so that a test can walk through every point at which a host can die.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "journal/engine.hpp"

namespace foxwedge::journal {

struct MemoryState;
class MemoryEngine;

/// Where the process that does the n-th durable operation dies.
struct Cut {
    std::uint64_t after = 0; ///< operations of the whole journal, from 1
    bool answered = true;    ///< false: the operation is on record, but its caller gets an error
};

/// What outlives every process. Copies share it. Any thread.
class MemoryJournal {
public:
    /// `clock` outlives the journal and all its engines.
    explicit MemoryJournal(const Clock& clock = system_clock());

    /// A fresh process. Its destruction is a clean exit.
    std::unique_ptr<MemoryEngine> process(std::string owner = {});

    void cut(std::optional<Cut>);
    /// Durable operations so far.
    std::uint64_t operations() const;

    /// "<run>/<step>[#<generation>]" of every outcome, in the order in which it became durable.
    std::vector<std::string> order() const;
    /// From now on outcomes named here become durable in exactly this order: a commit of one waits
    /// for those before it. Entries are as in order(); others are not held up. Empty: no order.
    void enforce(std::vector<std::string> order);

private:
    std::shared_ptr<MemoryState> state_;
};

/// One process on a MemoryJournal. Once it is dead every call fails with `journal_fault`, every
/// commit with Verdict::io_error, and its activations are stopped.
class MemoryEngine : public Engine {
public:
    /// kill -9: what this process held stays held by a dead owner.
    virtual void kill() = 0;
    virtual bool dead() const = 0;
    virtual const std::string& owner() const = 0;
};

} // namespace foxwedge::journal
