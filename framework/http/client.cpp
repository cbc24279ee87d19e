#include "http/client.hpp"

#include "base/text.hpp"
#include "http/redirect.hpp"

namespace foxwedge::http {

Client::Client(ClientOptions options, std::unique_ptr<Transfers> transfers)
    : options_(std::move(options)), transfers_(std::move(transfers)) {}

Result<TransferRequest> Client::prepare(const Request& request, const Caller& caller,
                                        const Url& url) const {
    FOXWEDGE_CHECK(check_url(options_.egress, caller.grant, url));
    TransferRequest out;
    out.url = url;
    out.method = request.method;
    out.connect_timeout = options_.connect_timeout;
    for (const auto& field : request.fields) {
        auto value = field.value;
        if (!field.secret.empty()) {
            FOXWEDGE_CHECK(check_secret(options_.egress, url));
            if (!caller.secrets)
                return permanent("unknown_secret",
                                 "no secret '" + field.secret + "' is known here");
            FOXWEDGE_TRY(secret, caller.secrets(field.secret, url.origin()));
            value += secret;
        }
        FOXWEDGE_CHECK(check_field(field.name, value));
        out.fields.push_back({field.name, std::move(value)});
    }
    out.may_connect = [egress = options_.egress, grant = caller.grant,
                       url](const Address& address) {
        return check_address(egress, grant, url, address);
    };
    return out;
}

Result<bool> Client::exchange(TransferRequest to_send, const Request& request,
                              const Receiver& receiver, const Until& until, Hop& hop,
                              int followed) {
    FOXWEDGE_TRY(transfer, transfers_->start(std::move(to_send)));
    FOXWEDGE_TRY(head, transfer->head(until, request.idle_timeout));
    if (request.follow_redirects && is_redirect(head.status, head.headers)) {
        FOXWEDGE_TRY(next, next_hop(hop.url, hop.method, head.status, head.headers, followed));
        hop.url = next.url;
        hop.method = next.method;
        hop.keep_body = hop.keep_body && next.keep_body;
        return true;
    }
    if (receiver.head) FOXWEDGE_CHECK(receiver.head(head));
    while (true) {
        FOXWEDGE_TRY(bytes, transfer->next(until, request.idle_timeout));
        if (bytes.empty()) return false;
        if (receiver.chunk) FOXWEDGE_CHECK(receiver.chunk(bytes));
    }
}

Status Client::send(const Request& request, const Caller& caller, const Receiver& receiver,
                    const Until& until) {
    FOXWEDGE_CHECK(check_field(request.method, {}));
    FOXWEDGE_TRY(url, parse_url(request.url));
    const auto end = request.timeout.count() > 0 ? until.within(request.timeout) : until;
    Hop hop{url, request.method, true};
    for (int followed = 0;; ++followed) {
        FOXWEDGE_TRY(to_send, prepare(request, caller, hop.url));
        to_send.method = hop.method;
        if (hop.keep_body)
            to_send.body = request.body;
        else
            std::erase_if(to_send.fields,
                          [](const Field& f) { return same_name(f.name, "content-type"); });
        FOXWEDGE_TRY(again, exchange(std::move(to_send), request, receiver, end, hop, followed));
        if (!again) return {};
    }
}

Result<Response> Client::fetch(const Request& request, const Caller& caller, const Until& until,
                               std::size_t most_bytes) {
    Response response;
    const Receiver collect{[&](const ResponseHead& head) -> Status {
                               response.status = head.status;
                               response.headers = head.headers;
                               return {};
                           },
                           [&](std::string_view bytes) -> Status {
                               if (response.body.size() + bytes.size() > most_bytes)
                                   return permanent("response_too_large",
                                                    "the response is over " +
                                                        std::to_string(most_bytes) + " bytes");
                               response.body.append(bytes);
                               return {};
                           }};
    FOXWEDGE_CHECK(send(request, caller, collect, until));
    return response;
}

std::unique_ptr<Client> make_client(ClientOptions options) {
    auto transfers = make_curl_transfers(options.transfer);
    return std::make_unique<Client>(std::move(options), std::move(transfers));
}

bool is_sensitive_field(std::string_view name) {
    const auto lower = lower_ascii(name);
    for (std::string_view word : {"key", "token", "secret", "auth", "cookie"})
        if (lower.find(word) != lower.npos) return true;
    return false;
}

} // namespace foxwedge::http
