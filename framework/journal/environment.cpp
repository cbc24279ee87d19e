#include "journal/environment.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <vector>

#include <fcntl.h>
#include <lmdb.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/crc.hpp"

namespace foxwedge::journal {
namespace {

constexpr std::array<const char*, table_count> table_names = {
    "meta", "log",     "content", "run", "live",       "status", "side",
    "gate", "pending", "due",     "key", "collection", "store",  "change"};
constexpr std::array<const char*, 2> file_names = {"data.mdb", "lock.mdb"};
constexpr unsigned max_readers = 1022;
/// The file is kept this much longer than its last page, so that a file which is shorter than its
/// meta page says has been cut by someone else. The extra is sparse.
constexpr std::uint64_t slack_bytes = 64 << 10;

MDB_val val(std::string_view v) {
    return {v.size(), const_cast<char*>(v.data())};
}
std::string_view view(const MDB_val& v) {
    return {static_cast<const char*>(v.mv_data), v.mv_size};
}

constexpr std::size_t seal_bytes = 4;
std::uint32_t seal_of(std::string_view key, std::string_view value) {
    return crc32c(value, crc32c(key));
}
std::string_view unsealed(std::string_view key, std::string_view row) {
    if (row.size() < seal_bytes) return {};
    const auto value = row.substr(0, row.size() - seal_bytes);
    std::uint32_t seal = 0;
    std::memcpy(&seal, row.data() + value.size(), seal_bytes);
    return seal == seal_of(key, value) ? value : std::string_view();
}
MDB_txn* txn_of(void* p) {
    return static_cast<MDB_txn*>(p);
}
MDB_cursor* cursor_of(void* p) {
    return static_cast<MDB_cursor*>(p);
}

} // namespace

struct Environment::Handles {
    MDB_env* env = nullptr;
    std::array<MDB_dbi, table_count> tables{};
    std::mutex readers_mutex;
    std::vector<MDB_txn*> readers; ///< reset read transactions, to be renewed
    int fd = -1;
    int folder = -1;
    /// The files that were opened, by inode: data and lock.
    std::array<ino_t, 2> opened{};
    std::uint64_t page_size = 4096;
    std::uint64_t file_bytes = 0; ///< known length; only touched inside a write transaction

    ~Handles() {
        for (MDB_txn* const t : readers) mdb_txn_abort(t);
        if (env) mdb_env_close(env);
        if (folder >= 0) ::close(folder);
    }

