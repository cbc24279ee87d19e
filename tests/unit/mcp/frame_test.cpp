#include <boost/test/unit_test.hpp>

#include <cstring>
#include <string>
#include <vector>

#include "mcp/frame.hpp"

using foxwedge::mcp::Frame;
using foxwedge::mcp::FrameReader;
using foxwedge::mcp::IdSniffer;

namespace {

/// All lines of `bytes`, fed in pieces of `piece` bytes; "!id" or "!?" for one that was too large.
std::vector<std::string> lines(std::string_view bytes, std::size_t piece,
                               std::size_t limit = 1000) {
    FrameReader reader(limit);
    std::vector<std::string> found;
    const auto take = [&](const Frame& frame) {
        found.push_back(frame.too_large ? "!" + frame.id.value_or("?") : std::string(frame.text));
    };
    while (!bytes.empty()) {
        const auto room = reader.room();
        const auto count = std::min({piece, room.size, bytes.size()});
        std::memcpy(room.data, bytes.data(), count);
        bytes.remove_prefix(count);
        reader.filled(count);
        while (auto frame = reader.next()) take(*frame);
    }
    if (auto frame = reader.rest()) take(*frame);
    return found;
}

std::string id_in(std::string_view text) {
    IdSniffer sniffer;
    for (const char& c : text) sniffer.feed({&c, 1});
    return sniffer.id().value_or("-");
}

} // namespace

BOOST_AUTO_TEST_SUITE(framing)

BOOST_AUTO_TEST_CASE(finds_the_same_lines_whatever_the_pieces) {
    const std::string bytes = "{\"a\":1}\n\n{\"b\":2}\r\nlast without an end";
    const std::vector<std::string> expected{"{\"a\":1}", "", "{\"b\":2}", "last without an end"};
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
        BOOST_TEST(lines(bytes, piece) == expected, boost::test_tools::per_element());
}

// B05
BOOST_AUTO_TEST_CASE(drops_a_byte_order_mark_at_the_start_only) {
    const auto found = lines("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n", 3);
    BOOST_TEST(found[0] == "one");
    BOOST_TEST(found[1] == "\xEF\xBB\xBFtwo");
}

// B02
BOOST_AUTO_TEST_CASE(drops_a_line_beyond_the_limit_and_names_its_id) {
    const std::string big = "{\"result\":\"" + std::string(5000, 'x') + "\",\"id\":7}\n";
    for (std::size_t piece : {1u, 100u, 1000u, 1011u, 9999u}) {
        const auto found = lines("before\n" + big + "after\n", piece);
        const std::vector<std::string> expected{"before", "!7", "after"};
        BOOST_TEST(found == expected, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(takes_a_line_of_exactly_the_limit) {
    BOOST_TEST(lines(std::string(1000, 'x') + "\n", 17)[0].size() == 1000u);
    BOOST_TEST(lines(std::string(1001, 'x') + "\n", 17)[0] == "!?");
}

BOOST_AUTO_TEST_CASE(keeps_large_lines_within_a_large_limit) {
    const std::string five_million(5'000'000, 'a');
    const auto found = lines(five_million + "\nnext\n", 7 * 1024, 32 * 1024 * 1024);
    BOOST_REQUIRE(found.size() == 2u);
    BOOST_TEST((found[0] == five_million));
    BOOST_TEST(found[1] == "next");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(the_id_of_what_cannot_be_read)

BOOST_AUTO_TEST_CASE(is_the_one_at_the_top) {
    BOOST_TEST(id_in(R"({"id":12,"result":{}})") == "12");
    BOOST_TEST(id_in(R"({"jsonrpc":"2.0","id" : 12})") == "12");
    BOOST_TEST(id_in(R"({"id":"12","result":{}})") == "\"12\"");
    BOOST_TEST(id_in(R"({"result":{"id":5,"x":["id",{"id":6}]},"id":9})") == "9");
    BOOST_TEST(id_in(R"({"result":"\"id\":5","method":"id","id":9})") == "9");
    BOOST_TEST(id_in(R"({"result":{"text":"\\"},"id":9})") == "9");
}

BOOST_AUTO_TEST_CASE(is_missing_where_there_is_none) {
    BOOST_TEST(id_in(R"({"id":null,"result":{}})") == "-");
    BOOST_TEST(id_in(R"({"id":{"id":4}})") == "-");
    BOOST_TEST(id_in(R"([{"id":4}])") == "-");
    BOOST_TEST(id_in(R"({"result":{"id":4}})") == "-");
    BOOST_TEST(id_in("plain text \"id\":4") == "-");
    BOOST_TEST(id_in(R"({"id":")" + std::string(500, 'x') + "\"}") == "-");
}

BOOST_AUTO_TEST_SUITE_END()
