// Inside the engine in memory: one process, shared by its engine and its activations.
#pragma once
#include "journal/memory_state.hpp"

namespace foxwedge::journal {

struct MemoryProcess {
    std::shared_ptr<MemoryState> state;
    std::string owner;
    bool dead = false;
    std::map<std::string, std::stop_source> held; ///< by run

    /// Under state->mutex: counts one durable operation and dies where the cut says so.
    Status operated();
    void die();
    Error fault() const;
};

std::unique_ptr<Activation> make_memory_activation(std::shared_ptr<MemoryProcess>, MemoryRun&);

/// Records as the seam gives them: by lane and index, older generations first.
std::vector<Record> in_place_order(std::vector<Record>);

} // namespace foxwedge::journal
