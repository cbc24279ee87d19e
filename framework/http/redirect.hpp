// What a redirect makes of a request: within one origin, at most three times, or not at all. Pure.
#pragma once
#include <string>

#include "base/result.hpp"
#include "http/headers.hpp"
#include "http/url.hpp"

namespace foxwedge::http {

inline constexpr int most_redirects = 3;

struct Hop {
    Url url;
    std::string method;
    bool keep_body = true;
};

/// True for a status that asks to go elsewhere and a head that says where.
bool is_redirect(int status, const Headers&);

/// The next request after `followed` hops so far. 307 and 308 keep method and body; 303, and a POST
/// answered 301 or 302, become GET. Errors, both permanent: `cross_origin_redirect` (no request is
/// made there, nothing secret leaves the origin), `too_many_redirects`.
Result<Hop> next_hop(const Url& from, const std::string& method, int status, const Headers&,
                     int followed);

} // namespace foxwedge::http
