#define BOOST_TEST_MODULE interop
#include <boost/test/unit_test.hpp>
