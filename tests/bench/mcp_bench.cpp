// MCP over stdio, both ends pinned to one core: our client against the least server in C, the least
// client in C against our server, beside both in C and the pipe's own floor; the time from nothing
// to the first answer; a list of 200 tools; 1,000 calls at a time over one connection. And our own
// pair over stdio and over HTTP.
//   bench-mcp [CALLS]       lines of JSON
//   bench-mcp serve TOOLS   the server: `echo`, without effect, and others
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include "mcp/client.hpp"
#include "mcp/serve_http.hpp"
#include "mcp/serve_stdio.hpp"

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

int fill(mcp::Service& service, int tools) {
    for (int i = 0; i < tools; ++i) {
        mcp::ServedTool tool;
        tool.definition.name = i ? "tool_" + std::to_string(i) : "echo";
        tool.definition.description = "Gives back the text that it is given, word by word.";
        tool.definition.effect = ToolEffect::none;
        tool.definition.input_schema = *parse_json(
            R"({"type":"object","properties":{"text":{"type":"string"},"n":{"type":"integer"}},)"
            R"("required":["text"]})");
        tool.run = [](const Json& arguments, mcp::Served&) -> Result<ToolResult> {
            return text_result(std::string(string_member(arguments, "text").value_or("")));
        };
        if (!service.add(std::move(tool))) return 1;
    }
    return 0;
}

int serve(int tools) {
    mcp::Service service("bench", "1");
    if (const int wrong = fill(service, tools)) return wrong;
    mcp::serve_stdio(service);
    return 0;
}

struct Driven {
    double start_ms = 0, call_us = 0, list_us = 0;
};

/// What the least client measured of a server.
Driven drive(const std::string& floor, int calls, const std::string& server) {
    FILE* answer = ::popen((floor + " drive " + std::to_string(calls) + " " + server).c_str(), "r");
    Driven driven;
    if (!answer ||
        std::fscanf(answer, "%lf %lf %lf", &driven.start_ms, &driven.call_us, &driven.list_us) != 3)
        std::exit(1);
    ::pclose(answer);
    return driven;
}

double pipe_floor(const std::string& program, int calls) {
    FILE* answer = ::popen((program + " floor " + std::to_string(calls)).c_str(), "r");
    double figure = 0;
    if (!answer || std::fscanf(answer, "%lf", &figure) != 1) std::exit(1);
    ::pclose(answer);
    return figure;
}

std::shared_ptr<mcp::Client> make_client(process::Supervisor& children, const std::string& program,
                                         std::vector<std::string> args) {
    mcp::ServerSpec spec;
    spec.name = "bench";
    spec.command = {.program = program, .args = std::move(args)};
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

std::string arguments_of(int n) {
    const auto number = std::to_string(n);
    return R"({"text":"hello world )" + number + R"(","n":)" + number + "}";
}

/// Calls at a time over one connection: how many came back with their own text, and how long it
/// took.
void flood(const std::string& self, int at_a_time) {
    process::Supervisor children;
    const auto client = make_client(children, self, {"serve", "1"});
    (void)call_once(*client, arguments_of(0));
    std::atomic<int> right{0};
    const auto begin = Steady::now();
    {
        std::vector<std::jthread> callers;
        for (int i = 0; i < at_a_time; ++i)
            callers.emplace_back([&, i] {
                const auto result = client->call("echo", arguments_of(i), {});
                right += result && string_member(result->content.at(0), "text") ==
                                       "hello world " + std::to_string(i);
            });
    }
    std::printf("{\"bench\":\"mcp-concurrent\",\"calls\":%d,\"right\":%d,\"ms\":%.1f}\n", at_a_time,
                right.load(), microseconds(begin) / 1000);
}

void round_trips(const std::string& self, const std::string& floor, int calls) {
    std::vector<double> pipes, pairs, servers, clients, starts, lists;
    for (int round = 0; round < 5; ++round) {
        pipes.push_back(pipe_floor(floor, calls));
        pairs.push_back(drive(floor, calls, floor + " serve").call_us);
        servers.push_back(drive(floor, calls, self + " serve 1").call_us);
        const auto many = drive(floor, 1, self + " serve 200");
        lists.push_back(many.list_us / 1000);
        starts.push_back(many.start_ms);
        process::Supervisor children;
        const auto client = make_client(children, floor, {"serve"});
        (void)call_once(*client, arguments_of(0));
        std::vector<double> times;
        for (int i = 0; i < calls; ++i) times.push_back(call_once(*client, arguments_of(i)));
        clients.push_back(median(std::move(times)));
    }
    const double pair = median(pairs);
    std::printf("{\"bench\":\"mcp\",\"pipe_us\":%.2f,\"c_pair_us\":%.2f,\"client_us\":%.2f,"
                "\"client_ratio\":%.2f,\"server_us\":%.2f,\"server_ratio\":%.2f,"
                "\"server_start_ms\":%.2f,\"list_200_ms\":%.3f}\n",
                median(pipes), pair, median(clients), median(clients) / pair, median(servers),
                median(servers) / pair, median(starts), median(lists));
}

double median_call(mcp::Client& client, int calls) {
    for (int i = 0; i < 300; ++i) (void)call_once(client, arguments_of(i));
    std::vector<double> times;
    for (int i = 0; i < calls; ++i) times.push_back(call_once(client, arguments_of(i)));
    return median(std::move(times));
}

/// Both ends ours; over HTTP in one process, on threads of their own. Beside the official pair of
/// tests/support/peers/pair-bench.mjs.
void own_pair(const std::string& self, int calls) {
    process::Supervisor children;
    const double piped = median_call(*make_client(children, self, {"serve", "1"}), calls);
    mcp::Service service("bench", "1");
    if (fill(service, 1) != 0) std::exit(1);
    const auto serving = mcp::serve_http(service, {});
    const auto http = http::make_client({});
    if (!serving) std::exit(1);
    mcp::ServerSpec spec;
    spec.name = "bench";
    spec.url = (*serving)->url();
    const auto client = mcp::Client::make(std::move(spec), {.http = http.get()});
    std::printf("{\"bench\":\"mcp-own-pair\",\"stdio_us\":%.1f,\"http_us\":%.1f}\n", piped,
                median_call(*client, calls));
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 2 && std::string_view(argv[1]) == "serve") return serve(std::atoi(argv[2]));
    const int calls = argc > 1 ? std::atoi(argv[1]) : 20'000;
    const std::string self = argv[0];
    const std::string floor = self.substr(0, self.rfind('/') + 1) + "mcp-floor";
    flood(self, 1000);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    round_trips(self, floor, calls);
    own_pair(self, calls);
    return 0;
}
