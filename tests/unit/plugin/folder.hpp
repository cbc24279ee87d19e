// A plugin folder of a test's own, with exhibits of the museum in it.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "plugin/registry.hpp"

namespace plugin_tests {

namespace fs = std::filesystem;

/// The message of an error, for a failed check.
template <class T>
std::string why(const foxwedge::Result<T>& result) {
    return result.ok() ? "ok" : result.error().message;
}

struct Folder {
    fs::path root, plugins, state;

    Folder() {
        auto name = (fs::temp_directory_path() / "foxwedge-plugin-XXXXXX").string();
        BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
        root = name;
        plugins = root / "plugins";
        state = root / "state";
        fs::create_directory(plugins);
        fs::permissions(plugins, fs::perms(0755));
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(root, ignored);
    }
    Folder(const Folder&) = delete;

    static fs::path exhibit(const std::string& id) {
        const char* museum = std::getenv("FOXWEDGE_MUSEUM");
        BOOST_REQUIRE_MESSAGE(museum, "run this through meson test");
        return fs::path(museum) / (id + ".so");
    }
    static std::string bytes_of(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    /// Puts an exhibit into the folder, by rename as an installer does.
    fs::path put(const std::string& id) { return write(id + ".so", bytes_of(exhibit(id))); }
    fs::path write(const std::string& name, const std::string& bytes) {
        const auto to = plugins / name, fresh = plugins / (name + ".new");
        std::ofstream(fresh, std::ios::binary | std::ios::trunc) << bytes;
        fs::permissions(fresh, fs::perms(0644));
        fs::rename(fresh, to);
        return to;
    }

    foxwedge::plugin::RegistryOptions options() const {
        foxwedge::plugin::RegistryOptions o;
        o.folders = {plugins.string()};
        o.state_folder = state.string();
        return o;
    }
};

} // namespace plugin_tests
