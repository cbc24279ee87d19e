#include <boost/test/unit_test.hpp>

#include "process/tail.hpp"

using foxwedge::process::Tail;

BOOST_AUTO_TEST_SUITE(a_tail)

BOOST_AUTO_TEST_CASE(keeps_the_last_bytes_in_order_whatever_the_pieces) {
    Tail tail(5);
    for (char c = 'a'; c <= 'z'; ++c) tail.append(std::string(1, c));
    BOOST_TEST(tail.text() == "vwxyz");
    tail.append("0123456789");
    BOOST_TEST(tail.text() == "56789");
    tail.append("!");
    BOOST_TEST(tail.text() == "6789!");
    BOOST_TEST(tail.total() == 37u);
}

BOOST_AUTO_TEST_CASE(keeps_all_of_what_is_short) {
    Tail tail(5);
    tail.append("abc");
    BOOST_TEST(tail.text() == "abc");
}

BOOST_AUTO_TEST_SUITE_END()
