// The museum of broken plugins: what is refused before its first verb, and with which words.
#include <algorithm>

#include "plugin/refusal.hpp"
#include "process/supervisor.hpp"

#include "folder.hpp"

using namespace foxwedge;
using namespace foxwedge::plugin;
using plugin_tests::Folder;
using plugin_tests::why;

namespace {

struct Museum : Folder {
    process::Supervisor children;

    RegistryOptions quick(const std::string& id, bool isolated) {
        auto o = options();
        o.limits.open = Millis(50);
        o.limits.create = Millis(50);
        o.limits.grace = Millis(isolated ? 200 : 20);
        o.children = &children;
        o.uses = {{id, nullptr, isolated, ""}};
        return o;
    }
    /// The refusal in this process, where it survives that, and in one of its own.
    Error refused(const std::string& id, bool isolated = false) {
        const auto path = put(id);
        const auto registry = Registry::open(quick(id, isolated));
        BOOST_REQUIRE(registry.ok());
        const auto tools = (*registry)->capability(id, nullptr);
        BOOST_REQUIRE_MESSAGE(!tools.ok(), id + " was accepted");
        BOOST_TEST(tools.error().message.find(path.stem().string()) != std::string::npos,
                   tools.error().message);
        return tools.error();
    }
    void says(const std::string& id, const std::string& words, bool in_process = true) {
        for (const bool isolated : {false, true}) {
            if (!isolated && !in_process) continue;
            const auto error = refused(id, isolated);
            BOOST_TEST(error.message.find(words) != std::string::npos,
                       id << (isolated ? " isolated: " : ": ") << error.message);
        }
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
    says("other-major", "needs ABI 99.0, this host speaks 1.0");
    says("newer-host", "it needs a host of ABI 1.99, this host speaks 1.0; use a newer foxwedge");
}
BOOST_AUTO_TEST_CASE(a_short_entry_is_refused_and_a_longer_one_is_not) {
    says("short-entry", "its entry says that it has 32 bytes, at least 40 are needed");
    put("long-entry");
    for (const bool isolated : {false, true}) {
        const auto registry = Registry::open(quick("long-entry", isolated));
        BOOST_TEST((*registry)->capability("long-entry", nullptr).ok());
    }
}
BOOST_AUTO_TEST_CASE(a_file_without_note_or_entry_is_refused) {
    says("no-note", "it has no descriptor (the note .note.foxwedge)");
    says("no-entry", "it does not export the symbol foxwedge_entry_v1");
}
BOOST_AUTO_TEST_CASE(a_null_function_is_named) {
    for (const std::string name : {"open", "close", "factory_at", "create", "destroy"}) {
        auto id = "null-" + name;
        std::replace(id.begin(), id.end(), '_', '-');
        says(id, "its function " + name + " is null; mend the plugin");
    }
    says("null-verb", "its function run_tool is null");
}
BOOST_AUTO_TEST_CASE(an_instance_that_is_none_is_refused) {
    says("no-instance", "its create says ok but gives no instance");
    says("short-instance", "its instance says that it has 40 bytes, at least 48 are needed");
}
BOOST_AUTO_TEST_CASE(factories_must_match_the_descriptor) {
    says("unlisted-factory", "called stranger, which its descriptor does not list");
    says("endless-factories", "its list of factories does not end");
}
BOOST_AUTO_TEST_CASE(an_open_that_fails_is_told_with_the_plugins_own_words) {
    says("open-fails", "the licence has run out");
}
BOOST_AUTO_TEST_CASE(an_open_or_create_that_hangs_is_left_behind) {
    for (const auto* id : {"open-hangs", "create-hangs"}) {
        BOOST_TEST(refused(id).message.find("did not return") != std::string::npos);
        BOOST_TEST(refused(id, true).message.find("its process did not get it ready in time") !=
                   std::string::npos);
    }
}
BOOST_AUTO_TEST_CASE(an_open_or_create_that_crashes_ends_its_own_process_alone) {
    for (const auto* id : {"open-crashes", "create-crashes"})
        says(id, "its process was ended by signal 6 (Aborted) while it was opened", false);
}
BOOST_AUTO_TEST_CASE(what_create_says_reaches_the_user) {
    says("create-says-no", "the key file is missing");
    const auto error = refused("create-says-no");
    BOOST_TEST(error.code == "no_key");
    BOOST_TEST(error.details.find("/key") != std::string::npos);
}

// Field case B65: bound at once, and told in the loader's own words, without a made-up errno.
BOOST_AUTO_TEST_CASE(a_missing_symbol_is_named_and_the_others_load) {
    says("undefined-symbol", "undefined symbol: host_v9_fn;");
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
