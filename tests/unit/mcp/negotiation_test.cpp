#include <boost/test/unit_test.hpp>

#include "mcp/negotiation.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;
using What = Negotiation::Step::What;

namespace {

const Json modern_server = *parse_json(
    R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},
        "instructions":"i","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n"}}})");

Json initialized(std::string version) {
    return {{"protocolVersion", version},
            {"capabilities", {{"tools", JsonObject()}}},
            {"serverInfo", {{"name", "old"}}}};
}

RpcError unsupported(std::string_view versions) {
    return {rpc::unsupported_version, "no", Json{{"supported", *parse_json(versions)}}};
}

std::string offered(const Negotiation::Step& step) {
    const auto params = parse_json(step.params);
    return std::string(string_member(*params, "protocolVersion").value_or(""));
}

struct Fixture {
    Negotiation negotiation{{}, std::nullopt};
    Negotiation::Step step = negotiation.start();
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(negotiating, Fixture)

BOOST_AUTO_TEST_CASE(begins_with_a_probe_that_says_who_asks) {
    BOOST_TEST(step.method == "server/discover");
    const auto params = parse_json(step.params);
    BOOST_REQUIRE(params.ok());
    const Json* meta = member(*params, "_meta");
    BOOST_REQUIRE(meta);
    BOOST_TEST((string_member(*meta, "io.modelcontextprotocol/protocolVersion") == "2026-07-28"));
    BOOST_TEST(member(*meta, "io.modelcontextprotocol/clientCapabilities"));
    BOOST_TEST(member(*meta, "io.modelcontextprotocol/clientInfo"));
}

BOOST_AUTO_TEST_CASE(ends_at_once_with_a_modern_server) {
    step = negotiation.on_result(modern_server);
    BOOST_TEST((step.what == What::done));
    BOOST_TEST((negotiation.session().era == Era::modern));
    BOOST_TEST(negotiation.session().version == "2026-07-28");
    BOOST_TEST(to_text(negotiation.session().server_info) == R"({"name":"n"})");
    BOOST_TEST(negotiation.session().offers("tools"));
}

// Never keyed on one code: servers answer the unknown question in their own ways.
BOOST_AUTO_TEST_CASE(takes_any_other_error_as_a_handshake_server) {
    for (const int code : {-32601, -32600, -32602, -32000, -32603, 1}) {
        Negotiation fresh({}, std::nullopt);
        (void)fresh.start();
        const auto next = fresh.on_error({code, "?", nullptr});
        BOOST_TEST(next.method == "initialize");
        BOOST_TEST(offered(next) == "2025-11-25");
    }
}

BOOST_AUTO_TEST_CASE(takes_silence_and_odd_results_as_a_handshake_server) {
    BOOST_TEST(negotiation.on_silence().method == "initialize");
    Negotiation other({}, std::nullopt);
    (void)other.start();
    BOOST_TEST(other.on_result(JsonObject()).method == "initialize");
}

BOOST_AUTO_TEST_CASE(starts_a_server_again_that_died_of_the_probe_but_only_once) {
    const Error why = unknown_outcome("connection_lost", "gone");
    step = negotiation.on_death(why);
    BOOST_TEST((step.what == What::restart_then_send));
    BOOST_TEST(step.method == "initialize");
    step = negotiation.on_death(why);
    BOOST_TEST((step.what == What::failed));
    BOOST_TEST(step.error.message == "gone");
}

BOOST_AUTO_TEST_CASE(chooses_what_a_modern_server_supports) {
    step = negotiation.on_error(unsupported(R"(["2027-01-01","2025-06-18","2024-11-05"])"));
    BOOST_TEST(step.method == "initialize");
    BOOST_TEST(offered(step) == "2025-06-18");
    step = negotiation.on_result(initialized("2025-06-18"));
    BOOST_TEST((step.what == What::done));
    BOOST_TEST((negotiation.session().era == Era::handshake));
}

BOOST_AUTO_TEST_CASE(fails_for_good_where_there_is_no_common_revision) {
    step = negotiation.on_error(unsupported(R"(["2027-01-01"])"));
    BOOST_TEST((step.what == What::failed));
    BOOST_TEST(step.error.code == "unsupported_version");
    BOOST_TEST((step.error.certainty == Certainty::permanent));
}

BOOST_AUTO_TEST_CASE(accepts_each_handshake_revision_that_is_offered_back) {
    for (const auto version : handshake_versions) {
        Negotiation fresh({}, Era::handshake);
        BOOST_TEST(fresh.start().method == "initialize");
        BOOST_TEST((fresh.on_result(initialized(std::string(version))).what == What::done));
        BOOST_TEST(fresh.session().version == version);
    }
    for (const char* odd : {"2023-01-01", "", "2026-07-28"}) {
        Negotiation fresh({}, Era::handshake);
        (void)fresh.start();
        BOOST_TEST((fresh.on_result(initialized(odd)).what == What::failed), odd);
    }
}

BOOST_AUTO_TEST_CASE(finds_a_modern_only_server_through_its_refusal_of_initialize) {
    step = negotiation.on_silence();
    step = negotiation.on_error(unsupported(R"(["2026-07-28"])"));
    BOOST_TEST(step.method == "server/discover");
    BOOST_TEST((negotiation.on_result(modern_server).what == What::done));
}

BOOST_AUTO_TEST_CASE(never_goes_round_in_circles) {
    for (int i = 0; i < 10 && step.what == What::send; ++i)
        step = negotiation.on_error(unsupported(R"(["2026-07-28","2025-06-18"])"));
    BOOST_TEST((step.what == What::failed));
}

BOOST_AUTO_TEST_SUITE_END()
