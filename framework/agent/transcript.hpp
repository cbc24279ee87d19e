// What an agent's run remembers: the task and the exchanges, derived from recorded steps and
// nothing else. Its digest is a chain, so that a turn costs what is new, not what there is. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "contracts/message.hpp"

namespace foxwedge::agent {

/// How transcripts are derived from records; part of every digest. A host keeps deriving what older
/// versions wrote, or names it as too new.
inline constexpr int derivation_version = 1;

/// One exchange: what the model said and what it was told. Never split.
struct Group {
    Message assistant;
    std::optional<Message> reply; ///< results of all its calls, or the host's remark
    std::int64_t calls = 0;
    std::int64_t bytes = 0; ///< of the recorded texts that it was derived from
    Usage usage;            ///< as reported for the model call that ended in it
};

class Transcript {
public:
    explicit Transcript(std::vector<Message> task);

    /// `recorded`: the texts that the group was derived from, in order.
    void append(Group, const std::vector<std::string_view>& recorded);

    const std::vector<Message>& task() const { return task_; }
    const std::vector<Group>& groups() const { return groups_; }
    const Digest& digest() const { return digest_; }

private:
    std::vector<Message> task_;
    std::vector<Group> groups_;
    Digest digest_;
};

/// The same messages without the opaque data that other adapters, or the same for another family of
/// models, have put into them.
void strip_foreign_opaque(Message&, std::string_view transcript_format, std::string_view model);

} // namespace foxwedge::agent
