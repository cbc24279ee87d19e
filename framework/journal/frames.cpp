#include "journal/frames.hpp"

#include <algorithm>
#include <cstring>

#include "journal/bytes.hpp"
#include "journal/crc.hpp"

namespace foxwedge::journal {
namespace {

constexpr std::uint8_t frame_mark = 0xF1;

void put32(char* at, std::uint32_t v) {
    std::memcpy(at, &v, 4); // little-endian like LMDB's own file, which is not portable either
}
std::uint32_t get32(const char* at) {
    std::uint32_t v = 0;
    std::memcpy(&v, at, 4);
    return v;
}

} // namespace

Prepared prepare(FrameType type, std::uint16_t count, std::string payload) {
    const std::uint32_t crc = crc32c(payload);
    return {type, count, std::move(payload), crc};
}

std::optional<FrameHeader> read_header(std::string_view piece) {
    if (piece.size() < frame_header_bytes || static_cast<std::uint8_t>(piece[0]) != frame_mark)
        return std::nullopt;
    const char* const p = piece.data();
    if (get32(p + 36) != crc32c(piece.substr(0, 36))) return std::nullopt;
    FrameHeader h;
    h.type = static_cast<FrameType>(p[1]);
    std::memcpy(&h.count, p + 2, 2);
    h.length = get32(p + 4);
    h.owner = piece.substr(8, packed_id_length);
    std::memcpy(&h.previous, p + 24, 8);
    h.crc = get32(p + 32);
    return h;
}

LogWriter::LogWriter(Txn& txn) : txn_(txn) {
    Cursor cursor(txn, Table::log);
    if (cursor.last()) last_ = from_big_endian(cursor.key());
}

std::uint64_t LogWriter::append(std::string_view owner, std::uint64_t previous,
                                const Prepared& frame) {
    char piece[piece_bytes];
    std::memset(piece, 0, frame_header_bytes);
    piece[0] = static_cast<char>(frame_mark);
    piece[1] = static_cast<char>(frame.type);
    std::memcpy(piece + 2, &frame.count, 2);
    put32(piece + 4, static_cast<std::uint32_t>(frame.payload.size()));
    std::memcpy(piece + 8, owner.data(), packed_id_length);
    std::memcpy(piece + 24, &previous, 8);
    put32(piece + 32, frame.crc);
    put32(piece + 36, crc32c({piece, 36}));

    // The records of a frame have sequences of their own, so its key leaves room for them.
    const std::uint64_t key = last_ + std::max<std::uint64_t>(frame.count, 1);
    const std::size_t first = std::min(frame.payload.size(), piece_bytes - frame_header_bytes);
    std::memcpy(piece + frame_header_bytes, frame.payload.data(), first);
    txn_.append(Table::log, big_endian(key), {piece, frame_header_bytes + first});
    last_ = key;
    for (std::size_t at = first; at < frame.payload.size(); at += piece_bytes)
        txn_.append(Table::log, big_endian(++last_),
                    std::string_view(frame.payload).substr(at, piece_bytes));
    return key;
}

bool LogReader::at(std::uint64_t key) {
    // A run's frames are often neighbours: a step is cheaper than a search.
    const bool near = position_ != 0 && ((key == position_ + 1 && cursor_.next()) ||
                                         (key + 1 == position_ && cursor_.previous()));
    const bool found =
        (near && from_big_endian(cursor_.key()) == key) || cursor_.find(big_endian(key));
    position_ = found ? key : 0;
    return found;
}

bool LogReader::head(std::uint64_t key, FrameHeader& header) {
    if (!at(key)) return false;
    const auto found = read_header(cursor_.value());
    if (found) header = *found;
    return found.has_value();
}

std::optional<std::string_view> LogReader::read(std::uint64_t key, FrameHeader& header) {
    if (!head(key, header)) return std::nullopt;
    std::string_view payload = cursor_.value().substr(frame_header_bytes);
    if (payload.size() < header.length) {
        joined_.assign(payload);
        joined_.reserve(header.length);
        while (joined_.size() < header.length) {
            if (!at(++key)) return std::nullopt;
            joined_.append(cursor_.value());
        }
        payload = joined_;
    }
    if (payload.size() != header.length || crc32c(payload) != header.crc) return std::nullopt;
    return payload;
}

std::string LogReader::step_of_damaged(std::uint64_t key) {
    if (!at(key)) return {};
    const std::string_view piece = cursor_.value();
    if (piece.size() <= frame_header_bytes || static_cast<std::uint8_t>(piece[0]) != frame_mark)
        return {};
    const auto payload = piece.substr(frame_header_bytes);
    // Only the front is wanted, which a cut or broken value behind it does not spoil.
    return first_name(payload);
}

bool Contents::read(const Digest& digest, std::size_t size, std::string& into) {
    const auto row = txn_.get(Table::content, bytes_of(digest));
    if (!row) return false;
    FrameHeader header;
    const auto bytes = log_.read(from_big_endian(*row), header);
    if (!bytes || header.type != FrameType::content || bytes->size() != size ||
        header.owner != bytes_of(digest).substr(0, packed_id_length))
        return false;
    into = *bytes;
    return true;
}

void store_content(Txn& txn, LogWriter& log, const Digest& digest, const Prepared& prepared) {
    if (txn.get(Table::content, bytes_of(digest))) return;
    const std::uint64_t key = log.append(bytes_of(digest).substr(0, packed_id_length), 0, prepared);
    txn.put(Table::content, bytes_of(digest), big_endian(key));
}

bool read_frame_entries(std::string_view payload, const FrameHeader& header, std::uint64_t key,
                        ContentSource& contents, std::vector<Entry>& entries) {
    for (std::uint16_t i = 0; i < header.count; ++i) {
        auto& entry = entries.emplace_back();
        if (!decode_entry(payload, contents, entry)) {
            entries.pop_back();
            return false;
        }
        entry.sequence = key - header.count + 1 + i;
    }
    return payload.empty();
}

std::optional<Damage> read_entries(Txn& txn, std::string_view packed_run, std::uint64_t tail,
                                   std::vector<Entry>& entries) {
    LogReader log(txn);
    Contents contents(txn);
    std::optional<Damage> damage;
    // Back by the headers alone, then forward: records are decoded where they stay.
    std::vector<std::uint64_t> frames;
    FrameHeader header;
    for (std::uint64_t key = tail; key != 0; key = header.previous) {
        if (!log.head(key, header) || header.owner != packed_run || header.previous >= key) {
            damage = Damage{key, log.step_of_damaged(key)};
            break;
        }
        frames.push_back(key);
    }
    entries.reserve(frames.size());
    for (auto key = frames.rbegin(); key != frames.rend(); ++key) {
        const std::size_t before = entries.size();
        const auto payload = log.read(*key, header);
        if (payload && read_frame_entries(*payload, header, *key, contents, entries)) continue;
        const bool begun = entries.size() > before;
        damage = Damage{*key, begun ? entries.back().key.name : log.step_of_damaged(*key)};
        entries.clear(); // what is older than the damage does not count
    }
    if (damage && damage->step.empty() && !entries.empty()) damage->step = entries[0].key.name;
    return damage;
}

std::optional<GateRow> read_gate(Txn& txn, std::string_view packed) {
    const auto state = txn.get(Table::gate, packed);
    GateRow row;
    if (!state || !decode_state(*state, row)) return std::nullopt;
    row.gate.id = unpacked_id(packed);
    LogReader log(txn);
    Contents contents(txn);
    FrameHeader header;
    const auto payload = log.read(row.frame, header);
    std::vector<Entry> entries;
    if (!payload || !read_frame_entries(*payload, header, row.frame, contents, entries))
        return std::nullopt;
    for (auto& e : entries) {
        if (e.type != EntryType::gate || e.id != row.gate.id) continue;
        if (!decode_question(e.gate, row, contents)) return std::nullopt;
        row.gate.step = e.key.name;
        row.key = std::move(e.key);
        row.generation = e.generation;
        return row;
    }
    return std::nullopt;
}

} // namespace foxwedge::journal
