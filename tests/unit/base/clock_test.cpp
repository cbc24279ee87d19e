#include <boost/test/unit_test.hpp>

#include "base/clock.hpp"
#include "base/stop.hpp"

using namespace foxwedge;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(clock_)

BOOST_AUTO_TEST_CASE(a_time_is_written_as_rfc_3339_in_utc) {
    BOOST_TEST(to_text(Time(0ms)) == "1970-01-01T00:00:00.000Z");
    BOOST_TEST(to_text(Time(1795992600123ms)) == "2026-11-29T22:50:00.123Z");
    BOOST_TEST(to_text(Time(-1ms)) == "1969-12-31T23:59:59.999Z");
}

BOOST_AUTO_TEST_CASE(durations_are_a_whole_number_and_a_unit) {
    BOOST_TEST((*parse_duration("500ms") == 500ms));
    BOOST_TEST((*parse_duration("30s") == 30s));
    BOOST_TEST((*parse_duration("10m") == 10min));
    BOOST_TEST((*parse_duration("2h") == 2h));
    BOOST_TEST((*parse_duration("7d") == 168h));
}

BOOST_AUTO_TEST_CASE(what_is_no_duration_is_refused) {
    for (auto text : {"", "5", "s", "-5s", "1.5h", "5 s", "5S", "1h30m", "99999999999999999999s",
                      "9223372036854775807d"})
        BOOST_TEST(parse_duration(text).error().code == "invalid_duration", text);
}

BOOST_AUTO_TEST_CASE(a_duration_reads_back_from_its_text) {
    for (auto span : {0ms, 1ms, 999ms, 1000ms, 60000ms, 90000ms, 86400000ms})
        BOOST_TEST((*parse_duration(to_duration_text(span)) == span));
    BOOST_TEST(to_duration_text(90s) == "90s");
    BOOST_TEST(to_duration_text(168h) == "7d");
}

BOOST_AUTO_TEST_CASE(people_read_two_units_at_most) {
    BOOST_TEST(to_human_text(350ms) == "350 ms");
    BOOST_TEST(to_human_text(1200ms) == "1.2 s");
    BOOST_TEST(to_human_text(200s) == "3 min 20 s");
    BOOST_TEST(to_human_text(52h) == "2 d 4 h");
    BOOST_TEST(to_human_text(1h) == "1 h");
}

BOOST_AUTO_TEST_CASE(until_ends_at_the_earlier_deadline) {
    Until open;
    BOOST_TEST(!open.left());
    BOOST_TEST(!open.overdue());
    auto hour = open.within(1h);
    BOOST_TEST((*hour.left() <= 1h));
    BOOST_TEST((*hour.within(2h).deadline == *hour.deadline));
    BOOST_TEST((*hour.within(1min).deadline < *hour.deadline));
    BOOST_TEST((*open.within(0ms).left() == 0ms));
    BOOST_TEST(!open.within(std::chrono::milliseconds::max()).deadline);
}

BOOST_AUTO_TEST_SUITE_END()
