// The replay machine by tables: records in, decisions out.
#include <boost/test/unit_test.hpp>

#include "run/replay.hpp"

namespace foxwedge::run {
namespace {

using journal::Record;

const Digest plain = sha256("null");
const Error broken = permanent("broken", "broken");

/// "ok", "failed" or "" (no outcome).
Record record(std::string lane, std::uint32_t index, std::string name, std::string_view outcome,
              std::uint32_t generation = 0, std::uint64_t sequence = 1, Digest inputs = plain) {
    Record r;
    r.key = {std::move(lane), index, std::move(name), "task", inputs};
    r.generation = generation;
    r.sequence = sequence;
    if (outcome == "ok") r.outcome = journal::Outcome{std::nullopt, "1", false};
    if (outcome == "failed") r.outcome = journal::Outcome{broken, "", false};
    return r;
}

struct Ask {
    std::string lane;
    std::uint32_t index;
    std::string name;
    Standing expected;
    std::uint32_t generation = 0;
    std::string kind = "task";
    Digest inputs = plain;
    bool may_have_lanes = false;
};

void check(const std::vector<Record>& records, const std::vector<Ask>& asks,
           std::uint64_t retried_at = 0) {
    const History history(records, retried_at);
    std::map<std::string, History::Cursor> cursors;
    for (const auto& ask : asks) {
        auto& cursor = cursors.try_emplace(ask.lane, history.lane(ask.lane)).first->second;
        const auto got = cursor.step(ask.index, ask.name, ask.kind, ask.inputs, ask.may_have_lanes);
        BOOST_TEST((got.standing == ask.expected),
                   ask.lane << ":" << ask.index << " " << ask.name << " stands otherwise");
        if (ask.expected != Standing::mismatch) BOOST_TEST(got.generation == ask.generation);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(replay_machine)

BOOST_AUTO_TEST_CASE(recorded_steps_answer_in_order_and_new_ones_follow) {
    check({record("", 0, "a", "ok"), record("", 1, "b", "failed"), record("", 2, "c", "")},
          {{"", 0, "a", Standing::recorded},
           {"", 1, "b", Standing::recorded},
           {"", 2, "c", Standing::begun},
           {"", 3, "d", Standing::fresh}});
}

// B47: the first difference stops the replay, with what was asked and what is on record.
BOOST_AUTO_TEST_CASE(another_name_kind_or_input_is_a_mismatch) {
    const std::vector<Record> one{record("", 0, "search", "ok")};
    check(one, {{"", 0, "save", Standing::mismatch}});
    check(one, {{"", 0, "search", Standing::mismatch, 0, "model"}});
    check(one, {{"", 0, "search", Standing::mismatch, 0, "task", sha256("other")}});
    const Error error = mismatch_error({"", 0, "save", "task", plain}, &one[0]);
    BOOST_TEST(error.code == "replay_mismatch");
    BOOST_TEST(error.message.find("\"save\" at position 0") != std::string::npos);
    BOOST_TEST(error.message.find("\"search\"") != std::string::npos);
    BOOST_TEST(error.details.find(to_hex(plain)) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_step_before_what_is_recorded_later_in_its_lane_is_a_mismatch) {
    check({record("", 1, "b", "ok")}, {{"", 0, "a", Standing::mismatch}});
}

BOOST_AUTO_TEST_CASE(lanes_are_compared_each_by_itself) {
    check({record("", 0, "a", "ok"), record("1.0", 0, "left", "ok"), record("1.1", 0, "right", ""),
           record("1.1/1.0", 0, "deep", "ok")},
          {{"1.1", 0, "right", Standing::begun},
           {"1.0", 0, "left", Standing::recorded},
           {"1.0", 1, "more", Standing::fresh},
           {"1.1/1.0", 0, "deep", Standing::recorded},
           {"1.2", 0, "third", Standing::fresh},
           {"", 0, "a", Standing::recorded}});
}

BOOST_AUTO_TEST_CASE(a_plain_step_where_a_fan_out_stood_is_a_mismatch_and_a_container_is_not) {
    const std::vector<Record> below{record("0.0", 0, "branch", "ok")};
    check(below, {{"", 0, "plain", Standing::mismatch}});
    check(below, {{"", 0, "container", Standing::fresh, 0, "task", plain, true}});
}

BOOST_AUTO_TEST_CASE(a_fan_out_where_a_step_stood_is_a_mismatch) {
    const std::vector<Record> records{record("", 0, "step", "ok"), record("1.0", 0, "b", "ok"),
                                      record("", 2, "after", "ok"), record("3.0", 0, "c", "")};
    const History history(records);
    auto root = history.lane("");
    BOOST_TEST((root.branches(0).standing == Standing::mismatch));
    BOOST_TEST((root.branches(1).standing == Standing::recorded)); // the lane went past it
    BOOST_TEST((root.branches(3).standing == Standing::begun));
    BOOST_TEST((root.branches(4).standing == Standing::fresh));
}

BOOST_AUTO_TEST_CASE(the_highest_generation_counts_in_whatever_order_records_come) {
    const Record first = record("", 0, "a", "failed", 0, 1);
    const Record second = record("", 0, "a", "ok", 1, 5);
    check({first, second}, {{"", 0, "a", Standing::recorded, 1}}, 4);
    check({second, first}, {{"", 0, "a", Standing::recorded, 1}}, 4);
    check({record("", 1, "b", "ok"), second, first},
          {{"", 0, "a", Standing::recorded, 1}, {"", 1, "b", Standing::recorded}}, 4);
    check({first, record("", 0, "a", "", 1, 5)}, {{"", 0, "a", Standing::begun, 1}}, 4);
}

BOOST_AUTO_TEST_CASE(a_retry_does_again_what_failed_last_and_nothing_else) {
    // handled was answered by the code, which went on; cause ended the run.
    const std::vector<Record> records{record("", 0, "handled", "failed", 0, 1),
                                      record("", 1, "fine", "ok", 0, 2),
                                      record("", 2, "cause", "failed", 0, 3)};
    check(records, {{"", 0, "handled", Standing::recorded},
                    {"", 1, "fine", Standing::recorded},
                    {"", 2, "cause", Standing::recorded}});
    check(records,
          {{"", 0, "handled", Standing::recorded},
           {"", 1, "fine", Standing::recorded},
           {"", 2, "cause", Standing::fresh, 1}},
          3);
}

BOOST_AUTO_TEST_CASE(a_failure_after_the_retry_stands) {
    check({record("", 0, "cause", "failed", 0, 1), record("", 0, "cause", "failed", 1, 7)},
          {{"", 0, "cause", Standing::recorded, 1}}, 3);
}

BOOST_AUTO_TEST_CASE(a_retry_reaches_into_the_last_fan_out_and_not_into_one_that_was_left) {
    const std::vector<Record> last{record("", 0, "a", "ok", 0, 1),
                                   record("1.0", 0, "left", "failed", 0, 2),
                                   record("1.1", 0, "right", "ok", 0, 3)};
    check(last, {{"1.0", 0, "left", Standing::fresh, 1}, {"1.1", 0, "right", Standing::recorded}},
          3);
    auto left = last;
    left.push_back(record("", 2, "after", "ok", 0, 4));
    check(left, {{"1.0", 0, "left", Standing::recorded}}, 4);
}

BOOST_AUTO_TEST_CASE(a_name_stands_at_one_place_only) {
    const std::vector<Record> records{record("", 0, "a", "ok")};
    const History history(records);
    Names names(history);
    BOOST_TEST(names.claim("b", "", 1));
    BOOST_TEST(!names.claim("a", "", 2));    // on record elsewhere
    BOOST_TEST(!names.claim("b", "2.0", 0)); // new elsewhere
    BOOST_TEST(names.claim("b", "", 1));     // the same place again
}

BOOST_AUTO_TEST_SUITE_END()
} // namespace foxwedge::run
