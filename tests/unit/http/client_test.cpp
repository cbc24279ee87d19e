// Policy, secrets and redirects over transfers in memory.
#include <boost/test/unit_test.hpp>

#include <deque>

#include "http/client.hpp"

using namespace foxwedge;
using namespace foxwedge::http;

namespace {

struct Scripted {
    ResponseHead head;
    std::deque<std::string> body;
    std::optional<Error> then; // how the body ends
};

struct MemoryTransfers : Transfers {
    std::vector<TransferRequest> seen;
    std::deque<Scripted> answers;

    struct One : Transfer {
        Scripted script;
        explicit One(Scripted s) : script(std::move(s)) {}
        Result<ResponseHead> head(const Until&, Millis) override { return script.head; }
        Result<std::string> next(const Until&, Millis) override {
            if (script.body.empty()) {
                if (script.then) return *script.then;
                return std::string();
            }
            auto bytes = script.body.front();
            script.body.pop_front();
            return bytes;
        }
    };
    Result<std::unique_ptr<Transfer>> start(TransferRequest request) override {
        seen.push_back(std::move(request));
        BOOST_REQUIRE(!answers.empty());
        auto script = std::move(answers.front());
        answers.pop_front();
        return std::unique_ptr<Transfer>(std::make_unique<One>(std::move(script)));
    }
};

struct World {
    MemoryTransfers* wire = new MemoryTransfers;
    Client client;
    std::vector<std::string> asked; // secrets looked up: "name@origin"
    Caller caller;

    explicit World(EgressPolicy policy = {})
        : client({.egress = std::move(policy), .transfer = {}}, std::unique_ptr<Transfers>(wire)) {
        caller.secrets = [this](std::string_view name,
                                std::string_view origin) -> Result<std::string> {
            asked.push_back(std::string(name) + "@" + std::string(origin));
            return std::string("s3cret");
        };
    }
    void answer(int status, Headers headers, std::deque<std::string> body = {}) {
        wire->answers.push_back({{status, std::move(headers)}, std::move(body), {}});
    }
    Result<Response> fetch(Request request) { return client.fetch(request, caller, {}); }
};

std::string field(const TransferRequest& request, std::string_view name) {
    for (const auto& f : request.fields)
        if (same_name(f.name, name)) return f.value;
    return "(none)";
}

} // namespace

BOOST_AUTO_TEST_SUITE(client)

