// foxwedge/json.hpp: JSON for plugins in C++17, with nothing but the C++ library.
//
// Made for the small texts of the plugin contract. Integers of 64 bits keep every digit, every
// other number is the nearest double. Members keep their order. Nesting is limited, so that no
// text exhausts the stack. What is written is always valid: UTF-8 that is not becomes U+FFFD.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace foxwedge::plugin {

/// A text that is not JSON, or a value of another kind than asked for.
struct JsonError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Value;
struct Member;
using Array = std::vector<Value>;
using Object = std::vector<Member>; ///< in the order of the text; look up through Value::find

/// One JSON value. Copies are deep.
class Value {
public:
    Value() noexcept;
    Value(std::nullptr_t) noexcept;
    Value(const char*);
    Value(std::string_view);
    Value(std::string) noexcept;
    Value(Array) noexcept;
    Value(Object) noexcept;
    /// true, false, an integer or a double.
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    Value(T) noexcept;

    /// Reads one JSON text. Throws JsonError, which says at which byte.
    static Value parse(std::string_view text, unsigned depth = 128);

    bool is_null() const noexcept { return is<std::nullptr_t>(); }
    bool is_bool() const noexcept { return is<bool>(); }
    bool is_integer() const noexcept { return is<std::int64_t>() || is<std::uint64_t>(); }
    bool is_number() const noexcept { return is_integer() || is<double>(); }
    bool is_string() const noexcept { return is<std::string>(); }
    bool is_array() const noexcept { return is<Array>(); }
    bool is_object() const noexcept { return is<Object>(); }

    // The value as that kind, or JsonError. An integer may be asked for as a number, and a number
    // without fraction as an integer.
    bool boolean() const { return get<bool>("true or false"); }
    std::int64_t integer() const;
    double number() const;
    const std::string& string() const& { return get<std::string>("a string"); }
    const Array& array() const&;
    const Object& object() const&;
    Array& array() &;
    Object& object() &;

    /// The member of an object, or null: also when this is no object.
    const Value* find(std::string_view key) const& noexcept;
    bool has(std::string_view key) const noexcept { return find(key) != nullptr; }
    /// The member of an object, or the JSON value null: also when this is no object.
    const Value& operator[](std::string_view key) const& noexcept;

    // The member as that kind, or `otherwise` when it is missing or of another kind.
    bool boolean(std::string_view key, bool otherwise) const noexcept;
    std::int64_t integer(std::string_view key, std::int64_t otherwise) const noexcept;
    double number(std::string_view key, double otherwise) const noexcept;
    std::string_view string(std::string_view key, std::string_view otherwise = {}) const& noexcept;
    /// The elements of that member; none when it is missing or no array.
    const Array& array(std::string_view key) const& noexcept;

    // What a temporary is asked for outlives it, as in `for (auto& tool :
    // reply.value().array("x"))`.
    std::string string() && { return string(); }
    Array array() &&;
    Object object() &&;
    const Value* find(std::string_view key) && = delete;
    Value operator[](std::string_view key) &&;
    std::string string(std::string_view key, std::string_view otherwise = {}) && {
        return std::string(string(key, otherwise));
    }
    Array array(std::string_view key) &&;

    /// Sets a member; null becomes an object first. The new value, to be filled further.
    Value& set(std::string_view key, Value value);
    /// Appends an element; null becomes an array first. The new value, to be filled further.
    Value& push(Value value);

    friend bool operator==(const Value& a, const Value& b);
    friend bool operator!=(const Value& a, const Value& b) { return !(a == b); }
    friend void append_text(std::string& out, const Value& value);

private:
    template <class T>
    bool is() const noexcept {
        return std::holds_alternative<T>(data_);
    }
    template <class T>
    const T& get(const char* wanted) const {
        if (const T* found = std::get_if<T>(&data_)) return *found;
        throw JsonError(std::string("expected ") + wanted);
    }

    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array,
                 Object>
        data_;
};

struct Member {
    std::string key;
    Value value;
};

/// Appends `text` as a JSON string, quotes included.
void append_quoted(std::string& out, std::string_view text);
/// Appends `value` as compact JSON text. A number that JSON has no word for becomes null.
void append_text(std::string& out, const Value& value);

inline std::string quoted(std::string_view text) {
    std::string out;
    append_quoted(out, text);
    return out;
}
inline std::string to_text(const Value& value) {
    std::string out;
    append_text(out, value);
    return out;
}

// --- How it is done ------------------------------------------------------------------------------

inline Value::Value() noexcept : data_(nullptr) {}
inline Value::Value(std::nullptr_t) noexcept : data_(nullptr) {}
inline Value::Value(const char* s) : data_(std::string(s)) {}
inline Value::Value(std::string_view s) : data_(std::string(s)) {}
inline Value::Value(std::string s) noexcept : data_(std::move(s)) {}
inline Value::Value(Array a) noexcept : data_(std::move(a)) {}
inline Value::Value(Object o) noexcept : data_(std::move(o)) {}

