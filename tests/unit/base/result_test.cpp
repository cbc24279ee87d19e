#include <boost/test/unit_test.hpp>

#include <memory>

#include "base/result.hpp"

using namespace foxwedge;

namespace {
Result<int> half(int number) {
    if (number % 2 != 0) return permanent("odd", "the number is odd");
    return number / 2;
}
Result<std::unique_ptr<int>> quarter(int number) {
    FOXWEDGE_TRY(first, half(number));
    FOXWEDGE_TRY(second, half(first));
    return std::make_unique<int>(second);
}
Status divisible(int number) {
    FOXWEDGE_CHECK(half(number));
    return {};
}
} // namespace

BOOST_AUTO_TEST_SUITE(result)

BOOST_AUTO_TEST_CASE(a_value_passes_and_an_error_ends_the_function) {
    BOOST_TEST(**quarter(8) == 2);
    BOOST_TEST(quarter(6).error().code == "odd");
    BOOST_TEST(divisible(2).ok());
    BOOST_TEST(divisible(3).error().message == "the number is odd");
}

BOOST_AUTO_TEST_CASE(certainties_have_wire_names) {
    BOOST_TEST(to_string(Certainty::permanent) == std::string("permanent"));
    BOOST_TEST(to_string(Certainty::not_done) == std::string("not_done"));
    BOOST_TEST(to_string(Certainty::done_with_error) == std::string("done_with_error"));
    BOOST_TEST(to_string(Certainty::unknown) == std::string("unknown"));
}

BOOST_AUTO_TEST_SUITE_END()
