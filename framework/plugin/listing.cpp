#include "plugin/listing.hpp"

#include <filesystem>
#include <map>

#include "plugin/file.hpp"
#include "plugin/refusal.hpp"
#include "plugin/search.hpp"

namespace foxwedge::plugin {
namespace {

Status fill(Row& row, const std::string& folder, const std::string& name, bool with_digest) {
    FOXWEDGE_TRY(file, open_plugin_file(folder, name));
    row.stamp = file.stamp;
    if (with_digest) {
        FOXWEDGE_TRY(digest, digest_of(file.fd.get()));
        row.digest = digest;
    }
    FOXWEDGE_TRY(inspected, inspect(file.fd.get(), row.id));
    row.descriptor = std::move(inspected.descriptor);
    return {};
}

Row misnamed_row(const std::string& path) {
    Row row;
    row.path = path;
    row.refusal = about_file(refusal("wrong_name", "its name has not the form of a plugin's",
                                     "name it <id>.so, the id of [a-z0-9][a-z0-9-]{0,63}"),
                             path);
    return row;
}

} // namespace

std::vector<Row> list(const std::vector<std::string>& folders, bool with_digests) {
    std::vector<Row> rows;
    std::map<std::string, std::string> first; // id → path
    for (const auto& candidate : candidates(folders)) {
        Row row;
        row.path = candidate.path();
        row.id = candidate.id;
        const auto [it, is_first] = first.emplace(candidate.id, row.path);
        if (!is_first) row.shadowed_by = it->second;
        if (auto read = fill(row, candidate.folder, candidate.name, with_digests); !read)
            row.refusal = about_file(read.error(), row.path);
        rows.push_back(std::move(row));
    }
    for (const auto& path : misnamed(folders)) rows.push_back(misnamed_row(path));
    return rows;
}

Row inspect_file(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code none; // an empty path stays as it is
    const auto whole = fs::absolute(path, none).lexically_normal();
    const auto name = whole.filename().string();
    if (!name.ends_with(".so") || !is_plugin_id(name.substr(0, name.size() - 3)))
        return misnamed_row(whole.string());
    Row row;
    row.path = whole.string();
    row.id = name.substr(0, name.size() - 3);
    if (auto read = fill(row, whole.parent_path().string(), name, true); !read)
        row.refusal = about_file(read.error(), row.path);
    return row;
}

Json to_json(const Row& row) {
    JsonObject json{{"path", row.path}, {"id", row.id}};
    if (row.descriptor) {
        const auto& d = *row.descriptor;
        json["version"] = d.version;
        json["title"] = d.title;
        json["abi"] = JsonObject{{"major", d.abi_major}, {"minMinor", d.abi_min_minor}};
        JsonArray components;
        for (const auto& c : d.components) {
            JsonObject component{{"kind", c.kind}, {"id", c.id}, {"title", c.title}};
            if (!c.config_schema.is_null()) component["configSchema"] = c.config_schema;
            if (!is_known_kind(c.kind)) component["skipped"] = "this host does not know its kind";
            components.push_back(std::move(component));
        }
        json["components"] = std::move(components);
    }
    if (row.digest) json["sha256"] = to_hex(*row.digest);
    if (!row.shadowed_by.empty()) json["shadowedBy"] = row.shadowed_by;
    if (row.refusal)
        json["refusal"] = JsonObject{{"code", row.refusal->code},
                                     {"message", row.refusal->message},
                                     {"reason", reason_of(*row.refusal)},
                                     {"mend", mend_of(*row.refusal)}};
    return json;
}

} // namespace foxwedge::plugin
