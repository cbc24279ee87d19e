#include "plugin/conformance/example.hpp"

#include "schema/schema.hpp"

namespace foxwedge::plugin::conformance {
namespace {

constexpr int deepest = 16; // a schema that refers to itself

/// Makes values; they are judged by the whole schema afterwards.
class Maker {
public:
    explicit Maker(const Json& root) : root_(root) {}

    Json make(const Json& schema, int depth = 0) const {
        if (!schema.is_object() || depth > deepest) return nullptr;
        if (const auto* examples = array_member(schema, "examples"); examples && !examples->empty())
            return examples->front();
        for (const auto* keyword : {"const", "default"})
            if (const auto* value = member(schema, keyword)) return *value;
        if (const auto* values = array_member(schema, "enum"); values && !values->empty())
            return values->front();
        if (const auto ref = string_member(schema, "$ref"); ref && ref->substr(0, 1) == "#")
            if (const auto* target = at_pointer(root_, ref->substr(1)))
                return make(*target, depth + 1);
        for (const auto* keyword : {"oneOf", "anyOf", "allOf"})
            if (const auto* branches = array_member(schema, keyword);
                branches && !branches->empty())
                return joined(typed(schema, depth), make(branches->front(), depth + 1));
        return typed(schema, depth);
    }

private:
    static Json joined(Json left, Json right) {
        if (!left.is_object() || !right.is_object()) return right.is_null() ? left : right;
        for (auto& [key, value] : right.get_object())
            left.get_object().insert_or_assign(key, value);
        return left;
    }

    Json typed(const Json& schema, int depth) const {
        auto type = string_member(schema, "type");
        if (const auto* types = array_member(schema, "type"); types && !types->empty())
            if (types->front().is_string()) type = view(types->front().get_string());
        if (!type && object_member(schema, "properties")) type = "object";
        if (!type) return nullptr;
        if (*type == "object") return object_of(schema, depth);
        if (*type == "array") return array_of(schema, depth);
        if (*type == "string") return text_of(schema);
        if (*type == "boolean") return false;
        if (*type == "integer" || *type == "number") return number_of(schema);
        return nullptr;
    }
    Json object_of(const Json& schema, int depth) const {
        JsonObject out;
        const auto* properties = object_member(schema, "properties");
        if (const auto* required = array_member(schema, "required"))
            for (const auto& name : *required) {
                if (!name.is_string()) continue;
                const auto* property =
                    properties ? properties->if_contains(view(name.get_string())) : nullptr;
                out.insert_or_assign(view(name.get_string()),
                                     property ? make(*property, depth + 1) : Json("x"));
            }
        return out;
    }
    Json array_of(const Json& schema, int depth) const {
        JsonArray out;
        const auto* items = member(schema, "items");
        const auto least = integer_member(schema, "minItems").value_or(0);
        for (std::int64_t n = 0; n < least && n < 100; ++n)
            out.push_back(items ? make(*items, depth + 1) : Json("x"));
        return out;
    }
    static Json text_of(const Json& schema) {
        const auto format = string_member(schema, "format").value_or("");
        if (format == "date-time") return "2026-01-02T03:04:05Z";
        if (format == "date") return "2026-01-02";
        if (format == "uri" || format == "url") return "https://example.com/";
        if (format == "email") return "ada@example.com";
        const auto least = integer_member(schema, "minLength").value_or(1);
        const auto most = integer_member(schema, "maxLength").value_or(least < 7 ? 7 : least);
        std::string text = "example";
        while (static_cast<std::int64_t>(text.size()) < least && text.size() < 1 << 20) text += 'x';
        if (static_cast<std::int64_t>(text.size()) > most)
            text.resize(static_cast<std::size_t>(most));
        return Json(text);
    }
    static Json number_of(const Json& schema) {
        if (const auto least = number_member(schema, "minimum"); least && *least > 1)
            return *member(schema, "minimum");
        if (const auto above = number_member(schema, "exclusiveMinimum"); above && *above >= 1)
            return static_cast<std::int64_t>(*above) + 1;
        if (const auto most = number_member(schema, "maximum"); most && *most < 1)
            return *member(schema, "maximum");
        return 1;
    }

    const Json& root_;
};

} // namespace

std::optional<Json> example_of(const Json& schema) {
    const auto compiled = schema::Schema::compile(schema);
    if (!compiled) return std::nullopt;
    auto made = Maker(schema).make(schema);
    if (!compiled->valid(made)) return std::nullopt;
    return made;
}

} // namespace foxwedge::plugin::conformance
