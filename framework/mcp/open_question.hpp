// A server's question while somebody is busy with its answer. Private to this layer.
#pragma once
#include <deque>
#include <optional>
#include <stop_token>
#include <vector>

#include "mcp/message.hpp"

namespace foxwedge::mcp {

/// Guarded by its link's mutex.
struct OpenQuestion {
    Json id;
    std::stop_source over;   ///< requested without the mutex: what it sets off may come back for it
    bool taken_back = false; ///< no answer is wanted
};

/// Of `asking` and the `waiting` ones behind it: takes back the one that the server calls `id`.
/// What has to be stopped is added to `over`.
inline void take_back(const Json& id, std::deque<Request>& waiting,
                      std::optional<OpenQuestion>& asking, std::vector<std::stop_source>& over) {
    std::erase_if(waiting, [&](const Request& each) { return each.id == id; });
    if (!asking || asking->id != id) return;
    asking->taken_back = true;
    over.push_back(asking->over);
}

/// The call itself is over.
inline void take_back_all(std::deque<Request>& waiting, std::optional<OpenQuestion>& asking,
                          std::vector<std::stop_source>& over) {
    waiting.clear();
    if (asking) take_back(Json(asking->id), waiting, asking, over);
}

} // namespace foxwedge::mcp
