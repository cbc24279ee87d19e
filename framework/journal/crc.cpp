#include "journal/crc.hpp"

#include <array>
#include <cstring>

namespace foxwedge::journal {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit) c = (c & 1u) != 0 ? 0x82F63B78u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    return table;
}
constexpr auto table = make_table();

std::uint32_t by_table(std::string_view bytes, std::uint32_t crc) {
    for (const char c : bytes)
        crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xFFu] ^ (crc >> 8);
    return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(std::string_view bytes,
                                                               std::uint32_t crc) {
    const char* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t wide = crc;
    for (; left >= 8; at += 8, left -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = static_cast<std::uint32_t>(wide);
    for (; left > 0; ++at, --left)
        crc = __builtin_ia32_crc32qi(crc, static_cast<unsigned char>(*at));
    return crc;
}
#endif

} // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_supports("sse4.2") != 0;
    if (fast) return ~by_instruction(bytes, ~before);
#endif
    return ~by_table(bytes, ~before);
}

} // namespace foxwedge::journal
