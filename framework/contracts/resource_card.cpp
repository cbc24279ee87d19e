#include "contracts/resource_card.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace foxwedge {
namespace {

constexpr std::size_t max_title = 200; ///< code points

using Words = std::vector<std::string_view>;

bool among(std::string_view word, const Words& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Members that a target of that kind may have. All are texts.
Words target_members(std::string_view kind) {
    if (kind == "knowledge") return {"source", "projectId", "documentId"};
    if (kind == "kv") return {"source", "projectId", "scope", "key", "conversationId"};
    if (kind == "browser") return {"source", "projectId", "url"};
    if (kind == "file") return {"source", "projectId", "filePath"};
    return {"source", "projectId", "configurationId"};
}

/// By its words alone, as far as that goes: where a project lies is known to who shows its files.
bool leads_out(std::string_view path) {
    const bool drive = path.size() > 1 && path[1] == ':';
    if (path.empty() || path.front() == '/' || path.front() == '~' || drive) return true;
    if (path.find('\\') != path.npos || path.find('\0') != path.npos) return true;
    const auto parts = split(path, '/');
    return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

bool is_plain_address(std::string_view url) {
    const auto after = url.find("://");
    const auto scheme = url.substr(0, after);
    if (after == url.npos || (scheme != "http" && scheme != "https")) return false;
    const auto host = url.substr(after + 3);
    return host.substr(0, host.find_first_of("/?#")).find('@') == host.npos;
}

std::optional<std::string> target_problem(std::string_view kind, const Json& target) {
    if (!target.is_object()) return "target must be an object";
    const auto known = target_members(kind);
    for (const auto& [name, value] : target.get_object()) {
        if (!among(view(name), known))
            return "a target of kind " + std::string(kind) + " has no " + std::string(view(name));
        if (!value.is_string()) return "target." + std::string(view(name)) + " must be a text";
    }
    const auto source = string_member(target, "source");
    if (source ? !among(*source, {"local", "server", "current"}) : kind != "browser")
        return "target.source must be local, server or current";
    const auto url = string_member(target, "url");
    if (kind == "browser" && !(url && is_plain_address(*url)))
        return "target.url must be an http(s) address without credentials";
    const auto path = string_member(target, "filePath");
    if (kind == "file" && !(path && !leads_out(*path)))
        return "target.filePath must be a path inside the project";
    return std::nullopt;
}

} // namespace

std::optional<std::string> resource_card_problem(const Json& card) {
    if (!card.is_object()) return "it must be an object";
    for (const auto& entry : card.get_object())
        if (!among(view(entry.key()), {"kind", "operation", "title", "target"}))
            return "it has no member " + std::string(view(entry.key()));
    const auto kind = string_member(card, "kind").value_or("");
    if (!among(kind, {"knowledge", "kv", "project", "kanban", "browser", "file"}))
        return "kind must be knowledge, kv, project, kanban, browser or file";
    const auto operation = string_member(card, "operation").value_or("");
    if (!among(operation, {"read", "write", "open", "show"}))
        return "operation must be read, write, open or show";
    if (const Json* title = member(card, "title");
        title && !(title->is_string() && code_points(view(title->get_string())) <= max_title))
        return "title must be a text of at most 200 characters";
    const Json* target = member(card, "target");
    return target_problem(kind, target ? *target : Json());
}

std::string drop_misfit_card(ToolResult& result) {
    const Json* card = member(result.details, "resourceCard");
    if (!card) return {};
    const std::string problem =
        result.is_error ? "a failed call has no card" : resource_card_problem(*card).value_or("");
    if (problem.empty()) return {};
    result.details.get_object().erase("resourceCard");
    return "the resource card was dropped: " + problem;
}

} // namespace foxwedge
