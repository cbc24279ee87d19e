#include "contracts/shape.hpp"

namespace foxwedge {

Error shape_error(std::string_view code, std::string_view pointer, std::string_view what) {
    std::string message(pointer.empty() ? std::string_view("the whole") : pointer);
    message += ": ";
    message += what;
    std::string details = "{\"pointer\":";
    append_quoted(details, pointer);
    details += '}';
    return permanent(std::string(code), std::move(message), std::move(details));
}

Result<std::string> text_at(const Json& object, std::string_view key, std::string_view code,
                            std::string_view pointer) {
    if (auto text = string_member(object, key)) return std::string(*text);
    return shape_error(code, pointer_append(pointer, key),
                       member(object, key) ? "must be a text" : "is missing");
}

Result<std::string> text_or_empty(const Json& object, std::string_view key, std::string_view code,
                                  std::string_view pointer) {
    const Json* found = member(object, key);
    if (!found || found->is_null()) return std::string();
    return text_at(object, key, code, pointer);
}

Result<bool> bool_or(const Json& object, std::string_view key, bool absent, std::string_view code,
                     std::string_view pointer) {
    const Json* found = member(object, key);
    if (!found || found->is_null()) return absent;
    if (found->is_bool()) return found->get_bool();
    return shape_error(code, pointer_append(pointer, key), "must be true or false");
}

} // namespace foxwedge
