#include "http/egress.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace foxwedge::http {

namespace {

Error denied(const Url& url, std::string why) {
    return permanent("egress_denied",
                     "a request to " + url.origin() + " is refused: " + std::move(why));
}

/// "*.example.com" names what lies below, not example.com itself.
bool host_matches(std::string_view pattern, std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    if (pattern.starts_with("*."))
        return host.size() > pattern.size() - 1 && host.ends_with(pattern.substr(1));
    return pattern == host;
}

bool listed(const EgressPolicy& policy, const Url& url) {
    return std::any_of(policy.allow.begin(), policy.allow.end(),
                       [&](const std::string& entry) { return names(entry, url); });
}

/// A wildcard opens nothing private: whoever may add a name below it could point it inside.
bool listed_exactly(const EgressPolicy& policy, const Url& url) {
    return std::any_of(policy.allow.begin(), policy.allow.end(), [&](const std::string& entry) {
        return entry.find('*') == entry.npos && names(entry, url);
    });
}

Status check_reach(const EgressPolicy& policy, const Grant& grant, const Url& url, Reach reach,
                   const std::string& where) {
    switch (reach) {
    case Reach::open:
        return {};
    case Reach::loopback:
    case Reach::internal:
        if (policy.allow_private || grant.covers(url) || listed_exactly(policy, url)) return {};
        return denied(url, where + " is " +
                               (reach == Reach::loopback ? "this machine" : "a private network") +
                               "; name it in http.allow if components may reach it");
    case Reach::metadata: {
        // Only by the very address: a name that turns out to lead there was not allowed to.
        const bool literal =
            parse_address(url.host).has_value() || reach_of_name(url.host).has_value();
        if (literal && (grant.covers(url) || listed_exactly(policy, url))) return {};
        return denied(url, where + " is a cloud's credential service");
    }
    case Reach::reserved:
        break;
    }
    return denied(url, where + " is a reserved address");
}

} // namespace

bool names(std::string_view entry, const Url& url) {
    if (entry.find("://") != entry.npos) {
        const auto origin = origin_of(entry);
        return origin && *origin == url.origin();
    }
    auto pattern = lower_ascii(entry);
    if (const auto address = parse_address(pattern))
        pattern = address->is_v4() ? address->text() : "[" + address->text() + "]";
    if (host_matches(pattern, url.host)) return true;
    return host_matches(pattern, url.host + ":" + std::to_string(url.port));
}

bool Grant::covers(const Url& url) const {
    return std::find(origins.begin(), origins.end(), url.origin()) != origins.end();
}

Status check_url(const EgressPolicy& policy, const Grant& grant, const Url& url) {
    if (!policy.allow.empty() && !listed(policy, url) && !grant.covers(url))
        return denied(url, "http.allow does not name it");
    if (const auto address = parse_address(url.host))
        return check_reach(policy, grant, url, reach_of(*address), address->text());
    if (const auto reach = reach_of_name(url.host))
        return check_reach(policy, grant, url, *reach, url.host);
    return {};
}

Status check_address(const EgressPolicy& policy, const Grant& grant, const Url& url,
                     const Address& address) {
    return check_reach(policy, grant, url, reach_of(address), "its address " + address.text());
}

Status check_secret(const EgressPolicy& policy, const Url& url) {
    if (url.secure() || policy.secrets_over_http) return {};
    if (const auto address = parse_address(url.host);
        address && reach_of(*address) == Reach::loopback)
        return {};
    if (reach_of_name(url.host) == Reach::loopback) return {};
    return permanent("secret_over_http", "a secret is not sent to " + url.origin() +
                                             " over plain http; use https, or set "
                                             "http.secretsOverHttp if that network is yours");
}

} // namespace foxwedge::http
