// Client and server together over the loopback device.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <latch>
#include <thread>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/client.hpp"
#include "http/server.hpp"
#include "http/sse.hpp"

using namespace foxwedge;
using namespace foxwedge::http;
using namespace std::chrono_literals;

namespace {

struct Rig {
    std::unique_ptr<Server> server;
    std::unique_ptr<Client> client;
    Caller caller;

    explicit Rig(Handler handler, ServerLimits limits = {}, CurlOptions curl = {}) {
        auto made = make_server("127.0.0.1", 0, std::move(handler), limits);
        BOOST_REQUIRE(made.ok());
        server = std::move(*made);
        caller.grant.origins = {server->origin()};
        client = make_client({.egress = {}, .transfer = std::move(curl)});
    }
    std::string url(std::string_view path) const { return server->origin() + std::string(path); }
    Result<Response> get(std::string_view path, const Until& until = {}) {
        return client->fetch({.url = url(path)}, caller, until);
    }
};

/// A client that can misbehave.
struct RawClient {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    explicit RawClient(std::uint16_t port) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        BOOST_REQUIRE(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    }
    ~RawClient() { close(fd); }
    void say(std::string_view text) {
        BOOST_REQUIRE(::send(fd, text.data(), text.size(), MSG_NOSIGNAL) >= 0);
    }
    /// Everything until the server closes.
    std::string rest() {
        std::string out;
        char buffer[4096];
        for (ssize_t n; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;)
            out.append(buffer, std::size_t(n));
        return out;
    }
};

void echo(ServerRequest request, std::shared_ptr<Responder> to) {
    Headers headers{{"X-Method", request.method}, {"X-Target", request.target}};
    if (auto type = request.headers.first("content-type"))
        headers.add("X-Type", std::string(*type));
    (void)to->respond(200, headers, request.body);
}

} // namespace

BOOST_AUTO_TEST_SUITE(live)

BOOST_AUTO_TEST_CASE(nothing_is_loaded_before_the_first_request) {
    Rig rig(echo);
    BOOST_TEST(dlopen("libcurl.so.4", RTLD_NOW | RTLD_NOLOAD) == nullptr);
    BOOST_TEST(rig.get("/").ok());
}

BOOST_AUTO_TEST_CASE(a_request_arrives_as_it_was_made) {
    Rig rig(echo);
    const std::string big(3 * 1024 * 1024, 'x');
    const auto posted = rig.client->fetch({.method = "POST",
                                           .url = rig.url("/a/../b?x=1"),
                                           .fields = {{"Content-Type", "application/json", ""}},
                                           .body = big},
                                          rig.caller, {});
    BOOST_REQUIRE(posted.ok());
    BOOST_TEST((posted->body == big));
    BOOST_TEST(*posted->headers.first("x-method") == "POST");
    BOOST_TEST(*posted->headers.first("x-target") == "/a/../b?x=1");
    BOOST_TEST(*posted->headers.first("x-type") == "application/json");
    for (auto method : {"GET", "DELETE", "PUT", "PATCH"}) {
        const auto response =
            rig.client->fetch({.method = method, .url = rig.url("/")}, rig.caller, {});
        BOOST_REQUIRE(response.ok());
        BOOST_TEST(*response->headers.first("x-method") == method);
        BOOST_TEST(!response->headers.has("x-type"));
    }
    const auto head = rig.client->fetch({.method = "HEAD", .url = rig.url("/")}, rig.caller, {});
    BOOST_REQUIRE(head.ok());
    BOOST_TEST(head->status == 200);
    BOOST_TEST(head->body == "");
}

BOOST_AUTO_TEST_CASE(an_error_status_is_a_response_like_any_other) {
    Rig rig([](ServerRequest, std::shared_ptr<Responder> to) {
        (void)to->respond(429, {{"Retry-After", "7"}}, "slow down");
    });
    const auto response = rig.get("/");
    BOOST_REQUIRE(response.ok());
    BOOST_TEST(response->status == 429);
    BOOST_TEST(*response->headers.first("retry-after") == "7");
    BOOST_TEST(response->body == "slow down");
}

