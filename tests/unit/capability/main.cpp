#define BOOST_TEST_MODULE capability
#include <boost/test/unit_test.hpp>
