// What a verb costs besides the plugin's own work, and what listing a full folder costs.
// bench-plugin MUSEUM_FOLDER
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <time.h>

#include "plugin/registry.hpp"
#include "plugin/running_call.hpp"
#include "process/supervisor.hpp"

namespace {

using namespace foxwedge;
using namespace foxwedge::plugin;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Processor time of the calling thread: other programs on the machine do not count.
double cpu_nanoseconds() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}
double wall_nanoseconds() {
    return std::chrono::duration<double, std::nano>(Clock::now().time_since_epoch()).count();
}

template <class Body>
double nanoseconds_each(int times, Body body, double (*clock)() = cpu_nanoseconds) {
    for (int i = 0; i < times / 10; ++i) body();
    double best = 1e18;
    for (int round = 0; round < 7; ++round) {
        const auto start = clock();
        for (int i = 0; i < times; ++i) body();
        best = std::min(best, (clock() - start) / times);
    }
    return best;
}

void line(const char* what, double nanoseconds, const char* reach) {
    std::printf("%-58s %10.2f us   %s\n", what, nanoseconds / 1000, reach);
}

foxwedge_status smallest(const foxwedge_call* call) {
    call->set_result(call, {"{}", 2});
    return FOXWEDGE_OK;
}

void measure_boundary() {
    CallHome home{{}, std::make_shared<const Masking>(TextMask{})};
    Call call;
    call.step_key = "01JDXR0000000000000000000A/support:iter:0:tool:a";
    call.scope = {"shop", "01JDXR0000000000000000000A", "01JDXR0000000000000000000A", "support",
                  "ann"};
    foxwedge_status (*volatile verb)(const foxwedge_call*) = smallest;
    line("boundary: call object, verb, result, end",
         nanoseconds_each(200'000,
                          [&] {
                              const auto running = std::make_shared<RunningCall>(
                                  home, call, nullptr, Performer::caller);
                              const auto* api = running->api();
                              running->perform([&] { return verb(api); });
                              if (running->ended(true).status != FOXWEDGE_OK) std::abort();
                          }),
         "reach 0.10");
}

std::string kilobyte() {
    std::string json = R"({"content":[],"structuredContent":{"items":[)";
    for (int i = 0; json.size() < 980; ++i)
        json += (i ? "," : "") + std::string(R"({"sku":"A-)") + std::to_string(1000 + i) +
                R"(","count":)" + std::to_string(i) + R"(,"note":"in stock"})";
    return json + "]}}";
}

void measure_verb(const fs::path& museum, const fs::path& folder) {
    fs::create_directories(folder / "plugins");
    fs::copy_file(museum / "unruly-concurrent.so", folder / "plugins/unruly-concurrent.so");
    RegistryOptions options;
    options.folders = {(folder / "plugins").string()};
    options.state_folder = (folder / "state").string();
    const auto registry = Registry::open(options);
    const auto tools = (*registry)->capability("unruly-concurrent", nullptr);
    if (!tools) std::printf("%s\n", tools.error().message.c_str()), std::exit(1);
    const auto json = kilobyte();
    const auto run = [&](Call& call) {
        if (!(*tools)->run("echo", json, call)) std::abort();
    };
    Call free;
    line("run_tool, 1 KiB JSON each way, on the caller's thread",
         nanoseconds_each(20'000, [&] { run(free); }), "reach 5");
    std::stop_source stop;
    Call bound;
    bound.until.stop = stop.get_token();
    line("run_tool, the same, with a deadline: on its own thread",
         nanoseconds_each(
             5'000,
             [&] {
                 bound.until.deadline = Clock::now() + std::chrono::seconds(60);
                 run(bound);
             },
             wall_nanoseconds),
         "wall");
    line("floor: parse and hold the same result",
         nanoseconds_each(20'000,
                          [&] {
                              const auto parsed = parse_json(json);
                              if (!parsed || !tool_result_from_json(*parsed)) std::abort();
                          }),
         "");
}

/// What a process of its own adds to a call; both ends where the system puts them.
void measure_isolation(const fs::path& folder) {
    process::Supervisor children;
    RegistryOptions options;
    options.folders = {(folder / "plugins").string()};
    options.state_folder = (folder / "state").string();
    options.children = &children;
    options.uses = {{"unruly-concurrent", nullptr, true, ""}};
    const auto registry = Registry::open(options);
    const auto tools = (*registry)->capability("unruly-concurrent", nullptr);
    if (!tools) std::printf("%s\n", tools.error().message.c_str()), std::exit(1);
    const auto json = kilobyte();
    line("run_tool, the same, in a process of its own",
         nanoseconds_each(
             5'000,
             [&] {
                 Call call;
                 call.until.deadline = Clock::now() + std::chrono::seconds(60);
                 if (!(*tools)->run("echo", json, call)) std::abort();
             },
             wall_nanoseconds),
         "wall; reach 60 more than in process");
}

void measure_listing(const fs::path& museum, const fs::path& folder) {
    fs::create_directories(folder / "many");
    for (int i = 0; i < 200; ++i)
        fs::copy_file(museum / "tame.so", folder / "many" / ("tame-" + std::to_string(i) + ".so"));
    const std::vector<std::string> path{(folder / "many").string()};
    line("list 200 files, digests included",
         nanoseconds_each(10,
                          [&] {
                              if (list(path).size() != 200) std::abort();
                          }),
         "reach 50000");
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "bench-plugin MUSEUM_FOLDER\n"), 2;
    auto name = (fs::temp_directory_path() / "foxwedge-bench-XXXXXX").string();
    if (!::mkdtemp(name.data())) return 1;
    measure_boundary();
    measure_verb(argv[1], name);
    measure_isolation(name);
    measure_listing(argv[1], name);
    fs::remove_all(name);
}
