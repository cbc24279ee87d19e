// One operation on the host's store at a time, and its answer.
#pragma once
#include <string_view>
#include <utility>

#include <foxwedge/host.hpp>

#include "result.hpp"

namespace capability_kit {

/// The result of one operation. `conflict` of the store is Refused with that code; any other error
/// of the store ends the verb.
inline Value ask(const foxwedge::plugin::Store& store, const foxwedge::plugin::Call& call,
                 Value op) {
    using namespace foxwedge::plugin;
    const Reply reply = store.apply(call, array({std::move(op)}));
    if (reply.code() == "conflict")
        throw Refused{"conflict", "it has changed meanwhile; read it again",
                      object({{"pointer", "/revision"}})};
    Value results = reply.value()["results"];
    if (!results.is_array() || results.array().empty())
        throw Failure(FOXWEDGE_E_INTERNAL, "internal", "the store gave no result");
    return std::move(results.array().front());
}

/// That the revision is not the one that the caller named; `now` is what it is.
inline Refused stale(std::string_view what, std::int64_t now) {
    return {"conflict", std::string(what) + " has changed; read it again",
            foxwedge::plugin::object({{"pointer", "/revision"}, {"revision", now}})};
}

} // namespace capability_kit
