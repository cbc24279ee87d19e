#include "sqlite.hpp"

namespace knowledge {

namespace {

constexpr int patience_ms = 60'000; // another process may be rebuilding the index

[[noreturn]] void fail(sqlite3* database, int result) {
    throw SqlError(result & 0xFF, database ? sqlite3_errmsg(database) : sqlite3_errstr(result));
}

} // namespace

Statement::Statement(sqlite3* database, std::string_view sql) : database_(database) {
    sqlite3_stmt* made = nullptr;
    const int result =
        sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &made, nullptr);
    made_.reset(made);
    check(result);
}

void Statement::check(int result) const {
    if (result != SQLITE_OK) fail(database_, result);
}

Statement& Statement::bind(int place, std::int64_t value) {
    check(sqlite3_bind_int64(made_.get(), place, value));
    return *this;
}

Statement& Statement::bind(int place, double value) {
    check(sqlite3_bind_double(made_.get(), place, value));
    return *this;
}

Statement& Statement::bind(int place, std::string_view value) {
    check(sqlite3_bind_text(made_.get(), place, value.data(), static_cast<int>(value.size()),
                            SQLITE_TRANSIENT));
    return *this;
}

Statement& Statement::bind_blob(int place, std::string_view bytes) {
    check(sqlite3_bind_blob(made_.get(), place, bytes.data(), static_cast<int>(bytes.size()),
                            SQLITE_TRANSIENT));
    return *this;
}

bool Statement::step() {
    const int result = sqlite3_step(made_.get());
    if (result == SQLITE_ROW) return true;
    if (result != SQLITE_DONE) fail(database_, result);
    return false;
}

void Statement::run() {
    while (step()) {
    }
    reset();
}

void Statement::reset() {
    sqlite3_reset(made_.get());
    sqlite3_clear_bindings(made_.get());
}

std::string Statement::text(int column) const {
    const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(made_.get(), column));
    if (!found) return {};
    return {found, static_cast<std::size_t>(sqlite3_column_bytes(made_.get(), column))};
}

std::string_view Statement::view(int column) const {
    const auto* found = static_cast<const char*>(sqlite3_column_blob(made_.get(), column));
    if (!found) return {};
    return {found, static_cast<std::size_t>(sqlite3_column_bytes(made_.get(), column))};
}

Database::Database(const std::string& path) {
    sqlite3* made = nullptr;
    const int result =
        sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &made,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    made_.reset(made);
    if (result != SQLITE_OK) fail(made, result);
    sqlite3_busy_timeout(made, patience_ms);
}

void Database::overwrite(const char* table, const char* column, std::int64_t row, std::size_t at,
                         std::string_view bytes) {
    sqlite3_blob* blob = nullptr;
    int result = sqlite3_blob_open(made_.get(), "main", table, column, row, 1, &blob);
    if (result == SQLITE_OK)
        result = sqlite3_blob_write(blob, bytes.data(), static_cast<int>(bytes.size()),
                                    static_cast<int>(at));
    sqlite3_blob_close(blob);
    if (result != SQLITE_OK) fail(made_.get(), result);
}

void Database::run(const char* sql) {
    const int result = sqlite3_exec(made_.get(), sql, nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) fail(made_.get(), result);
}

} // namespace knowledge
