#include <boost/test/unit_test.hpp>

#include <fstream>

#include <fcntl.h>

#include "journal/bytes.hpp"
#include "journal/environment.hpp"
#include "subject.hpp"

using namespace foxwedge;
using namespace foxwedge::journal;
using test::TemporaryFolder;

namespace {

JournalOptions at(const std::string& path) {
    JournalOptions options;
    options.path = path;
    options.map_limit = std::size_t{64} << 20;
    return options;
}

std::string code_of(const JournalOptions& options) {
    auto engine = open_journal(options);
    return engine ? "" : engine.error().code;
}

NewRun some_run() {
    NewRun run;
    run.host = "h";
    run.workflow = "w";
    run.input_json = "1";
    run.config_json = "{}";
    return run;
}

} // namespace

BOOST_AUTO_TEST_SUITE(place)

BOOST_AUTO_TEST_CASE(a_network_file_system_is_refused_by_name) { // B53
    TemporaryFolder folder;
    for (const auto& [type, name] : std::vector<std::pair<std::uint64_t, std::string>>{
             {0x6969, "NFS"}, {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB2"}, {0x65735546, "FUSE"}}) {
        auto options = at(folder.path() + "/j");
        options.filesystem = [t = type](const std::string&) { return t; };
        auto engine = open_journal(options);
        BOOST_REQUIRE(!engine);
        BOOST_TEST(engine.error().code == "journal_place");
        BOOST_TEST(engine.error().message.find(name) != std::string::npos);
    }
    BOOST_TEST(code_of(at(folder.path() + "/j")) == "");
}

BOOST_AUTO_TEST_CASE(a_file_cut_to_half_is_damaged_and_stays_as_it_is) { // B53
    TemporaryFolder folder;
    const std::string path = folder.path() + "/j", file = path + "/data.mdb";
    {
        auto engine = open_journal(at(path));
        BOOST_REQUIRE(engine);
        for (int i = 0; i < 100; ++i) BOOST_REQUIRE((*engine)->start(some_run()));
    }
    const auto half = std::filesystem::file_size(file) / 2;
    std::filesystem::resize_file(file, half);
    auto engine = open_journal(at(path));
    BOOST_REQUIRE(!engine);
    BOOST_TEST(engine.error().code == "journal_damaged");
    BOOST_TEST(engine.error().message.find(file) != std::string::npos);
    BOOST_TEST(std::filesystem::file_size(file) == half);
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_journal_is_not_overwritten) {
    TemporaryFolder folder;
    const std::string path = folder.path() + "/j";
    std::filesystem::create_directory(path);
    std::ofstream(path + "/data.mdb") << std::string(20'000, 'x');
    BOOST_TEST(code_of(at(path)) == "journal_damaged");
    BOOST_TEST(std::filesystem::file_size(path + "/data.mdb") == 20'000u);
}

BOOST_AUTO_TEST_CASE(a_journal_reached_by_two_paths_is_opened_once) { // B51
    TemporaryFolder folder;
    const std::string path = folder.path() + "/j";
    auto first = open_journal(at(path));
    BOOST_REQUIRE(first);
    std::filesystem::create_directory_symlink(path, folder.path() + "/link");
    auto second = open_journal(at(folder.path() + "/link"));
    BOOST_REQUIRE(second);
    const auto run = (*first)->start(some_run());
    BOOST_REQUIRE(run);
    first = Error{};
    BOOST_TEST((*second)->head(run->run).ok());
    BOOST_TEST((*second)->start(some_run()).ok());
    auto third = open_journal(at(path));
    BOOST_REQUIRE(third);
    BOOST_TEST((*third)->start(some_run()).ok());
}

BOOST_AUTO_TEST_CASE(children_do_not_inherit_the_data_file) { // B51
    TemporaryFolder folder;
    auto engine = open_journal(at(folder.path() + "/j"));
    BOOST_REQUIRE(engine);
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        const auto target = std::filesystem::read_symlink(entry.path(), gone);
        if (gone || target.string().rfind(folder.path(), 0) != 0) continue;
        const int flags = ::fcntl(std::stoi(entry.path().filename()), F_GETFD);
        BOOST_TEST((flags & FD_CLOEXEC) != 0, target.string());
    }
}

BOOST_AUTO_TEST_CASE(a_newer_format_is_refused) {
    TemporaryFolder folder;
    const std::string path = folder.path() + "/j";
    BOOST_REQUIRE(open_journal(at(path)));
    {
        EnvironmentOptions options;
        options.path = path;
        auto environment = Environment::open(options);
        BOOST_REQUIRE(environment);
        Txn txn = (*environment)->write();
        txn.put(Table::meta, "format", big_endian(99));
        BOOST_TEST(txn.commit() == 0);
    }
    BOOST_TEST(code_of(at(path)) == "journal_format");
}

BOOST_AUTO_TEST_CASE(a_list_since_a_time_reads_no_older_run) {
    TemporaryFolder folder;
    test::ManualClock clock;
    auto options = at(folder.path() + "/j");
    options.clock = &clock;
    std::string old, young;
    {
        auto engine = open_journal(options);
        BOOST_REQUIRE(engine);
        old = (*engine)->start(some_run())->run;
        clock.advance(Millis(86'400'000));
        young = (*engine)->start(some_run())->run;
    }
    {
        EnvironmentOptions raw;
        raw.path = options.path;
        auto environment = Environment::open(raw);
        BOOST_REQUIRE(environment);
        Txn txn = (*environment)->write();
        // Now whoever reads the old one's row takes it for young.
        const auto row = txn.get(Table::run, packed_id(young));
        BOOST_REQUIRE(row.has_value());
        txn.put(Table::run, packed_id(old), std::string(*row));
        BOOST_TEST(txn.commit() == 0);
    }
    auto engine = open_journal(options);
    BOOST_REQUIRE(engine);
    RunQuery since;
    since.since = clock.now();
    const auto found = (*engine)->runs(since);
    BOOST_REQUIRE(found.ok());
    BOOST_REQUIRE(found->size() == 1U);
    BOOST_TEST(found->front().id == young);
    const auto whole = (*engine)->runs({});
    BOOST_REQUIRE(whole->size() == 2U);
    BOOST_TEST((whole->at(1).created == clock.now()));
}

BOOST_AUTO_TEST_CASE(who_holds_a_run_is_named_with_its_process) {
    TemporaryFolder folder;
    auto options = at(folder.path() + "/j");
    options.owner_label = "foxwedge run";
    auto first = open_journal(options);
    auto second = open_journal(options);
    const auto run = (*first)->start(some_run());
    auto held = (*first)->open(run->run);
    BOOST_REQUIRE(held);
    const auto refused = (*second)->open(run->run);
    BOOST_TEST(refused.error().message.find("foxwedge run") != std::string::npos);
    const auto details = parse_json(refused.error().details);
    BOOST_TEST(integer_member(*details, "pid").value() == ::getpid());
}

BOOST_AUTO_TEST_SUITE_END()
