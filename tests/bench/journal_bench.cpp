// The journal beside a bare LMDB floor measured in the same run, block by block in turns.
//   bench-journal [FOLDER] [SCALE]   one line of JSON; FOLDER on the disk to measure
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/lmdb_engine.hpp"
#include "journal_floor.hpp"

using namespace foxwedge;
using namespace foxwedge::journal;
using bench::Floor;
using Steady = std::chrono::steady_clock;

namespace {

double seconds_since(Steady::time_point from) {
    return std::chrono::duration<double>(Steady::now() - from).count();
}

double cpu_seconds() {
    rusage u{};
    ::getrusage(RUSAGE_SELF, &u);
    const auto of = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) / 1e6; };
    return of(u.ru_utime) + of(u.ru_stime);
}

double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

template <class T>
T must(Result<T> r) {
    if (r) return *std::move(r);
    std::fprintf(stderr, "%s: %s\n", r.error().code.c_str(), r.error().message.c_str());
    std::exit(1);
}

std::unique_ptr<Engine> open_at(const std::string& path, Durability durability) {
    JournalOptions options;
    options.path = path;
    options.durability = durability;
    return must(open_journal(options));
}

std::unique_ptr<Activation> fresh_run(Engine& engine) {
    NewRun run;
    run.host = "bench";
    run.workflow = "steps";
    run.input_json = "{}";
    run.config_json = R"({"agents":{"a":{"prompt":"You are a benchmark."}}})";
    run.labels_json = "{}";
    return must(engine.open(must(engine.start(run)).run));
}

Completion step(std::uint32_t index, std::size_t bytes) {
    Completion c;
    c.key = {"", index, "agent:iter:" + std::to_string(index), "model", sha256("inputs")};
    c.attempt.started = c.attempt.ended = system_clock().now();
    c.outcome = Outcome{std::nullopt, "\"" + std::string(bytes - 2, 'x') + "\"", false};
    return c;
}

/// What a record holds: value, name, digest, two times, attempt.
std::size_t content_bytes(const Completion& c) {
    return c.outcome->value_json.size() + c.key.name.size() + 32 + 16 + 4;
}

void commit(Activation& a, Completion c) {
    Batch b;
    b.completions.push_back(std::move(c));
    if (a.commit(std::move(b)).verdicts.at(0) != Verdict::recorded) std::exit(1);
}

constexpr std::size_t value_bytes = 200;
constexpr std::size_t floor_bytes = 300; // what a frame of such a step takes

/// One run, one step after the other: steps/s of the journal and of its floor, medians of blocks.
std::pair<double, double> one_run(const std::string& folder, Durability durability, int blocks) {
    auto engine = open_at(folder + "/one", durability);
    auto run = fresh_run(*engine);
    Floor floor(folder + "/floor-one", durability == Durability::sync ? 0 : MDB_NOMETASYNC);
    const std::string bytes(floor_bytes, 'x');
    std::vector<double> ours, bare;
    std::uint32_t index = 0;
    constexpr int block = 25;
    for (int b = 0; b < blocks; ++b) {
        auto t = Steady::now();
        for (int i = 0; i < block; ++i) commit(*run, step(index++, value_bytes));
        ours.push_back(block / seconds_since(t));
        t = Steady::now();
        for (int i = 0; i < block; ++i) floor.commit({bytes});
        bare.push_back(block / seconds_since(t));
    }
    return {median(ours), median(bare)};
}

struct Group {
    double ours, bare, cpu_us, bare_cpu_us;
};
Group many_runs(const std::string& folder, int rounds) {
    constexpr int threads = 64, each = 50;
    auto engine = open_at(folder + "/many", Durability::sync);
    std::vector<std::unique_ptr<Activation>> runs;
    for (int t = 0; t < threads; ++t) runs.push_back(fresh_run(*engine));
    Floor floor(folder + "/floor-many", 0);
    const std::string bytes(floor_bytes, 'x');
    std::vector<double> ours, bare, cpu, bare_cpu;
    std::uint32_t base = 0;
    for (int r = 0; r < rounds; ++r) {
        auto used = cpu_seconds();
        auto t = Steady::now();
        std::vector<std::thread> workers;
        for (int w = 0; w < threads; ++w)
            workers.emplace_back([&, w] {
                for (std::uint32_t i = 0; i < each; ++i)
                    commit(*runs[w], step(base + i, value_bytes));
            });
        for (auto& w : workers) w.join();
        ours.push_back(threads * each / seconds_since(t));
        cpu.push_back((cpu_seconds() - used) / (threads * each) * 1e6);
        base += each;
        used = cpu_seconds();
        t = Steady::now();
        floor.group(threads, each, bytes);
        bare.push_back(threads * each / seconds_since(t));
        bare_cpu.push_back((cpu_seconds() - used) / (threads * each) * 1e6);
    }
    return {median(ours), median(bare), median(cpu), median(bare_cpu)};
}

/// Bytes of file that are taken, without holes.
double file_bytes(const std::string& path) {
    struct stat s {};
    ::stat((path + "/data.mdb").c_str(), &s);
    return double(s.st_blocks) * 512;
}

