// The search index of one project: a file beside the journal, derived from the store. Missing,
// damaged or another store's, it is made again.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <foxwedge/host.hpp>

#include "cursor.hpp"
#include "shelf.hpp"
#include "sqlite.hpp"

namespace knowledge {

struct Hit {
    std::string id, title, snippet; ///< no snippet in lists
    std::int64_t revision = 0;
};
struct Page {
    std::vector<Hit> hits;
    std::string cursor; ///< "" after the last page
};

struct Question {
    std::string words;
    SearchPlace place;
    int limit = 0;
};

/// Any thread; one works at a time.
class Index {
public:
    /// `path` "" keeps it in memory.
    explicit Index(std::string path) : path_(std::move(path)) {}

    // Both first take over what was committed to the store meanwhile.
    Page list(const foxwedge::plugin::Call&, const foxwedge::plugin::Store&, Shelf,
              std::int64_t after, int limit);
    Page search(const foxwedge::plugin::Call&, const foxwedge::plugin::Store&, Shelf,
                const Question&);

private:
    /// Runs `work` on an index that is up to date; once more on a new one if it was damaged.
    template <class Work>
    Page up_to_date(const foxwedge::plugin::Call&, const foxwedge::plugin::Store&, Work&& work);
    void open();
    void discard();

    const std::string path_;
    std::mutex mutex_;
    std::unique_ptr<Database> database_;
};

} // namespace knowledge
