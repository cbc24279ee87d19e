// Bytes over HTTP, below every policy: the seam between the client and libcurl, so that the client
// is tested in memory.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/stop.hpp"
#include "http/address.hpp"
#include "http/headers.hpp"
#include "http/url.hpp"

namespace foxwedge::http {

struct ResponseHead {
    int status = 0;
    Headers headers;
};

struct TransferRequest {
    Url url;
    std::string method = "GET";
    std::vector<Field> fields;
    std::string body;
    Millis connect_timeout{10000};
    std::size_t head_bytes = 256 * 1024;
    /// Asked on the transfer thread for each address before it is connected to, and for that of a
    /// connection that is used again. Empty: every address will do.
    std::function<Status(const Address&)> may_connect;
};

/// One exchange under way, as its caller sees it. One thread; destroying it ends the exchange.
class Transfer {
public:
    virtual ~Transfer() = default;
    /// Waits for the response's head. `idle`: the longest silence to bear; 0: any.
    /// Errors: `connect_failed`, `tls_failed`, `timeout`, `cancelled` with certainty not_done
    /// before anything was sent; `timeout`, `connection_lost`, `cancelled` unknown afterwards.
    virtual Result<ResponseHead> head(const Until&, Millis idle) = 0;
    /// Waits for the next bytes of the body; empty at its end. Errors as above.
    virtual Result<std::string> next(const Until&, Millis idle) = 0;
};

/// Any thread.
class Transfers {
public:
    virtual ~Transfers() = default;
    virtual Result<std::unique_ptr<Transfer>> start(TransferRequest) = 0;
};

struct CurlOptions {
    std::string proxy; ///< "http://proxy:3128"; empty: none. The environment is never asked
    std::vector<std::string> no_proxy; ///< reached directly; spelt as in EgressPolicy::allow
    std::string ca_file;               ///< PEM file of certificate authorities; empty: the system's
    std::string user_agent = "foxwedge";
    std::size_t queue_bytes = 256 * 1024; ///< per exchange, before its sender is slowed down
};

/// Transfers by libcurl on one thread. The library is loaded and the thread started by the first
/// request, not here: they cost 3 ms and 4 MiB. Error of that request: `no_http_library`.
std::unique_ptr<Transfers> make_curl_transfers(CurlOptions);

} // namespace foxwedge::http
