#include "journal/shared_journal.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/bytes.hpp"
#include "journal/codec.hpp"
#include "journal/keys.hpp"

namespace foxwedge::journal {
namespace {

constexpr std::size_t board_bytes = 4096;
constexpr auto long_wait = std::chrono::seconds(2);

std::int64_t steady_now() {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

using Place = std::pair<dev_t, ino_t>;
// One environment per file and process is LMDB's own rule, so the list is the process's.
std::mutex registry_mutex;
std::map<Place, std::weak_ptr<SharedJournal>>& registry() {
    static std::map<Place, std::weak_ptr<SharedJournal>> all;
    return all;
}

std::string reserve_file(const std::string& path) {
    return path + "/reserve";
}

bool make_reserve(const std::string& path) {
    const std::string file = reserve_file(path);
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    const bool made = ::posix_fallocate(fd, 0, reserve_bytes) == 0;
    ::close(fd);
    if (!made) ::unlink(file.c_str());
    return made;
}

} // namespace

Result<std::shared_ptr<SharedJournal>> SharedJournal::open(const JournalOptions& options) {
    FOXWEDGE_CHECK(prepare_folder(options.path, options.filesystem));
    struct stat s {};
    if (::stat(options.path.c_str(), &s) != 0)
        return permanent("journal_place",
                         "cannot look at " + options.path + ": " + std::strerror(errno));
    const std::lock_guard lock(registry_mutex);
    auto& slot = registry()[{s.st_dev, s.st_ino}];
    if (auto shared = slot.lock()) {
        if (options.durability == Durability::sync) shared->environment_->make_durable();
        return shared;
    }
    const int use = lock_use(options.path, false);
    if (use < 0)
        return permanent("journal_place",
                         "cannot lock " + options.path +
                             "/use, which keeps others from compacting: " + std::strerror(errno));
    if (const auto sound = check_data_file(options.path + "/data.mdb"); !sound) {
        ::close(use);
        return sound.error();
    }
    auto opened = Environment::open(
        {options.path, options.durability == Durability::relaxed, options.map_limit});
    auto shared = std::shared_ptr<SharedJournal>(new SharedJournal);
    shared->use_ = use;
    if (!opened) return opened.error();
    shared->path_ = options.path;
    shared->log_ = options.log;
    shared->environment_ = *std::move(opened);
    shared->commits_ = std::make_unique<GroupCommit>(
        *shared->environment_, *shared, [raw = shared.get()] { return raw->give_up_reserve(); });
    const std::string board = options.path + "/writer";
    if (const int fd = ::open(board.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600); fd >= 0) {
        if (::ftruncate(fd, board_bytes) == 0) {
            void* const at =
                ::mmap(nullptr, board_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            if (at != MAP_FAILED) shared->board_ = static_cast<char*>(at);
        }
        ::close(fd);
    }
    FOXWEDGE_CHECK(shared->check_format());
    if (::access(reserve_file(options.path).c_str(), F_OK) != 0) make_reserve(options.path);
    slot = shared;
    return shared;
}

int SharedJournal::lock_use(const std::string& path, bool alone) {
    const std::string file = path + "/use";
    int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    // A copy that may only be read can be locked all the same.
    if (fd < 0 && !alone) fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    // Who compacts does not wait for the others; the others wait for him, he is quick.
    int locked = 0;
    do locked = ::flock(fd, alone ? LOCK_EX | LOCK_NB : LOCK_SH);
    while (locked != 0 && errno == EINTR);
    if (locked == 0) return fd;
    const int reason = errno;
    ::close(fd);
    errno = reason;
    return -1;
}

SharedJournal::~SharedJournal() {
    environment_.reset();
    if (board_) ::munmap(board_, board_bytes);
    if (use_ >= 0) ::close(use_);
}

Status SharedJournal::check_format() {
    {
        Txn txn = read();
        if (txn.error() != 0) return fault_of(txn.error(), path_);
        if (const auto row = txn.get(Table::meta, "format")) {
            const auto found = from_big_endian(*row);
            if (found > format_version || found < format_oldest)
                return permanent("journal_format", path_ + " has format " + std::to_string(found) +
                                                       "; this program reads " +
                                                       std::to_string(format_oldest) + " to " +
                                                       std::to_string(format_version));
            return {};
        }
    }
    Work work{[](WriteScope& scope) {
                  if (scope.txn.get(Table::meta, "format")) return;
                  scope.txn.put(Table::meta, "format", big_endian(format_version));
                  scope.txn.put(Table::meta, lists_late, big_endian(1));
              },
              64, true};
    if (const int error = run(work); error != 0) return fault_of(error, path_);
    return {};
}

int SharedJournal::run(Work& work) {
    const int error = commits_->run(work);
    if (error == 0 && reserve_given_up_.load(std::memory_order_relaxed)) renew_reserve();
    return error;
}

bool SharedJournal::give_up_reserve() {
    const std::lock_guard lock(reserve_mutex_);
    reserve_given_up_ = true;
    next_reserve_ = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    return ::unlink(reserve_file(path_).c_str()) == 0;
}

void SharedJournal::renew_reserve() {
    const std::lock_guard lock(reserve_mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (!reserve_given_up_ || now < next_reserve_) return;
    next_reserve_ = now + std::chrono::seconds(5);
    if (make_reserve(path_)) reserve_given_up_ = false;
}

void SharedJournal::waiting() {
    reported_ = false;
    waiting_since_ = steady_now();
}

void SharedJournal::writing() {
    report_long_wait();
    waiting_since_ = 0;
    if (!board_) return;
    std::memcpy(board_, my_pid_.c_str(), my_pid_.size() + 1);
}

void SharedJournal::done() {
    // Not cleared: whoever waits next reads who had it last, which is who has it now if it is still
    // held.
}

void SharedJournal::report_long_wait() {
    const std::int64_t since = waiting_since_.load();
    if (since == 0 || reported_.load()) return;
    const auto waited = std::chrono::steady_clock::duration(steady_now() - since);
    if (waited < long_wait || reported_.exchange(true)) return;
    log_->warn("journal", "waited long for the writer's lock",
               {{"seconds",
                 std::to_string(std::chrono::duration_cast<std::chrono::seconds>(waited).count())},
                {"holderPid", board_ ? std::string(board_, ::strnlen(board_, 20)) : "unknown"},
                {"journal", path_}});
}

} // namespace foxwedge::journal
