// Refunds as lines of JSON in a file: what has really happened, for anybody to count.
#pragma once
#include <optional>
#include <string>

#include "base/json.hpp"

class Ledger {
public:
    /// An empty path keeps nothing. `by_key`: find() looks for earlier entries.
    Ledger(std::string path, bool by_key) : path_(std::move(path)), by_key_(by_key) {}

    /// The entry that was made under `key`, if keys count here.
    std::optional<foxwedge::Json> find(const std::string& key) const;
    /// One whole line or nothing.
    bool append(const foxwedge::Json& entry);

private:
    std::string path_;
    bool by_key_;
};
