// plugins new: the project of a plugin, which builds with what is installed and nothing else.
#include <filesystem>
#include <fstream>

#include "base/text.hpp"
#include "output.hpp"
#include "plugin/descriptor.hpp"
#include "templates.hpp"

namespace foxwedge::cli {
namespace {

namespace fs = std::filesystem;

struct File {
    std::string path, made_from; ///< a template, or several one behind the other: "a+b"
    bool program = false;
};

/// "my-brook" → "MyBrook", "MY_BROOK", "my_brook".
std::string type_name(const std::string& name) {
    std::string out;
    bool start = true;
    for (const char c : name) {
        if (c != '-') out += start && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        start = c == '-';
    }
    return out.front() >= '0' && out.front() <= '9' ? "Plugin" + out : out;
}
std::string upper_name(const std::string& name) {
    std::string out;
    for (const char c : name)
        out += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return out;
}
std::string crate_name(std::string id) {
    for (char& c : id)
        if (c == '-') c = '_';
    return id;
}

std::string plugin_id(const std::string& kind, const std::string& name) {
    return (kind == "context-strategy" ? "context" : kind) + "-" + name;
}

std::vector<File> files_of(const PluginNewArgs& args, const std::string& source) {
    const bool rust = args.lang == "rust";
    std::vector<File> files{
        {"descriptor.json", "descriptor/" + args.kind + ".json"},
        {source, args.lang + "/" + args.kind + (rust ? ".rs" : "." + args.lang)},
        {"test/run.sh", "test/head.sh+test/" + args.kind + ".sh", true},
        {"test/host.json", "host/" + args.kind + ".json"},
        {"README.md", rust ? "README.cargo.md" : "README.meson.md"},
    };
    if (rust) {
        files.push_back({"Cargo.toml", "rust/Cargo.toml"});
        files.push_back({"src/foxwedge.rs", "rust/foxwedge.rs"});
        files.push_back({"src/json.rs", "rust/json.rs"});
        files.push_back({"tests/host.rs", "rust/host.rs"});
    } else {
        files.push_back({"meson.build", args.lang + "/meson.build"});
    }
    if (args.lang == "c") {
        files.push_back({"json.h", "c/json.h"});
        files.push_back({"plugin.h", "c/plugin.h"});
    }
    if (args.kind == "provider") {
        files.push_back({"test/answer.json", "test/answer.json"});
        files.push_back({"test/service.py", "test/service.py"});
    }
    return files;
}

std::string filled_in(std::string text, const std::map<std::string, std::string>& names) {
    for (const auto& [name, value] : names)
        for (auto at = text.find(name); at != std::string::npos;
             at = text.find(name, at + value.size()))
            text.replace(at, name.size(), value);
    return text;
}

std::string text_of(const File& file) {
    std::string text;
    for (const auto part : split(file.made_from, '+'))
        text += plugin_templates().at(std::string(part));
    return text;
}

Status write_file(const fs::path& path, const std::string& text, bool program) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) return permanent("io_error", path.string() + " cannot be written");
    if (program)
        fs::permissions(path,
                        fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                        fs::perm_options::add, failed);
    return {};
}

} // namespace

int plugins_new(const Globals& globals, const PluginNewArgs& args) {
    const auto id = plugin_id(args.kind, args.name);
    if (!plugin::is_plugin_id(args.name) || !plugin::is_plugin_id(id)) {
        report(globals,
               permanent("usage", "\"" + args.name +
                                      "\" is no name for a plugin: a-z, 0-9 and -, at most "
                                      "64 with its kind"));
        return usage;
    }
    const fs::path folder = args.folder.empty() ? fs::path(id) : fs::path(args.folder);
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored)) {
        report(globals,
               permanent("usage", folder.string() + " is there already; nothing is written "
                                                    "over"));
        return usage;
    }
    const auto source = args.lang == "rust" ? "src/lib.rs" : args.name + "." + args.lang;
    const std::map<std::string, std::string> names{
        {"@ID@", id},
        {"@NAME@", args.name},
        {"@KIND@", args.kind},
        {"@TYPE@", type_name(args.name)},
        {"PLUGIN_TYPE", type_name(args.name)}, // where a name must be one for the formatter
        {"@UPPER@", upper_name(args.name)},
        {"@CRATE@", crate_name(id)},
        {"@SOURCE@", source},
    };
    JsonArray written;
    for (const auto& file : files_of(args, source)) {
        const auto path = folder / file.path;
        if (auto status = write_file(path, filled_in(text_of(file), names), file.program);
            !status) {
            report(globals, status.error());
            return fault;
        }
        written.emplace_back(path.string());
    }
    if (globals.json) {
        print(to_text(JsonObject{{"plugin", id}, {"folder", folder.string()}, {"files", written}}));
        return succeeded;
    }
    for (const auto& path : written) print(view(path.get_string()));
    note(args.lang == "rust"
             ? "cd " + folder.string() + " && cargo test"
             : "cd " + folder.string() + " && meson setup build && meson test -C build");
    return succeeded;
}

} // namespace foxwedge::cli