BOOST_AUTO_TEST_CASE(a_secret_is_looked_up_for_the_origin_it_goes_to) {
    World w;
    w.answer(200, {}, {"o", "k"});
    const auto response =
        w.fetch({.method = "POST",
                 .url = "https://api.test/v1",
                 .fields = {{"Authorization", "Bearer ", "KEY"}, {"X-Plain", "1", ""}},
                 .body = "{}"});
    BOOST_REQUIRE(response.ok());
    BOOST_TEST(response->body == "ok");
    BOOST_TEST(field(w.wire->seen[0], "authorization") == "Bearer s3cret");
    BOOST_TEST(field(w.wire->seen[0], "x-plain") == "1");
    BOOST_TEST(w.asked == std::vector<std::string>{"KEY@https://api.test"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_refused_secret_sends_nothing) {
    World w;
    w.caller.secrets = [](auto, auto) -> Result<std::string> {
        return permanent("secret_origin", "not for that origin");
    };
    const auto response =
        w.fetch({.url = "https://api.test/", .fields = {{"X-Api-Key", "", "KEY"}}});
    BOOST_TEST(response.error().code == "secret_origin");
    BOOST_TEST(w.wire->seen.empty());
    BOOST_TEST(
        w.fetch({.url = "http://api.test/", .fields = {{"X-Api-Key", "", "KEY"}}}).error().code ==
        "secret_over_http");
    w.caller.secrets = nullptr;
    BOOST_TEST(
        w.fetch({.url = "https://api.test/", .fields = {{"X-Api-Key", "", "KEY"}}}).error().code ==
        "unknown_secret");
    BOOST_TEST(w.wire->seen.empty());
}

// B72: six hops, other origins; the new host gets no request at all.
BOOST_AUTO_TEST_CASE(a_redirect_to_another_origin_makes_no_request_there) {
    World w;
    w.answer(307, {{"Location", "https://other.test/x"}});
    const auto response = w.fetch({.method = "POST",
                                   .url = "https://mcp.test/mcp",
                                   .fields = {{"Authorization", "Bearer ", "KEY"}},
                                   .body = "x"});
    BOOST_TEST(response.error().code == "cross_origin_redirect");
    BOOST_TEST(w.wire->seen.size() == 1U);
}

BOOST_AUTO_TEST_CASE(redirects_end_after_three) {
    World w;
    for (int i = 0; i < 6; ++i) w.answer(307, {{"Location", "/again"}});
    const auto response =
        w.fetch({.method = "POST", .url = "https://h/", .fields = {}, .body = "x"});
    BOOST_TEST(response.error().code == "too_many_redirects");
    BOOST_REQUIRE(w.wire->seen.size() == 4U);
    for (const auto& request : w.wire->seen) {
        BOOST_TEST(request.method == "POST");
        BOOST_TEST(request.body == "x");
    }
}

BOOST_AUTO_TEST_CASE(a_303_drops_body_and_content_type_for_good) {
    World w;
    w.answer(303, {{"Location", "/a"}});
    w.answer(307, {{"Location", "/b"}});
    w.answer(200, {}, {"done"});
    BOOST_REQUIRE(w.fetch({.method = "POST",
                           .url = "https://h/",
                           .fields = {{"Content-Type", "application/json", ""}},
                           .body = "{}"})
                      .ok());
    BOOST_TEST(w.wire->seen[2].method == "GET");
    BOOST_TEST(w.wire->seen[2].body == "");
    BOOST_TEST(field(w.wire->seen[2], "content-type") == "(none)");
    BOOST_TEST(w.wire->seen[2].url.target == "/b");
}

BOOST_AUTO_TEST_CASE(what_the_receiver_refuses_ends_the_exchange) {
    World w;
    w.answer(200, {}, {"a", "b", "c"});
    int chunks = 0;
    const Receiver receiver{nullptr, [&](std::string_view) -> Status {
                                if (++chunks == 2) return permanent("enough", "two will do");
                                return {};
                            }};
    BOOST_TEST(w.client.send({.url = "https://h/"}, w.caller, receiver, {}).error().code ==
               "enough");
    BOOST_TEST(chunks == 2);
}

BOOST_AUTO_TEST_CASE(a_response_beyond_the_limit_is_refused) {
    World w;
    w.answer(200, {}, {"12345", "67890"});
    BOOST_TEST(w.client.fetch({.url = "https://h/"}, w.caller, {}, 9).error().code ==
               "response_too_large");
}

BOOST_AUTO_TEST_CASE(a_body_that_breaks_off_is_no_response) {
    World w;
    w.wire->answers.push_back({{200, {}}, {"half"}, unknown_outcome("connection_lost", "gone")});
    const auto response = w.fetch({.url = "https://h/"});
    BOOST_TEST(response.error().code == "connection_lost");
    BOOST_TEST((response.error().certainty == Certainty::unknown));
}

BOOST_AUTO_TEST_CASE(a_header_with_a_line_break_is_refused_whole) {
    World w;
    BOOST_TEST(w.fetch({.url = "https://h/", .fields = {{"X", "a\r\nY: b", ""}}}).error().code ==
               "invalid_request");
    BOOST_TEST(w.fetch({.method = "GET / HTTP/1.1\r\nX:", .url = "https://h/"}).error().code ==
               "invalid_request");
    w.caller.secrets = [](auto, auto) -> Result<std::string> { return std::string("a\r\nY: b"); };
    BOOST_TEST(w.fetch({.url = "https://h/", .fields = {{"X", "", "KEY"}}}).error().code ==
               "invalid_request");
}

BOOST_AUTO_TEST_CASE(the_connected_address_is_judged_by_the_same_policy) {
    World w;
    w.answer(200, {});
    BOOST_REQUIRE(w.fetch({.url = "https://rebind.test/"}).ok());
    const auto& may_connect = w.wire->seen[0].may_connect;
    BOOST_TEST(may_connect(*parse_address("1.1.1.1")).ok());
    BOOST_TEST(may_connect(*parse_address("127.0.0.1")).error().code == "egress_denied");
}

BOOST_AUTO_TEST_SUITE_END()
