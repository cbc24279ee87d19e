#include "target.hpp"

#include <string>
#include <vector>

#include "common/fields.hpp"
#include "common/normal_form.hpp"

namespace ui {

using namespace capability_kit;
using foxwedge::plugin::object;

namespace {

constexpr std::size_t max_id = 200, max_key = 500, max_path = 4096, max_url = 8192;

constexpr std::pair<std::string_view, Kind> kinds[] = {
    {"knowledge", Kind::knowledge}, {"kv", Kind::kv},           {"project", Kind::project},
    {"kanban", Kind::kanban},       {"browser", Kind::browser}, {"file", Kind::file},
};

/// A target read member by member; pointers are below /target.
class Target {
public:
    Target(const Value& given, Kind kind) : given_(given), kind_(kind) {
        if (!given.is_object()) refuse("target", "target must be an object");
    }

    Value checked() {
        only_known();
        if (kind_ == Kind::browser) return object({{"url", url()}});
        take_source();
        take_id("projectId", max_id);
        switch (kind_) {
        case Kind::knowledge:
            must_have("documentId");
            take_id("documentId", max_id);
            break;
        case Kind::kv:
            take_kv();
            break;
        case Kind::file:
            made_.set("filePath", path());
            break;
        case Kind::project:
            if (source_ != "current") must_have("projectId");
            [[fallthrough]];
        case Kind::kanban:
            take_id("configurationId", max_id);
            break;
        case Kind::browser:
            break; // returned above
        }
        return std::move(made_);
    }

private:
    std::vector<std::string_view> members() const {
        switch (kind_) {
        case Kind::knowledge:
            return {"source", "projectId", "documentId"};
        case Kind::kv:
            return {"source", "projectId", "scope", "key", "conversationId"};
        case Kind::browser:
            return {"url"};
        case Kind::file:
            return {"source", "projectId", "filePath"};
        default:
            return {"source", "projectId", "configurationId"};
        }
    }

    void only_known() const {
        for (const auto& member : given_.object()) {
            bool known = false;
            for (const auto name : members()) known = known || name == member.key;
            if (!known)
                refuse("target/" + escaped(member.key), "a target of this kind has no such member");
        }
    }

    void must_have(std::string_view name) const {
        if (!given_.has(name)) refuse(below(name), "target needs its " + std::string(name));
    }

    static std::string below(std::string_view name) { return "target/" + std::string(name); }

    std::string text(std::string_view name, std::size_t most) const {
        must_have(name);
        const Value& value = given_[name];
        if (!value.is_string() || value.string().empty())
            refuse(below(name), std::string(name) + " must be a text that is not empty");
        if (code_points(value.string()) > most)
            refuse(below(name),
                   std::string(name) + " is longer than " + std::to_string(most) + " characters",
                   most);
        return value.string();
    }

    void take_source() {
        source_ = text("source", max_id);
        if (source_ != "local" && source_ != "server" && source_ != "current")
            refuse(below("source"), "source is local, server or current");
        made_.set("source", source_);
    }

    void take_id(std::string_view name, std::size_t most) {
        if (!given_.has(name)) return;
        const auto normal = normal_form(text(name, 4 * most));
        if (!normal) refuse(below(name), std::string(name) + " is not valid UTF-8");
        if (code_points(*normal) > most)
            refuse(below(name),
                   std::string(name) + " is longer than " + std::to_string(most) + " characters",
                   most);
        made_.set(name, *normal);
    }

    void take_kv() {
        const std::string scope = given_.has("scope") ? text("scope", max_id) : "project";
        if (scope != "project" && scope != "conversation")
            refuse(below("scope"), "scope is project or conversation");
        made_.set("scope", scope);
        must_have("key");
        take_id("key", max_key);
        if (scope == "project" && given_.has("conversationId"))
            refuse(below("conversationId"), "only scope conversation has a conversationId");
        take_id("conversationId", max_id);
    }

    /// An http(s) address that names a host and nobody's password.
    std::string url() const {
        auto url = text("url", max_url);
        std::string_view rest = url;
        for (const std::string_view scheme : {"http://", "https://"})
            if (rest.substr(0, scheme.size()) == scheme) rest.remove_prefix(scheme.size());
        if (rest.size() == url.size())
            refuse(below("url"), "url must start with http:// or https://");
        const auto host = rest.substr(0, rest.find_first_of("/?#"));
        if (host.find('@') != std::string_view::npos)
            refuse(below("url"), "url may not carry credentials");
        if (host.empty() || host.front() == ':') refuse(below("url"), "url names no host");
        for (const char c : url)
            if (static_cast<unsigned char>(c) <= ' ' || c == '\\' || c == 0x7F)
                refuse(below("url"), "url holds a character that no address has");
        return url;
    }

    /// A path that stays below the project's folder.
    std::string path() const {
        auto path = text("filePath", max_path);
        const bool drive = path.size() > 1 && path[1] == ':';
        if (path.front() == '/' || path.front() == '\\' || path.front() == '~' || drive)
            refuse(below("filePath"), "filePath is relative to the project");
        if (path.find('\0') != std::string::npos || path.find('\\') != std::string::npos)
            refuse(below("filePath"), "filePath holds a character that no path here has");
        for (std::size_t from = 0; from <= path.size();) {
            const auto to = std::min(path.find('/', from), path.size());
            if (path.compare(from, to - from, "..") == 0)
                refuse(below("filePath"), "filePath may not lead out of the project");
            from = to + 1;
        }
        return path;
    }

    const Value& given_;
    const Kind kind_;
    std::string source_;
    Value made_ = object();
};

} // namespace

Kind kind_of(std::string_view word) {
    for (const auto& [name, kind] : kinds)
        if (name == word) return kind;
    refuse("kind", "kind is knowledge, kv, project, kanban, browser or file");
}

Value checked_target(Kind kind, const Value& target) {
    return Target(target, kind).checked();
}

} // namespace ui
