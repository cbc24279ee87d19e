#include "config/load.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.hpp"
#include "base/json_source.hpp"
#include "config/codec.hpp"
#include "config/shapes.hpp"
#include "config/substitute.hpp"

namespace foxwedge::config {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> of_process(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

Lookup environment_of(const LoadOptions& options) {
    return options.environment ? options.environment : Lookup(of_process);
}

constexpr std::size_t most_bytes = 16 << 20; ///< of a file, and of what includes bring together
constexpr std::size_t most_includes = 1000;
constexpr std::size_t deepest_include = 32;

/// What a person names may be a pipe; what a file names has to be a regular one.
enum class Named { by_person, by_file };

Result<std::string> read_file(const std::string& path, Named named) {
    FOXWEDGE_TRY(text, named == Named::by_person ? read_whole_file(path, most_bytes)
                                                 : read_regular_file(path, most_bytes));
    // Some editors begin a file with it.
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return permanent("unreadable", "the file " + path + " is in UTF-16; save it as UTF-8");
    return text;
}

/// "line 3, column 2: a value was expected" → "a value was expected": the place is told apart.
std::string without_place(const std::string& message) {
    const auto at = message.find(": ");
    return message.starts_with("line ") && at != std::string::npos ? message.substr(at + 2)
                                                                   : message;
}

struct Origin {
    std::string file;
    Position at;
};

/// "agents.support.model" as a JSON pointer.
std::string pointer_of(const std::string& dotted) {
    std::string pointer;
    for (const auto part : split(dotted, '.')) pointer = pointer_append(pointer, part);
    return pointer;
}
/// JSON where it parses, else text.
Json value_of(const std::string& text) {
    auto parsed = parse_json(text);
    return parsed ? *std::move(parsed) : Json(text);
}
/// The element of a list that a part of a path numbers, if there is one.
Json* element_at(Json& value, std::string_view number) {
    if (!value.is_array() || number.empty() || number.size() > 6) return nullptr;
    std::size_t index = 0;
    for (const char c : number) {
        if (c < '0' || c > '9') return nullptr;
        index = index * 10 + static_cast<std::size_t>(c - '0');
    }
    auto& list = value.get_array();
    return index < list.size() ? &list[index] : nullptr;
}

void set_at(Json& tree, const std::string& pointer, const Json& part) {
    Json* at = &tree;
    for (auto rest = std::string_view(pointer).substr(1); !rest.empty();) {
        const auto name = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        if (auto* const element = element_at(*at, name)) { // "plugins.load.0.config"
            at = element;
            continue;
        }
        if (!at->is_object()) *at = JsonObject{};
        at = &at->get_object()[name];
    }
    *at = part;
}

/// The merged tree and where each part of it came from.
class Tree {
public:
    Json value = JsonObject{};

    void merge(const JsonSource& from, const std::string& file) {
        merge_into(value, from.value, "", from, file);
    }
    void set(const std::string& pointer, const Json& part) {
        set_at(value, pointer, part);
        origins_[pointer] = {"--set", {}};
    }
    /// The place of `pointer`, or of the nearest part around it.
    Origin origin(std::string pointer) const {
        for (;; pointer.resize(pointer.rfind('/'))) {
            if (const auto found = origins_.find(pointer); found != origins_.end())
                return found->second;
            if (pointer.empty()) return {};
        }
    }

private:
    void merge_into(Json& to, const Json& from, const std::string& pointer,
                    const JsonSource& source, const std::string& file) {
        origins_[pointer] = {file, source.position(pointer)};
        if (!from.is_object() || !to.is_object()) {
            to = from;
            remember(from, pointer, source, file);
            return;
        }
        for (const auto& [name, part] : from.get_object())
            merge_into(to.get_object()[name], part, pointer_append(pointer, name), source, file);
    }
    void remember(const Json& part, const std::string& pointer, const JsonSource& source,
                  const std::string& file) {
        origins_[pointer] = {file, source.position(pointer)};
        if (part.is_object())
            for (const auto& [name, inner] : part.get_object())
                remember(inner, pointer_append(pointer, name), source, file);
        if (part.is_array())
            for (std::size_t i = 0; i < part.get_array().size(); ++i)
                remember(part.get_array()[i], pointer_append(pointer, i), source, file);
    }

    std::map<std::string, Origin> origins_;
};

class Loader {
public:
    explicit Loader(const LoadOptions& options) : options_(options) {}

    Loaded load(const std::string& path) {
        std::error_code none; // an empty path stays as it is, and cannot be read
        const auto main = fs::absolute(path, none).lexically_normal();
        include(main, {});
        if (failed()) return finish(std::nullopt);
        for (const auto& [dotted, text] : options_.sets)
            tree_.set(pointer_of(dotted), value_of(text));
        fill();
        make_absolute();
        HostConfig config;
        Reading reading;
        host_shape()->read(reading, tree_.value, "", config);
        take(reading);
        if (failed()) return finish(std::nullopt);
        if (config.journal.path.empty())
            config.journal.path = default_journal_path(config.name, options_);
        tree_.value.as_object().erase("include");
        tree_.value.as_object().erase("$schema");
        config.resolved = tree_.value;
        config.file = main.string();
        config.folder = main.parent_path().string();
        config.problem_at = [tree = std::make_shared<const Tree>(std::move(tree_))](
                                std::string pointer, std::string message) {
            const auto origin = tree->origin(pointer);
            return Problem{origin.file,        origin.at.line,     origin.at.column,
                           std::move(pointer), std::move(message), false};
        };
        return finish(std::move(config));
    }

private:
    bool failed() const {
        return std::any_of(problems_.begin(), problems_.end(),
                           [](const Problem& p) { return !p.warning; });
    }
    Loaded finish(std::optional<HostConfig> config) {
        std::stable_sort(problems_.begin(), problems_.end(), [](const auto& a, const auto& b) {
            return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
        });
        return {std::move(config), std::move(problems_)};
    }

    bool too_many() const { return included_ > most_includes + 1 || bytes_ > most_bytes; }

    void include(const fs::path& path, std::vector<fs::path> above) {
        if (std::find(above.begin(), above.end(), path) != above.end())
            return add(above.back().string(), {}, "/include",
                       "includes itself through " + path.string());
        if (above.size() > deepest_include || ++included_ > most_includes + 1)
            return add(above.front().string(), {}, "/include",
                       above.size() > deepest_include
                           ? "includes nest more than " + std::to_string(deepest_include) + " deep"
                           : "more than " + std::to_string(most_includes) +
                                 " files are included, counted each time");
        auto text = read_file(path.string(), above.empty() ? Named::by_person : Named::by_file);
        if (text && (bytes_ += text->size()) > most_bytes)
            return add(path.string(), {}, "/include",
                       "with it the config is larger than " + std::to_string(most_bytes) +
                           " bytes");
        if (!text) return add(path.string(), {}, "", text.error().message);
        auto source = parse_json_source(*text);
        if (!source) {
            Position at;
            if (auto details = parse_json(source.error().details)) {
                at.line = static_cast<int>(integer_member(*details, "line").value_or(0));
                at.column = static_cast<int>(integer_member(*details, "column").value_or(0));
            }
            return add(path.string(), at, "", without_place(source.error().message));
        }
        if (!source->value.is_object())
            return add(path.string(), {1, 1}, "", "a config file holds one object");
        above.push_back(path);
        if (const auto* files = member(source->value, "include")) {
            const auto wrong = [&](const std::string& pointer, const char* expected) {
                add(path.string(), source->position(pointer), pointer,
                    std::string("expected ") + expected);
            };
            if (!files->is_array()) return wrong("/include", "a list of files");
            for (std::size_t i = 0; i < files->get_array().size(); ++i) {
                const auto& file = files->get_array()[i];
                if (!file.is_string() || file.get_string().empty())
                    wrong(pointer_append("/include", i), "the name of a file, as a text");
                else if (!too_many())
                    include((path.parent_path() / std::string(view(file.get_string())))
                                .lexically_normal(),
                            above);
            }
        }
        tree_.merge(*source, path.string());
    }

    void fill() {
        Reading reading;
        const Sources sources{
            environment_of(options_),
            [this](std::string_view name, const std::string& pointer) -> Result<std::string> {
                const auto file = beside(pointer, std::string(name));
                FOXWEDGE_TRY(text, read_file(file, Named::by_file));
                if (is_utf8(text)) return text;
                return permanent("unreadable", "the file " + file + " is no text in UTF-8");
            }};
        substitute(tree_.value, sources, reading);
        take(reading);
    }

    /// `path` as named at `pointer`: relative to the file that says so.
    std::string beside(const std::string& pointer, const std::string& path) const {
        const auto file = fs::path(tree_.origin(pointer).file);
        const auto folder = file == "--set" ? fs::current_path() : file.parent_path();
        return (folder / path).lexically_normal().string();
    }
    void absolute(Json* text, const std::string& pointer) {
        if (text && text->is_string())
            *text = Json(beside(pointer, std::string(view(text->get_string()))));
    }
    /// A server is told of a folder by its URI.
    void make_root(Json& root, const std::string& pointer) {
        if (!root.is_string() || view(root.get_string()).find("://") != std::string_view::npos)
            return;
        constexpr std::string_view as_they_are =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            "0123456789-._~/";
        std::string uri = "file://";
        for (const char c : beside(pointer, std::string(view(root.get_string())))) {
            constexpr char digits[] = "0123456789ABCDEF";
            const auto byte = static_cast<unsigned char>(c);
            if (as_they_are.find(c) != as_they_are.npos)
                uri += c;
            else
                uri.append({'%', digits[byte >> 4], digits[byte & 15]});
        }
        root = Json(uri);
    }
    Json* mutable_at(const std::string& pointer) {
        return const_cast<Json*>(at_pointer(tree_.value, pointer));
    }
    template <class Each>
    void each_member(const std::string& pointer, Each each) {
        if (auto* entries = mutable_at(pointer); entries && entries->is_object())
            for (auto& [name, entry] : entries->get_object())
                if (entry.is_object()) each(entry.get_object(), pointer_append(pointer, name));
    }

    void make_absolute() {
        absolute(mutable_at("/journal/path"), "/journal/path");
        if (auto* path = mutable_at("/plugins/path"); path && path->is_array())
            for (std::size_t i = 0; i < path->get_array().size(); ++i)
                absolute(&path->get_array()[i], pointer_append("/plugins/path", i));
        if (auto* file = mutable_at("/http/caFile"); file && file->is_string()) {
            absolute(file, "/http/caFile");
            // Else the first request would tell, or hang.
            if (auto there = check_regular_file(std::string(view(file->get_string()))); !there)
                problem_at("/http/caFile", there.error().message);
        }
        each_member("/mcpServers", [this](JsonObject& server, const std::string& here) {
            if (auto* command = server.if_contains("command");
                command && command->is_string() &&
                view(command->get_string()).find('/') != std::string_view::npos)
                absolute(command, here + "/command");
            if (!server.contains("url") && !server.contains("cwd")) server["cwd"] = ".";
            absolute(server.if_contains("cwd"), here + "/cwd");
            if (auto* roots = server.if_contains("roots"); roots && roots->is_array())
                for (std::size_t i = 0; i < roots->get_array().size(); ++i)
                    make_root(roots->get_array()[i], pointer_append(here + "/roots", i));
        });
        each_member("/secrets", [this](JsonObject& secret, const std::string& here) {
            absolute(secret.if_contains("file"), here + "/file");
        });
        each_member("/apps", [this](JsonObject& app, const std::string& here) {
            absolute(app.if_contains("config"), here + "/config");
        });
    }

    void take(const Reading& reading) {
        for (const auto& note : reading.notes()) {
            const auto origin = tree_.origin(note.pointer);
            problems_.push_back({origin.file, origin.at.line, origin.at.column, note.pointer,
                                 note.message, note.warning});
        }
    }
    void problem_at(const std::string& pointer, const std::string& message) {
        const auto origin = tree_.origin(pointer);
        problems_.push_back(
            {origin.file, origin.at.line, origin.at.column, pointer, message, false});
    }
    void add(std::string file, Position at, std::string pointer, std::string message) {
        problems_.push_back(
            {std::move(file), at.line, at.column, std::move(pointer), std::move(message), false});
    }

    const LoadOptions& options_;
    Tree tree_;
    std::vector<Problem> problems_;
    std::size_t included_ = 0, bytes_ = 0; ///< each time that a file is read
};

} // namespace

Loaded load(const std::string& path, const LoadOptions& options) {
    return Loader(options).load(path);
}

Result<HostConfig> read_pinned(const Json& resolved, const std::string& file) {
    HostConfig config;
    Reading reading;
    host_shape()->read(reading, resolved, "", config);
    for (const auto& note : reading.notes())
        if (!note.warning)
            return permanent("invalid_config",
                             "the recorded configuration: " + note.pointer + ": " + note.message);
    if (config.journal.path.empty()) config.journal.path = default_journal_path(config.name);
    config.resolved = resolved;
    config.file = file;
    config.folder = fs::path(file).parent_path().string();
    return config;
}

Json with_values(Json resolved, const std::vector<std::pair<std::string, std::string>>& sets) {
    for (const auto& [dotted, text] : sets) set_at(resolved, pointer_of(dotted), value_of(text));
    return resolved;
}

Json json_schema() {
    auto schema = host_shape()->schema();
    JsonObject out{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "foxwedge host configuration"}};
    for (auto& [key, value] : schema) out[key] = std::move(value);
    return out;
}

std::string default_journal_path(std::string_view name, const LoadOptions& options) {
    const auto environment = environment_of(options);
    auto state = environment("XDG_STATE_HOME");
    if (!state || state->empty()) state = environment("HOME").value_or("") + "/.local/state";
    return *state + "/foxwedge/" + std::string(name);
}

std::string to_text(const Problem& p) {
    std::string out = p.file;
    if (p.line > 0) out += ':' + std::to_string(p.line) + ':' + std::to_string(p.column);
    if (!out.empty()) out += ": ";
    if (p.warning) out += "warning: ";
    if (!p.pointer.empty()) out += p.pointer + ": ";
    return out + p.message;
}

std::string to_text(const std::vector<Problem>& problems) {
    std::string out;
    for (const auto& problem : problems) out += to_text(problem) + '\n';
    return out;
}

Error invalid_config(const std::vector<Problem>& problems) {
    std::string text;
    if (problems.size() > 1) text = std::to_string(problems.size()) + " mistakes in the config:\n";
    text += to_text(problems);
    if (!text.empty()) text.pop_back();
    return permanent("invalid_config", std::move(text));
}

} // namespace foxwedge::config
