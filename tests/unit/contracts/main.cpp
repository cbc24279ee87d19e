#define BOOST_TEST_MODULE contracts
#include <boost/test/unit_test.hpp>
