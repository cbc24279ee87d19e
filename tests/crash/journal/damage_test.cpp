// A file with flipped bits, or cut: what is read is right or is reported, and what is whole is
// saved.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "subject.hpp"
#include "support.hpp"

using namespace foxwedge;
using namespace foxwedge::journal;
using namespace foxwedge::journal::test;
namespace fs = std::filesystem;

namespace {

struct Exported {
    std::set<std::string> lines; ///< records, gates, items
    CheckReport report;
};

Exported exported(const std::string& path) {
    Exported e;
    auto report = export_journal(path, [&](const std::string& line) {
        if (line.rfind("{\"type\":\"damaged\"", 0) != 0) e.lines.insert(line);
        return Status();
    });
    BOOST_REQUIRE(report);
    e.report = *std::move(report);
    return e;
}

struct Original {
    TemporaryFolder folder;
    std::string path = folder.path() + "/original";
    std::vector<std::string> runs;
    std::set<std::string> lines;

    Original() {
        auto engine = open_at(path);
        for (int r = 0; r < 6; ++r) {
            runs.push_back(engine->start(some_run())->run);
            auto held = *engine->open(runs.back());
            for (std::uint32_t i = 0; i < 12; ++i) {
                auto c = step(i, i == 5 ? 6000 : 300);
                Effect put;
                put.collection = "kv/project/x";
                put.key = "k" + std::to_string(r) + "." + std::to_string(i);
                put.value_json = std::to_string(i);
                c.effects.push_back(put);
                BOOST_REQUIRE(
                    (held->commit(only(std::move(c))).verdicts.at(0) == Verdict::recorded));
            }
            Batch b;
            b.gates.push_back(question(12));
            BOOST_REQUIRE(
                held->park({{Wait::On::gate, {}, held->commit(std::move(b)).gate_ids.at(0)}}));
        }
        engine.reset();
        const auto all = exported(path);
        BOOST_REQUIRE(all.report.sound());
        lines = all.lines;
    }

    std::string copy(int n) const {
        const std::string to = folder.path() + "/copy" + std::to_string(n);
        fs::create_directory(to);
        fs::copy_file(path + "/data.mdb", to + "/data.mdb");
        return to;
    }
};

void flip(const std::string& file, std::uint64_t at, int bit) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(f.get() ^ (1 << bit));
    f.seekp(static_cast<std::streamoff>(at));
    f.put(byte);
}

std::size_t missing(const std::set<std::string>& wanted, const std::set<std::string>& have) {
    std::size_t n = 0;
    for (const auto& line : wanted) n += have.count(line) == 0 ? 1 : 0;
    return n;
}

} // namespace

BOOST_AUTO_TEST_SUITE(damage)

BOOST_FIXTURE_TEST_CASE(no_flipped_bit_gives_a_wrong_record_and_most_records_survive, Original) {
    std::mt19937 random(7); // the same flips in every run
    const auto size = fs::file_size(path + "/data.mdb");
    int noticed = 0, silent_losses = 0;
    for (int n = 0; n < 80; ++n) {
        const std::string to = copy(n);
        flip(to + "/data.mdb", 8192 + random() % (size - 8192), static_cast<int>(random() % 8));
        const auto now = exported(to);
        for (const auto& line : now.lines)
            BOOST_TEST(lines.count(line) == 1u, "a wrong line: " << line.substr(0, 300));
        const auto lost = missing(lines, now.lines);
        noticed += now.report.sound() ? 0 : 1;
        if (lost > 0 && now.report.sound()) ++silent_losses;
        // Anything, as long as it is an answer and not a crash or a wrong value. In a child: where
        // the map itself is broken LMDB ends the process.
        BOOST_TEST(check_journal(to).ok());
        fs::remove_all(to);
    }
    BOOST_TEST_MESSAGE("flips noticed: " << noticed);
    BOOST_TEST(noticed > 0);
    BOOST_TEST(silent_losses == 0);
}

BOOST_FIXTURE_TEST_CASE(a_damaged_record_is_named_by_run_and_step_and_the_others_are_saved,
                        Original) {
    // The bytes of one value, wherever they are.
    std::ifstream in(path + "/data.mdb", std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    const std::string to = copy(0);
    std::size_t at = 0, found = 0;
    while ((at = bytes.find("\"7 hhhhhhhhhh", at)) != std::string::npos) {
        flip(to + "/data.mdb", at + 40, 2); // old copies of the page are hit too
        ++at;
        ++found;
    }
    BOOST_REQUIRE(found >= 6u);
    const auto now = exported(to);
    BOOST_TEST(now.report.problems.size() == 6u);
    for (const auto& p : now.report.problems) {
        BOOST_TEST(p.step == "step 7");
        BOOST_TEST(std::count(runs.begin(), runs.end(), p.run) == 1);
    }
    BOOST_TEST(missing(lines, now.lines) == 6u);
    auto engine = open_at(to);
    const auto refused = engine->open(runs[0]);
    BOOST_REQUIRE(!refused);
    BOOST_TEST(refused.error().code == "journal_damaged");
    BOOST_TEST(refused.error().message.find(runs[0]) != std::string::npos);
    BOOST_TEST(refused.error().message.find("step 7") != std::string::npos);
    BOOST_TEST((engine->head(runs[0])->status == RunStatus::waiting)); // left as it is
    BOOST_TEST(engine->start(some_run()).ok()); // and the journal can be used
}

BOOST_FIXTURE_TEST_CASE(a_cut_file_is_refused_and_what_is_left_of_it_is_saved, Original) { // B53
    for (int n = 0; n < 8; ++n) {
        const std::string to = copy(n);
        const auto size = fs::file_size(to + "/data.mdb");
        fs::resize_file(to + "/data.mdb", 8192 + (size - 8192) * n / 16);
        JournalOptions options;
        options.path = to;
        const auto refused = open_journal(options);
        BOOST_REQUIRE(!refused);
        BOOST_TEST(refused.error().code == "journal_damaged");
        const auto now = exported(to);
        BOOST_TEST(!now.report.sound());
        for (const auto& line : now.lines) BOOST_TEST(lines.count(line) == 1u);
        fs::remove_all(to);
    }
}

BOOST_AUTO_TEST_SUITE_END()
