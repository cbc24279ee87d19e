// Values while a rule is evaluated: small, never owning. JSON is looked into, not copied.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace foxwedge::rule {

enum class Kind : std::uint8_t {
    error,
    null,
    boolean,
    integer,
    unsigned_,
    real,
    string,
    bytes,
    list,
    map,
    type,
    timestamp,
    duration,
};

struct Value;
struct List {
    std::vector<Value> values;
};
struct Map {
    std::vector<std::pair<Value, Value>> entries;
};

struct Value {
    Kind kind = Kind::null;
    bool json = false;      ///< list or map: `source` is it
    std::int32_t nanos = 0; ///< of timestamp and duration, whose seconds are `integer`
    union {
        bool boolean;
        std::int64_t integer;
        std::uint64_t unsigned_;
        double real;
        const List* list;
        const Map* map;
        Kind type; ///< error as the type of types
        const char* text = nullptr;
    };
    union {
        std::size_t size = 0;
        const Json* source; ///< what a real was read from (its exact digits), or a list or map
    };

    bool is(Kind k) const { return kind == k; }
    bool failed() const { return kind == Kind::error; }
    bool is_true() const { return kind == Kind::boolean && boolean; }
    bool is_number() const {
        return kind == Kind::integer || kind == Kind::unsigned_ || kind == Kind::real;
    }
    std::string_view view() const { return {text, size}; }
};

inline Value of(Kind kind) {
    Value value;
    value.kind = kind;
    return value;
}
/// `words` lives for ever or in the arena.
inline Value failure(const char* words) {
    auto value = of(Kind::error);
    value.text = words;
    return value;
}
inline Value of_bool(bool boolean) {
    auto value = of(Kind::boolean);
    value.boolean = boolean;
    return value;
}
inline Value of_int(std::int64_t integer) {
    auto value = of(Kind::integer);
    value.integer = integer;
    return value;
}
inline Value of_uint(std::uint64_t number) {
    auto value = of(Kind::unsigned_);
    value.unsigned_ = number;
    return value;
}
inline Value of_real(double real) {
    auto value = of(Kind::real);
    value.real = real;
    value.source = nullptr;
    return value;
}
inline Value of_text(std::string_view text, Kind kind = Kind::string) {
    auto value = of(kind);
    value.text = text.data();
    value.size = text.size();
    return value;
}
inline Value of_type(Kind type) {
    auto value = of(Kind::type);
    value.type = type;
    return value;
}
inline Value of_time(Kind kind, std::int64_t seconds, std::int32_t nanos) {
    auto value = of(kind);
    value.integer = seconds;
    value.nanos = nanos;
    return value;
}

/// Owns what an evaluation makes. Costs nothing until used.
class Arena {
public:
    Value text(std::string text, Kind kind = Kind::string) {
        return of_text(*texts_.emplace_back(std::make_unique<std::string>(std::move(text))), kind);
    }
    Value fail(std::string words) {
        return failure(
            texts_.emplace_back(std::make_unique<std::string>(std::move(words)))->c_str());
    }
    Value list(std::vector<Value> values) {
        auto value = of(Kind::list);
        value.list = lists_.emplace_back(std::make_unique<List>(List{std::move(values)})).get();
        return value;
    }
    Value map(std::vector<std::pair<Value, Value>> entries) {
        auto value = of(Kind::map);
        value.map = maps_.emplace_back(std::make_unique<Map>(Map{std::move(entries)})).get();
        return value;
    }

private:
    std::vector<std::unique_ptr<std::string>> texts_;
    std::vector<std::unique_ptr<List>> lists_;
    std::vector<std::unique_ptr<Map>> maps_;
};

/// A JSON value as rules see it: every number a double.
Value from_json(const Json&);
/// The JSON of a value; an error for what has none (map keys that are no strings, NaN).
Result<Json> to_json(const Value&, std::size_t depth = 0);

const char* type_name(Kind);

std::size_t size_of(const Value& list_or_map);
/// The element at `index` of a list.
Value element(const Value& list, std::size_t index);
/// The key at `index` of a map, in its order.
Value key_at(const Value& map, std::size_t index);
/// The entry of `key`, or false.
bool find(const Value& map, const Value& key, Value& found);
bool find(const Value& map, std::string_view key, Value& found);

/// Equality and order of CEL: across the kinds of numbers, never by rounding. `steps` counts the
/// elements looked at.
bool equal(const Value&, const Value&, std::size_t& steps, std::size_t depth = 0);
enum class Order : std::uint8_t { less, equal, greater, unordered, no_overload };
Order compare(const Value&, const Value&);

} // namespace foxwedge::rule
