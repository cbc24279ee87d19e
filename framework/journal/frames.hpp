// The log: frames appended under one journal-wide sequence, in pieces. A frame holds the records of
// one run in one commit, or one content; each names the frame before it of the same run.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/codec.hpp"
#include "journal/environment.hpp"

namespace foxwedge::journal {

enum class FrameType : std::uint8_t { entries = 1, content = 2 };

inline constexpr std::size_t frame_header_bytes = 40;

/// A frame's bytes, made outside of any transaction.
struct Prepared {
    FrameType type = FrameType::entries;
    std::uint16_t count = 0; ///< records in it
    std::string payload;
    std::uint32_t crc = 0;
};
Prepared prepare(FrameType, std::uint16_t count, std::string payload);

struct FrameHeader {
    FrameType type = FrameType::entries;
    std::uint16_t count = 0;
    std::uint32_t length = 0;
    std::string_view owner; ///< packed run id; of a content the first half of its digest
    std::uint64_t previous = 0;
    std::uint32_t crc = 0;
};
/// The header at the front of a piece; nothing if the piece is no frame's first or is damaged.
std::optional<FrameHeader> read_header(std::string_view piece);

/// Appends to the log inside one write transaction.
class LogWriter {
public:
    explicit LogWriter(Txn&);
    /// The frame's key. Its records have the sequences `key - count + 1` to `key`.
    std::uint64_t append(std::string_view owner, std::uint64_t previous, const Prepared&);
    std::uint64_t last() const { return last_; }

private:
    Txn& txn_;
    std::uint64_t last_ = 0;
};

/// Reads frames inside one transaction.
class LogReader {
public:
    explicit LogReader(Txn& txn) : cursor_(txn, Table::log) {}
    /// The header alone, checked; false if there is none or it is damaged.
    bool head(std::uint64_t key, FrameHeader& header);
    /// The whole payload, checked; nothing if a piece is missing or damaged. It points into the map
    /// or into this reader: valid until the next call.
    std::optional<std::string_view> read(std::uint64_t key, FrameHeader& header);

    /// The name of the step that a damaged frame begins with, as far as it can be read; else "".
    std::string step_of_damaged(std::uint64_t key);

private:
    bool at(std::uint64_t key);
    Cursor cursor_;
    std::uint64_t position_ = 0;
    std::string joined_;
};

/// Contents inside one transaction.
class Contents final : public ContentSource {
public:
    explicit Contents(Txn& txn) : txn_(txn), log_(txn) {}
    bool read(const Digest&, std::size_t size, std::string& into) override;

private:
    Txn& txn_;
    LogReader log_;
};
/// Writes what is not there yet. `prepared` belongs to the same content.
void store_content(Txn&, LogWriter&, const Digest&, const Prepared&);

/// Where a run's log could not be read.
struct Damage {
    std::uint64_t sequence = 0;
    std::string step; ///< the name of a step at or next to the place, "" if none is known
};
/// A run's records from its newest frame back, given oldest first. Stops at damage, with what is
/// newer than it already in `entries`.
std::optional<Damage> read_entries(Txn&, std::string_view packed_run, std::uint64_t tail,
                                   std::vector<Entry>& entries);
/// A gate, out of its row and the log.
std::optional<GateRow> read_gate(Txn&, std::string_view packed);
/// The records of one frame; false if one is broken.
bool read_frame_entries(std::string_view payload, const FrameHeader&, std::uint64_t key,
                        ContentSource&, std::vector<Entry>& entries);

} // namespace foxwedge::journal
