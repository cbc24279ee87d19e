// The URLs that we fetch, in one normal form: what the policy judged is what is sent. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace foxwedge::http {

/// An absolute http or https URL without credentials and fragment.
struct Url {
    std::string scheme; ///< "http" or "https"
    std::string host;   ///< lower case; an IPv6 address has its brackets; IPv4 in dotted form
    std::uint16_t port = 0;
    std::string target = "/"; ///< path and query, as they are sent

    /// "https://host" or "https://host:8443": the default port is left out.
    std::string origin() const;
    std::string text() const { return origin() + target; }
    bool secure() const { return scheme == "https"; }
};

/// Reads one URL. Numeric hosts in any spelling become plain addresses, so that a policy cannot be
/// passed by writing 127.0.0.1 differently. Error `invalid_url`: another scheme, a user name or
/// password, escapes or foreign characters in the host, blanks, control characters, backslashes.
Result<Url> parse_url(std::string_view);

/// `reference` (absolute, or relative to `base`) as a Location header has it.
Result<Url> resolve_url(const Url& base, std::string_view reference);

/// The origin of `text` ("https://host", port only where it is not the default). A path is ignored.
Result<std::string> origin_of(std::string_view text);

} // namespace foxwedge::http
