#include "base/text.hpp"
#include "plugin/service.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::size_t longest_line = 8 * 1024;

LogLevel level_of(std::uint32_t level) {
    switch (level) {
    case FOXWEDGE_LOG_ERROR:
        return LogLevel::error;
    case FOXWEDGE_LOG_WARN:
        return LogLevel::warn;
    case FOXWEDGE_LOG_INFO:
        return LogLevel::info;
    default:
        return LogLevel::debug;
    }
}

void write(const foxwedge_call*, const foxwedge_log* self, std::uint32_t level,
           foxwedge_str message) noexcept {
    try {
        auto& host = *static_cast<PluginHost*>(self->host_data);
        if (host.retired()) return;
        host.backend().log(level_of(level), to_utf8(first_bytes(view(message), longest_line)));
    } catch (...) {
        // A line that cannot be written is lost; a log must not break what it tells about.
    }
}

} // namespace

foxwedge_log make_log(PluginHost& self) {
    return {sizeof(foxwedge_log), 0, &self, write};
}

} // namespace foxwedge::plugin
