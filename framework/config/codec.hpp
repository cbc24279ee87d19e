// One table says how an object is read, checked and described: each key has a name, a codec, a
// sentence for people. The reader and the published JSON Schema both come from it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace foxwedge::config {

/// Collects problems by pointer; the loader adds file, line and column.
class Reading {
public:
    struct Note {
        std::string pointer, message;
        bool warning = false;
        bool at_key = true;
    };
    void problem(std::string pointer, std::string message) {
        notes_.push_back({std::move(pointer), std::move(message), false});
    }
    void warning(std::string pointer, std::string message) {
        notes_.push_back({std::move(pointer), std::move(message), true});
    }
    const std::vector<Note>& notes() const { return notes_; }

private:
    std::vector<Note> notes_;
};

/// What kind of value stands there, for messages: "a text", "an object".
std::string_view kind_name(const Json&);

/// How one kind of value is read and described.
template <class T>
struct Codec {
    std::function<void(Reading&, const Json&, const std::string& pointer, T&)> read;
    std::function<JsonObject()> schema;
};

template <class T>
class Shape {
public:
    struct Field {
        std::string name, doc;
        std::function<void(Reading&, const Json&, const std::string&, T&)> read;
        std::function<JsonObject()> schema;
        bool required = false;
        std::string ignored_because; ///< known to others, warned about
    };

    template <class M, class B>
    Shape& key(std::string name, M B::*at, Codec<M> codec, std::string doc) {
        fields_.push_back({std::move(name),
                           std::move(doc),
                           [at, read = codec.read](Reading& r, const Json& v, const std::string& p,
                                                   T& to) { read(r, v, p, to.*at); },
                           codec.schema,
                           false,
                           {}});
        return *this;
    }
    template <class M, class B>
    Shape& key(std::string name, std::optional<M> B::*at, Codec<M> codec, std::string doc) {
        fields_.push_back({std::move(name),
                           std::move(doc),
                           [at, read = codec.read](Reading& r, const Json& v, const std::string& p,
                                                   T& to) { read(r, v, p, (to.*at).emplace()); },
                           codec.schema,
                           false,
                           {}});
        return *this;
    }
    /// A key that sets more than one member.
    Shape& key(std::string name, Codec<T> codec, std::string doc) {
        fields_.push_back({std::move(name), std::move(doc), codec.read, codec.schema, false, {}});
        return *this;
    }
    /// Accepted with a warning and otherwise without effect.
    Shape& ignored(std::string name, std::string because) {
        fields_.push_back(
            {std::move(name), because, {}, [] { return JsonObject{}; }, false, because});
        return *this;
    }
    Shape& required() {
        fields_.back().required = true;
        return *this;
    }
    /// Looks at the whole object once its keys are read.
    Shape& then(std::function<void(Reading&, const std::string& pointer, T&)> check) {
        checks_.push_back(std::move(check));
        return *this;
    }

    void read(Reading& r, const Json& value, const std::string& pointer, T& to) const {
        if (!value.is_object()) {
            r.problem(pointer, "expected an object, found " + std::string(kind_name(value)));
            return;
        }
        const auto before = r.notes().size();
        for (const auto& [name, part] : value.get_object()) read_member(r, name, part, pointer, to);
        for (const auto& field : fields_)
            if (field.required && !value.get_object().contains(field.name))
                r.problem(pointer, "the key \"" + field.name + "\" is missing: " + field.doc);
        if (r.notes().size() != before && failed(r, before)) return;
        for (const auto& check : checks_) check(r, pointer, to);
    }

    JsonObject schema() const {
        JsonObject properties;
        JsonArray needed;
        for (const auto& field : fields_) {
            auto part = field.schema();
            part["description"] = field.doc;
            properties[field.name] = std::move(part);
            if (field.required) needed.push_back(Json(field.name));
        }
        JsonObject out{{"type", "object"},
                       {"properties", std::move(properties)},
                       {"additionalProperties", false}};
        if (!needed.empty()) out["required"] = std::move(needed);
        return out;
    }

private:
    static bool failed(const Reading& r, std::size_t before) {
        for (auto i = before; i < r.notes().size(); ++i)
            if (!r.notes()[i].warning) return true;
        return false;
    }
    void read_member(Reading& r, std::string_view name, const Json& part,
                     const std::string& pointer, T& to) const {
        const auto here = pointer_append(pointer, name);
        for (const auto& field : fields_) {
            if (field.name != name) continue;
            if (!field.ignored_because.empty()) return r.warning(here, field.ignored_because);
            return field.read(r, part, here, to);
        }
        std::vector<std::string> names;
        for (const auto& field : fields_) names.push_back(field.name);
        const auto near = nearest(name, names);
        r.problem(here, near.empty() ? "unknown key; known are: " + join(names, ", ")
                                     : "unknown key; did you mean \"" + std::string(near) + "\"?");
    }

    std::vector<Field> fields_;
    std::vector<std::function<void(Reading&, const std::string&, T&)>> checks_;
};

// ---- codecs ----

Codec<std::string> text(std::string_view format = "");
Codec<std::string> nonempty_text();
Codec<std::string> one_of(std::vector<std::string> words);
Codec<bool> boolean();
Codec<int> integer(int least, int most);
Codec<std::int64_t> big_integer(std::int64_t least);
Codec<double> number(double least);
Codec<Millis> duration();
Codec<Json> any_json(JsonObject described = {});
Codec<Json> json_object();

template <class T>
Codec<T> object(std::shared_ptr<const Shape<T>> shape) {
    return {[shape](Reading& r, const Json& v, const std::string& p, T& to) {
                shape->read(r, v, p, to);
            },
            [shape] { return shape->schema(); }};
}

template <class T>
Codec<std::vector<T>> list(Codec<T> part) {
    return {[part](Reading& r, const Json& v, const std::string& p, std::vector<T>& to) {
                if (!v.is_array())
                    return r.problem(p, "expected a list, found " + std::string(kind_name(v)));
                to.clear();
                for (std::size_t i = 0; i < v.get_array().size(); ++i)
                    part.read(r, v.get_array()[i], pointer_append(p, i), to.emplace_back());
            },
            [part] {
                return JsonObject{{"type", "array"}, {"items", part.schema()}};
            }};
}

template <class T>
Codec<std::map<std::string, T>> map_of(Codec<T> part) {
    return {[part](Reading& r, const Json& v, const std::string& p, std::map<std::string, T>& to) {
                if (!v.is_object())
                    return r.problem(p, "expected an object, found " + std::string(kind_name(v)));
                for (const auto& [name, value] : v.get_object())
                    part.read(r, value, pointer_append(p, name), to[std::string(name)]);
            },
            [part] {
                return JsonObject{{"type", "object"}, {"additionalProperties", part.schema()}};
            }};
}

} // namespace foxwedge::config
