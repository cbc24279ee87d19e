#include "base/json.hpp"

#include <charconv>
#include <cmath>
#include <vector>

namespace foxwedge {
namespace {

bool is_number(const Json& value) {
    return value.is_int64() || value.is_uint64() || value.is_double();
}

/// An integral double within int64, as that integer.
std::optional<std::int64_t> whole(double value) {
    constexpr double limit = 9223372036854775808.0;
    if (value != std::floor(value) || value < -limit || value >= limit) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

bool same(std::uint64_t a, double b) {
    constexpr double limit = 18446744073709551616.0;
    return b >= 0 && b < limit && b == std::floor(b) && static_cast<std::uint64_t>(b) == a;
}

bool same_number(const Json& a, const Json& b) {
    if (a.kind() == b.kind()) {
        if (a.is_int64()) return a.get_int64() == b.get_int64();
        if (a.is_uint64()) return a.get_uint64() == b.get_uint64();
        return a.get_double() == b.get_double();
    }
    if (b.is_double()) return same_number(b, a);
    if (a.is_double()) {
        if (b.is_int64()) return whole(a.get_double()) == b.get_int64();
        return same(b.get_uint64(), a.get_double());
    }
    const Json& positive = a.is_uint64() ? a : b;
    const Json& other = a.is_uint64() ? b : a;
    return other.get_int64() >= 0 &&
           static_cast<std::uint64_t>(other.get_int64()) == positive.get_uint64();
}

using Pair = std::pair<const Json*, const Json*>;

/// Compares two values but for what they contain, which is put on `rest`.
bool same_surface(const Json& a, const Json& b, std::vector<Pair>& rest) {
    if (is_number(a)) return is_number(b) && same_number(a, b);
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
    case boost::json::kind::bool_:
        return a.get_bool() == b.get_bool();
    case boost::json::kind::string:
        return a.get_string() == b.get_string();
    case boost::json::kind::array: {
        const auto& x = a.get_array();
        const auto& y = b.get_array();
        if (x.size() != y.size()) return false;
        for (std::size_t i = 0; i < x.size(); ++i) rest.emplace_back(&x[i], &y[i]);
        return true;
    }
    case boost::json::kind::object: {
        const auto& x = a.get_object();
        const auto& y = b.get_object();
        if (x.size() != y.size()) return false;
        for (const auto& member : x) {
            const auto* other = y.if_contains(member.key());
            if (!other) return false;
            rest.emplace_back(&member.value(), other);
        }
        return true;
    }
    default:
        return true;
    }
}

/// A pointer's token with ~1 and ~0 undone.
std::string unescaped(std::string_view token) {
    std::string key;
    for (std::size_t i = 0; i < token.size(); ++i) {
        bool escape = token[i] == '~' && i + 1 < token.size();
        key += !escape ? token[i] : token[++i] == '1' ? '/' : '~';
    }
    return key;
}

const Json* child(const Json& value, std::string_view token) {
    if (value.is_object()) return value.get_object().if_contains(unescaped(token));
    if (!value.is_array()) return nullptr;
    std::size_t index = 0;
    auto [end, status] = std::from_chars(token.data(), token.data() + token.size(), index);
    bool canonical = token == "0" || (!token.empty() && token[0] >= '1' && token[0] <= '9');
    if (status != std::errc{} || end != token.data() + token.size() || !canonical) return nullptr;
    return value.get_array().if_contains(index);
}

} // namespace

const Json* at_pointer(const Json& root, std::string_view pointer) {
    const Json* value = &root;
    while (value && !pointer.empty()) {
        if (pointer[0] != '/') return nullptr;
        auto end = pointer.find('/', 1);
        value = child(*value, pointer.substr(1, end == std::string_view::npos ? end : end - 1));
        pointer = end == std::string_view::npos ? std::string_view() : pointer.substr(end);
    }
    return value;
}

std::string pointer_append(std::string_view pointer, std::string_view token) {
    std::string longer(pointer);
    longer += '/';
    for (char c : token) {
        if (c == '~')
            longer += "~0";
        else if (c == '/')
            longer += "~1";
        else
            longer += c;
    }
    return longer;
}

std::string pointer_append(std::string_view pointer, std::size_t index) {
    return std::string(pointer) + "/" + std::to_string(index);
}

const Json* member(const Json& object, std::string_view key) {
    const auto* members = object.if_object();
    return members ? members->if_contains(key) : nullptr;
}

std::optional<std::string_view> string_member(const Json& object, std::string_view key) {
    const auto* found = member(object, key);
    if (!found || !found->is_string()) return std::nullopt;
    return view(found->get_string());
}

std::optional<std::int64_t> integer_member(const Json& object, std::string_view key) {
    const auto* found = member(object, key);
    if (!found) return std::nullopt;
    if (found->is_int64()) return found->get_int64();
    if (found->is_double()) return whole(found->get_double());
    return std::nullopt;
}

std::optional<double> number_member(const Json& object, std::string_view key) {
    const auto* found = member(object, key);
    if (!found) return std::nullopt;
    if (found->is_double()) return found->get_double();
    if (found->is_int64()) return static_cast<double>(found->get_int64());
    if (found->is_uint64()) return static_cast<double>(found->get_uint64());
    return std::nullopt;
}

std::optional<bool> bool_member(const Json& object, std::string_view key) {
    const auto* found = member(object, key);
    if (!found || !found->is_bool()) return std::nullopt;
    return found->get_bool();
}

const JsonObject* object_member(const Json& object, std::string_view key) {
    const auto* found = member(object, key);
    return found ? found->if_object() : nullptr;
}

const JsonArray* array_member(const Json& object, std::string_view key) {
    const auto* found = member(object, key);
    return found ? found->if_array() : nullptr;
}

bool equal(const Json& a, const Json& b) {
    if (is_number(a)) return is_number(b) && same_number(a, b);
    if (!a.is_structured()) return a.kind() == b.kind() && a == b;
    std::vector<Pair> rest{{&a, &b}};
    while (!rest.empty()) {
        auto [x, y] = rest.back();
        rest.pop_back();
        if (!same_surface(*x, *y, rest)) return false;
    }
    return true;
}

} // namespace foxwedge
