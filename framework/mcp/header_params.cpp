#include "mcp/header_params.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace foxwedge::mcp {
namespace {

constexpr std::string_view annotation = "x-mcp-header";
constexpr std::string_view opening = "=?base64?";
constexpr std::string_view closing = "?=";

bool starts(std::string_view text, std::string_view with) {
    return text.substr(0, with.size()) == with;
}

bool is_safe(std::string_view value) {
    if (value.empty()) return true;
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    if (blank(value.front()) || blank(value.back())) return false;
    for (const char c : value)
        if (c != '\t' && (c < 0x20 || c > 0x7e)) return false;
    return !starts(value, opening);
}

bool is_token(std::string_view name) {
    static constexpr std::string_view others = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               others.find(c) != others.npos;
    });
}

Error invalid(std::string why) {
    return permanent("invalid_annotation", "its x-mcp-header annotation is invalid: " + why);
}

std::size_t annotations_in(const Json& json) {
    std::size_t count = 0;
    if (json.is_array())
        for (const Json& each : json.get_array()) count += annotations_in(each);
    if (json.is_object())
        for (const auto& [key, value] : json.get_object())
            count += (std::string_view(key) == annotation) + annotations_in(value);
    return count;
}

struct Collector {
    std::vector<HeaderParam> found;
    std::set<std::string> names;

    Status properties(const Json& schema, std::vector<std::string>& path) {
        const JsonObject* members = object_member(schema, "properties");
        if (!members) return {};
        for (const auto& [key, value] : *members) {
            path.emplace_back(key);
            FOXWEDGE_CHECK(property(value, path));
            path.pop_back();
        }
        return {};
    }
    Status property(const Json& schema, std::vector<std::string>& path) {
        if (const Json* name = member(schema, annotation))
            FOXWEDGE_CHECK(take(schema, *name, path));
        return properties(schema, path);
    }
    Status take(const Json& schema, const Json& name, const std::vector<std::string>& path) {
        if (!name.is_string() || !is_token(view(name.get_string())))
            return invalid("the name " + to_text(name) + " is no header token");
        const auto type = string_member(schema, "type").value_or("");
        if (type != "string" && type != "integer" && type != "boolean")
            return invalid("\"" + path.back() + "\" is no string, integer or boolean");
        std::string text(view(name.get_string()));
        if (!names.insert(lower_ascii(text)).second)
            return invalid("\"" + text + "\" is used twice");
        found.push_back({path, std::move(text)});
        return {};
    }
};

const Json* at(const Json& arguments, const std::vector<std::string>& path) {
    const Json* value = &arguments;
    for (const auto& part : path) {
        value = member(*value, part);
        if (!value) return nullptr;
    }
    return value;
}

} // namespace

std::string header_value(std::string_view value) {
    if (is_safe(value)) return std::string(value);
    return std::string(opening) + to_base64(value) + std::string(closing);
}

Result<std::string> from_header_value(std::string_view field) {
    if (field.size() < opening.size() + closing.size() || !starts(field, opening) ||
        field.substr(field.size() - closing.size()) != closing)
        return std::string(field);
    field.remove_prefix(opening.size());
    field.remove_suffix(closing.size());
    auto decoded = from_base64(field);
    if (!decoded || !is_utf8(*decoded) || to_base64(*decoded) != field)
        return permanent("invalid_header", "a base64 header value is no base64 of UTF-8");
    return decoded;
}

Result<std::vector<HeaderParam>> header_params(const Json& input_schema) {
    Collector collector;
    std::vector<std::string> path;
    FOXWEDGE_CHECK(collector.properties(input_schema, path));
    // Whatever the walk along `properties` did not meet stands where it must not.
    if (annotations_in(input_schema) != collector.found.size())
        return invalid("it stands outside a chain of properties");
    return std::move(collector.found);
}

std::vector<std::pair<std::string, std::string>>
header_fields(const std::vector<HeaderParam>& params, const Json& arguments) {
    std::vector<std::pair<std::string, std::string>> fields;
    for (const auto& param : params) {
        const Json* value = at(arguments, param.path);
        if (!value || value->is_null()) continue;
        fields.emplace_back("Mcp-Param-" + param.name, value->is_string()
                                                           ? header_value(view(value->get_string()))
                                                           : to_text(*value));
    }
    return fields;
}

} // namespace foxwedge::mcp
