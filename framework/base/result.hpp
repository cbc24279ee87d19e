// Result<T>: a value or an Error, which the compiler does not let anyone drop.
#pragma once
#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"

namespace foxwedge {

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return ok(); }

    /// The value; undefined behaviour unless ok().
    T& operator*() & noexcept { return *std::get_if<0>(&state_); }
    const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
    T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
    T* operator->() noexcept { return std::get_if<0>(&state_); }
    const T* operator->() const noexcept { return std::get_if<0>(&state_); }

    /// The error; undefined behaviour if ok().
    Error& error() & noexcept { return *std::get_if<1>(&state_); }
    const Error& error() const& noexcept { return *std::get_if<1>(&state_); }
    Error&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    bool ok() const noexcept { return !error_; }
    explicit operator bool() const noexcept { return ok(); }
    Error& error() & noexcept { return *error_; }
    const Error& error() const& noexcept { return *error_; }
    Error&& error() && noexcept { return std::move(*error_); }

private:
    std::optional<Error> error_;
};

using Status = Result<void>;

} // namespace foxwedge

/// `FOXWEDGE_TRY(config, read_config(path));` binds `config` or returns the error of the enclosing
/// function, which returns a Result.
#define FOXWEDGE_TRY(name, ...)                                                                    \
    auto name##_or_error = (__VA_ARGS__);                                                          \
    if (!name##_or_error) return std::move(name##_or_error).error();                               \
    auto& name = *name##_or_error

/// The same for a Result<void>.
#define FOXWEDGE_CHECK(...)                                                                        \
    do {                                                                                           \
        if (auto status_or_error = (__VA_ARGS__); !status_or_error)                                \
            return std::move(status_or_error).error();                                             \
    } while (false)
