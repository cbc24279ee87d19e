// What lies in plugin folders: who may have put it there, and what happens when it changes.
#include <thread>
#include <unistd.h>

#include "plugin/lock.hpp"
#include "plugin/refusal.hpp"
#include "plugin/search.hpp"

#include "folder.hpp"

namespace fs = std::filesystem;
using namespace foxwedge;
using namespace foxwedge::plugin;
using plugin_tests::Folder;
using plugin_tests::why;

namespace {

struct Place : Folder {
    std::string code(const std::string& name) {
        const auto file = open_plugin_file(plugins.string(), name);
        return file ? "ok" : file.error().code;
    }
    /// Puts exhibit `from` under the name of plugin `id`, by rename.
    void put_as(const std::string& from, const std::string& id) {
        write(id + ".so", bytes_of(exhibit(from)));
    }
    static std::string tool_of(ToolSource& tools) {
        Call call;
        const auto list = tools.list(call);
        BOOST_REQUIRE_MESSAGE(list.ok(), why(list));
        return list->tools.at(0).name;
    }
    std::shared_ptr<ToolSource> capability(Registry& registry, const std::string& id) {
        auto tools = registry.capability(id, nullptr);
        BOOST_REQUIRE_MESSAGE(tools.ok(), why(tools));
        return *tools;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(folders, Place)

// Field case B70: names are names, and only the folder's own files count.
BOOST_AUTO_TEST_CASE(only_plain_names_are_plugin_ids) {
    for (const auto* bad : {"../evil", "/tmp/evil", "sub/evil", "evil%00", "", "-a", "A", "a_b"})
        BOOST_TEST(!is_plugin_id(bad), bad);
    BOOST_TEST(is_plugin_id("capability-kv"));
    BOOST_TEST(is_plugin_id(std::string(64, 'a')));
    BOOST_TEST(!is_plugin_id(std::string(65, 'a')));
}

BOOST_AUTO_TEST_CASE(a_link_may_not_lead_out_of_the_folder) {
    put("tame");
    fs::create_symlink("tame.so", plugins / "inside.so");
    fs::create_symlink(exhibit("tame"), plugins / "outside.so");
    fs::create_symlink(root, plugins / "way");
    BOOST_TEST(code("tame.so") == "ok");
    BOOST_TEST(code("inside.so") == "ok");
    BOOST_TEST(code("outside.so") == "leads_out");
    BOOST_TEST(code("way/plugins/tame.so") == "leads_out");
    BOOST_TEST(code("../plugins/tame.so") == "leads_out");
    BOOST_TEST(code("gone.so") == "not_found");
}

BOOST_AUTO_TEST_CASE(what_others_can_write_is_not_trusted) {
    const auto path = put("tame");
    fs::permissions(path, fs::perms(0646));
    BOOST_TEST(code("tame.so") == "unsafe_mode");
    fs::permissions(path, fs::perms(0644));
    fs::permissions(plugins, fs::perms(0777));
    BOOST_TEST(code("tame.so") == "unsafe_mode");
    fs::permissions(plugins, fs::perms(0755));
    if (::geteuid() != 0) return; // the rest needs root to give files away
    BOOST_REQUIRE(::chown(plugins.c_str(), 0, 12345) == 0);
    fs::permissions(plugins, fs::perms(0775));
    BOOST_TEST(code("tame.so") == "unsafe_mode");
    fs::permissions(plugins, fs::perms(0755));
    BOOST_REQUIRE(::chown(path.c_str(), 12345, 0) == 0);
    BOOST_TEST(code("tame.so") == "unsafe_owner");
}

BOOST_AUTO_TEST_CASE(the_search_path_never_holds_the_working_directory) {
    const auto path = search_path({"/etc/foxwedge", ".", "", "plugins", "/etc/foxwedge/"},
                                  [](std::string_view name) -> std::optional<std::string> {
                                      if (name == "FOXWEDGE_PLUGIN_PATH") return "/a::relative:/b";
                                      if (name == "XDG_DATA_HOME") return "/data";
                                      return std::nullopt;
                                  });
    BOOST_REQUIRE(path.size() == 5u);
    BOOST_TEST(path[0] == "/etc/foxwedge");
    BOOST_TEST(path[1] == "/a");
    BOOST_TEST(path[2] == "/b");
    BOOST_TEST(path[3] == "/data/foxwedge/plugins");
}

BOOST_AUTO_TEST_CASE(the_first_folder_wins_and_the_rest_is_reported) {
    put("tame");
    fs::create_directories(root / "second/tame");
    fs::copy_file(exhibit("tame"), root / "second/tame/tame.so");
    const auto rows = list({plugins.string(), (root / "second").string()});
    BOOST_REQUIRE(rows.size() == 2u);
    BOOST_TEST(rows[0].usable());
    BOOST_TEST(rows[1].shadowed_by == rows[0].path);
}

BOOST_AUTO_TEST_CASE(a_replaced_file_serves_new_instances_and_old_ones_keep_theirs) {
    put_as("shifting-1", "shifting");
    const auto registry = Registry::open(options());
    const auto before = capability(**registry, "shifting");
    BOOST_TEST((*registry)->refresh().empty());
    put_as("shifting-2", "shifting"); // by rename
    BOOST_TEST(((*registry)->refresh() == std::vector<std::string>{"shifting"}));
    const auto after = capability(**registry, "shifting");
    BOOST_TEST(tool_of(*before) == "shifting-1");
    BOOST_TEST(tool_of(*after) == "shifting-2");
    BOOST_TEST((*registry)->build_of(capability_kind, "shifting")->version == "2");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_overwritten_in_place_hurts_nobody) {
    put_as("shifting-1", "shifting");
    const auto registry = Registry::open(options());
    const auto before = capability(**registry, "shifting");
    std::ofstream(plugins / "shifting.so", std::ios::binary | std::ios::trunc)
        << std::string(4096, 'x');
    BOOST_TEST(tool_of(*before) == "shifting-1");
    BOOST_TEST(((*registry)->refresh() == std::vector<std::string>{"shifting"}));
    BOOST_TEST((*registry)->rows().at(0).refusal.has_value());
    BOOST_TEST(tool_of(*capability(**registry, "shifting")) == "shifting-1");
    BOOST_TEST((*registry)->refresh().empty());
    put_as("shifting-2", "shifting");
    (*registry)->refresh();
    BOOST_TEST(tool_of(*capability(**registry, "shifting")) == "shifting-2");
}

BOOST_AUTO_TEST_CASE(new_files_are_noticed_and_removed_ones_serve_nobody_new) {
    const auto registry = Registry::open(options());
    BOOST_TEST(!(*registry)->capability("tame", nullptr).ok());
    put("tame");
    BOOST_TEST((*registry)->refresh().size() == 1u);
    const auto tools = capability(**registry, "tame");
    fs::remove(plugins / "tame.so");
    BOOST_TEST((*registry)->refresh().size() == 1u);
    BOOST_TEST(!(*registry)->capability("tame", nullptr).ok());
    BOOST_TEST(tool_of(*tools) == "tame-1.0.0");
}

BOOST_AUTO_TEST_CASE(names_inside_plugins_do_not_clash) {
    put_as("shifting-1", "shifting");
    put_as("stray-1", "stray");
    const auto registry = Registry::open(options());
    const auto one = capability(**registry, "stray"), two = capability(**registry, "shifting");
    BOOST_TEST(tool_of(*one) == "stray-1");
    BOOST_TEST(tool_of(*two) == "shifting-1");
}

BOOST_AUTO_TEST_CASE(another_version_with_exported_names_needs_a_restart_and_the_first_goes_on) {
    put_as("stray-1", "stray");
    const auto registry = Registry::open(options());
    const auto one = capability(**registry, "stray");
    put_as("stray-2", "stray");
    (*registry)->refresh();
    BOOST_TEST(tool_of(*capability(**registry, "stray")) == "stray-1");
    const auto rows = (*registry)->rows();
    BOOST_REQUIRE(rows.at(0).refusal.has_value());
    BOOST_TEST(rows[0].refusal->code == "needs_restart");
    BOOST_TEST(rows[0].refusal->message.find("foxwedge_museum_helper") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(with_a_lock_only_what_it_pins_is_loaded) {
    put_as("shifting-1", "shifting");
    const auto path = (root / "foxwedge.lock").string();
    BOOST_TEST(!read_lock(path)->has_value());
    BOOST_REQUIRE(write_lock(path, lock_of(list({plugins.string()}))).ok());
    auto o = options();
    o.lock_file = path;
    put("tame");
    const auto registry = Registry::open(o);
    capability(**registry, "shifting");
    const auto unknown = (*registry)->capability("tame", nullptr);
    BOOST_REQUIRE(!unknown.ok());
    BOOST_TEST(unknown.error().code == "not_locked");
    put_as("shifting-2", "shifting");
    const auto second = Registry::open(o);
    const auto changed = (*second)->capability("shifting", nullptr);
    BOOST_REQUIRE(!changed.ok());
    BOOST_TEST(changed.error().code == "changed_since_lock");
    BOOST_TEST(changed.error().message.find("plugins lock") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_damaged_lock_is_refused) {
    const auto path = (root / "foxwedge.lock").string();
    std::ofstream(path) << "{\"lockVersion\":99}";
    BOOST_TEST(read_lock(path).error().code == "bad_lock");
}

BOOST_AUTO_TEST_CASE(a_private_copy_that_was_tampered_with_is_made_again) {
    put_as("shifting-1", "shifting");
    std::string copy;
    {
        const auto registry = Registry::open(options());
        capability(**registry, "shifting");
        for (const auto& entry : fs::directory_iterator(state / "plugins")) copy = entry.path();
    }
    BOOST_TEST((fs::status(copy).permissions() == fs::perms(0500)));
    fs::remove(copy);
    std::ofstream(copy) << "not what its name says";
    fs::permissions(copy, fs::perms(0500));
    const auto rows = list({plugins.string()});
    const auto registry = Registry::open(options());
    BOOST_TEST(tool_of(*capability(**registry, "shifting")) == "shifting-1");
    BOOST_TEST(bytes_of(copy) == bytes_of(exhibit("shifting-1")));
}

BOOST_AUTO_TEST_SUITE_END()