/// File growth per byte of record, 64 runs interleaved.
double growth(const std::string& folder, std::size_t bytes, std::size_t total) {
    const std::string path = folder + "/growth-" + std::to_string(bytes);
    auto engine = open_at(path, Durability::relaxed);
    std::vector<std::unique_ptr<Activation>> runs;
    for (int t = 0; t < 64; ++t) runs.push_back(fresh_run(*engine));
    const double before = file_bytes(path);
    std::size_t content = 0;
    const auto turns = static_cast<std::uint32_t>(total / bytes / 64);
    std::vector<std::thread> workers;
    std::vector<std::size_t> written(64);
    for (int w = 0; w < 64; ++w)
        workers.emplace_back([&, w] {
            for (std::uint32_t i = 0; i < turns; ++i) {
                auto c = step(i, bytes);
                // Values differ, or they would be stored once.
                c.outcome->value_json.replace(1, 24,
                                              std::to_string(1'000'000'000'000 + w) + "/" +
                                                  std::to_string(1'000'000'000 + i));
                written[w] += content_bytes(c);
                commit(*runs[w], std::move(c));
            }
        });
    for (auto& w : workers) w.join();
    for (const auto n : written) content += n;
    return (file_bytes(path) - before) / double(content);
}

/// Records read per second: 1,000 records of one run, through Engine::records.
double replay_load(const std::string& folder) {
    auto engine = open_at(folder + "/load", Durability::relaxed);
    auto run = fresh_run(*engine);
    for (std::uint32_t i = 0; i < 1000; i += 50) {
        Batch b;
        for (std::uint32_t k = 0; k < 50; ++k) b.completions.push_back(step(i + k, value_bytes));
        (void)run->commit(std::move(b));
    }
    const std::string id = run->run().id;
    std::vector<double> rates;
    for (int r = 0; r < 200; ++r) {
        const auto t = Steady::now();
        const auto records = must(engine->records(id));
        rates.push_back(double(records.size()) / seconds_since(t));
    }
    return median(rates);
}

struct Parked {
    double bytes, page_ms;
};
Parked parked(const std::string& folder, int count) {
    const std::string path = folder + "/parked";
    auto engine = open_at(path, Durability::relaxed);
    const double before = file_bytes(path);
    constexpr int threads = 16;
    std::vector<std::thread> workers;
    for (int w = 0; w < threads; ++w)
        workers.emplace_back([&, w] {
            for (int i = w; i < count; i += threads) {
                auto run = fresh_run(*engine);
                commit(*run, step(0, 120));
                Batch b;
                GateOpening g;
                g.key = {"", 1, "agent:iter:0:tool:call_1:approval", "gate", sha256("gate")};
                g.gate.kind = "approval";
                g.gate.about_json =
                    "{\"tool\":\"refund\",\"arguments\":\"" + std::string(300, 'a') + "\"}";
                g.gate.allow = {"approve", "reject", "edit"};
                b.gates.push_back(std::move(g));
                const auto done = run->commit(std::move(b));
                if (!run->park({{Wait::On::gate, {}, done.gate_ids.at(0)}})) std::exit(1);
            }
        });
    for (auto& w : workers) w.join();
    std::vector<double> pages;
    GateQuery q;
    q.limit = 50;
    while (true) {
        const auto t = Steady::now();
        const auto rows = must(engine->gates(q));
        pages.push_back(seconds_since(t) * 1e3);
        if (rows.empty()) break;
        q.after = rows.back().id;
    }
    return {(file_bytes(path) - before) / count, median(pages)};
}

} // namespace

int main(int argc, char** argv) {
    const std::string base = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
    const int scale = argc > 2 ? std::atoi(argv[2]) : 10;
    const std::string folder = base + "/bench-journal-" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    const auto sync = one_run(folder, Durability::sync, 4 * scale);
    std::filesystem::remove_all(folder + "/one");
    std::filesystem::remove_all(folder + "/floor-one");
    const auto relaxed = one_run(folder, Durability::relaxed, 4 * scale);
    const auto group = many_runs(folder, scale);
    const auto load = replay_load(folder);
    const auto park = parked(folder, 1000 * scale);
    std::printf("{\"step_sync\":{\"per_s\":%.0f,\"floor\":%.0f,\"ratio\":%.2f},"
                "\"step_relaxed\":{\"per_s\":%.0f,\"floor\":%.0f,\"ratio\":%.2f},"
                "\"runs64_sync\":{\"per_s\":%.0f,\"floor\":%.0f,\"ratio\":%.2f,\"cpu_us\":%.1f,"
                "\"floor_cpu_us\":%.1f},\"records_read_per_s\":%.0f,"
                "\"parked\":{\"bytes_each\":%.0f,\"page_of_50_ms\":%.2f},\"growth\":{",
                sync.first, sync.second, sync.first / sync.second, relaxed.first, relaxed.second,
                relaxed.first / relaxed.second, group.ours, group.bare, group.ours / group.bare,
                group.cpu_us, group.bare_cpu_us, load, park.bytes, park.page_ms);
    const char* separator = "";
    for (const std::size_t bytes : {300, 1000, 2000, 4000, 9000}) {
        std::printf("%s\"%zu\":%.2f", separator, bytes, growth(folder, bytes, 2'000'000u * scale));
        separator = ",";
    }
    std::printf("}}\n");
    std::filesystem::remove_all(folder);
    return 0;
}
