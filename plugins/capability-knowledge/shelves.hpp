// Documents in the host's store, and the index over them: what both components work on.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <foxwedge/host.hpp>

#include "index.hpp"

namespace knowledge {

using foxwedge::plugin::Call, foxwedge::plugin::Value;

struct Document {
    std::string id, title, markdown;
    std::int64_t revision = 0;
};

/// Any thread. Writes commit with the step or not at all. Throws Refused `conflict` where an
/// expected revision does not hold.
class Shelves {
public:
    explicit Shelves(const foxwedge::plugin::Host& host) : store_(host.store()) {}

    std::optional<Document> read(const Call&, std::string_view id) const;
    void write(const Call&, const Document&, std::optional<std::int64_t> expected) const;
    void remove(const Call&, std::string_view id, std::optional<std::int64_t> expected) const;

    Page list(const Call&, Shelf, std::int64_t after, int limit);
    Page search(const Call&, Shelf, const Question&);

private:
    Index& index(const Call&);

    const foxwedge::plugin::Store store_;
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Index>> indexes_; ///< by project
};

/// What a successful call was about, for hosts that show cards; `id` "" for a whole shelf.
Value resource_card(const Call&, bool writes, std::string_view id, std::string_view title);

} // namespace knowledge
