// Writing and reading the small binary rows of the journal: varints, length-prefixed bytes, ids in
// 16 bytes. The reader never reads past its input: it fails once and stays failed.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/digest.hpp"

namespace foxwedge::journal {

class ByteWriter {
public:
    explicit ByteWriter(std::string& out) : out_(out) {}
    void byte(std::uint8_t v) { out_.push_back(static_cast<char>(v)); }
    void number(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7) byte(static_cast<std::uint8_t>(v | 0x80));
        byte(static_cast<std::uint8_t>(v));
    }
    /// Small in either direction from zero.
    void difference(std::int64_t v) {
        number((static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63));
    }
    void text(std::string_view v) {
        number(v.size());
        out_.append(v);
    }
    void raw(std::string_view v) { out_.append(v); }
    void digest(const Digest& d) { out_.append(bytes_of(d)); }
    std::string& out() { return out_; }

private:
    std::string& out_;
};

class ByteReader {
public:
    explicit ByteReader(std::string_view in) : in_(in) {}
    bool ok() const { return ok_; }
    bool done() const { return in_.empty() || !ok_; }
    std::string_view rest() const { return in_; }

    std::uint8_t byte() {
        if (in_.empty()) return fail(), std::uint8_t{0};
        const auto v = static_cast<std::uint8_t>(in_.front());
        in_.remove_prefix(1);
        return v;
    }
    std::uint64_t number() {
        std::uint64_t v = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::uint64_t b = byte();
            v |= (b & 0x7F) << shift;
            if (b < 0x80) return v;
        }
        return fail(), std::uint64_t{0};
    }
    std::int64_t difference() {
        const std::uint64_t v = number();
        return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1);
    }
    std::string_view raw(std::size_t count) {
        if (count > in_.size()) return fail(), std::string_view();
        const auto v = in_.substr(0, count);
        in_.remove_prefix(count);
        return v;
    }
    std::string_view text() { return raw(number()); }
    Digest digest() {
        Digest d{};
        const auto v = raw(d.size());
        if (!v.empty()) std::memcpy(d.data(), v.data(), v.size());
        return d;
    }
    void fail() {
        ok_ = false;
        in_ = {};
    }

private:
    std::string_view in_;
    bool ok_ = true;
};

/// 8 bytes, biggest first, so that keys sort as numbers.
std::string big_endian(std::uint64_t);
void append_big_endian(std::string& out, std::uint64_t);
std::uint64_t from_big_endian(std::string_view); ///< of the first 8 bytes; 0 if there are fewer

inline constexpr std::size_t packed_id_length = 16;
/// An id of 26 characters in 16 bytes, same order. "" becomes 16 zero bytes and back.
std::string packed_id(std::string_view id);
std::string unpacked_id(std::string_view packed);
/// The lowest packed id whose text can start with `prefix`.
std::string packed_lower_bound(std::string_view prefix);

} // namespace foxwedge::journal
