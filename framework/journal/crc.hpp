// CRC-32C, the checksum of records: finds damage, proves nothing against an attacker.
#pragma once
#include <cstdint>
#include <string_view>

namespace foxwedge::journal {

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

} // namespace foxwedge::journal
