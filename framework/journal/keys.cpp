#include "journal/keys.hpp"

#include "base/digest.hpp"
#include "base/id.hpp"
#include "base/text.hpp"
#include "journal/bytes.hpp"
#include "journal/rules.hpp"

namespace foxwedge::journal {

std::string shortened(std::string_view key) {
    if (!is_shortened(key)) return std::string(key);
    std::string out(first_bytes(key, long_key_head));
    out += bytes_of(sha256(key));
    return out;
}

std::string late_key(Time created, std::string_view packed_run) {
    const auto millis = static_cast<std::uint64_t>(created.time_since_epoch().count());
    return side_key(std::string(packed_id_length, '\0'), side_late,
                    big_endian(millis) + std::string(packed_run));
}

bool is_late(Time created, std::string_view packed_run) {
    return created >= time_of_id(unpacked_id(packed_run)) + late_from;
}

std::string status_key(RunStatus status, std::string_view packed_run) {
    std::string key(1, static_cast<char>(status));
    key += packed_run;
    return key;
}

std::string side_key(std::string_view packed_run, char tag, std::string_view rest) {
    std::string key(packed_run);
    key += tag;
    key += rest;
    return key;
}

std::string due_key(Time at, char kind, std::string_view packed) {
    std::string key = big_endian(static_cast<std::uint64_t>(at.time_since_epoch().count()));
    key += kind;
    key += packed;
    return key;
}

std::string start_key_digest(std::string_view host, std::string_view workflow,
                             std::string_view key) {
    return std::string(bytes_of(sha256(start_key(host, workflow, key))).substr(0, 16));
}

std::string collection_key(std::string_view name) {
    return std::string(bytes_of(sha256(name)).substr(0, 16));
}

std::string checkpoint_place(const StepKey& key, std::uint32_t generation) {
    std::string place = shortened(key.lane);
    place += '\0';
    append_big_endian(place, static_cast<std::uint64_t>(key.index) << 32 | generation);
    return place;
}

} // namespace foxwedge::journal
