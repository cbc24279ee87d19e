#include "base/json_kind.hpp"

namespace foxwedge {

std::string_view kind_name(const Json& value) {
    switch (value.kind()) {
    case boost::json::kind::null:
        return "null";
    case boost::json::kind::bool_:
        return "a boolean";
    case boost::json::kind::string:
        return "a string";
    case boost::json::kind::array:
        return "an array";
    case boost::json::kind::object:
        return "an object";
    default:
        return "a number";
    }
}

} // namespace foxwedge
