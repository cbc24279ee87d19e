#include "key.hpp"

namespace kv {

bool is_reserved(std::string_view key, bool conversation) {
    const auto below = [&](std::string_view prefix) {
        return key.substr(0, prefix.size()) == prefix;
    };
    return key == "tokenUsage.total" || below("tokenUsage.entry.") ||
           (conversation && (key == "conversation.state" || below("agent.")));
}

} // namespace kv
