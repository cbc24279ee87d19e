// Notices what happens in plugin folders while a host stays up.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace foxwedge::plugin {

struct Watched {
    std::vector<std::string> folders; ///< of plugins; they may come and go
    std::string file;                 ///< one more file, or ""
};

/// Watches by inotify: a file that is put there, renamed, written to its end, changed in mode or
/// owner, or removed. On a file system that tells nothing (some network ones) nothing is noticed.
class FolderWatch {
public:
    /// `changed` is called on the watch's own thread once things have been quiet for a moment, for
    /// all that came together. Error `no_watch` if the system gives no more of them.
    static Result<std::unique_ptr<FolderWatch>> start(Watched, std::function<void()> changed);
    /// Waits for `changed` if it is running.
    ~FolderWatch();
    FolderWatch(const FolderWatch&) = delete;
    FolderWatch& operator=(const FolderWatch&) = delete;

private:
    struct State;
    explicit FolderWatch(std::unique_ptr<State>);
    std::unique_ptr<State> state_;
};

} // namespace foxwedge::plugin
