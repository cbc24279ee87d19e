// The run engine beside the bare LMDB floor, in one program and in turns, because the disk's speed
// changes from second to second: bench-run [FOLDER [one|many|replay]]. Prints one JSON object.
#include <lmdb.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "base/id.hpp"
#include "journal/lmdb_engine.hpp"
#include "run/run.hpp"

namespace {

using namespace foxwedge;
namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

double now() {
    return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double cpu() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}
/// Of this thread: work on one core, whoever else wants it.
double thread_cpu() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
void must(bool ok, const char* what) {
    if (ok) return;
    std::fprintf(stderr, "bench-run: %s failed\n", what);
    std::exit(1);
}
double median(std::vector<double> all) {
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2),
                     all.end());
    return all[all.size() / 2];
}

constexpr std::size_t value_bytes = 200;
const std::string value = "\"" + std::string(value_bytes - 2, 'x') + "\"";

/// One put and one commit a step; with several threads, leader and followers.
class Floor {
public:
    Floor(const fs::path& folder, unsigned flags) {
        fs::create_directories(folder);
        must(mdb_env_create(&env_) == 0, "env");
        mdb_env_set_mapsize(env_, std::size_t{4} << 30);
        mdb_env_set_maxdbs(env_, 4);
        must(mdb_env_open(env_, folder.c_str(), flags, 0644) == 0, "open");
        MDB_txn* txn = nullptr;
        must(mdb_txn_begin(env_, nullptr, 0, &txn) == 0, "begin");
        must(mdb_dbi_open(txn, "j", MDB_CREATE, &table_) == 0, "table");
        must(mdb_txn_commit(txn) == 0, "commit");
    }
    ~Floor() { mdb_env_close(env_); }

    void step() {
        std::unique_lock lock(mutex_);
        const std::uint64_t mine = ++queued_;
        while (committed_ < mine) {
            if (leading_) {
                changed_.wait(lock);
                continue;
            }
            leading_ = true;
            const std::uint64_t from = committed_, to = queued_;
            lock.unlock();
            MDB_txn* txn = nullptr;
            must(mdb_txn_begin(env_, nullptr, 0, &txn) == 0, "begin");
            for (std::uint64_t i = from + 1; i <= to; ++i) {
                unsigned char key[16] = {};
                for (int b = 0; b < 8; ++b) key[15 - b] = static_cast<unsigned char>(i >> (8 * b));
                MDB_val k{sizeof key, key}, v{value.size(), const_cast<char*>(value.data())};
                must(mdb_put(txn, table_, &k, &v, 0) == 0, "put");
            }
            must(mdb_txn_commit(txn) == 0, "commit");
            lock.lock();
            committed_ = to;
            leading_ = false;
            changed_.notify_all();
        }
    }

private:
    MDB_env* env_ = nullptr;
    MDB_dbi table_ = 0;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t queued_ = 0, committed_ = 0;
    bool leading_ = false;
};

run::Workflow steps(int count) {
    return [count](run::Run& run) -> Result<Json> {
        char name[32];
        for (int i = 0; i < count; ++i) {
            std::snprintf(name, sizeof name, "step-%d", i);
            auto done = run.step(name, {}, [](run::StepCall&) -> Result<run::StepValue> {
                return run::StepValue{value};
            });
            if (!done) return done.error();
        }
        return Json(count);
    };
}

std::string start(journal::Engine& engine) {
    journal::NewRun wanted;
    wanted.host = "bench";
    wanted.workflow = "steps";
    wanted.input_json = "{}";
    auto started = engine.start(wanted);
    must(started.ok(), "start");
    return started->run;
}
void execute(journal::Engine& engine, const std::string& id, const run::Workflow& workflow) {
    auto held = engine.open(id);
    must(held.ok(), "open run");
    must(run::execute(**held, workflow, {}).how == run::Ended::succeeded, "execute");
}

std::unique_ptr<journal::Engine> open(const fs::path& folder, journal::Durability durability) {
    journal::JournalOptions options;
    options.path = folder;
    options.durability = durability;
    options.map_limit = std::size_t{4} << 30;
    auto engine = journal::open_journal(options);
    must(engine.ok(), "open journal");
    return std::move(*engine);
}

void print(const char* name, double ours, double floor) {
    std::printf("\"%s\":{\"steps_per_s\":%.0f,\"floor\":%.0f,\"ratio\":%.2f},", name, ours, floor,
                ours / floor);
}

