#include "run/replay.hpp"

#include <algorithm>
#include <charconv>

#include "base/json.hpp"

namespace foxwedge::run {

std::string lane_below(std::string_view lane, std::uint32_t index, std::uint32_t branch) {
    std::string path(lane);
    if (!path.empty()) path += '/';
    path += std::to_string(index);
    path += '.';
    path += std::to_string(branch);
    return path;
}

namespace {

struct Above {
    std::string_view lane;
    std::uint32_t index = 0;
};
Above above(std::string_view path) {
    const auto slash = path.rfind('/');
    const auto own = slash == std::string_view::npos ? path : path.substr(slash + 1);
    Above parent{slash == std::string_view::npos ? std::string_view() : path.substr(0, slash), 0};
    std::from_chars(own.data(), own.data() + own.size(), parent.index);
    return parent;
}

auto place_at(std::vector<History::Lane::Place>& places, std::uint32_t index) {
    const auto at =
        std::lower_bound(places.begin(), places.end(), index,
                         [](const auto& place, std::uint32_t i) { return place.index < i; });
    return at != places.end() && at->index == index ? at : places.insert(at, {index});
}

} // namespace

History::Lane& History::place(std::string_view path) {
    const auto [at, added] = lanes_.try_emplace(path);
    Lane& lane = at->second;
    if (!added || path.empty()) return lane;
    const Above parent = above(path);
    Lane& up = place(parent.lane); // pointers into an unordered_map stay
    place_at(up.places, parent.index)->lanes_below = true;
    lane.parent = &up;
    lane.index_in_parent = parent.index;
    return lane;
}

History::History(std::span<const journal::Record> records, std::uint64_t retried_at)
    : records_(records), retried_at_(retried_at) {
    const std::string* path = nullptr;
    Lane* lane = nullptr;
    for (const auto& record : records) {
        if (!path || *path != record.key.lane) {
            path = &record.key.lane;
            lane = &place(*path);
        }
        auto& places = lane->places;
        if (places.empty() || places.back().index < record.key.index) {
            places.push_back({record.key.index, &record});
            continue;
        }
        auto& newest = place_at(places, record.key.index)->newest;
        if (!newest || newest->generation <= record.generation) newest = &record;
    }
}

History::Cursor History::lane(std::string_view path) const {
    const auto at = lanes_.find(path);
    return Cursor(*this, at == lanes_.end() ? nullptr : &at->second);
}

bool History::redone(const Lane& lane, std::size_t at) const {
    const auto* const record = lane.places[at].newest;
    if (!record->outcome->error || record->sequence > retried_at_ || retried_at_ == 0) return false;
    // What something recorded follows was handled by the code; repeating it would change the past.
    if (at + 1 != lane.places.size()) return false;
    for (const Lane* below = &lane; below->parent; below = below->parent)
        if (below->parent->places.back().index != below->index_in_parent) return false;
    return true;
}

const History::Lane::Place* History::Cursor::at(std::uint32_t index) {
    if (!lane_) return nullptr;
    const auto& places = lane_->places;
    while (next_ < places.size() && places[next_].index < index) ++next_;
    return next_ < places.size() ? &places[next_] : nullptr;
}

Decision History::Cursor::step(std::uint32_t index, std::string_view name, std::string_view kind,
                               const Digest& inputs, bool may_have_lanes) {
    const auto* const place = at(index);
    if (!place) return {};
    if (place->index != index) return {Standing::mismatch, nullptr, 0};
    const auto* const record = place->newest;
    if (!record) return {may_have_lanes ? Standing::fresh : Standing::mismatch, nullptr, 0};
    const auto& key = record->key;
    if (key.name != name || key.kind != kind || key.inputs != inputs)
        return {Standing::mismatch, record, record->generation};
    if (!record->outcome) return {Standing::begun, record, record->generation};
    if (record->outcome->error && history_->redone(*lane_, next_))
        return {Standing::fresh, nullptr, record->generation + 1};
    return {Standing::recorded, record, record->generation};
}

Decision History::Cursor::branches(std::uint32_t index) {
    const auto* const place = at(index);
    if (!place) return {};
    if (place->index == index && place->newest)
        return {Standing::mismatch, place->newest, place->newest->generation};
    return {anything_from(index + 1) ? Standing::recorded : Standing::begun, nullptr, 0};
}

bool History::Cursor::anything_from(std::uint32_t index) const {
    return lane_ && !lane_->places.empty() && lane_->places.back().index >= index;
}

bool History::Cursor::outcome_at(std::uint32_t index) const {
    if (!lane_) return false;
    for (std::size_t i = next_; i < lane_->places.size() && lane_->places[i].index <= index; ++i)
        if (lane_->places[i].index == index)
            return lane_->places[i].newest && lane_->places[i].newest->outcome &&
                   !(lane_->places[i].newest->outcome->error && history_->redone(*lane_, i));
    return false;
}

const journal::Record* History::Cursor::newest_at(std::uint32_t index) const {
    if (!lane_) return nullptr;
    for (std::size_t i = next_; i < lane_->places.size() && lane_->places[i].index <= index; ++i)
        if (lane_->places[i].index == index) return lane_->places[i].newest;
    return nullptr;
}

std::string_view History::Cursor::name_at(std::uint32_t index) const {
    const auto* const record = newest_at(index);
    return record ? std::string_view(record->key.name) : std::string_view();
}

std::string_view History::Cursor::value_at(std::uint32_t index) const {
    const auto* const record = newest_at(index);
    return record && record->outcome ? std::string_view(record->outcome->value_json)
                                     : std::string_view();
}

namespace {
std::string place_text(std::string_view lane, std::uint32_t index) {
    return std::string(lane) + ":" + std::to_string(index);
}
} // namespace

bool Names::claim(std::string_view name, std::string_view lane, std::uint32_t index) {
    const std::lock_guard lock(mutex_);
    if (!loaded_) {
        loaded_ = true;
        for (const auto& record : history_.records())
            places_.try_emplace(record.key.name, place_text(record.key.lane, record.key.index));
    }
    auto place = place_text(lane, index);
    const auto [at, added] = places_.try_emplace(std::string(name), place);
    return added || at->second == place; // a container that runs again asks for the same again
}

Error mismatch_error(const journal::StepKey& asked, const journal::Record* recorded) {
    const std::string where =
        asked.lane.empty() ? "position " + std::to_string(asked.index)
                           : "position " + std::to_string(asked.index) + " of lane " + asked.lane;
    const auto described = [](const journal::StepKey& key) {
        return R"({"name":)" + quoted(key.name) + R"(,"kind":)" + quoted(key.kind) +
               R"(,"inputs":")" + to_hex(key.inputs) + "\"}";
    };
    std::string message;
    if (!recorded)
        message = "the code asks for step \"" + asked.name + "\" at " + where +
                  ", where the record has none but goes on";
    else if (recorded->key.name != asked.name)
        message = "the code asks for step \"" + asked.name + "\" at " + where +
                  ", where the record has \"" + recorded->key.name + "\"";
    else if (recorded->key.kind != asked.kind)
        message = "step \"" + asked.name + "\" at " + where + " is of kind " + asked.kind +
                  " now and of kind " + recorded->key.kind + " on record";
    else
        message = "step \"" + asked.name + "\" at " + where + " has other inputs than on record";
    std::string details = R"({"step":)" + quoted(asked.name) + R"(,"lane":)" + quoted(asked.lane) +
                          R"(,"index":)" + std::to_string(asked.index) + R"(,"asked":)" +
                          described(asked) + R"(,"recorded":)" +
                          (recorded ? described(recorded->key) : "null") + "}";
    return permanent("replay_mismatch", std::move(message), std::move(details));
}

} // namespace foxwedge::run
