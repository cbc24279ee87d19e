// Keys: their length, and those that belong to the runtime.
#pragma once
#include <cstddef>
#include <string_view>

namespace kv {

constexpr std::size_t max_key = 500; ///< Unicode code points

/// The runtime keeps its accounting under these keys; tools read them and never write them.
bool is_reserved(std::string_view key, bool conversation);

} // namespace kv
