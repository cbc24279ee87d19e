// The store of a component under trial, in memory, with the promises of foxwedge/services.h: a call
// sees what is committed and its own writes, which commit with it or not at all.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "contracts/services.hpp"

namespace foxwedge::plugin::conformance {

class TrialStore final : public Store {
public:
    explicit TrialStore(std::string folder) : folder_(std::move(folder)) {}

    Result<std::vector<StoreAnswer>> apply(std::string_view, std::span<const StoreOp>) override;
    Result<std::string> folder(std::string_view) override { return folder_; }

    /// Keys that the attempt under way has written.
    std::size_t writes() const { return batch_.size(); }
    void commit();
    /// The attempt has not been.
    void discard() { batch_.clear(); }

private:
    using Key = std::pair<std::string, std::string>; // scope, key
    struct Row {
        std::optional<std::string> value; // nothing: deleted
        std::uint64_t revision = 0;
    };
    Result<StoreAnswer> one(const StoreOp&);
    Status write(const StoreOp&, std::optional<std::string> value);
    std::optional<std::string> seen(const Key&) const;
    std::uint64_t revision_of(const Key&) const;
    StoreAnswer scan(const StoreOp&) const;
    StoreAnswer changes(const StoreOp&) const;

    const std::string folder_;
    std::map<Key, Row> rows_;
    std::map<Key, std::optional<std::string>> batch_;
    std::uint64_t revision_ = 0;
};

} // namespace foxwedge::plugin::conformance
