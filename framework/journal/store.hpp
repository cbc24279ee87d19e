// The store's collections inside transactions: what a batch of effects does, and reading.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "journal/engine.hpp"
#include "journal/frames.hpp"

namespace foxwedge::journal {

struct PreparedContent {
    Digest digest{};
    Prepared frame;
};
PreparedContent prepare_content(const Content&);

/// An effect with everything done that needs no transaction.
struct PreparedEffect {
    Effect effect; ///< without its value
    std::string collection, stored_key;
    std::string value_part; ///< of a put, encoded
    std::vector<PreparedContent> contents;
};
std::vector<PreparedEffect> prepare_effects(std::vector<Effect>);
std::size_t size_of(std::span<const PreparedEffect>);

/// Applies all effects or none. Why not, or nothing.
std::optional<std::string> apply_effects(Txn&, LogWriter&, std::span<const PreparedEffect>);
/// Why they could not be applied now, or nothing.
std::optional<std::string> judge_effects(Txn&, std::span<const PreparedEffect>);

/// An item as it was exported, at its own revision.
void restore_item(Txn&, LogWriter&, const std::string& collection, StoreItem);
/// The name that a collection's key stands for.
std::string collection_of(Txn&, std::string_view collection_key);

std::optional<StoreItem> store_get(Txn&, std::string_view collection, std::string_view key);
std::vector<StoreItem> store_scan(Txn&, std::string_view collection, std::string_view prefix,
                                  std::string_view after, std::size_t limit);
std::vector<StoreItem> store_changes(Txn&, std::string_view collection, std::uint64_t revision,
                                     std::size_t limit);

} // namespace foxwedge::journal
