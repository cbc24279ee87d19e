#include <boost/test/unit_test.hpp>

#include "journal/maintenance.hpp"
#include "subject.hpp"

using namespace foxwedge;
using namespace foxwedge::journal;
using test::TemporaryFolder;

namespace {

/// A journal with a bit of everything.
struct Filled {
    TemporaryFolder folder;
    std::string path = folder.path() + "/j";
    std::string parent, child, waiting;

    std::unique_ptr<Engine> engine(const std::string& where) const {
        JournalOptions options;
        options.path = where;
        options.map_limit = std::size_t{256} << 20;
        auto opened = open_journal(options);
        BOOST_REQUIRE_MESSAGE(opened, (opened ? "" : opened.error().message));
        return *std::move(opened);
    }
    static NewRun run(const std::string& key) {
        NewRun r;
        r.host = "h";
        r.workflow = "w";
        r.key = key;
        r.input_json = "{\"n\":1.0}";
        r.config_json = "{\"prompt\":\"" + std::string(200, 'p') + "\"}";
        r.labels_json = "{}";
        return r;
    }
    static Completion step(std::uint32_t index, std::size_t bytes) {
        Completion c;
        c.key = {"", index, "step " + std::to_string(index), "task", sha256("i")};
        c.outcome = Outcome{std::nullopt, "\"" + std::string(bytes, 'v') + "\"", false};
        return c;
    }

