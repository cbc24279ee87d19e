#include "plugin/box_server.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "plugin/box_line.hpp"
#include "plugin/instances.hpp"

namespace foxwedge::plugin {
namespace {

class BoxServer {
public:
    explicit BoxServer(int out) : line_(out) {}

    /// False for what no host of this build sends.
    bool take(Frame frame) {
        switch (frame.kind) {
        case FrameKind::open:
            return on_thread([this, frame = std::move(frame)] { open(frame); });
        case FrameKind::call:
            return begin(std::move(frame));
        case FrameKind::cancel:
            cancel(frame.id);
            return true;
        case FrameKind::reply:
        case FrameKind::http_head:
        case FrameKind::http_chunk:
            line_.take(std::move(frame));
            return true;
        default:
            return false;
        }
    }

    /// The host wants no more: plugins are closed in peace if none of their code is running.
    void close() {
        std::unique_lock lock(mutex_);
        if (!stops_.empty()) return;
        lock.unlock();
        instances_.reset();
    }

private:
    bool on_thread(std::function<void()> work) { return runtime_.threads.run(std::move(work)); }

    void open(const Frame& frame) {
        auto opened = open_component(opening_from(frame.body));
        Result<std::string> answer = std::string();
        if (opened) {
            answer = std::to_string((*opened)->placements());
            std::lock_guard lock(mutex_);
            instances_ = std::move(*opened);
        } else {
            answer = std::move(opened).error();
        }
        line_.send(FrameKind::opened, frame.id, packed(answer));
    }

    Result<std::shared_ptr<Instances>> open_component(const Opening& opening) {
        runtime_.masking = std::make_shared<Masking>(TextMask());
        runtime_.limits.open = Millis(opening.open_ms);
        runtime_.limits.create = Millis(opening.create_ms);
        runtime_.leaves_hanging_calls = false;
        runtime_.backend = [this, has_http = opening.has_http](const std::string&) {
            return make_box_backend(line_, has_http);
        };
        FOXWEDGE_TRY(config, parse_json(opening.config));
        PluginFile file;
        file.path = opening.library;
        file.fd = Fd(::open(opening.library.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        FOXWEDGE_TRY(inspected, inspect(file.fd.get(), opening.plugin_id));
        FOXWEDGE_TRY(digest, digest_of(file.fd.get()));
        if (to_hex(digest) != opening.digest_hex)
            return permanent("changed_while_read",
                             "the private copy " + opening.library + " is not what it was");
        const auto folder = std::filesystem::path(opening.library).parent_path().string();
        FOXWEDGE_TRY(plugin, Opened::open(runtime_, file, std::move(inspected), digest, folder));
        const auto* component = plugin->descriptor().find(opening.kind, opening.component);
        if (!component) return permanent("unknown_component", "there is no such component");
        return Instances::make(plugin, *component, config, false);
    }

    bool begin(Frame frame) {
        std::stop_source stop;
        {
            std::lock_guard lock(mutex_);
            if (!instances_) return false;
            stops_.emplace(frame.id, stop);
        }
        return on_thread([this, frame = std::move(frame), stop] { run(frame, stop); });
    }

    void run(const Frame& frame, const std::stop_source& stop) {
        const auto calling = calling_from(frame.body);
        BoxEvents events(line_, frame.id);
        Call call;
        call.step_key = calling.step_key;
        call.scope = calling.scope;
        call.events = &events;
        call.until.stop = stop.get_token();
        if (calling.left_ms >= 0) call.until = call.until.within(Millis(calling.left_ms));
        const auto end =
            instances_->call({calling.verb, calling.json, calling.name, calling.placement}, call);
        {
            std::lock_guard lock(mutex_);
            stops_.erase(frame.id);
        }
        line_.send(FrameKind::ended, frame.id, packed(end));
    }

    void cancel(std::uint64_t id) {
        std::optional<std::stop_source> stop;
        {
            std::lock_guard lock(mutex_);
            if (const auto it = stops_.find(id); it != stops_.end()) stop = it->second;
        }
        if (stop) stop->request_stop();
    }

    BoxLine line_;
    Runtime runtime_;
    std::mutex mutex_;
    std::map<std::uint64_t, std::stop_source> stops_; // of the calls under way
    std::shared_ptr<Instances> instances_;            // set once, before any call
};

} // namespace

void serve_box(int in, int out) {
    // Left to the system at the end: threads of a plugin may still use it.
    auto& server = *new BoxServer(out);
    FrameReader reader;
    char bytes[64 * 1024];
    for (;;) {
        const auto got = ::read(in, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        reader.feed({bytes, static_cast<std::size_t>(got)});
        for (;;) {
            auto frame = reader.next();
            if (!frame || (*frame && !server.take(std::move(**frame)))) ::_exit(2);
            if (!*frame) break;
        }
    }
    server.close();
    ::_exit(0);
}

} // namespace foxwedge::plugin
