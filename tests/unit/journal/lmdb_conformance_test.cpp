#include <boost/test/unit_test.hpp>

#include "subject.hpp"

BOOST_AUTO_TEST_SUITE(lmdb)
using Subject = foxwedge::journal::test::LmdbSubject;
#include "conformance.hpp"
BOOST_AUTO_TEST_SUITE_END()
