// The museum of broken plugins: what is refused before its first verb, and with which words.
#include "plugin/refusal.hpp"

#include "folder.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin;
using plugin_tests::Folder;
using plugin_tests::why;

namespace {

struct Museum : Folder {
    RegistryOptions quick() const {
        auto o = options();
        o.limits.open = Millis(50);
        o.limits.grace = Millis(20);
        return o;
    }
    Error refused(const std::string& id) {
        const auto path = put(id);
        const auto registry = Registry::open(quick());
        BOOST_REQUIRE(registry.ok());
        const auto tools = (*registry)->capability(id, nullptr);
        BOOST_REQUIRE_MESSAGE(!tools.ok(), id + " was accepted");
        BOOST_TEST(tools.error().message.find(id) != std::string::npos, tools.error().message);
        return tools.error();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(loading, Museum)

BOOST_AUTO_TEST_CASE(a_good_plugin_loads_and_lists_its_tools) {
    put("tame");
    const auto registry = Registry::open(options());
    const auto tools = (*registry)->capability("tame", nullptr);
    BOOST_REQUIRE_MESSAGE(tools.ok(), why(tools));
    Call call;
    BOOST_TEST((*tools)->list(call).ok());
    const auto build = (*registry)->build_of(capability_kind, "tame");
    BOOST_REQUIRE(build.ok());
    BOOST_TEST(build->version == "1.0.0");
    BOOST_TEST(build->sha256.size() == 64u);
}

// Field case B64: versions and sizes are read first, and refusals name both sides.
BOOST_AUTO_TEST_CASE(another_abi_is_refused_with_both_numbers) {
    BOOST_TEST(refused("other-major").message.find("needs ABI 99.0, this host speaks 1.0") !=
               std::string::npos);
    BOOST_TEST(refused("newer-host").message.find("needs a host of ABI 1.99") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(a_short_entry_is_refused_and_a_longer_one_is_not) {
    BOOST_TEST(refused("short-entry").code == "short_entry");
    put("long-entry");
    const auto registry = Registry::open(options());
    BOOST_TEST((*registry)->capability("long-entry", nullptr).ok());
}
BOOST_AUTO_TEST_CASE(a_null_function_is_named) {
    BOOST_TEST(refused("null-open").message.find("function open is null") != std::string::npos);
    BOOST_TEST(refused("null-verb").message.find("function run_tool is null") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(an_instance_that_is_none_is_refused) {
    BOOST_TEST(refused("no-instance").code == "no_instance");
    BOOST_TEST(refused("short-instance").code == "short_instance");
}
BOOST_AUTO_TEST_CASE(factories_must_match_the_descriptor) {
    BOOST_TEST(refused("unlisted-factory").code == "factory_mismatch");
    BOOST_TEST(refused("endless-factories").code == "factory_mismatch");
}
BOOST_AUTO_TEST_CASE(an_open_that_fails_is_told_with_the_plugins_own_words) {
    BOOST_TEST(refused("open-fails").message.find("the licence has run out") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(an_open_that_hangs_is_left_behind) {
    BOOST_TEST(refused("open-hangs").message.find("did not return") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(what_create_says_reaches_the_user) {
    const auto error = refused("create-says-no");
    BOOST_TEST(error.code == "no_key");
    BOOST_TEST(error.details.find("/key") != std::string::npos);
}

// Field case B65: bound at once, and told in the loader's own words, without a made-up errno.
BOOST_AUTO_TEST_CASE(a_missing_symbol_is_named_and_the_others_load) {
    const auto error = refused("undefined-symbol");
    BOOST_TEST(error.message.find("undefined symbol: host_v9_fn;") != std::string::npos,
               error.message);
    put("tame");
    const auto registry = Registry::open(options());
    BOOST_TEST((*registry)->capability("tame", nullptr).ok());
}

BOOST_AUTO_TEST_CASE(an_unknown_kind_is_listed_and_skipped) {
    put("unknown-kind");
    const auto rows = list({plugins.string()});
    BOOST_REQUIRE(rows.size() == 1u);
    BOOST_TEST(rows[0].usable());
    BOOST_TEST(to_text(to_json(rows[0])).find("\"skipped\"") != std::string::npos);
    const auto registry = Registry::open(options());
    BOOST_TEST(!(*registry)->capability("unknown-kind", nullptr).ok());
}

BOOST_AUTO_TEST_CASE(an_unknown_component_gets_a_suggestion) {
    put("tame");
    const auto registry = Registry::open(options());
    const auto tools = (*registry)->capability("tam", nullptr);
    BOOST_REQUIRE(!tools.ok());
    BOOST_TEST(tools.error().message.find("did you mean tame?") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(listing_runs_nothing_and_explains_each_refusal) {
    for (const auto* id : {"tame", "open-crashes", "other-major", "no-entry"}) put(id);
    write("text.so", "not a library");
    write("Bad Name.so", "x");
    for (const auto& row : list({plugins.string()})) {
        const bool fine = row.id == "tame" || row.id == "open-crashes";
        BOOST_TEST(row.usable() == fine, row.path);
        if (fine) continue;
        BOOST_TEST(row.refusal->message.find(row.path) == 0u, row.refusal->message);
        BOOST_TEST(!reason_of(*row.refusal).empty());
        BOOST_TEST(!mend_of(*row.refusal).empty());
    }
}

BOOST_AUTO_TEST_CASE(a_digest_that_is_asked_for_must_match) {
    put("tame");
    auto o = options();
    o.uses.push_back({"tame", nullptr, false, std::string(64, '0')});
    const auto registry = Registry::open(o);
    const auto tools = (*registry)->capability("tame", nullptr);
    BOOST_REQUIRE(!tools.ok());
    BOOST_TEST(tools.error().code == "wrong_digest");
}

BOOST_AUTO_TEST_CASE(two_hosts_of_one_process_open_the_same_plugin) {
    put("tame");
    const auto one = Registry::open(options()), two = Registry::open(options());
    BOOST_TEST((*one)->capability("tame", nullptr).ok());
    BOOST_TEST((*two)->capability("tame", nullptr).ok());
}

BOOST_AUTO_TEST_SUITE_END()
