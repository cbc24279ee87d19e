#include "base/error.hpp"

namespace foxwedge {

const char* to_string(Certainty certainty) noexcept {
    switch (certainty) {
    case Certainty::permanent:
        return "permanent";
    case Certainty::not_done:
        return "not_done";
    case Certainty::done_with_error:
        return "done_with_error";
    case Certainty::unknown:
        return "unknown";
    }
    return "unknown";
}

} // namespace foxwedge