    std::array<ino_t, 2> present() const {
        std::array<ino_t, 2> found{};
        for (std::size_t i = 0; i < found.size(); ++i) {
            // Not its times: a file whose times are asked for gets new ones with the next write,
            // which then has to be synced with them (Linux 6.13), a fifth of a commit's time.
            struct statx s {};
            if (::statx(folder, file_names[i], 0, STATX_INO, &s) == 0) found[i] = s.stx_ino;
        }
        return found;
    }
};

Txn::Txn(Txn&& other) noexcept
    : environment_(other.environment_), txn_(std::exchange(other.txn_, nullptr)),
      write_(other.write_), error_(other.error_) {}

Txn::~Txn() {
    abort();
}

void Txn::abort() {
    if (!txn_) return;
    MDB_txn* const txn = txn_of(std::exchange(txn_, nullptr));
    if (write_) return mdb_txn_abort(txn);
    mdb_txn_reset(txn);
    auto& handles = *environment_->handles_;
    const std::lock_guard lock(handles.readers_mutex);
    handles.readers.push_back(txn);
}

std::optional<std::string_view> Txn::get(Table table, std::string_view key) {
    if (error_ != 0) return std::nullopt;
    MDB_val k = val(key), v{};
    const int rc =
        mdb_get(txn_of(txn_), environment_->handles_->tables[std::size_t(table)], &k, &v);
    if (rc == 0) return is_sealed(table) ? unsealed(key, view(v)) : view(v);
    if (rc != MDB_NOTFOUND) fail(rc);
    return std::nullopt;
}

int Txn::write(Table table, std::string_view key, std::string_view value, unsigned flags) {
    MDB_val k = val(key), v = val(value);
    const MDB_dbi dbi = environment_->handles_->tables[std::size_t(table)];
    if (!is_sealed(table)) return mdb_put(txn_of(txn_), dbi, &k, &v, flags);
    v = {value.size() + seal_bytes, nullptr};
    const std::uint32_t seal = seal_of(key, value);
    const int rc = mdb_put(txn_of(txn_), dbi, &k, &v, flags | MDB_RESERVE);
    if (rc != 0) return rc;
    if (!value.empty()) std::memcpy(v.mv_data, value.data(), value.size());
    std::memcpy(static_cast<char*>(v.mv_data) + value.size(), &seal, seal_bytes);
    return 0;
}

void Txn::put(Table table, std::string_view key, std::string_view value) {
    if (error_ == 0) fail(write(table, key, value, 0));
}

void Txn::append(Table table, std::string_view key, std::string_view value) {
    if (error_ != 0) return;
    int rc = write(table, key, value, MDB_APPEND);
    if (rc == MDB_KEYEXIST) rc = write(table, key, value, 0);
    fail(rc);
}

bool Txn::erase(Table table, std::string_view key) {
    if (error_ != 0) return false;
    MDB_val k = val(key);
    const int rc =
        mdb_del(txn_of(txn_), environment_->handles_->tables[std::size_t(table)], &k, nullptr);
    if (rc != 0 && rc != MDB_NOTFOUND) fail(rc);
    return rc == 0;
}

int Txn::commit() {
    if (error_ != 0) {
        abort();
        return error_;
    }
    fail(mdb_txn_commit(txn_of(std::exchange(txn_, nullptr))));
    return error_;
}

std::uint64_t Txn::number() const {
    return mdb_txn_id(txn_of(txn_));
}

std::uint64_t Txn::entries(Table table) {
    MDB_stat s{};
    if (error_ != 0) return 0;
    fail(mdb_stat(txn_of(txn_), environment_->handles_->tables[std::size_t(table)], &s));
    return s.ms_entries;
}

std::uint64_t Txn::free_pages() {
    MDB_cursor* cursor = nullptr;
    if (error_ != 0 || mdb_cursor_open(txn_of(txn_), 0, &cursor) != 0) return 0;
    std::uint64_t pages = 0;
    MDB_val k{}, v{};
    // A row of the free list is a count and then that many page numbers.
    while (mdb_cursor_get(cursor, &k, &v, MDB_NEXT) == 0)
        if (v.mv_size >= sizeof(std::size_t)) pages += *static_cast<const std::size_t*>(v.mv_data);
    mdb_cursor_close(cursor);
    return pages;
}

Cursor::Cursor(Txn& txn, Table table) : txn_(txn), sealed_(is_sealed(table)) {
    if (txn.error_ != 0) return;
    MDB_cursor* cursor = nullptr;
    txn.fail(mdb_cursor_open(txn_of(txn.txn_),
                             txn.environment_->handles_->tables[std::size_t(table)], &cursor));
    cursor_ = cursor;
}

Cursor::~Cursor() {
    if (cursor_ && txn_.txn_) mdb_cursor_close(cursor_of(cursor_));
}

bool Cursor::move(int operation) {
    if (!cursor_ || txn_.error_ != 0) return false;
    MDB_val k = val(key_), v{};
    const int rc =
        mdb_cursor_get(cursor_of(cursor_), &k, &v, static_cast<MDB_cursor_op>(operation));
    if (rc != 0) {
        if (rc != MDB_NOTFOUND) txn_.fail(rc);
        return false;
    }
    key_ = view(k);
    value_ = sealed_ ? unsealed(key_, view(v)) : view(v);
    return true;
}

bool Cursor::seek(std::string_view key) {
    if (key.empty()) return first();
    key_ = key;
    return move(MDB_SET_RANGE);
}
bool Cursor::find(std::string_view key) {
    key_ = key;
    return move(MDB_SET_KEY);
}
bool Cursor::first() {
    return move(MDB_FIRST);
}
bool Cursor::last() {
    return move(MDB_LAST);
}
bool Cursor::next() {
    return move(MDB_NEXT);
}
bool Cursor::previous() {
    return move(MDB_PREV);
}

Environment::Environment(std::unique_ptr<Handles> handles) : handles_(std::move(handles)) {}
Environment::~Environment() = default;

namespace {

/// The map is reserved whole, and the process may not be given so much.
Error no_room_for_map(const EnvironmentOptions& options) {
    rlimit limit{};
    const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return permanent(
        "journal_fault",
        "the journal " + options.path + " cannot be mapped: it reserves " +
            std::to_string(options.map_limit) + " bytes of address space (journal.mapLimit)" +
            (limited ? ", and this process may have " + std::to_string(limit.rlim_cur) +
                           " in all (ulimit -v)"
                     : ", and the system does not give them") +
            "; lower journal.mapLimit in the config, at least 1048576, or raise that limit");
}

} // namespace

Result<std::unique_ptr<Environment>> Environment::open(const EnvironmentOptions& options) {
    auto handles = std::make_unique<Handles>();
    const auto failed = [&](int rc) { return fault_of(rc, options.path); };
    int rc = mdb_env_create(&handles->env);
    if (rc == 0) rc = mdb_env_set_mapsize(handles->env, options.map_limit);
    if (rc == 0) rc = mdb_env_set_maxdbs(handles->env, table_count);
    if (rc == 0) rc = mdb_env_set_maxreaders(handles->env, max_readers);
    if (rc == 0)
        rc = mdb_env_open(handles->env, options.path.c_str(),
                          MDB_NOTLS | (options.relaxed ? MDB_NOMETASYNC : 0) |
                              (options.read_only ? MDB_RDONLY : 0),
                          0600);
    if (rc == ENOMEM) return no_room_for_map(options);
    if (rc == 0) rc = mdb_env_get_fd(handles->env, &handles->fd);
    if (rc != 0) return failed(rc);
    handles->folder = ::open(options.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (handles->folder < 0) return failed(errno);
    handles->opened = handles->present();
    // LMDB leaves it open for children, who could write to it.
    fcntl(handles->fd, F_SETFD, FD_CLOEXEC);
    int dead = 0;
    mdb_reader_check(handles->env, &dead);

    // Read first: opening an existing journal must not wait for its writer.
    MDB_txn* txn = nullptr;
    bool missing = false;
    rc = mdb_txn_begin(handles->env, nullptr, MDB_RDONLY, &txn);
    for (std::size_t i = 0; rc == 0 && i < table_count && !missing; ++i) {
        rc = mdb_dbi_open(txn, table_names[i], 0, &handles->tables[i]);
        missing = rc == MDB_NOTFOUND;
        if (missing) rc = 0;
    }
    // Committing a read transaction is what keeps the handles.
    if (rc == 0 && !missing)
        rc = mdb_txn_commit(txn);
    else if (txn)
        mdb_txn_abort(txn);
    if (rc == 0 && missing && options.read_only) {
        MDB_stat all{};
        mdb_env_stat(handles->env, &all);
        if (all.ms_entries == 0)
            return not_done("journal_unmade", "the journal " + options.path + " holds nothing yet");
        rc = MDB_NOTFOUND;
    } else if (rc == 0 && missing) {
        rc = mdb_txn_begin(handles->env, nullptr, 0, &txn);
        for (std::size_t i = 0; rc == 0 && i < table_count; ++i)
            rc = mdb_dbi_open(txn, table_names[i], MDB_CREATE, &handles->tables[i]);
        if (rc == 0)
            rc = mdb_txn_commit(txn);
        else if (txn)
            mdb_txn_abort(txn);
    }
    if (rc != 0) return failed(rc);
    MDB_stat s{};
    mdb_env_stat(handles->env, &s);
    handles->page_size = s.ms_psize;
    auto environment = std::unique_ptr<Environment>(new Environment(std::move(handles)));
    environment->path_ = options.path;
    return environment;
}

Txn Environment::read() {
    MDB_txn* txn = nullptr;
    {
        const std::lock_guard lock(handles_->readers_mutex);
        if (!handles_->readers.empty()) {
            txn = handles_->readers.back();
            handles_->readers.pop_back();
        }
    }
    const int rc =
        txn ? mdb_txn_renew(txn) : mdb_txn_begin(handles_->env, nullptr, MDB_RDONLY, &txn);
    if (rc != 0 && txn) mdb_txn_abort(std::exchange(txn, nullptr));
    Txn made(*this, txn, false);
    made.fail(rc);
    return made;
}

Txn Environment::write() {
    MDB_txn* txn = nullptr;
    const int rc = mdb_txn_begin(handles_->env, nullptr, 0, &txn);
    Txn made(*this, txn, true);
    made.fail(rc);
    if (rc != 0) return made;
    // What is written to a file that is gone is lost, and without the common lock file two
    // processes write at once. Better than that: no write.
    if (handles_->present() != handles_->opened) {
        made.fail(ESTALE);
        return made;
    }
    const Room r = room();
    const std::uint64_t wanted = r.used_pages * r.page_size + slack_bytes / 4;
    if (handles_->file_bytes < wanted) {
        struct stat s {};
        if (fstat(handles_->fd, &s) == 0)
            handles_->file_bytes = static_cast<std::uint64_t>(s.st_size);
        if (handles_->file_bytes < wanted &&
            ftruncate(handles_->fd, static_cast<off_t>(wanted + slack_bytes)) == 0)
            handles_->file_bytes = wanted + slack_bytes;
    }
    return made;
}

Environment::Room Environment::room() const {
    MDB_envinfo info{};
    mdb_env_info(handles_->env, &info);
    return {handles_->page_size, info.me_last_pgno + 1, info.me_mapsize / handles_->page_size};
}

int Environment::check_readers() {
    int dead = 0;
    mdb_reader_check(handles_->env, &dead);
    return dead;
}

void Environment::make_durable() {
    mdb_env_set_flags(handles_->env, MDB_NOMETASYNC, 0);
}

int Environment::copy_compact(const std::string& file) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return errno;
    int rc = mdb_env_copyfd2(handles_->env, fd, MDB_CP_COMPACT);
    if (rc == 0 && fsync(fd) != 0) rc = errno;
    ::close(fd);
    return rc;
}

bool is_full(int error) {
    return error == MDB_MAP_FULL || error == ENOSPC || error == EDQUOT || error == EFBIG;
}
bool is_damage(int error) {
    return error == MDB_CORRUPTED || error == MDB_PAGE_NOTFOUND || error == MDB_INVALID;
}
std::string describe(int error) {
    return mdb_strerror(error);
}
Error fault_of(int error, const std::string& path) {
    if (is_full(error))
        return not_done("journal_full", "the journal " + path +
                                            " has no room left: " + describe(error) +
                                            "; free disk space, prune, or raise journal.mapLimit");
    if (is_damage(error))
        return permanent("journal_damaged", "the journal " + path +
                                                " is damaged: " + describe(error) +
                                                "; run `foxwedge journal check` and `export`");
    if (error == ESTALE)
        return permanent("journal_fault",
                         "the journal " + path +
                             " was removed or replaced while it was open; nothing more is "
                             "recorded. Put it back, and resume the run from there");
    return unknown_outcome("journal_fault",
                           "the journal " + path + " cannot be used: " + describe(error));
}

} // namespace foxwedge::journal
