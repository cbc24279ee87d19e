#include "base/id.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <sys/random.h>

namespace foxwedge {
namespace {

constexpr std::string_view alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr std::size_t tail_bytes = 10;

void put_time(std::string& id, std::uint64_t millis) {
    for (std::size_t i = id_time_length; i-- > 0; millis >>= 5) id[i] = alphabet[millis & 31];
}

void put_tail(std::string& id, const unsigned char* bytes) {
    std::size_t at = id_time_length;
    for (std::size_t half = 0; half < tail_bytes; half += 5) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < 5; ++i) bits = bits << 8 | bytes[half + i];
        for (int shift = 35; shift >= 0; shift -= 5) id[at++] = alphabet[bits >> shift & 31];
    }
}

void fill_random(unsigned char* out, std::size_t count) {
    while (count > 0) {
        auto got = ::getrandom(out, count, 0);
        if (got < 0) {
            if (errno == EINTR) continue;
            std::abort(); // No randomness, no safe ids: nothing sensible could follow.
        }
        out += got;
        count -= static_cast<std::size_t>(got);
    }
}

} // namespace

std::string new_id(Time now) {
    unsigned char tail[tail_bytes];
    fill_random(tail, sizeof tail);
    std::string id(id_length, '0');
    put_time(id, static_cast<std::uint64_t>(now.time_since_epoch().count()) & 0xffff'ffff'ffffU);
    put_tail(id, tail);
    return id;
}

std::string derived_id(std::string_view ancestor, const Digest& digest) {
    std::string id(id_length, '0');
    std::memcpy(id.data(), ancestor.data(), std::min(id_time_length, ancestor.size()));
    put_tail(id, digest.data());
    return id;
}

bool is_id(std::string_view text) {
    // 130 bits hold 128: the first character has two to spare.
    return text.size() == id_length && text[0] <= '7' &&
           text.find_first_not_of(alphabet) == std::string_view::npos;
}

Time time_of_id(std::string_view id) {
    std::int64_t millis = 0;
    for (char c : id.substr(0, id_time_length))
        millis = millis << 5 | static_cast<std::int64_t>(alphabet.find(c) & 31);
    return Time(Millis(millis));
}

std::string random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    fill_random(reinterpret_cast<unsigned char*>(bytes.data()), count);
    return bytes;
}

} // namespace foxwedge
