// One table says how an object is read, checked and described: each key has a name, a codec, a
// sentence for people. The reader and the published JSON Schema both come from it.
#pragma once
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/json_kind.hpp"
#include "base/text.hpp"

namespace foxwedge::config {

/// Collects problems by pointer; the loader adds file, line and column.
class Reading {
public:
    struct Note {
        std::string pointer, message;
        bool warning = false;
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

/// How one kind of value is read into memory of its type, and described. Only Codec and Shape,
/// which know the type, make and use one.
struct AnyCodec {
    std::function<void(Reading&, const Json&, const std::string& pointer, void* to)> read_into;
    std::function<JsonObject()> schema;
    /// How a value is written, of the kinds whose default is worth telling; none: left unsaid.
    std::function<std::optional<Json>(const void* value)> written = {};
};

template <class T>
struct Codec : AnyCodec {
    /// `read(Reading&, const Json&, const std::string& pointer, T&)`, `schema() -> JsonObject`.
    template <class Read, class Schema>
    Codec(Read read, Schema schema)
        : AnyCodec{[read](Reading& r, const Json& v, const std::string& p, void* to) {
                       read(r, v, p, *static_cast<T*>(to));
                   },
                   schema} {}
    /// `write(const T&) -> std::optional<Json>`: a value as it is written, none where it says "not
    /// set".
    template <class Read, class Schema, class Write>
    Codec(Read read, Schema schema, Write write) : Codec(std::move(read), std::move(schema)) {
        written = [write](const void* value) -> std::optional<Json> {
            return write(*static_cast<const T*>(value));
        };
    }
    void read(Reading& r, const Json& v, const std::string& p, T& to) const {
        read_into(r, v, p, &to);
    }
};

/// The part of a Shape that does not depend on the type, so that it is compiled once.
class AnyShape {
public:
    void read_into(Reading&, const Json&, const std::string& pointer, void* to) const;
    JsonObject schema() const;

protected:
    /// A pointer to member, as bytes.
    using Member = std::array<char, 16>;
    /// Where in an object a key's value goes.
    using Place = void* (*)(void* object, const Member&);
    using Check = std::function<void(Reading&, const std::string& pointer, void* object)>;

    void add(std::string name, std::string doc, AnyCodec, Place, Member);
    void last_may_be_absent() { fields_.back().codec.written = {}; }
    void add_ignored(std::string name, std::string because);
    void require_last() { fields_.back().required = true; }
    void add_check(Check check) { checks_.push_back(std::move(check)); }
    /// Makes an object of the type, whose members then hold their defaults.
    std::function<std::shared_ptr<void>()> fresh_;

private:
    struct Field {
        std::string name, doc;
        AnyCodec codec;
        Place place = nullptr;
        Member member{};
        bool required = false;
        bool ignored = false; ///< known to others; `doc` says why it has no effect
    };
    void read_member(Reading&, std::string_view name, const Json& part, const std::string& pointer,
                     void* to) const;

    std::vector<Field> fields_;
    std::vector<Check> checks_;
};

template <class T>
class Shape : public AnyShape {
public:
    Shape() {
        fresh_ = [] { return std::make_shared<T>(); };
    }
    template <class M, class B>
    Shape& key(std::string name, M B::*at, const Codec<M>& codec, std::string doc) {
        add(std::move(name), std::move(doc), codec, place<M B::*>, bytes(at));
        return *this;
    }
    template <class M, class B>
    Shape& key(std::string name, std::optional<M> B::*at, const Codec<M>& codec, std::string doc) {
        add(std::move(name), std::move(doc), codec, place_optional<M, std::optional<M> B::*>,
            bytes(at));
        last_may_be_absent();
        return *this;
    }
    /// A key that sets more than one member.
    Shape& key(std::string name, const Codec<T>& codec, std::string doc) {
        add(std::move(name), std::move(doc), codec,
            [](void* object, const Member&) { return object; }, {});
        last_may_be_absent();
        return *this;
    }
    /// Accepted with a warning and otherwise without effect.
    Shape& ignored(std::string name, std::string because) {
        add_ignored(std::move(name), std::move(because));
        return *this;
    }
    Shape& required() {
        require_last();
        return *this;
    }
    /// Looks at the whole object once its keys are read.
    Shape& then(void (*check)(Reading&, const std::string& pointer, T&)) {
        add_check([check](Reading& r, const std::string& pointer, void* object) {
            check(r, pointer, *static_cast<T*>(object));
        });
        return *this;
    }
    void read(Reading& r, const Json& value, const std::string& pointer, T& to) const {
        read_into(r, value, pointer, &to);
    }

private:
    template <class P>
    static Member bytes(P at) {
        static_assert(sizeof at <= sizeof(Member));
        Member member{};
        std::memcpy(member.data(), &at, sizeof at);
        return member;
    }
    template <class P>
    static void* place(void* object, const Member& member) {
        P at;
        std::memcpy(&at, member.data(), sizeof at);
        return &(static_cast<T*>(object)->*at);
    }
    template <class M, class P>
    static void* place_optional(void* object, const Member& member) {
        P at;
        std::memcpy(&at, member.data(), sizeof at);
        return &(static_cast<T*>(object)->*at).emplace();
    }
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
                    return r.problem(p, "expected an array, found " + std::string(kind_name(v)));
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
