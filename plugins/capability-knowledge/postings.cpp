#include "postings.hpp"

namespace knowledge {

namespace {

void put_number(std::string& out, std::uint32_t number) {
    for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
    out += static_cast<char>(number);
}

} // namespace

std::string packed(const std::vector<Posting>& postings) {
    std::string out;
    std::uint32_t next = 0;
    for (const auto& [place, frequency] : postings) {
        const bool once = frequency == 1;
        put_number(out, (place - next) << 1 | static_cast<std::uint32_t>(once));
        if (!once) put_number(out, frequency);
        next = place + 1;
    }
    return out;
}

} // namespace knowledge
