// Real processes over LMDB, killed at every write and at moments nobody chose; owners suspended and
// taken over; several that want the same run at once.
#define BOOST_TEST_MODULE crash_run_process
#include <boost/test/unit_test.hpp>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <thread>

#include "base/id.hpp"
#include "journal/lmdb_engine.hpp"
#include "workload.hpp"

extern char** environ;

namespace foxwedge::run {
namespace {

namespace fs = std::filesystem;

struct Ended {
    int code = -1; ///< exit code, or -signal
};

class Victim {
public:
    Victim(const std::vector<std::string>& words) {
        std::vector<char*> argv;
        for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        BOOST_REQUIRE(posix_spawn(&pid_, argv[0], nullptr, nullptr, argv.data(), environ) == 0);
    }
    ~Victim() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        (void)wait();
    }
    void signal(int number) const { ::kill(pid_, number); }
    /// Blocks until the process has stopped itself.
    bool stopped() const {
        int status = 0;
        return ::waitpid(pid_, &status, WUNTRACED) == pid_ && WIFSTOPPED(status);
    }
    int wait() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) != pid_) {
        }
        pid_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    pid_t pid_ = 0;
};

/// One journal folder with one run; who opens it here is one more process beside the victims.
struct Place {
    fs::path folder = fs::temp_directory_path() / ("fw-crash-" + to_hex(random_bytes(6)));
    std::unique_ptr<journal::Engine> engine;
    std::string run;
    std::set<std::string> done; ///< keys of steps whose outcome was on record when last looked

    Place() {
        fs::create_directories(folder);
        journal::JournalOptions options;
        options.path = folder / "journal";
        options.map_limit = std::size_t{1} << 30;
        auto opened = journal::open_journal(options);
        BOOST_REQUIRE_MESSAGE(opened.ok(), (opened ? "" : opened.error().message));
        engine = std::move(*opened);
        run = start();
    }
    ~Place() {
        engine.reset();
        fs::remove_all(folder);
    }
    std::string start() {
        journal::NewRun wanted;
        wanted.host = "test";
        wanted.workflow = "parent";
        wanted.input_json = "{}";
        return engine->start(wanted)->run;
    }
    std::vector<std::string> words(const std::string& id, const std::string& when, long n) const {
        return {std::getenv("FOXWEDGE_VICTIM"),
                folder / "journal",
                id,
                folder / "log",
                when,
                std::to_string(n)};
    }
    void answer_gates(const std::string& once) {
        journal::GateQuery query;
        const auto gates = engine->gates(query);
        BOOST_REQUIRE(gates.ok());
        for (const auto& gate : *gates) {
            journal::Answer answer;
            answer.gate = gate.id;
            answer.digest = gate.digest;
            answer.answer = gate.kind == "unknown" ? once : "approve";
            if (answer.answer == "use") answer.payload_json = Workload::once_value();
            answer.decided_by = "user:ann";
            (void)engine->answer(answer);
        }
    }
    /// No body in the log since the last look may be of a step that was finished then.
    void look() {
        std::ifstream log(folder / "log");
        for (std::string line; std::getline(log, line);)
            BOOST_TEST(!done.count(line.substr(6)), line << " although it was finished");
        fs::remove(folder / "log");
        journal::RunQuery all;
        const auto runs = *engine->runs(all);
        for (const auto& head : runs) {
            const auto records = engine->records(head.id);
            BOOST_REQUIRE(records.ok());
            for (const auto& record : *records)
                if (record.outcome) done.insert(head.id + "/" + record.key.name);
        }
    }
    /// Five deaths without a new record, which these kills may well be, ask for a person's retry.
    void unstick() {
        if (engine->head(run)->status == journal::RunStatus::stuck)
            BOOST_TEST(engine->retry(run).ok());
    }
    bool over(const std::string& id) const { return journal::is_final(engine->head(id)->status); }
    /// Victims without harm until the run has ended.
    void live(const std::string& once = "use") {
        for (int turn = 0; turn < 20 && !over(run); ++turn) {
            look();
            answer_gates(once);
            unstick();
            (void)Victim(words(run, "none", 0)).wait();
            journal::RunQuery children;
            children.parent = run;
            const auto born = *engine->runs(children);
            for (const auto& child : born)
                if (!over(child.id)) (void)Victim(words(child.id, "none", 0)).wait();
        }
        look();
    }
    /// `others`: effects of other runs that are there too.
    void check(int others = 0) {
        const auto head = *engine->head(run);
        BOOST_TEST((head.status == journal::RunStatus::succeeded));
        BOOST_REQUIRE(head.result.has_value());
        BOOST_TEST(head.result->value_json == Workload::final_value());
        const auto counter = *engine->get(Workload::collection(), "adds");
        BOOST_REQUIRE(counter.has_value());
        BOOST_TEST(counter->value_json == std::to_string(Workload::adds() + others));
        std::set<std::string> names;
        const auto records = *engine->records(run);
        for (const auto& record : records) BOOST_TEST(names.insert(record.key.name).second);
        const Workload load;
        BOOST_TEST(
            (run::replay(head, records, {}, load.parent(), {}).how == run::Ended::succeeded));
    }
};

} // namespace

