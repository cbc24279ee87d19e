#pragma once

#include <seccomp.h>

namespace foxwedge {

/// A comparison of a system call's argument. seccomp.h's own macros for it are compound literals,
/// which C++ does not have.
constexpr scmp_arg_cmp argument(unsigned place, scmp_compare how, scmp_datum_t first,
                                scmp_datum_t second = 0) {
    return {place, how, first, second};
}

} // namespace foxwedge
