// IP addresses as an attacker may spell them, and what kind of place each one is. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foxwedge::http {

/// Where an address leads. Everything but `open` needs permission.
enum class Reach : std::uint8_t {
    open,     ///< the public network
    loopback, ///< this machine
    internal, ///< private, shared, link-local, unique-local networks
    metadata, ///< a cloud's credential service
    reserved, ///< unspecified, multicast, documentation, tunnels to nowhere: never useful
};
const char* to_string(Reach) noexcept;

/// An IPv4 address is kept as ::ffff:a.b.c.d, so that both have one form.
struct Address {
    std::array<std::uint8_t, 16> bytes{};

    bool is_v4() const;
    std::string text() const;
    friend bool operator==(const Address&, const Address&) = default;
};

/// Reads an address in every spelling that some resolver accepts: "127.1", "0x7f000001",
/// "2130706433", "0177.0.0.1", "::ffff:127.0.0.1", with or without brackets or zone. Nothing for
/// a name.
std::optional<Address> parse_address(std::string_view);

/// From 4 or 16 bytes in network order.
Address address_of_v4(const std::uint8_t (&bytes)[4]);

/// Looks through the forms that wrap an IPv4 address (mapped, NAT64, 6to4): they reach what the
/// inner one reaches.
Reach reach_of(const Address&);

/// True for names that lead to this machine or to a credential service without looking like an
/// address: "localhost", "*.localhost", "metadata.google.internal", …
std::optional<Reach> reach_of_name(std::string_view host);

} // namespace foxwedge::http
