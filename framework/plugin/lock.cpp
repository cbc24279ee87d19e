#include "plugin/lock.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "plugin/refusal.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::size_t digest_letters = 64;

Error bad_lock(const std::string& path, const std::string& what) {
    return about_file(refusal("bad_lock", what, "make it again: foxwedge plugins lock CONFIG"),
                      path);
}

Error not_locked() {
    return refusal("not_locked", "it is not in foxwedge.lock",
                   "if you trust it: foxwedge plugins lock CONFIG");
}

Result<Locked> read_entry(const Json& json, const std::string& path) {
    Locked locked;
    locked.version = string_member(json, "version").value_or("");
    locked.sha256 = string_member(json, "sha256").value_or("");
    if (locked.sha256.size() != digest_letters) return bad_lock(path, "an entry has no sha256");
    if (const auto* abi = member(json, "abi")) {
        locked.abi_major = static_cast<unsigned>(integer_member(*abi, "major").value_or(0));
        locked.abi_min_minor = static_cast<unsigned>(integer_member(*abi, "minMinor").value_or(0));
    }
    return locked;
}

} // namespace

Status Lock::admits(const std::string& id, const Digest& digest) const {
    const auto it = plugins.find(id);
    if (it == plugins.end()) return not_locked();
    if (it->second.sha256 == to_hex(digest)) return {};
    return refusal("changed_since_lock",
                   "its SHA-256 is " + to_hex(digest) + ", foxwedge.lock has " + it->second.sha256,
                   "restore the file, or if you trust this one: foxwedge plugins lock CONFIG");
}

void Lock::judge(std::vector<Row>& rows) const {
    for (auto& row : rows) {
        if (!row.usable()) continue;
        Status fit;
        if (row.digest)
            fit = admits(row.id, *row.digest);
        else if (!plugins.contains(row.id))
            fit = not_locked();
        if (!fit) row.refusal = about_file(std::move(fit).error(), row.path);
    }
}

std::string lock_path_for(const std::string& config_file) {
    return (std::filesystem::path(config_file).parent_path() / "foxwedge.lock").string();
}

Result<std::optional<Lock>> read_lock(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, error)))
        return std::optional<Lock>();
    const auto text = read_regular_file(path, JsonLimits().bytes);
    if (!text) return bad_lock(path, text.error().message);
    const auto json = parse_json(*text);
    if (!json) return bad_lock(path, "it is no JSON: " + json.error().message);
    if (integer_member(*json, "lockVersion") != lock_version)
        return bad_lock(path, "it has another format than this foxwedge reads");
    const auto* entries = object_member(*json, "plugins");
    if (!entries) return bad_lock(path, "it lists no plugins");
    Lock lock;
    for (const auto& [id, entry] : *entries) {
        FOXWEDGE_TRY(locked, read_entry(entry, path));
        lock.plugins.emplace(std::string(id), std::move(locked));
    }
    return std::optional(std::move(lock));
}

Lock lock_of(const std::vector<Row>& rows) {
    Lock lock;
    for (const auto& row : rows)
        if (row.usable() && row.digest)
            lock.plugins[row.id] = {row.descriptor->version, to_hex(*row.digest),
                                    row.descriptor->abi_major, row.descriptor->abi_min_minor};
    return lock;
}

std::string to_text(const Lock& lock) {
    JsonObject plugins;
    for (const auto& [id, locked] : lock.plugins)
        plugins[id] = JsonObject{
            {"version", locked.version},
            {"abi", JsonObject{{"major", locked.abi_major}, {"minMinor", locked.abi_min_minor}}},
            {"sha256", locked.sha256}};
    return to_pretty_text(
               JsonObject{{"lockVersion", lock_version}, {"plugins", std::move(plugins)}}) +
           "\n";
}

Status write_lock(const std::string& path, const Lock& lock) {
    const auto fresh = path + ".new";
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << to_text(lock);
    out.close();
    if (out && std::rename(fresh.c_str(), path.c_str()) == 0) return {};
    return about_file(refusal("unwritable",
                              std::string("it cannot be written: ") + std::strerror(errno),
                              "make its folder writable"),
                      path);
}

} // namespace foxwedge::plugin
