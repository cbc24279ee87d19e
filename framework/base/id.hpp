// Ids: 26 characters of Crockford base 32, ordered by time, random at the end (as ULID).
#pragma once
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/digest.hpp"

namespace foxwedge {

inline constexpr std::size_t id_length = 26;
inline constexpr std::size_t id_time_length = 10; ///< of it, at the front

/// A fresh id: 48 bits of `now`, 80 random bits. Any thread.
std::string new_id(Time now);
/// An id with the time part of `ancestor` and the rest taken from `digest`: the same for the same
/// inputs, so that a child that is started again is found again.
std::string derived_id(std::string_view ancestor, const Digest&);
bool is_id(std::string_view);
/// The time part of an id. Undefined unless is_id.
Time time_of_id(std::string_view);

/// `count` bytes from the operating system's generator.
std::string random_bytes(std::size_t count);

} // namespace foxwedge
