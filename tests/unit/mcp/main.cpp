#define BOOST_TEST_MODULE mcp
#include <boost/test/unit_test.hpp>
