#include "http/address.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <vector>

#include "base/text.hpp"

namespace foxwedge::http {

namespace {

/// One part of a numeric IPv4 spelling: decimal, 0x hexadecimal or 0 octal.
std::optional<std::uint64_t> part_of(std::string_view text) {
    std::uint64_t base = 10;
    if (text.size() >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() >= 2 && text[0] == '0') {
        base = 8;
        text.remove_prefix(1);
    }
    if (text.empty()) return base == 16 ? std::optional<std::uint64_t>(0) : std::nullopt;
    std::uint64_t value = 0;
    for (char c : text) {
        std::uint64_t digit = 99;
        if (c >= '0' && c <= '9')
            digit = std::uint64_t(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = std::uint64_t(c - 'a' + 10);
        else if (c >= 'A' && c <= 'F')
            digit = std::uint64_t(c - 'A' + 10);
        if (digit >= base) return {};
        value = value * base + digit;
        if (value > 0xFFFFFFFFull) return {};
    }
    return value;
}

std::optional<std::uint32_t> parse_v4(std::string_view text) {
    if (text.ends_with('.')) text.remove_suffix(1);
    const auto parts = split(text, '.');
    if (text.empty() || parts.size() > 4) return {};
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto part = part_of(parts[i]);
        if (!part) return {};
        const bool last = i + 1 == parts.size();
        const auto bits = last ? 8 * (4 - i) : 8; // the last part fills what is left
        if (*part >= (std::uint64_t(1) << bits)) return {};
        value = (value << bits) | *part;
    }
    return std::uint32_t(value);
}

Address mapped(std::uint32_t v4) {
    Address address;
    address.bytes[10] = address.bytes[11] = 0xFF;
    for (int i = 0; i < 4; ++i)
        address.bytes[std::size_t(12 + i)] = std::uint8_t(v4 >> (24 - 8 * i));
    return address;
}

std::uint32_t v4_at(const Address& a, std::size_t from) {
    return std::uint32_t(a.bytes[from]) << 24 | std::uint32_t(a.bytes[from + 1]) << 16 |
           std::uint32_t(a.bytes[from + 2]) << 8 | a.bytes[from + 3];
}

struct V4Range {
    std::uint32_t network;
    int bits;
    Reach reach;
};
constexpr std::uint32_t quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    return a << 24 | b << 16 | c << 8 | d;
}
// First match wins: single addresses stand before the networks around them.
constexpr V4Range v4_ranges[] = {
    {quad(169, 254, 169, 254), 32, Reach::metadata}, // AWS, Azure, Google, Oracle, …
    {quad(169, 254, 170, 2), 32, Reach::metadata},   // AWS tasks
    {quad(169, 254, 170, 23), 32, Reach::metadata},  // AWS pods
    {quad(168, 63, 129, 16), 32, Reach::metadata},   // Azure's wire server, a public address
    {quad(100, 100, 100, 200), 32, Reach::metadata}, // Alibaba
    {quad(192, 0, 0, 192), 32, Reach::metadata},     // Oracle's older one
    {quad(0, 0, 0, 0), 8, Reach::loopback},          // Linux connects 0.0.0.0 to this machine
    {quad(127, 0, 0, 0), 8, Reach::loopback},        {quad(10, 0, 0, 0), 8, Reach::internal},
    {quad(172, 16, 0, 0), 12, Reach::internal},      {quad(192, 168, 0, 0), 16, Reach::internal},
    {quad(100, 64, 0, 0), 10, Reach::internal}, // shared behind a carrier's NAT
    {quad(169, 254, 0, 0), 16, Reach::internal},     {quad(192, 0, 0, 0), 24, Reach::reserved},
    {quad(192, 0, 2, 0), 24, Reach::reserved},       {quad(192, 88, 99, 0), 24, Reach::reserved},
    {quad(198, 18, 0, 0), 15, Reach::internal}, // benchmarking networks are somebody's own
    {quad(198, 51, 100, 0), 24, Reach::reserved},    {quad(203, 0, 113, 0), 24, Reach::reserved},
    {quad(224, 0, 0, 0), 4, Reach::reserved},        {quad(240, 0, 0, 0), 4, Reach::reserved},
};

Reach reach_of_v4(std::uint32_t address) {
    for (const auto& range : v4_ranges)
        if (((address ^ range.network) >> (32 - range.bits)) == 0) return range.reach;
    return Reach::open;
}

bool starts(const Address& a, std::initializer_list<int> prefix) {
    std::size_t i = 0;
    for (int byte : prefix)
        if (a.bytes[i++] != byte) return false;
    return true;
}

} // namespace

