// The floor under the journal: LMDB with one table, a put and a commit of the same bytes, and the
// plainest group commit (everybody queues, one thread commits what has queued).
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <lmdb.h>

namespace foxwedge::bench {

class Floor {
public:
    Floor(const std::string& folder, unsigned flags) {
        std::filesystem::create_directories(folder);
        check(mdb_env_create(&env_));
        check(mdb_env_set_mapsize(env_, std::size_t{4} << 30));
        check(mdb_env_set_maxdbs(env_, 4));
        check(mdb_env_open(env_, folder.c_str(), flags, 0644));
        MDB_txn* txn = nullptr;
        check(mdb_txn_begin(env_, nullptr, 0, &txn));
        check(mdb_dbi_open(txn, "j", MDB_CREATE, &table_));
        check(mdb_txn_commit(txn));
    }
    ~Floor() { mdb_env_close(env_); }

    void commit(const std::vector<std::string_view>& values) {
        MDB_txn* txn = nullptr;
        check(mdb_txn_begin(env_, nullptr, 0, &txn));
        for (const auto v : values) {
            unsigned char key[8];
            const std::uint64_t n = ++sequence_;
            for (int i = 0; i < 8; ++i) key[i] = static_cast<unsigned char>(n >> (56 - 8 * i));
            MDB_val k{8, key}, value{v.size(), const_cast<char*>(v.data())};
            check(mdb_put(txn, table_, &k, &value, MDB_APPEND));
        }
        check(mdb_txn_commit(txn));
    }

    /// `threads` threads of `each` steps through one committing thread.
    void group(int threads, int each, std::string_view value) {
        std::mutex mutex;
        std::condition_variable queued, done;
        std::vector<bool*> queue;
        bool stop = false;
        std::thread committer([&] {
            std::unique_lock lock(mutex);
            while (true) {
                queued.wait(lock, [&] { return !queue.empty() || stop; });
                if (queue.empty()) return;
                const auto batch = std::exchange(queue, {});
                lock.unlock();
                commit(std::vector<std::string_view>(batch.size(), value));
                lock.lock();
                for (bool* const one : batch) *one = true;
                done.notify_all();
            }
        });
        std::vector<std::thread> producers;
        for (int t = 0; t < threads; ++t)
            producers.emplace_back([&] {
                for (int i = 0; i < each; ++i) {
                    bool mine = false;
                    std::unique_lock lock(mutex);
                    queue.push_back(&mine);
                    queued.notify_one();
                    done.wait(lock, [&] { return mine; });
                }
            });
        for (auto& t : producers) t.join();
        {
            const std::lock_guard lock(mutex);
            stop = true;
            queued.notify_one();
        }
        committer.join();
    }

private:
    static void check(int rc) {
        if (rc == 0) return;
        std::fprintf(stderr, "floor: %s\n", mdb_strerror(rc));
        std::exit(1);
    }
    MDB_env* env_ = nullptr;
    MDB_dbi table_ = 0;
    std::uint64_t sequence_ = 0;
};

} // namespace foxwedge::bench
