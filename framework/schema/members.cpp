#include <cstring>

#include "schema/program.hpp"

namespace foxwedge::schema {
namespace {

/// Cheap: keys are short. Long keys are read whole, so that a stranger's cannot all collide at
/// once.
std::uint64_t hash_of(std::string_view name) noexcept {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15U;
    std::uint64_t hash = name.size() * odd;
    const char* at = name.data();
    auto rest = name.size();
    std::uint64_t word = 0;
    for (; rest >= 8; rest -= 8, at += 8) {
        std::memcpy(&word, at, 8);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 32;
    }
    word = 0;
    for (std::size_t i = 0; i < rest; ++i) word = word << 8 | static_cast<unsigned char>(at[i]);
    hash = (hash ^ word) * odd;
    return hash ^ hash >> 29;
}

} // namespace

const Slot* MembersPart::look_up(std::string_view name) const noexcept {
    if (table.empty()) return nullptr;
    auto mask = table.size() - 1;
    for (auto at = hash_of(name) & mask; table[at] != 0; at = (at + 1) & mask) {
        const auto& slot = slots[table[at] - 1];
        if (same(slot.name, name)) return &slot;
    }
    return nullptr;
}

void MembersPart::index(const std::vector<std::string_view>& required_names) {
    auto most = slots.size() + required_names.size();
    if (most == 0) return;
    std::size_t size = 4;
    while (size < 2 * most) size *= 2;
    table.assign(size, 0);
    auto insert = [&](std::size_t slot) {
        auto at = hash_of(slots[slot].name) & (size - 1);
        while (table[at] != 0) at = (at + 1) & (size - 1);
        table[at] = static_cast<std::uint32_t>(slot) + 1;
    };
    for (std::size_t slot = 0; slot < slots.size(); ++slot) insert(slot);
    for (auto name : required_names) {
        auto* found = const_cast<Slot*>(find(name));
        if (!found) {
            found = &slots.emplace_back(Slot{name, no_node, false});
            insert(slots.size() - 1);
        }
        if (!found->required) ++required;
        found->required = true;
    }
}

std::string pointer_of(const std::vector<Document>& documents, const Json& part) {
    struct Visit {
        const Json* value;
        std::size_t parent;
        std::string_view key;
        std::size_t index;
    };
    std::vector<Visit> visits;
    for (const auto& document : documents) {
        visits.assign(1, {document.root, 0, {}, 0});
        for (std::size_t at = 0; at < visits.size(); ++at) {
            const Json* value = visits[at].value;
            if (value == &part) {
                std::vector<const Visit*> path;
                for (auto i = at; i != 0; i = visits[i].parent) path.push_back(&visits[i]);
                auto pointer = &document == &documents.front() ? "" : document.uri + "#";
                for (auto step = path.rbegin(); step != path.rend(); ++step)
                    pointer = (*step)->key.data() ? pointer_append(pointer, (*step)->key)
                                                  : pointer_append(pointer, (*step)->index);
                return pointer;
            }
            if (value->is_object())
                for (const auto& member : value->get_object())
                    visits.push_back(
                        {&member.value(), at, {member.key().data(), member.key().size()}, 0});
            else if (value->is_array())
                for (std::size_t i = 0; i < value->get_array().size(); ++i)
                    visits.push_back({&value->get_array()[i], at, {}, i});
        }
    }
    return {};
}

} // namespace foxwedge::schema
