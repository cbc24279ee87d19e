#include "config/codec.hpp"

#include <algorithm>

namespace foxwedge::config {
namespace {

void mismatch(Reading& r, const std::string& pointer, std::string_view expected,
              const Json& found) {
    r.problem(pointer,
              "expected " + std::string(expected) + ", found " + std::string(kind_name(found)));
}

std::optional<Json> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<Json>(text);
}

/// Writes numbers; what is too small to be written says "not set".
template <class T>
auto from(T least) {
    return [least](T n) { return n < least ? std::nullopt : std::optional<Json>(n); };
}

std::optional<std::int64_t> whole(const Json& v) {
    if (v.is_int64()) return v.get_int64();
    return std::nullopt;
}

} // namespace

void AnyShape::add(std::string name, std::string doc, AnyCodec codec, Place place, Member member) {
    fields_.push_back({std::move(name), std::move(doc), std::move(codec), place, member});
}

void AnyShape::add_ignored(std::string name, std::string because) {
    Field field;
    field.name = std::move(name);
    field.doc = std::move(because);
    field.codec.schema = [] { return JsonObject{}; };
    field.ignored = true;
    fields_.push_back(std::move(field));
}

void AnyShape::read_into(Reading& r, const Json& value, const std::string& pointer,
                         void* to) const {
    if (!value.is_object())
        return r.problem(pointer, "expected an object, found " + std::string(kind_name(value)));
    const auto before = r.notes().size();
    for (const auto& [name, part] : value.get_object()) read_member(r, name, part, pointer, to);
    for (const auto& field : fields_)
        if (field.required && !value.get_object().contains(field.name))
            r.problem(pointer, "the key \"" + field.name + "\" is missing: " + field.doc);
    // What could not be read would only be found wrong once more.
    const bool failed = std::any_of(r.notes().begin() + static_cast<std::ptrdiff_t>(before),
                                    r.notes().end(), [](const auto& n) { return !n.warning; });
    if (failed) return;
    for (const auto& check : checks_) check(r, pointer, to);
}

void AnyShape::read_member(Reading& r, std::string_view name, const Json& part,
                           const std::string& pointer, void* to) const {
    const auto here = pointer_append(pointer, name);
    std::vector<std::string> names;
    for (const auto& field : fields_) {
        names.push_back(field.name);
        if (field.name != name) continue;
        if (field.ignored) return r.warning(here, field.doc);
        return field.codec.read_into(r, part, here, field.place(to, field.member));
    }
    const auto near = nearest(name, names);
    r.problem(here, near.empty() ? "unknown key; known are: " + join(names, ", ")
                                 : "unknown key; did you mean \"" + std::string(near) + "\"?");
}

