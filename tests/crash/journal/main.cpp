#define BOOST_TEST_MODULE crash_journal
#include <boost/test/unit_test.hpp>