BOOST_AUTO_TEST_CASE(chunks_arrive_while_the_server_still_writes) {
    std::latch first_seen(1);
    Rig rig([&](ServerRequest, std::shared_ptr<Responder> to) {
        BOOST_TEST(to->start(200, {{"Content-Type", "text/event-stream"}}).ok());
        BOOST_TEST(to->write(to_sse_text("", "one")).ok());
        first_seen.wait(); // the second comes only once the first was read
        BOOST_TEST(to->write(to_sse_text("", "two")).ok());
        to->finish();
    });
    SseReader reader;
    std::vector<std::string> data;
    const Receiver receiver{nullptr, [&](std::string_view bytes) {
                                return reader.feed(bytes, [&](SseEvent e) -> Status {
                                    data.push_back(e.data);
                                    if (data.size() == 1) first_seen.count_down();
                                    return {};
                                });
                            }};
    BOOST_REQUIRE(rig.client->send({.url = rig.url("/")}, rig.caller, receiver, {}).ok());
    BOOST_TEST(data.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_stream_that_is_cut_is_a_lost_connection) {
    Rig rig([](ServerRequest, std::shared_ptr<Responder> to) {
        (void)to->start(200, {});
        (void)to->write("half");
        to->abort();
    });
    std::string body;
    const Receiver receiver{nullptr, [&](std::string_view bytes) -> Status {
                                body += bytes;
                                return {};
                            }};
    const auto sent = rig.client->send({.url = rig.url("/")}, rig.caller, receiver, {});
    BOOST_REQUIRE(!sent.ok());
    BOOST_TEST(sent.error().code == "connection_lost");
    BOOST_TEST((sent.error().certainty == Certainty::unknown));
    BOOST_TEST(body == "half");
}

BOOST_AUTO_TEST_CASE(no_connection_means_not_done) {
    Rig rig(echo);
    const auto url = rig.url("/");
    rig.server.reset();
    const auto response = rig.client->fetch({.url = url}, rig.caller, {});
    BOOST_REQUIRE(!response.ok());
    BOOST_TEST(response.error().code == "connect_failed");
    BOOST_TEST((response.error().certainty == Certainty::not_done));
}

BOOST_AUTO_TEST_CASE(a_silent_server_is_given_up_in_every_way) {
    std::stop_source stop;
    std::atomic<int> asked{0};
    Rig rig([&](ServerRequest request, std::shared_ptr<Responder> to) {
        std::latch gone(1);
        to->on_gone([&] { gone.count_down(); });
        if (++asked && request.target == "/stop") stop.request_stop();
        gone.wait(); // the client hung up: the handler notices
    });
    const auto stopped = rig.get("/stop", {stop.get_token(), {}});
    BOOST_TEST(stopped.error().code == "cancelled");
    BOOST_TEST((stopped.error().certainty == Certainty::unknown));
    const auto late = rig.get("/late", Until{}.within(400ms));
    BOOST_TEST(late.error().code == "timeout");
    BOOST_TEST((late.error().certainty == Certainty::unknown));
    const auto idle =
        rig.client->fetch({.url = rig.url("/idle"), .idle_timeout = 400ms}, rig.caller, {});
    BOOST_TEST(idle.error().code == "timeout");
    const auto whole =
        rig.client->fetch({.url = rig.url("/whole"), .timeout = 400ms}, rig.caller, {});
    BOOST_TEST(whole.error().code == "timeout");
    BOOST_TEST(asked == 4);
}

BOOST_AUTO_TEST_CASE(a_slow_reader_slows_the_sender_down) {
    std::atomic<std::size_t> written{0};
    const std::size_t total = 24 * 1024 * 1024;
    Rig rig(
        [&](ServerRequest, std::shared_ptr<Responder> to) {
            (void)to->start(200, {});
            const std::string piece(64 * 1024, 'x');
            for (; written < total; written += piece.size())
                if (!to->write(piece)) return;
            to->finish();
        },
        {.queue_bytes = 64 * 1024}, {.queue_bytes = 64 * 1024});
    std::size_t received = 0, worst = 0;
    const Receiver receiver{nullptr, [&](std::string_view bytes) -> Status {
                                received += bytes.size();
                                worst =
                                    std::max(worst, std::size_t(written) -
                                                        std::min(received, std::size_t(written)));
                                if (received < 1024 * 1024) std::this_thread::yield();
                                return {};
                            }};
    BOOST_REQUIRE(rig.client->send({.url = rig.url("/")}, rig.caller, receiver, {}).ok());
    BOOST_TEST(received == total);
    BOOST_TEST(worst < total / 2); // what is under way sits in bounded queues and socket buffers
}

BOOST_AUTO_TEST_CASE(many_streams_share_one_transfer_thread) {
    constexpr int count = 64;
    std::latch all_open(count);
    Rig rig([&](ServerRequest request, std::shared_ptr<Responder> to) {
        (void)to->start(200, {});
        (void)to->write("a");
        all_open.arrive_and_wait();
        (void)to->write(request.target);
        to->finish();
    });
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            const auto path = "/" + std::to_string(i);
            const auto response = rig.get(path);
            if (response && response->body == "a" + path) ++right;
        });
    for (auto& thread : threads) thread.join();
    BOOST_TEST(right == count);
}

