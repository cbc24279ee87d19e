#include "plugin/conformance/store.hpp"

#include <algorithm>
#include <set>

#include "base/json.hpp"

namespace foxwedge::plugin::conformance {
namespace {

Json added(const Json& to, const Json& by) {
    if (by.is_object()) {
        JsonObject out = to.is_object() ? to.get_object() : JsonObject{};
        for (const auto& [key, value] : by.get_object())
            out[key] = added(out.contains(key) ? out.at(key) : Json(0), value);
        return out;
    }
    const auto whole = [](const Json& value) { return value.is_int64() || value.is_uint64(); };
    const auto exact = [](const Json& value) {
        return value.is_int64()    ? value.get_int64()
               : value.is_uint64() ? static_cast<std::int64_t>(value.get_uint64())
                                   : 0;
    };
    const auto number = [](const Json& value) {
        return value.is_number() ? value.to_number<double>() : 0.0;
    };
    if ((whole(to) || !to.is_number()) && whole(by)) return exact(to) + exact(by);
    return number(to) + number(by);
}

} // namespace

Result<std::vector<StoreAnswer>> TrialStore::apply(std::string_view, std::span<const StoreOp> ops) {
    std::vector<StoreAnswer> answers;
    for (const auto& op : ops) {
        FOXWEDGE_TRY(answer, one(op));
        answers.push_back(std::move(answer));
    }
    return answers;
}

Result<StoreAnswer> TrialStore::one(const StoreOp& op) {
    StoreAnswer answer;
    const Key key{op.scope, op.key};
    const auto before = seen(key);
    switch (op.kind) {
    case StoreOp::Kind::get:
        answer.found = before.has_value();
        answer.value_json = before.value_or("");
        answer.revision = batch_.contains(key) ? 0 : revision_of(key);
        break;
    case StoreOp::Kind::put:
        FOXWEDGE_CHECK(write(op, op.value_json));
        break;
    case StoreOp::Kind::remove:
        answer.found = before.has_value();
        FOXWEDGE_CHECK(write(op, std::nullopt));
        break;
    case StoreOp::Kind::add: {
        FOXWEDGE_TRY(now, parse_json(before.value_or("0")));
        FOXWEDGE_TRY(by, parse_json(op.by_json));
        answer.value_json = to_text(added(now, by));
        FOXWEDGE_CHECK(write(op, answer.value_json));
        break;
    }
    case StoreOp::Kind::scan:
        return scan(op);
    case StoreOp::Kind::changes:
        return changes(op);
    }
    return answer;
}

Status TrialStore::write(const StoreOp& op, std::optional<std::string> value) {
    const Key key{op.scope, op.key};
    if (op.expect && *op.expect != revision_of(key))
        return permanent("conflict", "the key has another revision by now");
    batch_[key] = std::move(value);
    return {};
}

std::optional<std::string> TrialStore::seen(const Key& key) const {
    if (const auto it = batch_.find(key); it != batch_.end()) return it->second;
    if (const auto it = rows_.find(key); it != rows_.end()) return it->second.value;
    return std::nullopt;
}

std::uint64_t TrialStore::revision_of(const Key& key) const {
    const auto it = rows_.find(key);
    return it != rows_.end() && it->second.value ? it->second.revision : 0;
}

StoreAnswer TrialStore::scan(const StoreOp& op) const {
    std::set<std::string> keys;
    const auto take = [&](const Key& key) {
        if (key.first == op.scope && key.second.starts_with(op.prefix) && key.second > op.after)
            keys.insert(key.second);
    };
    for (const auto& [key, row] : rows_) take(key);
    for (const auto& [key, value] : batch_) take(key);
    StoreAnswer answer;
    for (const auto& key : keys) {
        const auto value = seen({op.scope, key});
        if (!value) continue;
        if (answer.items.size() == static_cast<std::size_t>(op.limit)) {
            answer.next = answer.items.back().key;
            break;
        }
        const bool mine = batch_.contains({op.scope, key});
        answer.items.push_back({key, *value, mine ? 0 : revision_of({op.scope, key}), false});
    }
    return answer;
}

StoreAnswer TrialStore::changes(const StoreOp& op) const {
    StoreAnswer answer;
    for (const auto& [key, row] : rows_)
        if (key.first == op.scope && row.revision > op.since)
            answer.items.push_back({key.second, row.value.value_or(""), row.revision, !row.value});
    std::sort(answer.items.begin(), answer.items.end(),
              [](const auto& a, const auto& b) { return a.revision < b.revision; });
    if (answer.items.size() > static_cast<std::size_t>(op.limit)) {
        answer.items.resize(static_cast<std::size_t>(op.limit));
        answer.next = std::to_string(answer.items.back().revision);
    }
    return answer;
}

void TrialStore::commit() {
    for (auto& [key, value] : batch_) rows_[key] = {std::move(value), ++revision_};
    batch_.clear();
}

} // namespace foxwedge::plugin::conformance