JsonObject AnyShape::schema() const {
    JsonObject properties;
    JsonArray needed;
    const auto defaults = fresh_();
    for (const auto& field : fields_) {
        auto part = field.codec.schema();
        part["description"] = field.doc;
        if (field.codec.written && !field.required)
            if (auto value = field.codec.written(field.place(defaults.get(), field.member)))
                part["default"] = *std::move(value);
        properties[field.name] = std::move(part);
        if (field.required) needed.push_back(Json(field.name));
    }
    JsonObject out{
        {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!needed.empty()) out["required"] = std::move(needed);
    return out;
}

Codec<std::string> text(std::string_view format) {
    return {[](Reading& r, const Json& v, const std::string& p, std::string& to) {
                if (!v.is_string()) return mismatch(r, p, "a string", v);
                to = view(v.get_string());
            },
            [format = std::string(format)] {
                JsonObject schema{{"type", "string"}};
                if (!format.empty()) schema["format"] = format;
                return schema;
            },
            unless_empty};
}

Codec<std::string> nonempty_text() {
    return {[](Reading& r, const Json& v, const std::string& p, std::string& to) {
                if (!v.is_string()) return mismatch(r, p, "a string", v);
                if (v.get_string().empty()) return r.problem(p, "must not be empty");
                to = view(v.get_string());
            },
            [] {
                return JsonObject{{"type", "string"}, {"minLength", 1}};
            },
            unless_empty};
}

Codec<std::string> one_of(std::vector<std::string> words) {
    return {[words](Reading& r, const Json& v, const std::string& p, std::string& to) {
                const auto found = v.is_string() ? view(v.get_string()) : std::string_view{};
                if (v.is_string() && std::find(words.begin(), words.end(), found) != words.end()) {
                    to = found;
                    return;
                }
                std::vector<std::string> quoted_words;
                for (const auto& word : words) quoted_words.push_back('"' + word + '"');
                const auto near = nearest(found, words);
                r.problem(
                    p, "expected one of " + join(quoted_words, ", ") +
                           (near.empty() ? "" : "; did you mean \"" + std::string(near) + "\"?"));
            },
            [words] {
                JsonArray all;
                for (const auto& word : words) all.push_back(Json(word));
                return JsonObject{{"enum", std::move(all)}};
            },
            unless_empty};
}

Codec<bool> boolean() {
    return {[](Reading& r, const Json& v, const std::string& p, bool& to) {
                if (!v.is_bool()) return mismatch(r, p, "true or false", v);
                to = v.get_bool();
            },
            [] {
                return JsonObject{{"type", "boolean"}};
            },
            [](bool value) { return std::optional<Json>(value); }};
}

Codec<int> integer(int least, int most) {
    return {[=](Reading& r, const Json& v, const std::string& p, int& to) {
                const auto n = whole(v);
                if (!n) return mismatch(r, p, "a whole number", v);
                if (*n < least || *n > most)
                    return r.problem(p, "must be from " + std::to_string(least) + " to " +
                                            std::to_string(most));
                to = static_cast<int>(*n);
            },
            [=] {
                return JsonObject{{"type", "integer"}, {"minimum", least}, {"maximum", most}};
            },
            from(least)};
}

Codec<std::int64_t> big_integer(std::int64_t least) {
    return {[=](Reading& r, const Json& v, const std::string& p, std::int64_t& to) {
                const auto n = whole(v);
                if (!n) return mismatch(r, p, "a whole number", v);
                if (*n < least) return r.problem(p, "must be at least " + std::to_string(least));
                to = *n;
            },
            [=] {
                return JsonObject{{"type", "integer"}, {"minimum", least}};
            },
            from(least)};
}

Codec<double> number(double least) {
    return {[=](Reading& r, const Json& v, const std::string& p, double& to) {
                if (!v.is_number()) return mismatch(r, p, "a number", v);
                const auto n = v.to_number<double>();
                if (n < least)
                    return r.problem(p, "must be at least " + foxwedge::to_text(Json(least)));
                to = n;
            },
            [=] {
                return JsonObject{{"type", "number"}, {"minimum", least}};
            },
            from(least)};
}

Codec<Millis> duration() {
    return {[](Reading& r, const Json& v, const std::string& p, Millis& to) {
                if (!v.is_string())
                    return mismatch(r, p, "a duration such as \"500ms\", \"30s\", \"10m\"", v);
                auto parsed = parse_duration(view(v.get_string()));
                if (!parsed) return r.problem(p, parsed.error().message);
                to = *parsed;
            },
            [] {
                return JsonObject{{"type", "string"}, {"pattern", "^[0-9]+(ms|s|m|h|d)$"}};
            },
            [](Millis value) {
                return value == Millis(0) ? std::nullopt
                                          : std::optional<Json>(to_duration_text(value));
            }};
}

Codec<Json> any_json(JsonObject described) {
    return {[](Reading&, const Json& v, const std::string&, Json& to) { to = v; },
            [described] { return described; }};
}

Codec<Json> json_object() {
    return {[](Reading& r, const Json& v, const std::string& p, Json& to) {
                if (!v.is_object()) return mismatch(r, p, "an object", v);
                to = v;
            },
            [] {
                return JsonObject{{"type", "object"}};
            }};
}

} // namespace foxwedge::config