const char* to_string(Reach reach) noexcept {
    switch (reach) {
    case Reach::open:
        return "open";
    case Reach::loopback:
        return "loopback";
    case Reach::internal:
        return "internal";
    case Reach::metadata:
        return "metadata";
    case Reach::reserved:
        return "reserved";
    }
    return "reserved";
}

bool Address::is_v4() const {
    for (std::size_t i = 0; i < 10; ++i)
        if (bytes[i] != 0) return false;
    return bytes[10] == 0xFF && bytes[11] == 0xFF;
}

std::string Address::text() const {
    char out[INET6_ADDRSTRLEN] = {};
    if (is_v4())
        inet_ntop(AF_INET, bytes.data() + 12, out, sizeof out);
    else
        inet_ntop(AF_INET6, bytes.data(), out, sizeof out);
    return out;
}

Address address_of_v4(const std::uint8_t (&b)[4]) {
    return mapped(quad(b[0], b[1], b[2], b[3]));
}

std::optional<Address> parse_address(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    if (text.find(':') == text.npos) {
        const auto v4 = parse_v4(text);
        return v4 ? std::optional(mapped(*v4)) : std::nullopt;
    }
    const std::string plain(text.substr(0, text.find('%')));
    Address address;
    if (inet_pton(AF_INET6, plain.c_str(), address.bytes.data()) != 1) return {};
    return address;
}

Reach reach_of(const Address& a) {
    if (a.is_v4()) return reach_of_v4(v4_at(a, 12));
    if (starts(a, {0x00, 0x64, 0xFF, 0x9B})) { // NAT64; its local-use half is private by itself
        const bool well_known = starts(a, {0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0});
        return well_known ? reach_of_v4(v4_at(a, 12)) : Reach::internal;
    }
    if (starts(a, {0x20, 0x02})) return reach_of_v4(v4_at(a, 2));    // 6to4
    if (starts(a, {0x20, 0x01, 0x00, 0x00})) return Reach::reserved; // Teredo
    if (starts(a, {0x20, 0x01, 0x0D, 0xB8})) return Reach::reserved; // documentation
    if (starts(a, {0xFD, 0x00, 0x0E, 0xC2})) return Reach::metadata; // AWS
    if (starts(a, {0xFD, 0x20, 0x00, 0xCE})) return Reach::metadata; // Google
    if ((a.bytes[0] & 0xFE) == 0xFC) return Reach::internal;
    if (a.bytes[0] == 0xFE && (a.bytes[1] & 0x80) == 0x80) return Reach::internal; // fe80, fec0
    if (a.bytes[0] == 0xFF) return Reach::reserved;
    if (starts(a, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) { // ::, ::1 and the old ::a.b.c.d
        const auto low = v4_at(a, 12);
        return low <= 1 ? Reach::loopback : reach_of_v4(low);
    }
    // Only 2000::/3 is given out.
    return (a.bytes[0] & 0xE0) == 0x20 ? Reach::open : Reach::reserved;
}

std::optional<Reach> reach_of_name(std::string_view host) {
    auto name = lower_ascii(host);
    if (name.ends_with('.')) name.pop_back();
    if (name == "localhost" || name.ends_with(".localhost") || name == "localhost.localdomain" ||
        name == "ip6-localhost" || name == "ip6-loopback")
        return Reach::loopback;
    for (std::string_view known : {"metadata.google.internal", "metadata", "instance-data",
                                   "instance-data.ec2.internal", "metadata.azure.internal"})
        if (name == known) return Reach::metadata;
    return {};
}

} // namespace foxwedge::http
