// Parsing and judging JSON: how often a second for the three cases of the comparison with other
// validators. bench-schema [FOLDER] (or FOXWEDGE_BENCH_SCHEMAS): where <case>.2020.json,
// <case>.valid.json and <case>.invalid.json are; without them small cases of our own are measured.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <boost/json/monotonic_resource.hpp>

#include "base/digest.hpp"
#include "schema/schema.hpp"

using namespace foxwedge;
namespace fs = std::filesystem;

namespace {

struct Case {
    std::string name;
    std::string schema;
    std::string valid;
    std::string invalid;
};

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Case> cases(const std::string& folder) {
    std::vector<Case> all;
    for (const char* name : {"small", "medium", "large"}) {
        auto base = (fs::path(folder) / name).string();
        if (folder.empty() || !fs::exists(base + ".2020.json")) continue;
        all.push_back({name, read(base + ".2020.json"), read(base + ".valid.json"),
                       read(base + ".invalid.json")});
    }
    if (!all.empty()) return all;
    std::string row = R"({"id":7,"name":"a row","state":"open"})";
    std::string rows = "[" + row;
    for (int i = 1; i < 500; ++i) rows += "," + row;
    return {{"own-small",
             R"({"type":"object","properties":{"city":{"type":"string","minLength":1}},
                 "required":["city"],"additionalProperties":false})",
             R"({"city":"Oslo"})", R"({"town":"Oslo"})"},
            {"own-large",
             R"({"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},
                 "name":{"type":"string"},"state":{"enum":["open","closed"]}},"required":["id"]}})",
             rows + "]", rows + ",{}]"}};
}

/// Seconds of CPU that this thread has had: on a busy machine the wall clock counts others' work.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Calls a second: the median of seven rounds of 0.1 s. The clock costs as much as a small call, so
/// it is asked once a millisecond of work.
double rate(const std::function<void()>& work) {
    std::vector<double> rates;
    long batch = 1;
    for (double passed = 0; passed < 1e-3; batch *= 2) {
        const auto start = cpu_seconds();
        for (long i = 0; i < batch; ++i) work();
        passed = cpu_seconds() - start;
    }
    for (int round = 0; round < 7; ++round) {
        auto start = cpu_seconds();
        long calls = 0;
        double passed = 0;
        do {
            for (long i = 0; i < batch; ++i) work();
            calls += batch;
            passed = cpu_seconds() - start;
        } while (passed < 0.1);
        rates.push_back(static_cast<double>(calls) / passed);
    }
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
}

void measure(const Case& each) {
    static unsigned char buffer[1 << 20];
    auto document = parse_json(each.schema);
    auto compiled = document ? schema::Schema::compile(*document) : document.error();
    auto valid = parse_json(each.valid);
    auto invalid = parse_json(each.invalid);
    if (!compiled || !valid || !invalid || !compiled->valid(*valid) || compiled->valid(*invalid)) {
        std::fprintf(stderr, "%s: wrong verdict\n", each.name.c_str());
        std::exit(1);
    }
    volatile bool sink = false;
    volatile std::size_t size = 0;
    std::string out;
    auto parse = rate([&] {
        boost::json::monotonic_resource memory(buffer, sizeof buffer);
        sink = parse_json(each.valid, {}, &memory).ok();
    });
    auto both = rate([&] {
        boost::json::monotonic_resource memory(buffer, sizeof buffer);
        sink = compiled->valid(*parse_json(each.valid, {}, &memory));
    });
    auto judge = rate([&] { sink = compiled->valid(*valid); });
    auto refuse = rate([&] { sink = compiled->valid(*invalid); });
    auto explain = rate([&] { size = compiled->check(*invalid).size(); });
    auto compile = rate([&] { sink = schema::Schema::compile(*document).ok(); });
    auto write = rate([&] {
        out.clear();
        append_text(out, *valid);
    });
    auto canonical = rate([&] {
        out.clear();
        append_canonical(out, *valid);
    });
    auto digest = rate([&] { size = sha256(each.valid)[0]; });
    std::printf(
        "{\"case\":\"%s\",\"bytes\":%zu,\"parse_and_valid_per_s\":%.0f,\"parse_per_s\":%.0f,"
        "\"valid_per_s\":%.0f,\"invalid_per_s\":%.0f,\"explain_per_s\":%.0f,"
        "\"compile_us\":%.1f,\"write_per_s\":%.0f,\"canonical_per_s\":%.0f,"
        "\"sha256_ns\":%.0f}\n",
        each.name.c_str(), each.valid.size(), both, parse, judge, refuse, explain, 1e6 / compile,
        write, canonical, 1e9 / digest);
}

} // namespace

int main(int count, char** arguments) {
    const char* given = std::getenv("FOXWEDGE_BENCH_SCHEMAS");
    std::string folder = count > 1 ? arguments[1] : given ? given : "";
    for (const auto& each : cases(folder)) measure(each);
}
