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
            lane = path->starts_with(note_mark) ? nullptr : &place(*path);
        }
        if (!lane) {
            take_note(record);
            continue;
        }
        auto& places = lane->places;
        if (places.empty() || places.back().index < record.key.index) {
            places.push_back({record.key.index, &record});
            continue;
        }
        auto& newest = place_at(places, record.key.index)->newest;
        if (!newest || newest->generation <= record.generation) newest = &record;
    }
    if (!configurations_.empty()) date_lanes_below();
}

void History::take_note(const journal::Record& record) {
    if (!record.outcome) return;
    if (record.key.lane == configuration_lane) configurations_.push_back(&record);
    if (record.key.lane != fork_lane) return;
    const auto note = parse_json(record.outcome->value_json);
    const JsonArray* const made = note ? array_member(*note, "made") : nullptr;
    if (!made) return;
    for (const Json& one : *made)
        if (one.is_string()) made_before_.emplace(view(one.get_string()));
}

void History::date_lanes_below() {
    for (const auto& record : records_) {
        const auto at = lanes_.find(record.key.lane);
        if (at == lanes_.end()) continue;
        for (Lane* lane = &at->second; lane->parent; lane = lane->parent) {
            auto& since =
                ::foxwedge::run::place_at(lane->parent->places, lane->index_in_parent)->below_since;
            if (since == 0 || record.sequence < since) since = record.sequence;
        }
    }
}

std::vector<std::string_view> History::configurations() const {
    std::vector<std::string_view> texts;
    for (const auto* record : configurations_) texts.emplace_back(record->outcome->value_json);
    return texts;
}

std::uint32_t History::configurations_at(std::uint64_t sequence) const {
    std::uint32_t count = 0;
    for (const auto* record : configurations_) count += record->sequence < sequence;
    return count;
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
    if (key.name != name || key.kind != kind)
        return {Standing::mismatch, record, record->generation};
    const bool redone =
        record->outcome && record->outcome->error && history_->redone(*lane_, next_);
    const bool open = !record->outcome || redone;
    // What is still open may be asked another way once another configuration is in force.
    const bool reconfigured =
        open && history_->configurations_at(record->sequence) < history_->configurations_.size();
    if (key.inputs != inputs && !reconfigured)
        return {Standing::mismatch, record, record->generation};
    if (!record->outcome) return {Standing::begun, record, record->generation};
    if (redone) return {Standing::fresh, nullptr, record->generation + 1};
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

const History::Lane::Place* History::Cursor::place_at(std::uint32_t index, std::size_t& nth) const {
    if (!lane_) return nullptr;
    for (nth = next_; nth < lane_->places.size() && lane_->places[nth].index <= index; ++nth)
        if (lane_->places[nth].index == index) return &lane_->places[nth];
    return nullptr;
}

const journal::Record* History::Cursor::newest_at(std::uint32_t index) const {
    std::size_t nth = 0;
    const auto* const place = place_at(index, nth);
    return place ? place->newest : nullptr;
}

const journal::Record* History::Cursor::settled_at(std::uint32_t index) const {
    std::size_t nth = 0;
    const auto* const place = place_at(index, nth);
    const auto* const record = place ? place->newest : nullptr;
    if (!record || !record->outcome) return nullptr;
    return record->outcome->error && history_->redone(*lane_, nth) ? nullptr : record;
}

bool History::Cursor::outcome_at(std::uint32_t index) const {
    return settled_at(index) != nullptr;
}

std::uint32_t History::Cursor::configuration_at(std::uint32_t index) const {
    const auto all = static_cast<std::uint32_t>(history_->configurations_.size());
    if (all == 0) return 0;
    std::size_t nth = 0;
    const auto* const place = place_at(index, nth);
    // A fan-out is settled once its lane has gone past it.
    if (place && place->lanes_below && !anything_from(index + 1)) return all;
    if (const auto* const record = settled_at(index))
        return history_->configurations_at(record->sequence);
    return place && !place->newest ? history_->configurations_at(place->below_since) : all;
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
