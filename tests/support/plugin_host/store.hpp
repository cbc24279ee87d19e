// The store service in memory, with the semantics that foxwedge/services.h promises: a call sees
// what is committed and its own writes, which commit with the verb or not at all.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <foxwedge/json.hpp>

namespace plugin_host {

using foxwedge::plugin::Value;

/// What an operation on the store came to: an answer, or a code and a sentence.
struct StoreAnswer {
    Value answer;
    std::string code, message;
};

class MemoryStore {
public:
    struct Row {
        std::optional<Value> value; ///< nothing: deleted
        std::uint64_t revision = 0;
    };
    using Key = std::pair<std::string, std::string>; ///< scope, key
    struct Write {
        std::optional<Value> value;
        std::optional<std::uint64_t> expect;
    };
    using Batch = std::map<Key, Write>;

    StoreAnswer apply(Batch&, const Value& request) const;
    /// False and nothing done if an expected revision no longer holds.
    bool commit(const Batch&);
    /// A write by somebody else, between two calls.
    void put(const std::string& scope, const std::string& key, Value value);
    const Row* find(const std::string& scope, const std::string& key) const;
    std::size_t live_keys() const;

private:
    StoreAnswer one(Batch&, const Value& op) const;
    StoreAnswer scan(const Batch&, const std::string& scope, const Value& op) const;
    StoreAnswer changes(const std::string& scope, const Value& op) const;
    std::optional<Value> seen(const Batch&, const Key&) const;
    std::uint64_t revision_of(const Key&) const; ///< 0 where there is no live row

    std::map<Key, Row> rows_;
    std::uint64_t revision_ = 0;
};

} // namespace plugin_host
