#include <boost/test/unit_test.hpp>

#include "subject.hpp"

BOOST_AUTO_TEST_SUITE(memory)
using Subject = foxwedge::journal::test::MemorySubject;
#include "conformance.hpp"
BOOST_AUTO_TEST_SUITE_END()
