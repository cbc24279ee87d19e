// MCP over stdio: a tool call of ours against the least server in C, beside the pipe's own floor,
// both ends pinned to one core; and the time from nothing to the first answer.
//   bench-mcp [CALLS]   one line of JSON
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sched.h>

#include "mcp/client.hpp"

using namespace foxwedge;
using Steady = std::chrono::steady_clock;

namespace {

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

double microseconds(Steady::time_point from) {
    return std::chrono::duration<double, std::micro>(Steady::now() - from).count();
}

double pipe_floor(const std::string& program, int calls) {
    FILE* answer = ::popen((program + " floor " + std::to_string(calls)).c_str(), "r");
    double figure = 0;
    if (!answer || std::fscanf(answer, "%lf", &figure) != 1) std::exit(1);
    ::pclose(answer);
    return figure;
}

std::shared_ptr<mcp::Client> make_client(process::Supervisor& children,
                                         const std::string& program) {
    mcp::ServerSpec spec;
    spec.name = "floor";
    spec.command = {.program = program, .args = {"serve"}};
    return mcp::Client::make(std::move(spec), {.children = &children});
}

double call_once(mcp::Client& client, const std::string& arguments) {
    const auto begin = Steady::now();
    const auto result = client.call("echo", arguments, {});
    if (!result) {
        std::fprintf(stderr, "%s\n", result.error().message.c_str());
        std::exit(1);
    }
    return microseconds(begin);
}

} // namespace

int main(int argc, char** argv) {
    const int calls = argc > 1 ? std::atoi(argv[1]) : 20'000;
    const std::string self = argv[0];
    const std::string program = self.substr(0, self.rfind('/') + 1) + "mcp-floor";
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    ::sched_setaffinity(0, sizeof one, &one);

    std::vector<double> floors, rounds, starts;
    for (int round = 0; round < 5; ++round) {
        floors.push_back(pipe_floor(program, calls));
        process::Supervisor children;
        const auto client = make_client(children, program);
        starts.push_back(call_once(*client, R"({"text":"first"})") / 1000);
        std::vector<double> times;
        for (int i = 0; i < calls; ++i) {
            const auto n = std::to_string(i);
            times.push_back(
                call_once(*client, R"({"text":"hello world )" + n + R"(","n":)" + n + "}"));
        }
        rounds.push_back(median(std::move(times)));
    }
    std::printf("{\"bench\":\"mcp\",\"pipe_floor_us\":%.2f,\"call_us\":%.2f,\"ratio\":%.2f,"
                "\"start_to_first_answer_ms\":%.2f}\n",
                median(floors), median(rounds), median(rounds) / median(floors), median(starts));
    return 0;
}
