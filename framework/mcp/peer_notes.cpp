#include "mcp/peer_notes.hpp"

#include "base/text.hpp"

namespace foxwedge::mcp {
namespace {

constexpr std::size_t longest_line = 500;

std::string line_of(const Json* data) {
    if (!data) return {};
    return data->is_string() ? std::string(view(data->get_string())) : to_text(*data);
}

} // namespace

void note_in_log(const Notification& note, const std::string& server, Log& log,
                 const Masker* masker) {
    if (note.method == "notifications/tools/list_changed") {
        log.info("mcp", "the server's tools have changed; the next run lists them anew",
                 {{"server", server}});
        return;
    }
    if (note.method != "notifications/message") return;
    std::string text(first_bytes(line_of(member(note.params, "data")), longest_line));
    if (masker) text = masker->masked(text);
    const std::string level(first_bytes(string_member(note.params, "level").value_or("info"), 20));
    // How grave it is, is a stranger's word: it decides about a field, not about our attention.
    log.write(level == "debug" ? LogLevel::debug : LogLevel::info, "mcp", "server log",
              {{"server", server}, {"level", level}, {"text", text}});
}

} // namespace foxwedge::mcp
