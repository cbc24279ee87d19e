#define BOOST_TEST_MODULE compose
#include <boost/test/unit_test.hpp>
