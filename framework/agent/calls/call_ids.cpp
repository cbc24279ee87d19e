#include "agent/calls/call_ids.hpp"

#include <algorithm>

namespace foxwedge::agent {

bool is_plain_word(std::string_view text) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), plain);
}

std::vector<std::string> step_ids(const std::vector<std::string>& from_provider) {
    std::vector<std::string> out;
    out.reserve(from_provider.size());
    for (std::size_t i = 0; i < from_provider.size(); ++i) {
        const std::string& id = from_provider[i];
        // All that share an id are renamed, the first too: which of them was meant nobody can say.
        const bool unique = std::count(from_provider.begin(), from_provider.end(), id) == 1;
        out.push_back(unique && is_plain_word(id) ? id : "~" + std::to_string(i));
    }
    return out;
}

std::string WireIds::take(const std::string& from_provider, int turn, int index) {
    if (is_plain_word(from_provider) && used_.insert(from_provider).second) return from_provider;
    std::string id = "call_" + std::to_string(turn) + "_" + std::to_string(index);
    while (!used_.insert(id).second) id += "_";
    return id;
}

} // namespace foxwedge::agent
