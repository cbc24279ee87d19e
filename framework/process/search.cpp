// Finding executables: the one door to Boost.Process, whose search follows the platform's rules.
#include <boost/process/search_path.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "process/command.hpp"

namespace foxwedge::process {
namespace {

bool is_program(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
}

std::string path_of_child(const Command& command) {
    for (auto each = command.env.rbegin(); each != command.env.rend(); ++each)
        if (each->first == "PATH") return each->second;
    for (const auto& [name, value] : minimal_environment())
        if (name == "PATH") return value;
    return "/usr/local/bin:/usr/bin:/bin";
}

std::string own_folder() {
    char path[4096];
    const auto length = ::readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0) return ".";
    std::string_view whole(path, static_cast<std::size_t>(length));
    return std::string(whole.substr(0, whole.rfind('/')));
}

} // namespace

Environment minimal_environment() {
    Environment found;
    for (const char* name : {"PATH", "HOME", "LANG", "TMPDIR", "USER", "SHELL"})
        if (const char* value = std::getenv(name)) found.emplace_back(name, value);
    return found;
}

Result<std::string> find_program(const Command& command) {
    const std::string path = path_of_child(command);
    std::string found;
    if (command.program.find('/') != std::string::npos) {
        found = command.program;
        if (found[0] != '/' && !command.cwd.empty()) found = command.cwd + "/" + found;
        if (!is_program(found)) found.clear();
    } else if (!command.program.empty()) {
        std::vector<boost::filesystem::path> folders;
        for (const auto folder : split(path, ':'))
            folders.emplace_back(folder.empty() ? std::string(".") : std::string(folder));
        found = boost::process::search_path(command.program, folders).string();
        if (!found.empty() && !is_program(found)) found.clear();
    }
    if (found.empty())
        return not_done("not_found", "the command \"" + command.program +
                                         "\" was not found or may not be run (PATH=" + path +
                                         ", cwd=" + (command.cwd.empty() ? "." : command.cwd) +
                                         ")");
    if (found[0] != '/') { // The launcher starts in the child's folder: give it a full path.
        char here[4096];
        if (::getcwd(here, sizeof here)) found = std::string(here) + "/" + found;
    }
    return found;
}

Result<std::string> find_libexec(const std::string& name) {
    std::vector<std::string> places;
    if (const char* folder = std::getenv("FOXWEDGE_LIBEXEC"))
        places.push_back(std::string(folder) + "/" + name);
    // In the build tree a program stands in build/hosts/<name>, a test in
    // build/tests/<kind>/<name>.
    std::string above = own_folder();
    for (int level = 0; level < 5 && !above.empty(); ++level) {
        above.erase(above.rfind('/') == std::string::npos ? 0 : above.rfind('/'));
        places.push_back(above + "/hosts/" + name + "/" + name);
        places.push_back(above + "/libexec/foxwedge/" + name);
    }
    for (const auto& place : places)
        if (is_program(place)) return place;
    auto code = name + "_missing";
    std::replace(code.begin(), code.end(), '-', '_');
    return permanent(std::move(code),
                     "foxwedge's " + name + " was not found; looked at " + join(places, ", "));
}

} // namespace foxwedge::process
