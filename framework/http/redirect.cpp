#include "http/redirect.hpp"

namespace foxwedge::http {

bool is_redirect(int status, const Headers& headers) {
    const bool asks =
        status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    return asks && headers.has("location");
}

Result<Hop> next_hop(const Url& from, const std::string& method, int status, const Headers& headers,
                     int followed) {
    FOXWEDGE_TRY(to, resolve_url(from, *headers.first("location")));
    if (to.origin() != from.origin())
        return permanent("cross_origin_redirect",
                         from.origin() + " redirects to another origin, " + to.origin() +
                             ", which is not followed; configure that address");
    if (followed >= most_redirects)
        return permanent("too_many_redirects", from.origin() + " redirects more than " +
                                                   std::to_string(most_redirects) + " times");
    Hop hop{to, method, true};
    const bool becomes_get =
        status == 303 || ((status == 301 || status == 302) && method == "POST");
    if (becomes_get && method != "GET" && method != "HEAD") {
        hop.method = "GET";
        hop.keep_body = false;
    }
    return hop;
}

} // namespace foxwedge::http
