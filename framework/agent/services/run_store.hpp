// The store as one attempt of a step sees it: committed data, with the attempt's own writes over
// it. Writes are kept as effects and commit with the step's outcome or not at all.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "agent/world.hpp"
#include "contracts/call.hpp"
#include "contracts/services.hpp"

namespace foxwedge::agent {

/// Any thread; calls are serialised. The revision of an own write is 0 until it is committed.
class RunStore final : public Store {
public:
    /// `reader` outlives this; null: every call fails with `unavailable`.
    /// `writes` false: outside a tool call, where every write fails with `read_only`.
    RunStore(StoreReader* reader, Scope scope, bool writes = true);

    Result<std::vector<StoreAnswer>> apply(std::string_view name_space,
                                           std::span<const StoreOp>) override;
    Result<std::string> folder(std::string_view name_space) override;

    const Scope& scope() const { return scope_; }
    /// What was written, in order; every later call fails with `cancelled`. Once.
    std::vector<journal::Effect> take_effects();

private:
    /// A key as this attempt sees it.
    struct State {
        bool exists = false;
        bool own = false;
        std::string value_json;
        std::uint64_t revision = 0;
    };
    using OwnWrites = std::map<std::string, State>; ///< by key

    Result<std::string> collection_of(std::string_view name_space, const StoreOp&) const;
    Result<StoreAnswer> one(const std::string& collection, const StoreOp&);
    Result<State> state(const std::string& collection, const std::string& key);
    Result<StoreAnswer> write(const std::string& collection, const StoreOp&);
    Result<StoreAnswer> scan(const std::string& collection, const StoreOp&);
    Result<StoreAnswer> changes(const std::string& collection, const StoreOp&);

    StoreReader* reader_;
    const Scope scope_;
    const bool writes_;
    std::mutex mutex_;
    bool over_ = false;
    std::map<std::string, OwnWrites> own_; ///< by collection
    std::vector<journal::Effect> effects_;
};

/// What adding `by` (a number, or an object of numbers) to `current` gives: the same arithmetic as
/// the journal's. Errors: `input_validation`.
Result<std::string> added_json(std::string_view current_json, bool exists, std::string_view by);

} // namespace foxwedge::agent
