#include <boost/test/unit_test.hpp>

#include "base/id.hpp"

using namespace foxwedge;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(id)

BOOST_AUTO_TEST_CASE(ids_carry_their_time_and_sort_by_it) {
    auto early = new_id(Time(1795992600123ms));
    auto late = new_id(Time(1795992600124ms));
    BOOST_TEST(is_id(early));
    BOOST_TEST((time_of_id(early) == Time(1795992600123ms)));
    BOOST_TEST(early < late);
    BOOST_TEST(early != new_id(Time(1795992600123ms)));
}

BOOST_AUTO_TEST_CASE(the_same_inputs_derive_the_same_id) {
    auto parent = new_id(Time(1795992600123ms));
    auto child = derived_id(parent, sha256("step"));
    BOOST_TEST(is_id(child));
    BOOST_TEST(child == derived_id(parent, sha256("step")));
    BOOST_TEST(child != derived_id(parent, sha256("other")));
    BOOST_TEST((time_of_id(child) == time_of_id(parent)));
}

BOOST_AUTO_TEST_CASE(what_is_no_id_is_told_apart) {
    for (auto text : {"", "01ARZ3NDEKTSV4RRFFQ69G5FA", "81ARZ3NDEKTSV4RRFFQ69G5FAV",
                      "01arz3ndektsv4rrffq69g5fav", "01ARZ3NDEKTSV4RRFFQ69G5FAU",
                      "01ARZ3NDEKTSV4RRFFQ69G5FAVX"})
        BOOST_TEST(!is_id(text), text);
    BOOST_TEST(is_id("01ARZ3NDEKTSV4RRFFQ69G5FAV"));
}

BOOST_AUTO_TEST_CASE(random_bytes_have_the_length_asked_for) {
    BOOST_TEST(random_bytes(0).empty());
    BOOST_TEST(random_bytes(1000).size() == 1000U);
    BOOST_TEST(random_bytes(16) != random_bytes(16));
}

BOOST_AUTO_TEST_SUITE_END()
