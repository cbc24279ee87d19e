// Who holds runs: each engine is an owner, whose life is a kernel lock on `owners/<id>`, free the
// moment its process dies. Beside it a socket takes hints that something has changed.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "journal/engine.hpp"

namespace foxwedge::journal {

struct OwnerInfo {
    std::string id, label;
    long pid = 0;
    std::string pid_namespace;
    std::string serves_host; ///< "" if it serves nothing
    std::vector<std::string> serves_workflows;
    bool serves = false;
};

class Owners {
public:
    /// Becomes an owner of the journal in `path`. `journal_in_use` if a living owner sees another
    /// set of process ids: LMDB cannot be shared across those.
    static Result<std::unique_ptr<Owners>> open(const std::string& path, const std::string& label,
                                                Time now);
    ~Owners();

    const std::string& id() const { return id_; }
    /// Any thread, quick.
    bool alive(const std::string& owner) const;
    std::optional<OwnerInfo> info(const std::string& owner) const;
    std::vector<OwnerInfo> living() const;
    /// Publishes what this owner serves; nullptr: nothing any more.
    void publish(const ServeOptions*);

    /// Tells all living owners to look. May be lost.
    void hint() const;
    /// Waits until a hint has come or the time is over; takes all that have come.
    void await_hint(Millis) const;
    void interrupt() const; ///< await_hint returns

    /// Stops being alive without any farewell: what kill -9 does (tests).
    void drop_dead();

private:
    Owners() = default;
    /// Those that have a socket.
    std::vector<std::string> others() const;
    void write_info(const ServeOptions*);

    std::string path_, id_, label_;
    int folder_ = -1, lock_ = -1, socket_ = -1;
    std::mutex mutex_;
    mutable std::mutex listed_mutex_;
    mutable std::vector<std::string> others_; ///< as they were when the folder changed last
    mutable std::int64_t listed_ = -1;        ///< that time; -1: they may be others
    std::atomic<bool> dead_{false};
};

} // namespace foxwedge::journal