/// One run, step after step, in turns with the floor.
void one_run(const fs::path& folder, const char* name, journal::Durability durability,
             unsigned flags) {
    auto engine = open(folder / (std::string(name) + "-ours"), durability);
    Floor floor(folder / (std::string(name) + "-floor"), flags);
    constexpr int rounds = 15, count = 100;
    std::vector<double> ours, bare, cpus, floor_cpus;
    for (int round = 0; round < rounds; ++round) {
        const auto id = start(*engine);
        double at = now(), used = cpu();
        execute(*engine, id, steps(count));
        ours.push_back(count / (now() - at));
        cpus.push_back((cpu() - used) / count * 1e6);
        at = now();
        used = cpu();
        for (int i = 0; i < count; ++i) floor.step();
        bare.push_back(count / (now() - at));
        floor_cpus.push_back((cpu() - used) / count * 1e6);
    }
    print(name, median(ours), median(bare));
    std::printf("\"%s_cpu_us_per_step\":%.1f,\"%s_floor_cpu_us\":%.1f,", name, median(cpus), name,
                median(floor_cpus));
}

void many_runs(const fs::path& folder) {
    auto engine = open(folder / "many-ours", journal::Durability::sync);
    Floor floor(folder / "many-floor", 0);
    constexpr int rounds = 5, runs = 64, count = 100;
    std::vector<double> ours, bare, cpus;
    const auto together = [&](const auto& work) {
        const double at = now();
        std::vector<std::thread> threads;
        for (int i = 0; i < runs; ++i) threads.emplace_back([&, i] { work(i); });
        for (auto& thread : threads) thread.join();
        return runs * count / (now() - at);
    };
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::string> ids;
        for (int i = 0; i < runs; ++i) ids.push_back(start(*engine));
        const double used = cpu();
        ours.push_back(together(
            [&](int i) { execute(*engine, ids[static_cast<std::size_t>(i)], steps(count)); }));
        cpus.push_back((cpu() - used) / (runs * count) * 1e6);
        bare.push_back(together([&](int) {
            for (int i = 0; i < count; ++i) floor.step();
        }));
    }
    print("runs_64_sync", median(ours), median(bare));
    std::printf("\"runs_64_cpu_us_per_step\":%.1f,", median(cpus));
}

/// Open the run, load its records, repeat a thousand steps.
void replay(const fs::path& folder) {
    auto engine = open(folder / "replay", journal::Durability::relaxed);
    constexpr int count = 1000, rounds = 200;
    const auto workflow = steps(count);
    const auto id = start(*engine);
    execute(*engine, id, workflow);
    std::vector<double> loads, machines, totals;
    for (int round = 0; round < rounds; ++round) {
        const double at = thread_cpu();
        auto head = engine->head(id);
        auto records = engine->records(id);
        must(head.ok() && records.ok() && records->size() == count, "records");
        const double loaded = thread_cpu();
        must(run::replay(*head, std::move(*records), {}, workflow, {}).how == run::Ended::succeeded,
             "replay");
        const double done = thread_cpu();
        loads.push_back(loaded - at);
        machines.push_back(done - loaded);
        totals.push_back(done - at);
    }
    std::printf("\"replay\":{\"steps_per_s\":%.0f,\"of_1000_ms\":%.2f,\"load_ms\":%.2f,"
                "\"machine_ms\":%.2f},",
                count / median(totals), median(totals) * 1e3, median(loads) * 1e3,
                median(machines) * 1e3);
}

} // namespace

int main(int count, char** words) {
    const fs::path folder =
        count > 1 ? fs::path(words[1])
                  : fs::temp_directory_path() / ("foxwedge-bench-" + to_hex(random_bytes(4)));
    std::printf("{");
    const auto wanted = [&](std::string_view part) { return count < 3 || part == words[2]; };
    if (wanted("one")) {
        one_run(folder, "step_sync", journal::Durability::sync, 0);
        one_run(folder, "step_relaxed", journal::Durability::relaxed, MDB_NOMETASYNC);
    }
    if (wanted("many")) many_runs(folder);
    if (wanted("replay")) replay(folder);
    std::printf("\"value_bytes\":%zu}\n", value_bytes);
    fs::remove_all(folder);
}
