#include "rule/value.hpp"

#include <cmath>
#include <cstring>

#include "base/text.hpp"

namespace foxwedge::rule {
namespace {

using boost::json::kind;

constexpr std::size_t deepest = 200;

/// Exact for every kind of number: 64 bits of mantissa or more.
long double widened(const Value& value) {
    if (value.is(Kind::integer)) return static_cast<long double>(value.integer);
    if (value.is(Kind::unsigned_)) return static_cast<long double>(value.unsigned_);
    return static_cast<long double>(value.real);
}

template <class T>
Order ordered(const T& a, const T& b) {
    if (a < b) return Order::less;
    if (b < a) return Order::greater;
    return a == b ? Order::equal : Order::unordered;
}

std::string_view key_of(const boost::json::key_value_pair& member) {
    return {member.key().data(), member.key().size()};
}

Error no_json(std::string reason) {
    return permanent("rule_failed", std::move(reason));
}

} // namespace

Value from_json(const Json& json) {
    auto real = [&](double number) {
        auto value = of_real(number);
        value.source = &json;
        return value;
    };
    switch (json.kind()) {
    case kind::null:
        return {};
    case kind::bool_:
        return of_bool(json.get_bool());
    case kind::int64:
        return real(static_cast<double>(json.get_int64()));
    case kind::uint64:
        return real(static_cast<double>(json.get_uint64()));
    case kind::double_:
        return real(json.get_double());
    case kind::string:
        return of_text(view(json.get_string()));
    case kind::array:
    case kind::object:
        break;
    }
    auto value = of(json.is_array() ? Kind::list : Kind::map);
    value.json = true;
    value.source = &json;
    return value;
}

Result<Json> to_json(const Value& value, std::size_t depth) {
    if (depth > deepest) return no_json("the value nests too deeply");
    switch (value.kind) {
    case Kind::null:
        return Json(nullptr);
    case Kind::boolean:
        return Json(value.boolean);
    case Kind::integer:
        return Json(value.integer);
    case Kind::unsigned_:
        return Json(value.unsigned_);
    case Kind::string:
        return Json(boost::json::string_view(value.text, value.size));
    case Kind::bytes:
        return Json(to_base64(value.view()));
    case Kind::real:
        if (value.source) return *value.source;
        if (!std::isfinite(value.real)) return no_json("the value is a number that JSON has not");
        return Json(value.real);
    case Kind::list: {
        if (value.json) return *value.source;
        JsonArray array;
        for (const auto& each : value.list->values) {
            FOXWEDGE_TRY(json, to_json(each, depth + 1));
            array.push_back(std::move(json));
        }
        return Json(std::move(array));
    }
    case Kind::map: {
        if (value.json) return *value.source;
        JsonObject object;
        for (const auto& [key, each] : value.map->entries) {
            if (!key.is(Kind::string)) return no_json("a key of the value is no string");
            FOXWEDGE_TRY(json, to_json(each, depth + 1));
            object.emplace(key.view(), std::move(json));
        }
        return Json(std::move(object));
    }
    case Kind::error:
        return no_json(value.text);
    default:
        return no_json(std::string("the value is a ") + type_name(value.kind) +
                       ", which JSON has not; use string()");
    }
}

const char* type_name(Kind kind) {
    switch (kind) {
    case Kind::null:
        return "null_type";
    case Kind::boolean:
        return "bool";
    case Kind::integer:
        return "int";
    case Kind::unsigned_:
        return "uint";
    case Kind::real:
        return "double";
    case Kind::string:
        return "string";
    case Kind::bytes:
        return "bytes";
    case Kind::list:
        return "list";
    case Kind::map:
        return "map";
    case Kind::timestamp:
        return "google.protobuf.Timestamp";
    case Kind::duration:
        return "google.protobuf.Duration";
    default:
        return "type";
    }
}

std::size_t size_of(const Value& value) {
    if (value.is(Kind::list))
        return value.json ? value.source->get_array().size() : value.list->values.size();
    return value.json ? value.source->get_object().size() : value.map->entries.size();
}

Value element(const Value& list, std::size_t index) {
    return list.json ? from_json(list.source->get_array()[index]) : list.list->values[index];
}

Value key_at(const Value& map, std::size_t index) {
    return map.json ? of_text(key_of(map.source->get_object().begin()[index]))
                    : map.map->entries[index].first;
}

bool find(const Value& map, std::string_view key, Value& found) {
    if (!map.json) return find(map, of_text(key), found);
    const auto* member = map.source->get_object().if_contains(key);
    if (member) found = from_json(*member);
    return member != nullptr;
}

bool find(const Value& map, const Value& key, Value& found) {
    if (map.json) return key.is(Kind::string) && find(map, key.view(), found);
    std::size_t steps = 0;
    for (const auto& [each, value] : map.map->entries)
        if (equal(each, key, steps)) {
            found = value;
            return true;
        }
    return false;
}

bool equal(const Value& a, const Value& b, std::size_t& steps, std::size_t depth) {
    ++steps;
    if (a.is_number() && b.is_number()) return widened(a) == widened(b);
    if (a.kind != b.kind || depth > deepest) return false;
    switch (a.kind) {
    case Kind::null:
        return true;
    case Kind::boolean:
        return a.boolean == b.boolean;
    case Kind::string:
    case Kind::bytes:
        return a.view() == b.view();
    case Kind::type:
        return a.type == b.type;
    case Kind::timestamp:
    case Kind::duration:
        return a.integer == b.integer && a.nanos == b.nanos;
    case Kind::list:
        if (size_of(a) != size_of(b)) return false;
        for (std::size_t i = 0; i < size_of(a); ++i)
            if (!equal(element(a, i), element(b, i), steps, depth + 1)) return false;
        return true;
    case Kind::map:
        if (size_of(a) != size_of(b)) return false;
        for (std::size_t i = 0; i < size_of(a); ++i) {
            auto key = key_at(a, i);
            Value mine;
            Value other;
            if (!find(b, key, other) || !find(a, key, mine)) return false;
            if (!equal(mine, other, steps, depth + 1)) return false;
        }
        return true;
    default:
        return false;
    }
}

Order compare(const Value& a, const Value& b) {
    if (a.is(Kind::real) && b.is(Kind::real)) return ordered(a.real, b.real);
    if (a.is_number() && b.is_number()) return ordered(widened(a), widened(b));
    if (a.kind != b.kind) return Order::no_overload;
    switch (a.kind) {
    case Kind::boolean:
        return ordered(a.boolean, b.boolean);
    case Kind::string:
    case Kind::bytes:
        return ordered(a.view().compare(b.view()), 0);
    case Kind::timestamp:
    case Kind::duration:
        return ordered(std::pair(a.integer, a.nanos), std::pair(b.integer, b.nanos));
    default:
        return Order::no_overload;
    }
}

} // namespace foxwedge::rule