template <class T, class>
Value::Value(T n) noexcept : data_(nullptr) {
    if constexpr (std::is_same_v<T, bool>)
        data_ = n;
    else if constexpr (std::is_floating_point_v<T>)
        data_ = static_cast<double>(n);
    else if constexpr (std::is_signed_v<T>)
        data_ = static_cast<std::int64_t>(n);
    else if (n <= static_cast<std::uint64_t>(INT64_MAX))
        data_ = static_cast<std::int64_t>(n);
    else
        data_ = static_cast<std::uint64_t>(n);
}

inline const Array& Value::array() const& {
    return get<Array>("an array");
}
inline const Object& Value::object() const& {
    return get<Object>("an object");
}
inline Array& Value::array() & {
    return const_cast<Array&>(std::as_const(*this).array());
}
inline Object& Value::object() & {
    return const_cast<Object&>(std::as_const(*this).object());
}
inline Array Value::array() && {
    return std::move(array());
}
inline Object Value::object() && {
    return std::move(object());
}
inline Value Value::operator[](std::string_view key) && {
    const Value* found = std::as_const(*this).find(key);
    return found ? std::move(*const_cast<Value*>(found)) : Value();
}
inline Array Value::array(std::string_view key) && {
    Value found = std::move(*this)[key];
    return found.is_array() ? std::move(found).array() : Array();
}

/// `object({{"name", "Ada"}, {"age", 36}})`
inline Value object(std::initializer_list<Member> members = {}) {
    return Value(Object(members));
}
/// `array({1, "two", nullptr})`
inline Value array(std::initializer_list<Value> elements = {}) {
    return Value(Array(elements));
}

inline std::int64_t Value::integer() const {
    if (const auto* n = std::get_if<std::int64_t>(&data_)) return *n;
    if (const auto* n = std::get_if<double>(&data_))
        if (*n >= -0x1p63 && *n < 0x1p63 && std::trunc(*n) == *n)
            return static_cast<std::int64_t>(*n);
    throw JsonError("expected an integer");
}

inline double Value::number() const {
    if (const auto* n = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*n);
    if (const auto* n = std::get_if<std::uint64_t>(&data_)) return static_cast<double>(*n);
    return get<double>("a number");
}

inline const Value* Value::find(std::string_view key) const& noexcept {
    if (const auto* members = std::get_if<Object>(&data_))
        for (const Member& member : *members)
            if (member.key == key) return &member.value;
    return nullptr;
}

inline const Value& Value::operator[](std::string_view key) const& noexcept {
    static const Value none;
    const Value* found = find(key);
    return found ? *found : none;
}

inline bool Value::boolean(std::string_view key, bool otherwise) const noexcept {
    const Value* found = find(key);
    return found && found->is_bool() ? *std::get_if<bool>(&found->data_) : otherwise;
}

inline std::int64_t Value::integer(std::string_view key, std::int64_t otherwise) const noexcept {
    const Value* found = find(key);
    try {
        return found ? found->integer() : otherwise;
    } catch (const JsonError&) {
        return otherwise;
    }
}

inline double Value::number(std::string_view key, double otherwise) const noexcept {
    const Value* found = find(key);
    return found && found->is_number() ? found->number() : otherwise;
}

inline std::string_view Value::string(std::string_view key,
                                      std::string_view otherwise) const& noexcept {
    const Value* found = find(key);
    return found && found->is_string() ? std::string_view(found->string()) : otherwise;
}

inline const Array& Value::array(std::string_view key) const& noexcept {
    static const Array none;
    const Value* found = find(key);
    return found && found->is_array() ? found->array() : none;
}

inline Value& Value::set(std::string_view key, Value value) {
    if (is_null()) data_ = Object();
    for (Member& member : object())
        if (member.key == key) return member.value = std::move(value);
    object().push_back({std::string(key), std::move(value)});
    return object().back().value;
}

inline Value& Value::push(Value value) {
    if (is_null()) data_ = Array();
    array().push_back(std::move(value));
    return array().back();
}

inline bool operator==(const Member& a, const Member& b) {
    return a.key == b.key && a.value == b.value;
}

inline bool operator==(const Value& a, const Value& b) {
    if (a.is_object() && b.is_object()) { // whatever the order
        if (a.object().size() != b.object().size()) return false;
        for (const Member& member : a.object()) {
            const Value* other = b.find(member.key);
            if (!other || *other != member.value) return false;
        }
        return true;
    }
    if (a.is_number() && b.is_number() && a.data_.index() != b.data_.index())
        return a.number() == b.number();
    return a.data_ == b.data_;
}

} // namespace foxwedge::plugin

#include "json_text.hpp"
