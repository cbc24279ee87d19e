// What a server tells beside its answers, and every connection takes alike. Private to this layer.
#pragma once
#include "base/log.hpp"
#include "base/secret.hpp"
#include "mcp/message.hpp"

namespace foxwedge::mcp {

/// Puts a server's log lines and news of its tools into our log.
void note_in_log(const Notification&, const std::string& server, Log&, const Masker*);

} // namespace foxwedge::mcp
