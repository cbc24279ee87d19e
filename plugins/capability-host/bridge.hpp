// One request to the bridge, and what its answer means.
#pragma once
#include <string>

#include <foxwedge/call.hpp>
#include <foxwedge/host.hpp>

#include "arguments.hpp"

namespace host_bridge {

/// Where the bridge is; the host fills the token in as it sends.
struct Bridge {
    std::string url;
    Value token; ///< {"secret": NAME}
};

/// The bridge's answer, a JSON value. Throws Refused with the answer's code. A save whose answer
/// never came throws Failure `unknown`: it may have happened.
Value send(const foxwedge::plugin::Http&, const foxwedge::plugin::Call&, const Bridge&,
           const Asked&);

} // namespace host_bridge
