#include "plugin/refusal.hpp"

#include "base/json.hpp"

namespace foxwedge::plugin {
namespace {

std::string detail(const Error& error, std::string_view key) {
    if (error.details.empty()) return {};
    const auto details = parse_json(error.details);
    if (!details) return {};
    return std::string(string_member(*details, key).value_or(""));
}

} // namespace

Error refusal(std::string_view code, std::string_view reason, std::string_view mend) {
    std::string details =
        R"({"reason":)" + foxwedge::quoted(reason) + R"(,"mend":)" + foxwedge::quoted(mend) + "}";
    return permanent(std::string(code), std::string(reason) + "; " + std::string(mend),
                     std::move(details));
}

Error about_file(Error error, std::string_view file) {
    const auto reason = reason_of(error);
    if (reason.empty() || !detail(error, "file").empty()) return error;
    error.details.pop_back();
    error.details += R"(,"file":)" + foxwedge::quoted(file) + "}";
    error.message.insert(0, std::string(file) + ": ");
    return error;
}

std::string reason_of(const Error& error) {
    return detail(error, "reason");
}
std::string mend_of(const Error& error) {
    return detail(error, "mend");
}

} // namespace foxwedge::plugin
