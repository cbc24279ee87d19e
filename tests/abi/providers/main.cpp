#define BOOST_TEST_MODULE providers
#include <boost/test/unit_test.hpp>
