#define BOOST_TEST_MODULE snippets
#include <boost/test/unit_test.hpp>
