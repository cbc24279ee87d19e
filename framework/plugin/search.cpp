#include "plugin/search.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "plugin/descriptor.hpp"

namespace foxwedge::plugin {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view suffix = ".so";

/// `<build>/plugins` if this program lies in a Meson build tree.
std::optional<std::string> build_tree_folder() {
    std::error_code error;
    auto folder = fs::read_symlink("/proc/self/exe", error).parent_path();
    for (int up = 0; !error && up < 6 && folder.has_relative_path(); ++up) {
        if (fs::is_directory(folder / "meson-private", error)) return (folder / "plugins").string();
        folder = folder.parent_path();
        error.clear();
    }
    return std::nullopt;
}

/// Where the plugins that came with this program lie: beside it in a build tree or below its own
/// prefix, so that an installation can be moved; else where it was configured to be installed.
std::string shipped_folder() {
    if (auto built = build_tree_folder()) return *built;
    std::error_code error;
    const auto program = fs::read_symlink("/proc/self/exe", error);
    const auto moved = program.parent_path().parent_path() / FOXWEDGE_LIBDIR / "foxwedge/plugins";
    if (!error && fs::is_directory(moved, error)) return moved.string();
    return FOXWEDGE_PLUGIN_FOLDER;
}

void add(std::vector<std::string>& folders, std::string folder) {
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    if (folder.empty() || folder[0] != '/') return;
    if (std::find(folders.begin(), folders.end(), folder) == folders.end())
        folders.push_back(std::move(folder));
}

/// The id in "<id>.so", or nothing.
std::optional<std::string> id_of(const std::string& file_name) {
    if (file_name.size() <= suffix.size() || !file_name.ends_with(suffix)) return std::nullopt;
    auto id = file_name.substr(0, file_name.size() - suffix.size());
    if (!is_plugin_id(id)) return std::nullopt;
    return id;
}

std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        names.push_back(at->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace

Environment process_environment() {
    return [](std::string_view name) -> std::optional<std::string> {
        const char* value = std::getenv(std::string(name).c_str());
        if (!value) return std::nullopt;
        return value;
    };
}

std::vector<std::string> search_path(const std::vector<std::string>& configured,
                                     const Environment& environment) {
    std::vector<std::string> folders;
    for (const auto& folder : configured) add(folders, folder);
    if (const auto path = environment("FOXWEDGE_PLUGIN_PATH"))
        for (const auto folder : split(*path, ':')) add(folders, std::string(folder));
    const auto data = environment("XDG_DATA_HOME");
    const auto home = environment("HOME");
    if (data && !data->empty())
        add(folders, *data + "/foxwedge/plugins");
    else if (home && !home->empty())
        add(folders, *home + "/.local/share/foxwedge/plugins");
    add(folders, shipped_folder());
    return folders;
}

std::string searched(const std::vector<std::string>& folders) {
    return "; searched: " + (folders.empty() ? "no folder" : join(folders, ", ")) +
           " (plugins.path of the config and FOXWEDGE_PLUGIN_PATH name more)";
}

bool is_shipped(const std::string& folder) {
    return folder == shipped_folder();
}

std::vector<Candidate> candidates(const std::vector<std::string>& folders) {
    std::vector<Candidate> found;
    for (const auto& folder : folders) {
        std::vector<Candidate> here;
        for (const auto& name : names_in(folder)) {
            if (const auto id = id_of(name)) {
                here.push_back({folder, name, *id});
            } else if (is_plugin_id(name)) {
                const auto inner = name + "/" + name + std::string(suffix);
                std::error_code error;
                if (fs::exists(fs::symlink_status(folder + "/" + inner, error)))
                    here.push_back({folder, inner, name});
            }
        }
        std::stable_sort(here.begin(), here.end(), [](const auto& a, const auto& b) {
            return a.id != b.id ? a.id < b.id : a.name.size() < b.name.size();
        });
        found.insert(found.end(), here.begin(), here.end());
    }
    return found;
}

std::vector<std::string> misnamed(const std::vector<std::string>& folders) {
    std::vector<std::string> found;
    for (const auto& folder : folders)
        for (const auto& name : names_in(folder))
            if (name.ends_with(suffix) && !id_of(name)) found.push_back(folder + "/" + name);
    return found;
}

} // namespace foxwedge::plugin