    Filled() {
        auto e = engine(path);
        parent = e->start(run("k"))->run;
        auto held = *e->open(parent);
        Batch b;
        b.completions = {step(0, 10), step(1, 9000)};
        Effect put;
        put.collection = collection_name("kv", "project", "x");
        put.key = std::string(600, 'k');
        put.value_json = "7";
        b.completions[0].effects = {put};
        child = derived_id(parent, sha256("c"));
        ChildStart c;
        c.key = {"", 2, "kid", "child", {}};
        c.run = run("");
        c.run.id = child;
        b.children = {c};
        BOOST_REQUIRE(held->commit(std::move(b)).explanation.empty());
        BOOST_REQUIRE(
            (*e->open(child))->finish(RunStatus::succeeded, {std::nullopt, "\"kid\"", false}));
        BOOST_REQUIRE(held->finish(RunStatus::succeeded, {std::nullopt, "1.50", false}));

        waiting = e->start(run("w"))->run;
        auto second = *e->open(waiting);
        Batch g;
        GateOpening opening;
        opening.key = {"", 0, "ask", "gate", {}};
        opening.gate.about_json = "{\"tool\":\"t\"}";
        opening.gate.allow = {"approve"};
        opening.gate.path = {"a"};
        g.gates = {opening};
        const auto id = second->commit(std::move(g)).gate_ids.at(0);
        BOOST_REQUIRE(second->park({{Wait::On::gate, {}, id}}));
        BOOST_REQUIRE(e->signal(waiting, "go", "{\"x\":1}"));
    }
    static std::vector<std::string> exported(const std::string& where) {
        std::vector<std::string> lines;
        const auto report = export_journal(where, [&](const std::string& line) {
            lines.push_back(line);
            return Status();
        });
        BOOST_REQUIRE(report);
        BOOST_TEST(report->sound());
        return lines;
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(maintenance)

BOOST_FIXTURE_TEST_CASE(a_sound_journal_is_counted_and_found_sound, Filled) {
    const auto report = check_journal(path);
    BOOST_REQUIRE(report);
    for (const auto& p : report->problems) BOOST_TEST_MESSAGE(p.what);
    BOOST_TEST(report->sound());
    BOOST_TEST(report->runs == 3u);
    BOOST_TEST(report->records == 4u);
    BOOST_TEST(report->gates == 1u);
    BOOST_TEST(report->store_items == 1u);
    BOOST_TEST(check_journal(folder.path() + "/none").error().code == "not_found");
}

BOOST_FIXTURE_TEST_CASE(an_export_imports_into_the_same_runs_records_gates_and_store, Filled) {
    const auto lines = exported(path);
    const std::string other = folder.path() + "/other";
    std::size_t next = 0;
    const auto report = import_journal(other, [&]() -> Result<std::optional<std::string>> {
        if (next == lines.size()) return std::optional<std::string>();
        return std::optional(lines[next++]);
    });
    BOOST_REQUIRE_MESSAGE(report, (report ? "" : report.error().message));
    BOOST_TEST(report->runs == 3u);
    BOOST_TEST(report->gates == 1u);
    auto a = engine(path), b = engine(other);
    const auto head = b->head(parent);
    BOOST_REQUIRE(head);
    BOOST_TEST((head->status == RunStatus::succeeded));
    BOOST_TEST(head->result->value_json == "1.50"); // byte for byte
    BOOST_TEST(head->config_json == a->head(parent)->config_json);
    BOOST_TEST(head->input_json == "{\"n\":1.0}");
    BOOST_TEST(b->head(child)->root == parent);
    const auto records = b->records(parent);
    BOOST_REQUIRE(records->size() == 3u);
    BOOST_TEST(records->at(1).outcome->value_json == a->records(parent)->at(1).outcome->value_json);
    BOOST_TEST(b->start(run("k"))->existed);
    const auto collection = collection_name("kv", "project", "x");
    BOOST_TEST((*b->get(collection, std::string(600, 'k')))->value_json == "7");
    BOOST_TEST((b->head(waiting)->status == RunStatus::ready));
    const auto gates = b->gates({});
    BOOST_REQUIRE(gates->size() == 1u);
    BOOST_TEST(gates->front().about_json == "{\"tool\":\"t\"}");
    BOOST_TEST((*b->open(waiting))->signal("go").value() == "{\"x\":1}");
    const auto nothing = [] { return Result(std::optional<std::string>()); };
    BOOST_TEST(import_journal(other, nothing).error().code == "journal_not_empty");
    BOOST_TEST(check_journal(other)->sound());
}

BOOST_FIXTURE_TEST_CASE(pruning_removes_ended_trees_and_what_only_they_referred_to, Filled) {
    const auto nothing = prune_journal(path, Time(Millis(0)));
    BOOST_TEST(nothing->runs == 0u);
    BOOST_TEST(nothing->contents == 0u);
    const auto pruned = prune_journal(path, system_clock().now() + Millis(60'000));
    BOOST_TEST(pruned->runs == 2u);
    BOOST_TEST(pruned->contents == 1u); // the large value; the configuration is still referred to
    const auto report = check_journal(path);
    BOOST_TEST(report->sound());
    BOOST_TEST(report->runs == 1u);
    auto e = engine(path);
    BOOST_TEST(e->head(parent).error().code == "not_found");
    BOOST_TEST(e->head(waiting)->config_json.size() > 200u);
    BOOST_TEST(e->start(run("k"))->existed == false);
    const auto collection = collection_name("kv", "project", "x");
    BOOST_TEST((*e->get(collection, std::string(600, 'k'))).has_value());
}

BOOST_FIXTURE_TEST_CASE(compacting_keeps_everything_and_needs_the_journal_alone, Filled) {
    const auto before = exported(path);
    {
        auto e = engine(path);
        BOOST_TEST(compact_journal(path).error().code == "journal_in_use");
    }
    const auto report = compact_journal(path);
    BOOST_REQUIRE_MESSAGE(report, (report ? "" : report.error().message));
    BOOST_TEST(report->bytes_after <= report->bytes_before);
    BOOST_TEST((exported(path) == before));
    auto e = engine(path);
    BOOST_TEST(e->start(run("new")).ok());
}

BOOST_FIXTURE_TEST_CASE(statistics_count_runs_by_status, Filled) {
    auto e = engine(path);
    const auto stats = journal_stats(path);
    BOOST_REQUIRE(stats);
    BOOST_TEST(stats->runs[int(RunStatus::succeeded)] == 2u);
    BOOST_TEST(stats->runs[int(RunStatus::waiting)] == 1u);
    BOOST_TEST(stats->pending_gates == 1u);
    BOOST_TEST(stats->format == 1u);
    BOOST_TEST(stats->owners.size() == 1u);
    BOOST_TEST(stats->used_bytes > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
