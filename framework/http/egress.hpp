// Where requests may go. A pure decision, so that a table can test it; the client asks before it
// resolves a name and again for the address that it is about to connect to.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "http/address.hpp"
#include "http/url.hpp"

namespace foxwedge::http {

/// The host configuration's `http` section.
struct EgressPolicy {
    /// Names and origins that components may reach: "api.example.com", "*.example.com",
    /// "https://host:8443", "10.1.2.3". Empty: every public one. What is named without a wildcard
    /// may be private; a credential service only if named by its own address or name.
    std::vector<std::string> allow;
    /// Private and loopback addresses are open to everyone. Credential services never are.
    bool allow_private = false;
    /// A secret may travel over http:// beyond this machine.
    bool secrets_over_http = false;
};

/// What the configuration itself names for one component: its provider's base URL, an MCP server's
/// URL, the injected bridge. Open to it, loopback included, and to no other.
struct Grant {
    std::vector<std::string> origins; ///< as `origin_of` writes them

    bool covers(const Url&) const;
};

/// May this component ask this URL? Error `egress_denied` names host and rule. Any thread.
Status check_url(const EgressPolicy&, const Grant&, const Url&);

/// May the connection for that URL go to this address? Catches names that point inside.
Status check_address(const EgressPolicy&, const Grant&, const Url&, const Address&);

/// May a secret be sent there? Not over plain http, unless to this machine.
Status check_secret(const EgressPolicy&, const Url&);

/// True if an `allow` entry names this URL's host or origin.
bool names(std::string_view entry, const Url&);

} // namespace foxwedge::http