BOOST_AUTO_TEST_CASE(killed_at_any_write_a_run_goes_on_in_the_next_process) {
    for (const std::string when : {"before", "after"}) {
        // The writes of a first process until the gate; those after it; the child's.
        for (long n = 1; n <= 12; ++n) {
            BOOST_TEST_CONTEXT(when << " write " << n) {
                Place place;
                (void)Victim(place.words(place.run, when, n)).wait();
                place.live(n % 2 ? "use" : "again");
                place.check();
            }
        }
        for (long n = 1; n <= 12; ++n) {
            BOOST_TEST_CONTEXT(when << " write " << n << " of the second half") {
                Place place;
                BOOST_TEST(Victim(place.words(place.run, "none", 0)).wait() == 3);
                place.look();
                place.answer_gates("use");
                (void)Victim(place.words(place.run, when, n)).wait();
                place.live(n % 2 ? "use" : "again");
                place.check();
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(killed_at_random_moments_again_and_again_a_run_ends_with_its_value) {
    std::mt19937 random(20261129);
    int kills = 0;
    // A quick machine ends more runs before they are killed, a slow one fewer.
    for (int life = 0; life < 25 || (kills <= 100 && life < 100); ++life) {
        Place place;
        for (int turn = 0; turn < 8 && !place.over(place.run); ++turn) {
            place.look();
            place.answer_gates("again");
            place.unstick();
            Victim victim(place.words(place.run, "none", 0));
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
            victim.signal(SIGKILL);
            kills += victim.wait() == -SIGKILL;
        }
        place.live("again");
        place.check();
    }
    BOOST_TEST(kills > 100);
}

BOOST_AUTO_TEST_CASE(an_owner_that_was_suspended_and_taken_over_changes_nothing_when_it_wakes) {
    for (const long body : {2L, 3L, 5L}) {
        Place place;
        Victim late(place.words(place.run, "stop", body));
        BOOST_REQUIRE(late.stopped());
        // Alive, so nobody else gets the run unasked.
        BOOST_TEST(Victim(place.words(place.run, "none", 0)).wait() == 8);
        {
            auto held = place.engine->open(place.run, {.take_over = true});
            BOOST_REQUIRE(held.ok());
            Workload load;
            ExecuteOptions options;
            options.stay_for_timers = true;
            (void)execute(**held, load.parent(), options);
        }
        late.signal(SIGCONT);
        BOOST_TEST(late.wait() == 9);
        fs::remove(place.folder / "log"); // its body was the second of that step, as it may be
        place.live("use");
        place.check();
    }
}

BOOST_AUTO_TEST_CASE(
    a_noexcept_function_above_a_step_that_parks_ends_the_process_and_nothing_else) {
    Place place;
    BOOST_TEST(Victim(place.words(place.run, "noexcept", 0)).wait() == -SIGABRT);
    place.live("use");
    place.check();
}

// B46: a run that kills its host is not resumed for ever, and hurts no other.
BOOST_AUTO_TEST_CASE(a_run_that_kills_its_host_at_the_same_step_is_stuck_after_five_deaths) {
    Place place;
    const auto healthy = place.start();
    for (int death = 0; death < 5; ++death)
        BOOST_TEST(Victim(place.words(place.run, "body", 1)).wait() == -SIGKILL);
    BOOST_TEST(Victim(place.words(place.run, "none", 0)).wait() == 7);
    const auto head = *place.engine->head(place.run);
    BOOST_TEST((head.status == journal::RunStatus::stuck));
    BOOST_TEST(!head.reason.empty());
    BOOST_TEST(Victim(place.words(healthy, "none", 0)).wait() == 3);
    BOOST_TEST(place.engine->retry(place.run).ok());
    place.live("use");
    place.check(2); // the healthy one's until its gate
}

BOOST_AUTO_TEST_CASE(of_many_processes_that_want_one_run_one_gets_it) {
    // B44, with two and with eight.
    for (const int crowd : {2, 8}) {
        Place place;
        for (int turn = 0; turn < 20 && !place.over(place.run); ++turn) {
            place.answer_gates("use");
            std::vector<std::unique_ptr<Victim>> all;
            for (int i = 0; i < crowd; ++i)
                all.push_back(std::make_unique<Victim>(place.words(place.run, "none", 0)));
            for (auto& victim : all) {
                const int code = victim->wait();
                BOOST_TEST((code == 0 || code == 3 || code == 8), "ended with " << code);
            }
            journal::RunQuery children;
            children.parent = place.run;
            const auto born = *place.engine->runs(children);
            for (const auto& child : born) (void)Victim(place.words(child.id, "none", 0)).wait();
        }
        place.check();
    }
}

BOOST_AUTO_TEST_CASE(eight_processes_on_eight_runs_do_not_disturb_each_other) {
    Place place;
    std::vector<std::string> runs;
    for (int i = 0; i < 8; ++i) runs.push_back(place.start());
    for (int turn = 0; turn < 6; ++turn) {
        place.answer_gates("use");
        std::vector<std::unique_ptr<Victim>> all;
        for (const auto& run : runs)
            all.push_back(std::make_unique<Victim>(place.words(run, "none", 0)));
        for (auto& victim : all) BOOST_TEST(victim->wait() != 7);
        for (const auto& run : runs) {
            journal::RunQuery children;
            children.parent = run;
            const auto born = *place.engine->runs(children);
            for (const auto& child : born)
                if (!place.over(child.id)) (void)Victim(place.words(child.id, "none", 0)).wait();
        }
    }
    for (const auto& run : runs)
        BOOST_TEST(place.engine->head(run)->result->value_json == Workload::final_value());
}

} // namespace foxwedge::run