BOOST_AUTO_TEST_CASE(a_refused_address_is_never_connected_to) {
    std::atomic<int> asked{0};
    Rig rig([&](ServerRequest, std::shared_ptr<Responder> to) {
        ++asked;
        (void)to->respond(200, {}, "ok");
    });
    auto transfers = make_curl_transfers({});
    const auto try_it = [&](bool may) -> Result<ResponseHead> {
        TransferRequest request;
        request.url = *parse_url(rig.url("/"));
        request.may_connect = [may](const Address& address) -> Status {
            BOOST_TEST(address.text() == "127.0.0.1");
            if (may) return {};
            return permanent("egress_denied", "no");
        };
        auto transfer = transfers->start(std::move(request));
        auto head = (*transfer)->head({}, 0ms);
        if (head) (void)(*transfer)->next({}, 0ms); // so that the connection may be used again
        if (head) (void)(*transfer)->next({}, 0ms);
        return head;
    };
    BOOST_TEST(try_it(false).error().code == "egress_denied");
    BOOST_TEST(asked == 0);
    BOOST_TEST(try_it(true).ok());
    // The kept connection belongs to whoever was allowed to open it.
    BOOST_TEST(try_it(false).error().code == "egress_denied");
    BOOST_TEST(asked == 1);
}

BOOST_AUTO_TEST_CASE(the_environment_chooses_no_proxy) {
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    Rig rig(echo);
    BOOST_TEST(rig.get("/").ok());
    unsetenv("http_proxy");
}

BOOST_AUTO_TEST_CASE(a_configured_proxy_gets_the_request) {
    Rig proxy([](ServerRequest request, std::shared_ptr<Responder> to) {
        (void)to->respond(200, {}, request.target);
    });
    auto client = make_client({.egress = {}, .transfer = {.proxy = proxy.server->origin()}});
    const auto response = client->fetch({.url = "http://somewhere.test/x"}, {}, {});
    BOOST_REQUIRE(response.ok());
    BOOST_TEST(response->body == "http://somewhere.test/x");
}

