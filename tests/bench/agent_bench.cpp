// The agent loop beside the bare floor of two LMDB commits a turn, in turns, because the disk's
// speed changes from second to second; then replay from the records: bench-agent [FOLDER]. Prints
// one JSON object.
#include <lmdb.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "agent/agent.hpp"
#include "agent/tool.hpp"
#include "journal/lmdb_engine.hpp"
#include "looking_model.hpp"
#include "run/run.hpp"

namespace {

using namespace foxwedge;
namespace fs = std::filesystem;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
double cpu() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}
void must(bool ok, const char* what) {
    if (ok) return;
    std::fprintf(stderr, "bench-agent: %s failed\n", what);
    std::exit(1);
}
double median(std::vector<double> all) {
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

const std::string text(200, 'x');

run::Workflow workflow(int turns, agent::World& world) {
    return [turns, &world](run::Run& run) -> Result<Json> {
        agent::Agent agent;
        agent.provider = std::make_shared<bench::LookingModel>(turns);
        agent.options.max_iterations = turns + 1;
        ToolOptions options;
        options.name = "look";
        agent.tools = {
            agent::tool(options, [](const JsonObject&) -> Result<Json> { return Json(text); })};
        FOXWEDGE_TRY(result, agent::agent(run, "a", agent, world));
        return to_json(result);
    };
}

class Floor {
public:
    explicit Floor(const fs::path& folder) {
        fs::create_directories(folder);
        must(mdb_env_create(&env_) == 0, "env");
        mdb_env_set_mapsize(env_, std::size_t{4} << 30);
        must(mdb_env_open(env_, folder.c_str(), 0, 0644) == 0, "open");
    }
    ~Floor() { mdb_env_close(env_); }
    void commit() {
        MDB_txn* txn = nullptr;
        MDB_dbi table = 0;
        must(mdb_txn_begin(env_, nullptr, 0, &txn) == 0, "begin");
        must(mdb_dbi_open(txn, nullptr, 0, &table) == 0, "table");
        std::uint64_t number = __builtin_bswap64(++written_);
        MDB_val key{sizeof number, &number}, value{text.size(), const_cast<char*>(text.data())};
        must(mdb_put(txn, table, &key, &value, 0) == 0, "put");
        must(mdb_txn_commit(txn) == 0, "commit");
    }

private:
    MDB_env* env_ = nullptr;
    std::uint64_t written_ = 0;
};

std::string start(journal::Engine& engine) {
    journal::NewRun wanted;
    wanted.host = "bench";
    wanted.workflow = "agent";
    wanted.input_json = R"("look at refunds")";
    auto started = engine.start(wanted);
    must(started.ok(), "start");
    return started->run;
}
void execute(journal::Engine& engine, const std::string& id, const run::Workflow& work) {
    auto held = engine.open(id);
    must(held.ok(), "open run");
    must(run::execute(**held, work, {}).how == run::Ended::succeeded, "execute");
}

} // namespace

int main(int argc, char** argv) {
    const fs::path folder = argc > 1 ? argv[1] : fs::temp_directory_path() / "foxwedge-bench-agent";
    fs::remove_all(folder);
    fs::create_directories(folder);
    journal::JournalOptions options;
    options.path = folder / "journal";
    options.map_limit = std::size_t{4} << 30;
    auto engine = journal::open_journal(options);
    must(engine.ok(), "open journal");
    Floor floor(folder / "floor");
    agent::World world;

    constexpr int turns = 100;
    std::vector<double> ours, bare, spent, bare_spent;
    for (int round = 0; round < 9; ++round) {
        const std::string id = start(**engine);
        const double cpu_before = cpu();
        double began = now();
        execute(**engine, id, workflow(turns, world));
        ours.push_back((now() - began) / turns);
        spent.push_back((cpu() - cpu_before) / turns);
        began = now();
        const double cpu_between = cpu();
        for (int i = 0; i < 2 * turns; ++i) floor.commit();
        bare.push_back((now() - began) / turns);
        bare_spent.push_back((cpu() - cpu_between) / turns);
    }

    constexpr int long_turns = 2000;
    const std::string id = start(**engine);
    execute(**engine, id, workflow(long_turns, world));
    const auto head = (*engine)->head(id);
    std::vector<double> replayed;
    for (int round = 0; round < 5; ++round) {
        const auto records = (*engine)->records(id);
        must(records.ok(), "records");
        const double began = cpu(); // the machine may have other work
        const auto again = run::replay(*head, *records, {}, workflow(long_turns, world), {});
        must(again.how == run::Ended::succeeded, "replay");
        replayed.push_back(2 * long_turns / (cpu() - began));
    }

    std::printf("{\"turn_us\":%.1f,\"floor_us\":%.1f,\"ratio\":%.2f,\"cpu_us_per_turn\":%.1f,"
                "\"floor_cpu_us_per_turn\":%.1f,"
                "\"replayed_steps_per_s\":%.0f}\n",
                median(ours) * 1e6, median(bare) * 1e6, median(ours) / median(bare),
                median(spent) * 1e6, median(bare_spent) * 1e6, median(replayed));
    fs::remove_all(folder);
    return 0;
}
