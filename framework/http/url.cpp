#include "http/url.hpp"

#include <charconv>

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

#include "base/text.hpp"
#include "http/address.hpp"

namespace foxwedge::http {

namespace {

Error bad_url(std::string_view text, std::string_view why) {
    // Without query: it is where people put keys.
    const auto shown = first_bytes(text.substr(0, text.find_first_of("?#")), 200);
    return permanent("invalid_url",
                     "'" + to_utf8(shown) + "' cannot be fetched: " + std::string(why));
}

bool plain_host(std::string_view host) {
    for (unsigned char c : host)
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_'))
            return false;
    return !host.empty() && host.front() != '.';
}

Result<Url> from_parsed(const boost::urls::url_view& u, std::string_view text) {
    Url url;
    url.scheme = lower_ascii({u.scheme().data(), u.scheme().size()});
    if (url.scheme != "http" && url.scheme != "https")
        return bad_url(text, "only http and https are fetched");
    if (u.has_userinfo())
        return bad_url(text, "it holds a user name; put credentials into a header");
    url.host = lower_ascii({u.encoded_host().data(), u.encoded_host().size()});
    if (const auto address = parse_address(url.host)) {
        url.host = address->is_v4() ? address->text() : "[" + address->text() + "]";
    } else if (!plain_host(url.host)) {
        return bad_url(text, "its host is neither a name in ASCII nor an address");
    }
    url.port = url.secure() ? 443 : 80;
    if (const std::string_view digits(u.port().data(), u.port().size()); !digits.empty()) {
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), url.port);
        if (error != std::errc{} || url.port == 0)
            return bad_url(text, "its port is no number from 1 to 65535");
    }
    url.target.assign(u.encoded_path().data(), u.encoded_path().size());
    if (url.target.empty()) url.target = "/";
    if (u.has_query())
        url.target.append("?").append(u.encoded_query().data(), u.encoded_query().size());
    return url;
}

} // namespace

std::string Url::origin() const {
    auto out = scheme + "://" + host;
    if (port != (secure() ? 443 : 80)) out += ":" + std::to_string(port);
    return out;
}

Result<Url> parse_url(std::string_view text) {
    const auto parsed = boost::urls::parse_uri({text.data(), text.size()});
    if (!parsed) return bad_url(text, "it is no absolute URL");
    return from_parsed(*parsed, text);
}

Result<Url> resolve_url(const Url& base, std::string_view reference) {
    const auto parsed = boost::urls::parse_uri_reference({reference.data(), reference.size()});
    const auto whole = base.text();
    const auto root = boost::urls::parse_uri({whole.data(), whole.size()});
    if (!parsed || !root) return bad_url(reference, "it is no URL");
    boost::urls::url joined;
    if (const auto done = boost::urls::resolve(*root, *parsed, joined); !done)
        return bad_url(reference, "it does not fit the URL it is relative to");
    return from_parsed(joined, reference);
}

Result<std::string> origin_of(std::string_view text) {
    FOXWEDGE_TRY(url, parse_url(text));
    return url.origin();
}

} // namespace foxwedge::http
