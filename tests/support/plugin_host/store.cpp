#include "store.hpp"

#include <vector>

namespace plugin_host {

namespace json = foxwedge::plugin;

StoreAnswer MemoryStore::apply(Batch& batch, const Value& request) const {
    Value results = json::array();
    Batch next = batch;
    for (const Value& op : request.array("ops")) {
        StoreAnswer one_answer = one(next, op);
        if (!one_answer.code.empty()) return one_answer;
        results.push(std::move(one_answer.answer));
    }
    batch = std::move(next);
    return {json::object({{"results", std::move(results)}}), {}, {}};
}

static Value sum(const Value& a, const Value& b) {
    if (b.is_object()) {
        Value out = a.is_object() ? a : json::object();
        for (const auto& [name, value] : b.object()) out.set(name, sum(out[name], value));
        return out;
    }
    if ((a.is_null() || a.is_integer()) && b.is_integer())
        return (a.is_null() ? 0 : a.integer()) + b.integer();
    return (a.is_null() ? 0.0 : a.number()) + b.number();
}

StoreAnswer MemoryStore::one(Batch& batch, const Value& op) const {
    const std::string kind(op.string("op")), scope(op.string("scope"));
    if (scope != "project" && scope != "conversation" && scope != "user")
        return {{}, "invalid_request", "no such scope"};
    if (kind == "scan") return scan(batch, scope, op);
    if (kind == "changes") return changes(scope, op);
    const Key key{scope, op.string("key")};
    if (key.second.empty() || key.second.size() > 2000)
        return {{}, "invalid_request", "keys have 1 to 2000 bytes"};
    const auto current = seen(batch, key);
    if (kind == "get") {
        Value out = json::object({{"found", current.has_value()}});
        if (current) out.set("value", *current);
        if (current && batch.count(key) == 0) out.set("revision", revision_of(key));
        return {out, {}, {}};
    }
    Write write;
    if (const Value* expect = op.find("expect")) {
        write.expect = static_cast<std::uint64_t>(expect->integer());
        if (*write.expect != revision_of(key)) return {{}, "conflict", "the revision is another"};
    }
    Value out = json::object();
    if (kind == "put")
        write.value = op["value"];
    else if (kind == "delete")
        out.set("found", current.has_value());
    else if (kind == "add") {
        write.value = sum(current.value_or(Value()), op["by"]);
        out.set("value", *write.value);
    } else
        return {{}, "invalid_request", "no such operation"};
    batch[key] = std::move(write);
    return {out, {}, {}};
}

StoreAnswer MemoryStore::scan(const Batch& batch, const std::string& scope, const Value& op) const {
    const std::string prefix(op.string("prefix")), after(op.string("after"));
    const auto limit = static_cast<std::size_t>(op.integer("limit", 50));
    std::map<std::string, Value> found;
    for (const auto& [key, row] : rows_)
        if (key.first == scope && row.value && batch.count(key) == 0)
            found[key.second] = json::object(
                {{"key", key.second}, {"value", *row.value}, {"revision", row.revision}});
    for (const auto& [key, write] : batch)
        if (key.first == scope && write.value)
            found[key.second] = json::object({{"key", key.second}, {"value", *write.value}});
    Value items = json::array(), out = json::object();
    for (auto& [key, item] : found) {
        if (key <= after || key.compare(0, prefix.size(), prefix) != 0) continue;
        if (items.array().size() == limit) {
            out.set("next", items.array().back().string("key"));
            break;
        }
        items.push(std::move(item));
    }
    out.set("items", std::move(items));
    return {out, {}, {}};
}

StoreAnswer MemoryStore::changes(const std::string& scope, const Value& op) const {
    const auto after = static_cast<std::uint64_t>(op.integer("after", 0));
    const auto limit = static_cast<std::size_t>(op.integer("limit", 50));
    std::map<std::uint64_t, decltype(rows_)::const_pointer> found;
    for (const auto& entry : rows_)
        if (entry.first.first == scope && entry.second.revision > after)
            found[entry.second.revision] = &entry;
    Value items = json::array();
    for (const auto& [revision, entry] : found) {
        if (items.array().size() == limit) break;
        Value item = json::object({{"key", entry->first.second}, {"revision", revision}});
        if (entry->second.value)
            item.set("value", *entry->second.value);
        else
            item.set("deleted", true);
        items.push(std::move(item));
    }
    return {json::object({{"items", std::move(items)}}), {}, {}};
}

std::optional<Value> MemoryStore::seen(const Batch& batch, const Key& key) const {
    if (const auto written = batch.find(key); written != batch.end()) return written->second.value;
    const auto row = rows_.find(key);
    return row == rows_.end() ? std::nullopt : row->second.value;
}

std::uint64_t MemoryStore::revision_of(const Key& key) const {
    const auto row = rows_.find(key);
    return row == rows_.end() || !row->second.value ? 0 : row->second.revision;
}

bool MemoryStore::commit(const Batch& batch) {
    for (const auto& [key, write] : batch)
        if (write.expect && *write.expect != revision_of(key)) return false;
    for (const auto& [key, write] : batch) rows_[key] = {write.value, ++revision_};
    return true;
}

void MemoryStore::put(const std::string& scope, const std::string& key, Value value) {
    rows_[{scope, key}] = {std::move(value), ++revision_};
}

const MemoryStore::Row* MemoryStore::find(const std::string& scope, const std::string& key) const {
    const auto row = rows_.find({scope, key});
    return row == rows_.end() || !row->second.value ? nullptr : &row->second;
}

std::size_t MemoryStore::live_keys() const {
    std::size_t n = 0;
    for (const auto& entry : rows_) n += entry.second.value.has_value();
    return n;
}

} // namespace plugin_host
