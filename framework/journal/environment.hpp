// The door to LMDB: one environment, its tables and transactions, without a type of LMDB's.
// Errors inside a transaction stick: the first one is kept, later reads find nothing, later writes
// do nothing, and commit gives it back. So code inside a transaction needs no error handling of its
// own.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace foxwedge::journal {

/// docs/journal-format describes the rows of each.
enum class Table : std::uint8_t {
    meta,       ///< word → value: format version
    log,        ///< sequence → piece of a frame
    content,    ///< digest → where in the log its bytes are
    run,        ///< run id → what a run was started with
    live,       ///< run id → where a run stands
    status,     ///< status, run id → nothing
    side,       ///< run id, tag, … → children, inbox, signals, checkpoints, gates of a run
    gate,       ///< gate id → gate
    pending,    ///< gate id → nothing: gates that can be answered
    due,        ///< time, kind, id → nothing
    key,        ///< digest of a start key → run id, digest of its input
    collection, ///< digest of a name → newest revision, name
    store,      ///< collection, key → item
    change,     ///< collection, revision → key
};
inline constexpr std::size_t table_count = 14;
/// Rows of these tables carry a checksum over key and value, added and taken off at this door. A
/// row whose checksum is wrong reads as an empty value, which no decoder accepts.
constexpr bool is_sealed(Table t) {
    return t == Table::run || t == Table::live || t == Table::side || t == Table::gate ||
           t == Table::key || t == Table::collection || t == Table::store;
}

struct EnvironmentOptions {
    std::string path;
    bool relaxed = false; ///< MDB_NOMETASYNC
    std::size_t map_limit = std::size_t{64} << 30;
    bool read_only = false; ///< and nothing is made that is missing
};

class Environment;
class Cursor;

/// A transaction; aborted unless committed. One thread at a time. What it returns points into the
/// map: valid until the transaction ends, in a write transaction only until the next write.
class Txn {
public:
    Txn(Txn&&) noexcept;
    Txn& operator=(Txn&&) = delete;
    ~Txn();

    std::optional<std::string_view> get(Table, std::string_view key);
    void put(Table, std::string_view key, std::string_view value);
    /// Keeps pages full where keys rise: appends if `key` is above all others, else a plain put.
    void append(Table, std::string_view key, std::string_view value);
    bool erase(Table, std::string_view key);

    /// 0, or LMDB's error.
    int error() const { return error_; }
    void fail(int error) {
        if (error_ == 0) error_ = error;
    }
    /// Gives the sticky error or the commit's own; 0 once all of it is durable.
    int commit();
    void abort();

    /// The commit that a reader sees; the one that a writer will be. They rise one by one.
    std::uint64_t number() const;
    std::uint64_t entries(Table);
    /// Pages in the free list. Reads all of it.
    std::uint64_t free_pages();

private:
    friend class Environment;
    friend class Cursor;
    Txn(Environment& e, void* txn, bool write) : environment_(&e), txn_(txn), write_(write) {}
    Environment* environment_;
    void* txn_;
    bool write_;
    int error_ = 0;
    int write(Table, std::string_view key, std::string_view value, unsigned flags);
};

/// A position in one table; must not outlive its transaction, nor be used after a write to the
/// table.
class Cursor {
public:
    Cursor(Txn&, Table);
    ~Cursor();
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    /// Each gives false where there is no such row.
    bool seek(std::string_view key); ///< the first row at or after it
    bool find(std::string_view key); ///< exactly it
    bool first();
    bool last();
    bool next();
    bool previous();
    std::string_view key() const { return key_; }
    std::string_view value() const { return value_; }

private:
    bool move(int operation);
    Txn& txn_;
    bool sealed_ = false;
    void* cursor_ = nullptr;
    std::string_view key_, value_;
};

/// The environment of one journal folder. Any thread.
class Environment {
public:
    static Result<std::unique_ptr<Environment>> open(const EnvironmentOptions&);
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /// Short: a long one makes the file grow. Its error() is set where none could be begun.
    Txn read();
    /// Waits for the one writer of all processes.
    Txn write();

    struct Room {
        std::uint64_t page_size, used_pages, limit_pages;
    };
    Room room() const;
    /// Frees slots of readers that died.
    int check_readers();
    void make_durable(); ///< a relaxed environment commits synced from now on
    const std::string& path() const { return path_; }
    /// Copies the live data only. The path is a file that does not exist.
    int copy_compact(const std::string& file);

private:
    friend class Txn;
    friend class Cursor;
    struct Handles;
    explicit Environment(std::unique_ptr<Handles>);
    std::unique_ptr<Handles> handles_;
    std::string path_;
};

bool is_full(int error);   ///< the map's limit, or the file system's
bool is_damage(int error); ///< LMDB found its own structure broken
std::string describe(int error);
/// The seam's error for a failed transaction.
Error fault_of(int error, const std::string& path);

} // namespace foxwedge::journal
