// Two ids for a call: one that names its step, one that goes over the wire. Models repeat ids,
// number them from zero each turn, or leave them out. Pure.
#pragma once
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace foxwedge::agent {

/// True for [A-Za-z0-9_-]{1,64}.
bool is_plain_word(std::string_view);

/// The ids that name the steps of one turn's calls: the provider's where it is unique within the
/// turn and a plain word, else "~<index>".
std::vector<std::string> step_ids(const std::vector<std::string>& from_provider);

/// Ids that call and result blocks carry in requests: the provider's own unless it is no plain word
/// or was used before in this conversation; then one that was not.
class WireIds {
public:
    /// For call `index` of turn `turn`; each pair once, in order.
    std::string take(const std::string& from_provider, int turn, int index);

private:
    std::unordered_set<std::string> used_;
};

} // namespace foxwedge::agent
