// The door to SQLite: a connection, statements, and errors as exceptions.
#pragma once
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sqlite3.h>

namespace knowledge {

struct SqlError : std::runtime_error {
    SqlError(int result, const std::string& message) : std::runtime_error(message), code(result) {}
    /// The file is no index, or no longer a whole one: it can be made again from the store.
    bool is_damage() const {
        for (const int one : {SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT,
                              SQLITE_CONSTRAINT, SQLITE_IOERR, SQLITE_CANTOPEN})
            if (code == one) return true;
        return false;
    }
    int code;
};

class Statement {
public:
    Statement(sqlite3* database, std::string_view sql);

    Statement& bind(int place, std::int64_t value);
    Statement& bind(int place, double value);
    /// The text is copied.
    Statement& bind(int place, std::string_view value);
    Statement& bind_blob(int place, std::string_view bytes);
    /// True if there is a row, which stays until the next step.
    bool step();
    /// Runs it to its end and makes it ready for other values.
    void run();
    void reset();

    std::int64_t integer(int column) const { return sqlite3_column_int64(made_.get(), column); }
    std::string text(int column) const;
    /// The bytes of a text or blob; they last until the next step or reset.
    std::string_view view(int column) const;
    sqlite3_stmt* raw() const { return made_.get(); }

private:
    void check(int result) const;
    struct Finalize {
        void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
    };
    sqlite3* database_;
    std::unique_ptr<sqlite3_stmt, Finalize> made_;
};

/// One connection; one thread at a time.
class Database {
public:
    /// `path` "" keeps it in memory.
    explicit Database(const std::string& path);

    void run(const char* sql);
    Statement prepare(std::string_view sql) const { return {made_.get(), sql}; }
    /// Writes over a part of a blob in the row of that number.
    void overwrite(const char* table, const char* column, std::int64_t row, std::size_t at,
                   std::string_view bytes);
    sqlite3* raw() const { return made_.get(); }

private:
    struct Close {
        void operator()(sqlite3* d) const { sqlite3_close_v2(d); }
    };
    std::unique_ptr<sqlite3, Close> made_;
};

/// What is read meanwhile is of one moment, whatever other processes write.
class Reading {
public:
    explicit Reading(Database& database) : database_(database) { database_.run("BEGIN"); }
    ~Reading() { sqlite3_exec(database_.raw(), "ROLLBACK", nullptr, nullptr, nullptr); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

private:
    Database& database_;
};

/// Undone unless it is committed.
class Transaction {
public:
    /// Holds the only right to write, waiting for it while another process has it.
    explicit Transaction(Database& database) : database_(database) {
        database_.run("BEGIN IMMEDIATE");
    }
    ~Transaction() {
        if (!done_) sqlite3_exec(database_.raw(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit() {
        database_.run("COMMIT");
        done_ = true;
    }

private:
    Database& database_;
    bool done_ = false;
};

} // namespace knowledge
