#define BOOST_TEST_MODULE rule
#include <boost/test/unit_test.hpp>
