#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "schema/program.hpp"

namespace foxwedge::schema {
namespace {

using boost::json::kind;

std::size_t mixed(std::size_t hash, std::size_t more) {
    return (hash ^ more) * 0x9e3779b97f4a7c15U + (hash >> 29);
}

std::size_t number_hash(const Json& value) {
    // Equal numbers of different kinds round to the same double.
    double number = value.is_int64()    ? static_cast<double>(value.get_int64())
                    : value.is_uint64() ? static_cast<double>(value.get_uint64())
                                        : value.get_double();
    return std::hash<double>()(number == 0 ? 0.0 : number);
}

/// Equal values have equal hashes, whatever the order of members. No recursion.
std::size_t hash_of(const Json& root, std::size_t& steps) {
    struct Visit {
        const Json* value;
        std::size_t salt; ///< the path so far: members are summed, so that order does not count
    };
    std::vector<Visit> rest{{&root, 1}};
    std::size_t sum = 0;
    while (!rest.empty()) {
        auto [value, salt] = rest.back();
        rest.pop_back();
        ++steps;
        std::size_t own = 0;
        switch (value->kind()) {
        case kind::null:
            own = 3;
            break;
        case kind::bool_:
            own = value->get_bool() ? 5 : 7;
            break;
        case kind::int64:
        case kind::uint64:
        case kind::double_:
            own = number_hash(*value);
            break;
        case kind::string:
            own = std::hash<std::string_view>()(view(value->get_string()));
            break;
        case kind::array: {
            own = 11;
            auto position = mixed(salt, 13);
            for (const auto& element : value->get_array())
                rest.push_back({&element, position = mixed(position, 17)});
            break;
        }
        case kind::object:
            own = 19;
            for (const auto& member : value->get_object()) {
                std::string_view key(member.key().data(), member.key().size());
                rest.push_back({&member.value(), mixed(salt, std::hash<std::string_view>()(key))});
            }
            break;
        }
        sum += mixed(salt, own);
    }
    return sum;
}

} // namespace

bool all_unique(const JsonArray& array, std::size_t& steps, std::size_t limit) {
    constexpr std::size_t few = 8;
    if (array.size() <= few) {
        for (std::size_t i = 1; i < array.size(); ++i)
            for (std::size_t j = 0; j < i; ++j, ++steps)
                if (equal(array[i], array[j])) return false;
        return true;
    }
    std::vector<std::pair<std::size_t, const Json*>> hashes;
    hashes.reserve(array.size());
    for (const auto& element : array) hashes.emplace_back(hash_of(element, steps), &element);
    std::sort(hashes.begin(), hashes.end());
    for (std::size_t i = 0; i < hashes.size(); ++i)
        for (std::size_t j = i + 1; j < hashes.size() && hashes[j].first == hashes[i].first; ++j) {
            if (++steps > limit) return true; // the caller sees that too and gives up
            if (equal(*hashes[i].second, *hashes[j].second)) return false;
        }
    return true;
}

} // namespace foxwedge::schema
