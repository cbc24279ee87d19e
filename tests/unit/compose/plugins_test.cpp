// A host that stays up: what is dropped into a plugin folder serves new runs, and runs under way
// keep what they have.
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include <boost/test/unit_test.hpp>

#include "compose/host.hpp"
#include "compose/run_world.hpp"
#include "config/load.hpp"

namespace fs = std::filesystem;
using namespace foxwedge;

namespace {

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
fs::path exhibit(const std::string& name) {
    return fs::path(std::getenv("FOXWEDGE_MUSEUM")) / (name + ".so");
}

/// A host with one agent and a plugin folder that it watches.
struct Staying {
    fs::path root, plugins;
    std::mutex mutex;
    std::condition_variable told;
    std::vector<std::string> changed;
    std::unique_ptr<compose::Host> host;

    Staying() {
        auto name = (fs::temp_directory_path() / "foxwedge-compose-XXXXXX").string();
        root = ::mkdtemp(name.data());
        plugins = root / "plugins";
        fs::create_directory(plugins);
        fs::permissions(plugins, fs::perms(0755));
    }
    ~Staying() {
        host.reset();
        std::error_code ignored;
        fs::remove_all(root, ignored);
    }

    void start() {
        std::ofstream(root / "host.json")
            << R"({"name": "h", "journal": {"path": "journal"}, "plugins": {"path": ["plugins"]},
                   "tools": {"shifting_shifting-1": {"autoApprove": true},
                             "shifting_shifting-2": {"autoApprove": true}}})";
        auto loaded = config::load((root / "host.json").string());
        BOOST_REQUIRE_MESSAGE(loaded.config, config::to_text(loaded.problems));
        compose::HostOptions options;
        options.plugins_changed = [this](const std::vector<std::string>& ids) {
            std::lock_guard lock(mutex);
            changed.insert(changed.end(), ids.begin(), ids.end());
            told.notify_all();
        };
        auto made = compose::Host::make(std::move(*loaded.config), std::move(options));
        BOOST_REQUIRE_MESSAGE(made.ok(), (made ? "" : made.error().message));
        host = std::move(*made);
    }
    /// Puts an exhibit under the name of the plugin `shifting`, by rename.
    void replace(const std::string& from) {
        const auto fresh = plugins / "fresh";
        std::ofstream(fresh, std::ios::binary) << bytes_of(exhibit(from));
        fs::permissions(fresh, fs::perms(0644));
        fs::rename(fresh, plugins / "shifting.so");
    }
    void overwrite(const std::string& bytes) {
        std::ofstream(plugins / "shifting.so", std::ios::binary | std::ios::trunc) << bytes;
    }
    /// Waits until the host has noticed `count` changes in all.
    void await(std::size_t count) {
        std::unique_lock lock(mutex);
        const bool came =
            told.wait_for(lock, std::chrono::seconds(30), [&] { return changed.size() >= count; });
        BOOST_REQUIRE_MESSAGE(came, "the host noticed " << changed.size() << " changes");
    }
    std::shared_ptr<ToolSource> tools() {
        auto source = host->world().capability("shifting");
        return source ? *source : nullptr;
    }
    static std::string tool_of(ToolSource& source) {
        Call call;
        const auto list = source.list(call);
        return list ? list->tools.at(0).name : list.error().message;
    }
    /// A durable run of that tool.
    bool runs(const std::string& tool) {
        auto started = host->start({.name = "tool:shifting_" + tool, .input_json = "{}"});
        BOOST_REQUIRE_MESSAGE(started.ok(), (started ? "" : started.error().message));
        const auto finished = host->execute(started->run, {});
        return finished.ok() && finished->how == run::Ended::succeeded;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(staying_up, Staying)

BOOST_AUTO_TEST_CASE(a_file_that_is_dropped_in_replaced_or_taken_away_is_noticed) {
    start();
    BOOST_TEST(!tools());
    replace("shifting-1");
    await(1);
    BOOST_TEST(runs("shifting-1"));
    const auto under_way = tools();
    BOOST_REQUIRE(under_way);

    replace("shifting-2");
    await(2);
    BOOST_TEST(runs("shifting-2"));
    BOOST_TEST(tool_of(*under_way) == "shifting-1");

    fs::remove(plugins / "shifting.so");
    await(3);
    BOOST_TEST(!tools());
    BOOST_TEST(tool_of(*under_way) == "shifting-1");
    BOOST_TEST((changed == std::vector<std::string>(3, "shifting")));
}

BOOST_AUTO_TEST_CASE(a_bad_file_written_over_one_in_use_changes_nothing) {
    replace("shifting-1");
    start();
    BOOST_TEST(runs("shifting-1"));
    overwrite("no library");
    await(1);
    BOOST_TEST(runs("shifting-1"));
    overwrite(bytes_of(exhibit("shifting-2")));
    await(2);
    BOOST_TEST(runs("shifting-2"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_is_made_later_is_noticed) {
    fs::remove(plugins);
    start();
    fs::create_directory(plugins);
    fs::permissions(plugins, fs::perms(0755));
    replace("shifting-1");
    await(1);
    BOOST_TEST(runs("shifting-1"));
}

BOOST_AUTO_TEST_CASE(a_lock_that_is_written_later_holds_for_what_comes_then) {
    replace("shifting-1");
    start();
    BOOST_REQUIRE(plugin::write_lock((root / "foxwedge.lock").string(),
                                     plugin::lock_of(plugin::list({plugins.string()})))
                      .ok());
    BOOST_TEST(runs("shifting-1"));
    replace("shifting-2");
    await(1);
    BOOST_TEST(runs("shifting-1"));
    BOOST_TEST(host->plugins().rows().at(0).refusal->code == "changed_since_lock");
}

BOOST_AUTO_TEST_CASE(a_lock_that_leaves_out_what_is_loaded_refuses_it_for_new_work) {
    replace("shifting-1");
    start();
    BOOST_TEST(runs("shifting-1"));
    const auto under_way = tools();
    BOOST_REQUIRE(plugin::write_lock((root / "foxwedge.lock").string(), {}).ok());
    host->plugins().refresh();
    const auto refused = host->world().capability("shifting");
    BOOST_REQUIRE(!refused);
    BOOST_TEST(refused.error().code == "not_locked");
    BOOST_TEST(!runs("shifting-1"));
    BOOST_TEST(tool_of(*under_way) == "shifting-1");

    fs::remove(root / "foxwedge.lock");
    host->plugins().refresh();
    BOOST_TEST(runs("shifting-1"));
}

BOOST_AUTO_TEST_CASE(a_run_under_way_keeps_its_plugin_when_the_file_is_replaced) {
    replace("shifting-1");
    start();
    const auto kept = compose::world_of_run(host->world());
    const auto first = kept.capability("shifting");
    BOOST_REQUIRE(first.ok());
    replace("shifting-2");
    await(1);
    const auto second = kept.capability("shifting");
    BOOST_REQUIRE(second.ok());
    BOOST_TEST(tool_of(**second) == "shifting-1");
    BOOST_TEST(runs("shifting-2"));
}

BOOST_AUTO_TEST_SUITE_END()
