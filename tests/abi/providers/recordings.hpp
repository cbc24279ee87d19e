// The recorded exchanges of ../shared/data/wire and what the vendors' own SDKs read in them.
#pragma once
#include <string>
#include <vector>

#include "rig.hpp"

namespace provider_test {

struct Recording {
    std::string name;
    Value exchange; ///< {"provider", "endpoint", "request", "response"}
    Value expected;

    int status() const { return int(exchange["response"].integer("status", 0)); }
    std::string_view body() const { return exchange["response"].string("body"); }
    std::string_view content_type() const {
        return exchange["response"]["headers"].string("content-type", "application/json");
    }
    std::string_view endpoint() const { return exchange.string("endpoint"); }
};

/// All whose name starts with one of `prefixes`; none, with a message, where the data is missing.
std::vector<Recording> recordings(const std::vector<std::string>& prefixes);

/// Plays it: sets the rig's answer, head included, cut into pieces of `piece` bytes.
void play(Rig&, const Recording&, std::size_t piece = 0);

/// Compares what the provider made of it with what the SDK made of it.
void check_as_expected(const Recording&, const Outcome&);

} // namespace provider_test
