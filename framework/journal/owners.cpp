#include "journal/owners.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/id.hpp"
#include "base/json.hpp"

namespace foxwedge::journal {
namespace {

std::string pid_namespace() {
    char text[64];
    const ssize_t n = ::readlink("/proc/self/ns/pid", text, sizeof text);
    return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : std::string();
}

/// Through the folder's descriptor, because a socket's path may have 107 bytes only.
sockaddr_un address_of(int folder, const std::string& owner) {
    sockaddr_un a{};
    a.sun_family = AF_UNIX;
    std::snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/%s.s", folder, owner.c_str());
    return a;
}

OwnerInfo parse_info(const std::string& id, std::string_view text) {
    OwnerInfo info;
    info.id = id;
    const auto json = parse_json(text);
    if (!json) return info;
    info.label = string_member(*json, "label").value_or("");
    info.pid = static_cast<long>(integer_member(*json, "pid").value_or(0));
    info.pid_namespace = string_member(*json, "pidNamespace").value_or("");
    if (const auto* serves = member(*json, "serves"); serves && serves->is_object()) {
        info.serves = true;
        info.serves_host = string_member(*serves, "host").value_or("");
        if (const auto* list = array_member(*serves, "workflows"))
            for (const auto& w : *list)
                if (w.is_string()) info.serves_workflows.emplace_back(view(w.get_string()));
    }
    return info;
}

} // namespace

Result<std::unique_ptr<Owners>> Owners::open(const std::string& path, const std::string& label,
                                             Time now) {
    auto owners = std::unique_ptr<Owners>(new Owners);
    const auto failed = [&](const std::string& what) {
        return permanent("journal_place",
                         "cannot " + what + " in " + path + "/owners: " + std::strerror(errno));
    };
    owners->path_ = path + "/owners";
    owners->id_ = new_id(now);
    owners->label_ = label;
    if (::mkdir(owners->path_.c_str(), 0700) != 0 && errno != EEXIST)
        return failed("make a folder");
    owners->folder_ = ::open(owners->path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (owners->folder_ < 0) return failed("open the folder");

    for (const auto& other : owners->living())
        if (!other.pid_namespace.empty() && other.pid_namespace != pid_namespace())
            return permanent("journal_in_use",
                             path + " is in use by process " + std::to_string(other.pid) +
                                 " of another container (PID namespace); a journal cannot be "
                                 "shared between them");

    // Locked before it gets its name, so that nobody sees it unlocked and takes it for dead.
    const std::string fresh = "." + owners->id_;
    owners->lock_ =
        ::openat(owners->folder_, fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (owners->lock_ < 0) return failed("make a file");
    if (::flock(owners->lock_, LOCK_EX | LOCK_NB) != 0) return failed("lock a file");
    owners->write_info(nullptr);
    owners->socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const auto address = address_of(owners->folder_, owners->id_);
    // Without a socket hints are lost, which is allowed: everything is looked at each second.
    if (owners->socket_ >= 0 &&
        ::bind(owners->socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(owners->socket_);
        owners->socket_ = -1;
    }
    if (::renameat(owners->folder_, fresh.c_str(), owners->folder_, owners->id_.c_str()) != 0)
        return failed("name a file");
    return owners;
}

Owners::~Owners() {
    if (!dead_ && folder_ >= 0) {
        ::unlinkat(folder_, (id_ + ".s").c_str(), 0);
        ::unlinkat(folder_, id_.c_str(), 0);
    }
    if (lock_ >= 0) ::close(lock_);
    if (socket_ >= 0) ::close(socket_);
    if (folder_ >= 0) ::close(folder_);
}

void Owners::drop_dead() {
    dead_ = true;
    ::flock(lock_, LOCK_UN);
}

bool Owners::alive(const std::string& owner) const {
    if (owner == id_) return !dead_;
    const int fd = ::openat(folder_, owner.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno != ENOENT; // what cannot be judged is left alone
    const bool free = ::flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (free) {
        ::unlinkat(folder_, (owner + ".s").c_str(), 0);
        ::unlinkat(folder_, owner.c_str(), 0);
    }
    ::close(fd);
    return !free;
}

std::optional<OwnerInfo> Owners::info(const std::string& owner) const {
    const int fd = ::openat(folder_, owner.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    char text[4096];
    const ssize_t n = ::pread(fd, text, sizeof text, 0);
    ::close(fd);
    return parse_info(owner, {text, n > 0 ? static_cast<std::size_t>(n) : 0});
}

std::vector<OwnerInfo> Owners::living() const {
    std::vector<OwnerInfo> found;
    DIR* const dir = ::opendir(path_.c_str());
    if (!dir) return found;
    while (const dirent* const entry = ::readdir(dir)) {
        const std::string name = entry->d_name;
        if (!is_id(name) || name == id_ || !alive(name)) continue;
        if (auto one = info(name)) found.push_back(*std::move(one));
    }
    ::closedir(dir);
    return found;
}

void Owners::write_info(const ServeOptions* serves) {
    std::string text = "{\"owner\":" + quoted(id_) + ",\"pid\":" + std::to_string(::getpid()) +
                       ",\"pidNamespace\":" + quoted(pid_namespace()) +
                       ",\"label\":" + quoted(label_);
    if (serves) {
        text += ",\"serves\":{\"host\":" + quoted(serves->host) + ",\"workflows\":[";
        for (std::size_t i = 0; i < serves->workflows.size(); ++i)
            text += (i > 0 ? "," : "") + quoted(serves->workflows[i]);
        text += "]}";
    }
    text += "}";
    text.resize(std::max<std::size_t>(text.size(), 512), ' '); // over what stood there before
    (void)!::pwrite(lock_, text.data(), text.size(), 0);
    (void)!::ftruncate(lock_, static_cast<off_t>(text.size()));
}

void Owners::publish(const ServeOptions* serves) {
    const std::lock_guard lock(mutex_);
    write_info(serves);
}

std::vector<std::string> Owners::others() const {
    std::vector<std::string> found;
    DIR* const dir = ::opendir(path_.c_str());
    if (!dir) return found;
    while (const dirent* const entry = ::readdir(dir)) {
        const std::string_view name = entry->d_name;
        if (name.size() != id_length + 2 || name.substr(id_length) != ".s") continue;
        std::string owner(name.substr(0, id_length));
        if (owner != id_) found.push_back(std::move(owner));
    }
    ::closedir(dir);
    return found;
}

void Owners::hint() const {
    // So close to its last change another one would leave no trace in the folder's time, which
    // the kernel takes from its tick (10 ms at most); some file systems keep whole seconds.
    constexpr std::int64_t tick_ns = 10'000'000, second_ns = 1'000'000'000;
    struct stat folder {};
    if (socket_ < 0 || ::fstat(folder_, &folder) != 0) return;
    const auto nanoseconds = [](const timespec& t) {
        return std::int64_t{t.tv_sec} * second_ns + t.tv_nsec;
    };
    const auto changed = nanoseconds(folder.st_mtim);
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const std::lock_guard lock(listed_mutex_);
    if (changed != listed_) {
        others_ = others();
        const auto settled = folder.st_mtim.tv_nsec == 0 ? 2 * second_ns : 2 * tick_ns;
        listed_ = nanoseconds(now) - changed > settled ? changed : -1;
    }
    for (const auto& owner : others_) {
        const auto address = address_of(folder_, owner);
        (void)!::sendto(socket_, "!", 1, MSG_DONTWAIT | MSG_NOSIGNAL,
                        reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
}

void Owners::interrupt() const {
    if (socket_ < 0) return;
    const auto address = address_of(folder_, id_);
    (void)!::sendto(socket_, "!", 1, MSG_DONTWAIT | MSG_NOSIGNAL,
                    reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

void Owners::await_hint(Millis time) const {
    pollfd p{socket_, POLLIN, 0};
    (void)::poll(&p, socket_ >= 0 ? 1 : 0, static_cast<int>(time.count()));
    char ignored[16];
    while (socket_ >= 0 && ::recv(socket_, ignored, sizeof ignored, MSG_DONTWAIT) >= 0) {
    }
}

} // namespace foxwedge::journal