BOOST_AUTO_TEST_CASE(a_host_that_shuts_down_ends_its_requests) {
    std::latch asked(1);
    Rig rig([&](ServerRequest, std::shared_ptr<Responder> to) {
        std::latch gone(1);
        to->on_gone([&] { gone.count_down(); });
        asked.count_down();
        gone.wait();
    });
    auto transfers = make_curl_transfers({});
    TransferRequest request;
    request.url = *parse_url(rig.url("/"));
    auto transfer = transfers->start(std::move(request));
    std::thread closer([&] {
        asked.wait();
        transfers.reset();
    });
    const auto head = (*transfer)->head({}, 0ms);
    closer.join();
    BOOST_TEST(head.error().code == "cancelled");
    BOOST_TEST((head.error().certainty == Certainty::unknown));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(server)

BOOST_AUTO_TEST_CASE(a_slow_client_holds_nobody_up) {
    Rig rig(echo);
    RawClient slow(rig.server->port());
    slow.say("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nonly this");
    RawClient silent(rig.server->port());
    for (int i = 0; i < 3; ++i) BOOST_TEST(rig.get("/").ok());
}

BOOST_AUTO_TEST_CASE(a_request_that_never_ends_is_dropped) {
    Rig rig(echo, {.request_timeout = 30ms, .idle_timeout = 30ms});
    RawClient slow(rig.server->port());
    slow.say("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nonly this");
    BOOST_TEST(slow.rest() == "");
}

BOOST_AUTO_TEST_CASE(what_is_too_large_or_no_http_is_refused) {
    Rig rig(echo, {.header_bytes = 1024, .body_bytes = 100});
    const std::pair<std::string, std::string> table[] = {
        {"POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n" + std::string(101, 'x'), "HTTP/1.1 413"},
        {"GET / HTTP/1.1\r\nX: " + std::string(2000, 'x') + "\r\n\r\n", "HTTP/1.1 431"},
        {"nonsense\r\n\r\n", "HTTP/1.1 400"},
        {"GET / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "HTTP/1.1 400"},
    };
    for (const auto& [request, expected] : table) {
        RawClient client(rig.server->port());
        client.say(request);
        BOOST_TEST(client.rest().starts_with(expected), request.substr(0, 60));
    }
    BOOST_TEST(rig.get("/").ok());
}

BOOST_AUTO_TEST_CASE(connections_above_the_limit_are_refused) {
    Rig rig(echo, {.connections = 2});
    RawClient a(rig.server->port()), b(rig.server->port()), c(rig.server->port());
    c.say("GET / HTTP/1.1\r\n\r\n");
    BOOST_TEST(c.rest().starts_with("HTTP/1.1 503"));
    a.say("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    BOOST_TEST(a.rest().starts_with("HTTP/1.1 200"));
}

BOOST_AUTO_TEST_CASE(requests_of_one_connection_are_answered_in_order) {
    Rig rig(echo);
    RawClient client(rig.server->port());
    client.say("POST /1 HTTP/1.1\r\nContent-Length: 3\r\n\r\noneGET /2 HTTP/1.1\r\n\r\n"
               "POST /3 HTTP/1.1\r\nContent-Length: 5\r\nConnection: close\r\n\r\nthree");
    const auto text = client.rest();
    BOOST_TEST(text.find("/1") < text.find("/2"));
    BOOST_TEST(text.find("/2") < text.find("/3"));
    BOOST_TEST(text.ends_with("three"));
}

BOOST_AUTO_TEST_CASE(an_old_client_gets_a_body_without_chunks) {
    Rig rig([](ServerRequest, std::shared_ptr<Responder> to) {
        (void)to->start(200, {});
        (void)to->write("a");
        (void)to->write("b");
    });
    RawClient client(rig.server->port());
    client.say("GET / HTTP/1.0\r\n\r\n");
    BOOST_TEST(client.rest().ends_with("\r\n\r\nab"));
}

BOOST_AUTO_TEST_CASE(a_forgotten_request_is_answered_500) {
    Rig rig([](ServerRequest request, std::shared_ptr<Responder>) {
        if (request.target == "/throw") throw std::runtime_error("oops");
    });
    BOOST_TEST(rig.get("/")->status == 500);
    BOOST_TEST(rig.get("/throw")->status == 500);
}

BOOST_AUTO_TEST_CASE(a_response_may_be_finished_after_the_handler_returned) {
    std::shared_ptr<Responder> kept;
    std::latch ready(1);
    Rig rig([&](ServerRequest, std::shared_ptr<Responder> to) {
        kept = std::move(to);
        ready.count_down();
    });
    std::thread later([&] {
        ready.wait();
        BOOST_TEST(kept->respond(200, {}, "late").ok());
        kept.reset();
    });
    BOOST_TEST(rig.get("/")->body == "late");
    later.join();
}

BOOST_AUTO_TEST_CASE(a_client_that_asks_may_go_on) {
    Rig rig(echo);
    RawClient client(rig.server->port());
    client.say("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: "
               "close\r\n\r\n");
    char first[9] = {};
    BOOST_TEST(recv(client.fd, first, 8, MSG_WAITALL) == 8);
    client.say("hi");
    const auto text = client.rest();
    BOOST_TEST(text.starts_with(" 100 Continue"));
    BOOST_TEST(text.ends_with("hi"));
}

BOOST_AUTO_TEST_CASE(a_taken_port_is_reported) {
    Rig rig(echo);
    const auto second = make_server("127.0.0.1", rig.server->port(), echo);
    BOOST_TEST(second.error().code == "cannot_listen");
    BOOST_TEST(make_server("not an address", 0, echo).error().code == "cannot_listen");
}

BOOST_AUTO_TEST_SUITE_END()
