// Where plugins are looked for, and what lies there by name.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foxwedge::plugin {

/// One variable of the host's environment, or nothing. Passed in, so that tests own it.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;
Environment process_environment();

/// The folders in the order in which they are searched: `configured`, $FOXWEDGE_PLUGIN_PATH,
/// $XDG_DATA_HOME/foxwedge/plugins, the installed folder, and the build tree's own when the program
/// runs from it. Relative ones and repeated ones are left out: the working directory never counts.
std::vector<std::string> search_path(const std::vector<std::string>& configured,
                                     const Environment&);

/// "; searched: …", for a message about what none of the folders has: where it was looked for and
/// what names another folder.
std::string searched(const std::vector<std::string>& folders);

/// True for the folder of plugins that came with this program.
bool is_shipped(const std::string& folder);

/// A name in a folder that is that of a plugin.
struct Candidate {
    std::string folder;
    std::string name; ///< "<id>.so" or "<id>/<id>.so"
    std::string id;
    std::string path() const { return folder + "/" + name; }
};

/// What the folders hold, folder by folder, ids in order. A missing or unreadable folder holds
/// nothing. In one folder `<id>.so` stands before `<id>/<id>.so`.
std::vector<Candidate> candidates(const std::vector<std::string>& folders);

/// Files in the folders that end in .so but have no name of the form; full paths.
std::vector<std::string> misnamed(const std::vector<std::string>& folders);

} // namespace foxwedge::plugin
