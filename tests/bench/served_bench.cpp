// A served call that is a durable run, beside one synced commit of a bare LMDB, in turns on the
// same disk: `foxwedge mcp` over stdio with the key-value store, `--record all`.
//   bench-served FOXWEDGE PLUGINS FOLDER [CALLS]   lines of JSON
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "journal_floor.hpp"
#include "mcp/client.hpp"

using namespace foxwedge;
using Steady = std::chrono::steady_clock;

namespace {

constexpr int rounds = 5;

double microseconds(Steady::time_point from) {
    return std::chrono::duration<double, std::micro>(Steady::now() - from).count();
}

double median(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::string write_config(const std::string& folder, const std::string& plugins) {
    const std::string file = folder + "/bench-host.json";
    std::ofstream(file) << R"({"name":"bench","project":"bench","journal":{"path":")" << folder
                        << R"(/journal"},"plugins":{"path":[")" << plugins
                        << R"("]},"tools":{"workflow-kv_kv_store":{"autoApprove":true}}})";
    return file;
}

/// A call; the program ends where it fails.
double call_once(mcp::Client& client, const std::string& arguments) {
    const auto begin = Steady::now();
    const auto result = client.call("kv_store", arguments, {});
    if (!result || result->is_error) {
        const auto why = result ? to_text(result->content) : result.error().message;
        std::fprintf(stderr, "%s\n", why.c_str());
        std::exit(1);
    }
    return microseconds(begin);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const std::string folder = argv[3];
    const int calls = argc > 4 ? std::atoi(argv[4]) : 200;
    std::filesystem::create_directories(folder);
    bench::Floor floor(folder + "/floor", 0);
    process::Supervisor children;
    mcp::ServerSpec spec;
    spec.name = "bench";
    spec.command = {.program = argv[1],
                    .args = {"mcp", write_config(folder, argv[2]), "--capability", "workflow-kv",
                             "--record", "all"}};
    const auto client = mcp::Client::make(std::move(spec), {.children = &children});
    const std::string get = R"({"action":"get","key":"k"})";
    const auto set = [](int n) {
        return R"({"action":"set","key":"k","value":)" + std::to_string(n) + "}";
    };
    for (int i = 0; i < 20; ++i) (void)call_once(*client, set(i));
    // What a call puts on record is about this large.
    const std::string bytes(900, 'x');
    std::vector<double> commits, gets, sets;
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < calls; ++i) {
            const auto begin = Steady::now();
            floor.commit({bytes});
            commits.push_back(microseconds(begin));
            gets.push_back(call_once(*client, get));
            sets.push_back(call_once(*client, set(i)));
        }
    const double commit = median(commits), got = median(gets), put = median(sets);
    std::printf("{\"bench\":\"mcp-durable\",\"commit_us\":%.0f,\"get_us\":%.0f,\"get_ratio\":%.2f,"
                "\"set_us\":%.0f,\"set_ratio\":%.2f}\n",
                commit, got, got / commit, put, put / commit);
    return 0;
}
