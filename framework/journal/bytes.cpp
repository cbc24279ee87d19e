#include "journal/bytes.hpp"

#include <algorithm>
#include <array>

namespace foxwedge::journal {
namespace {

constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

unsigned value_of(char c) {
    const auto at = alphabet.find(c);
    return at == std::string_view::npos ? 0 : static_cast<unsigned>(at);
}

} // namespace

void append_big_endian(std::string& out, std::uint64_t v) {
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(v >> (56 - 8 * i));
    out.append(bytes, sizeof bytes);
}

std::string big_endian(std::uint64_t v) {
    std::string out;
    append_big_endian(out, v);
    return out;
}

std::uint64_t from_big_endian(std::string_view bytes) {
    if (bytes.size() < 8) return 0;
    const char* const at = bytes.data(); // one load: no check per byte
    std::uint64_t v = 0;
    for (int i = 0; i < 8; ++i) v = v << 8 | static_cast<unsigned char>(at[i]);
    return v;
}

std::string packed_id(std::string_view id) {
    // 26 characters are 130 bits; the two highest are always zero.
    std::string out(packed_id_length, '\0');
    if (id.size() != 26) return out;
    unsigned carry = value_of(id[0]);
    int bits = 3;
    std::size_t at = 0;
    for (std::size_t i = 1; i < id.size(); ++i) {
        carry = carry << 5 | value_of(id[i]);
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            out[at++] = static_cast<char>(carry >> bits);
            carry &= (1u << bits) - 1;
        }
    }
    return out;
}

std::string unpacked_id(std::string_view packed) {
    if (packed.size() < packed_id_length ||
        std::all_of(packed.begin(), packed.begin() + packed_id_length,
                    [](char c) { return c == 0; }))
        return {};
    std::string out;
    out.reserve(26);
    unsigned carry = 0;
    int bits = 2;
    for (std::size_t i = 0; i < packed_id_length; ++i) {
        carry = carry << 8 | static_cast<unsigned char>(packed[i]);
        bits += 8;
        while (bits >= 5) {
            bits -= 5;
            out.push_back(alphabet[carry >> bits & 31]);
            carry &= (1u << bits) - 1;
        }
    }
    return out;
}

std::string packed_lower_bound(std::string_view prefix) {
    std::string padded(prefix.substr(0, 26));
    padded.resize(26, '0');
    return packed_id(padded);
}

} // namespace foxwedge::journal
