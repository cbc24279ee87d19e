// The host's HTTP client: policy, secrets and redirects over plain transfers.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/stop.hpp"
#include "http/egress.hpp"
#include "http/headers.hpp"
#include "http/transfer.hpp"

namespace foxwedge::http {

/// A header whose value may be a secret that the client looks up when it sends.
struct RequestField {
    std::string name;
    std::string value;  ///< the text; with `secret`: what stands before it ("Bearer ")
    std::string secret; ///< name of a secret, or empty
};

struct Request {
    std::string method = "GET";
    std::string url;
    std::vector<RequestField> fields;
    std::string body;
    Millis idle_timeout{120000};  ///< the longest silence; 0: any
    Millis timeout{0};            ///< for the whole exchange; 0: none besides the caller's `Until`
    bool follow_redirects = true; ///< false: a redirect is handed over like any other answer
};

/// Where a streamed response goes, on the caller's thread. An error of either ends the exchange and
/// is what `send` returns.
struct Receiver {
    std::function<Status(const ResponseHead&)> head;
    std::function<Status(std::string_view bytes)> chunk;
};

/// Gives the value of a secret for one origin, or refuses (`secret_origin`, `unknown_secret`):
/// the resolver knows which origins a secret lists and which component asks.
using SecretResolver =
    std::function<Result<std::string>(std::string_view name, std::string_view origin)>;

/// Who asks: what the configuration opened to it, and its secrets.
struct Caller {
    Grant grant;
    SecretResolver secrets; ///< empty: no secrets
};

struct Response {
    int status = 0;
    Headers headers;
    std::string body;
};

struct ClientOptions {
    EgressPolicy egress;
    CurlOptions transfer;
    Millis connect_timeout{10000};
};

/// Any thread. Outlives its transfers' callers.
class Client {
public:
    Client(ClientOptions, std::unique_ptr<Transfers>);

    /// Sends one request and hands over its response, whatever status it has. Redirects are
    /// followed within one origin only (redirect.hpp); header values that are secrets are looked
    /// up for that origin and never logged. Blocks the caller, who may give up through `until`
    /// within a millisecond. Errors: see transfer.hpp, egress.hpp, redirect.hpp, `invalid_request`,
    /// the resolver's and the receiver's.
    Status send(const Request&, const Caller&, const Receiver&, const Until&);

    /// The whole response, at most `most_bytes` of body, else `response_too_large`.
    Result<Response> fetch(const Request&, const Caller&, const Until&,
                           std::size_t most_bytes = 32 * 1024 * 1024);

private:
    Result<TransferRequest> prepare(const Request&, const Caller&, const Url&) const;
    /// True if a redirect is to be followed: `hop` says where to.
    Result<bool> exchange(TransferRequest, const Request&, const Receiver&, const Until&,
                          struct Hop& hop, int followed);

    const ClientOptions options_;
    const std::unique_ptr<Transfers> transfers_;
};

/// A client over libcurl. Loads nothing and starts nothing before its first request.
std::unique_ptr<Client> make_client(ClientOptions);

/// True if a header's value has to be hidden wherever requests are shown: its name holds key,
/// token, secret, auth or cookie.
bool is_sensitive_field(std::string_view name);

} // namespace foxwedge::http
