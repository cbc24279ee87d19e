#include "rule/functions.hpp"

#include <array>

namespace foxwedge::rule {
namespace {

std::array<std::span<const Function>, 4> all() {
    return {conversion_functions(), string_functions(), list_functions(), time_functions()};
}

} // namespace

const Function* function_of(std::string_view name, bool method, std::size_t arguments) {
    for (auto functions : all())
        for (const auto& function : functions)
            if (function.name == name && function.method == method && arguments >= function.least &&
                arguments <= function.most)
                return &function;
    return nullptr;
}

bool is_function(std::string_view name) {
    for (auto functions : all())
        for (const auto& function : functions)
            if (function.name == name) return true;
    return false;
}

} // namespace foxwedge::rule
