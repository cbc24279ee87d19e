#include "plugin/folder_watch.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <thread>
#include <unistd.h>

#include "plugin/descriptor.hpp"
#include "plugin/file.hpp"

namespace foxwedge::plugin {
namespace {

namespace fs = std::filesystem;

/// Writing ends with IN_CLOSE_WRITE: a file that is still being written is not looked at.
constexpr std::uint32_t interesting = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE |
                                      IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF |
                                      IN_ONLYDIR;
/// An installer does several things to one file: they are answered once.
constexpr int quiet_ms = 50;

/// The nearest folder on the way to `path` that exists.
fs::path existing(fs::path path) {
    std::error_code error;
    while (!fs::is_directory(path, error) && path.has_relative_path()) path = path.parent_path();
    return path;
}

} // namespace

struct FolderWatch::State {
    Watched watched;
    std::function<void()> changed;
    Fd events, stop;
    std::thread thread;

    void watch(const fs::path& folder) {
        ::inotify_add_watch(events.get(), folder.c_str(), interesting);
    }
    /// Again after each change: folders come and go, and the same one is watched once.
    void watch_all() {
        for (const auto& folder : watched.folders) {
            const auto there = existing(folder);
            watch(there);
            if (there != fs::path(folder)) continue;
            std::error_code error;
            for (fs::directory_iterator at(there, error), end; !error && at != end;
                 at.increment(error))
                if (is_plugin_id(at->path().filename().string()) && at->is_directory(error))
                    watch(at->path());
        }
        if (!watched.file.empty()) watch(existing(fs::path(watched.file).parent_path()));
    }

    bool concerns(const inotify_event& event) const {
        if (event.mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_ISDIR)) return true;
        const std::string_view name = event.len > 0 ? event.name : "";
        return name.ends_with(".so") || fs::path(watched.file).filename() == name;
    }
    /// True if anything of what has come concerns plugins.
    bool take_events() const {
        alignas(inotify_event) std::array<char, 16 * 1024> bytes;
        bool any = false;
        for (;;) {
            const auto got = ::read(events.get(), bytes.data(), bytes.size());
            if (got <= 0) return any;
            for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
                const auto& event = *reinterpret_cast<const inotify_event*>(bytes.data() + at);
                any |= concerns(event);
                at += sizeof event + event.len;
            }
        }
    }

    void run() {
        bool pending = true; // for what happened between the first look and the first watch
        for (;;) {
            std::array<pollfd, 2> waits{pollfd{events.get(), POLLIN, 0},
                                        pollfd{stop.get(), POLLIN, 0}};
            const int ready = ::poll(waits.data(), waits.size(), pending ? quiet_ms : -1);
            if (waits[1].revents) return;
            if (ready > 0) {
                pending |= take_events();
            } else if (ready == 0) {
                pending = false;
                watch_all();
                changed();
            }
        }
    }
};

FolderWatch::FolderWatch(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<FolderWatch>> FolderWatch::start(Watched watched,
                                                        std::function<void()> changed) {
    auto state = std::make_unique<State>();
    state->watched = std::move(watched);
    state->changed = std::move(changed);
    state->events = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    state->stop = Fd(::eventfd(0, EFD_CLOEXEC));
    if (!state->events || !state->stop)
        return not_done("no_watch", std::string("plugin folders cannot be watched: ") +
                                        std::strerror(errno) +
                                        "; raise fs.inotify.max_user_instances");
    state->watch_all();
    auto& kept = *state;
    std::unique_ptr<FolderWatch> watch(new FolderWatch(std::move(state)));
    kept.thread = std::thread([&kept] { kept.run(); });
    return watch;
}

FolderWatch::~FolderWatch() {
    if (!state_->thread.joinable()) return;
    const std::uint64_t one = 1;
    (void)!::write(state_->stop.get(), &one, sizeof one);
    state_->thread.join();
}

} // namespace foxwedge::plugin
