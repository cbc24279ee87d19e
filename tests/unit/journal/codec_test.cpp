#include <boost/test/unit_test.hpp>

#include <map>

#include "journal/bytes.hpp"
#include "journal/codec.hpp"
#include "journal/crc.hpp"
#include "journal/keys.hpp"

using namespace foxwedge;
using namespace foxwedge::journal;

namespace {

class Stored final : public ContentSource {
public:
    bool read(const Digest& d, std::size_t size, std::string& into) override {
        const auto at = all.find(d);
        if (at == all.end() || at->second.size() != size) return false;
        into = at->second;
        return true;
    }
    void add(const std::vector<Content>& contents) {
        for (const auto& c : contents) all[c.digest] = std::string(c.bytes);
    }
    std::map<Digest, std::string> all;
};

Entry full_entry() {
    Entry e;
    e.type = EntryType::completion;
    e.key = {"3.2/0.1", 7, "agent:iter:0:tool:c1", "tool", sha256("inputs")};
    e.generation = 2;
    e.attempts.resize(2);
    e.attempts[0] = {1, Time(Millis(1000)), Time(Millis(2500)),
                     Error{"rate_limited", "wait", Certainty::not_done, Millis(250), "{\"a\":1}"}};
    e.attempts[1] = {2, Time(Millis(4000)), Time(Millis(3999)), std::nullopt};
    e.outcome = Outcome{std::nullopt, "{\"x\":1}", true};
    e.usage_json = "{\"input\":3}";
    e.trace_id = "0af7651916cd43dd8448eb211c80319c";
    return e;
}

std::optional<Entry> decoded(std::string_view& in, ContentSource& source) {
    Entry entry;
    if (!decode_entry(in, source, entry)) return std::nullopt;
    return entry;
}

} // namespace

BOOST_AUTO_TEST_SUITE(codec)

BOOST_AUTO_TEST_CASE(an_entry_comes_back_as_it_was) {
    Stored stored;
    for (const std::string kind : {"tool", "model", "of-our-own"}) {
        Entry e = full_entry();
        e.key.kind = kind;
        std::string bytes;
        std::vector<Content> contents;
        encode(bytes, e, contents);
        BOOST_TEST(contents.empty());
        std::string_view in = bytes;
        const auto back = decoded(in, stored);
        BOOST_REQUIRE(back.has_value());
        BOOST_TEST(in.empty());
        BOOST_TEST(back->key.lane == e.key.lane);
        BOOST_TEST(back->key.index == e.key.index);
        BOOST_TEST(back->key.name == e.key.name);
        BOOST_TEST(back->key.kind == kind);
        BOOST_TEST((back->key.inputs == e.key.inputs));
        BOOST_TEST(back->generation == 2u);
        BOOST_REQUIRE(back->attempts.size() == 2u);
        BOOST_TEST(back->attempts[0].error->code == "rate_limited");
        BOOST_TEST((back->attempts[0].error->retry_after == Millis(250)));
        BOOST_TEST((back->attempts[1].ended == Time(Millis(3999))));
        BOOST_TEST(back->outcome->value_json == "{\"x\":1}");
        BOOST_TEST(back->outcome->tool_error);
        BOOST_TEST(back->usage_json == e.usage_json);
        BOOST_TEST(back->trace_id == e.trace_id);
    }
}

BOOST_AUTO_TEST_CASE(large_values_and_tool_lists_are_stored_once_by_digest) {
    Stored stored;
    Entry e = full_entry();
    e.outcome->value_json = std::string(5000, 'v');
    std::string bytes;
    std::vector<Content> contents;
    encode(bytes, e, contents);
    BOOST_REQUIRE(contents.size() == 1u);
    BOOST_TEST(bytes.size() < 400u);
    std::string_view in = bytes;
    BOOST_TEST(!decoded(in, stored).has_value()); // its content is missing
    stored.add(contents);
    in = bytes;
    BOOST_TEST(decoded(in, stored)->outcome->value_json == e.outcome->value_json);
    std::vector<Digest> digests;
    in = bytes;
    BOOST_TEST(contents_of_entry(in, digests));
    BOOST_TEST((digests == std::vector<Digest>{sha256(e.outcome->value_json)}));

    e.outcome->value_json = "[\"a tool\"]";
    e.key.kind = "tools";
    contents.clear();
    bytes.clear();
    encode(bytes, e, contents);
    BOOST_TEST(contents.size() == 1u);
}

BOOST_AUTO_TEST_CASE(no_cut_or_changed_byte_is_read_past_its_end) {
    Stored stored;
    std::string bytes;
    std::vector<Content> contents;
    encode(bytes, full_entry(), contents);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        std::string_view in = std::string_view(bytes).substr(0, length);
        BOOST_TEST(!decoded(in, stored).has_value());
    }
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (const int bit : {0, 3, 7}) {
            std::string changed = bytes;
            changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
            std::string_view in = changed;
            (void)decoded(in, stored); // anything but a read out of bounds
        }
}

BOOST_AUTO_TEST_CASE(rows_come_back_as_they_were) {
    Stored stored;
    std::vector<Content> contents;
    const std::string id = "01J9ZZZZZZZZZZZZZZZZZZZZZZ";
    const RunRow run{
        "host", "flow", "key", id, id, id, Time(Millis(77)), "1", std::string(100, 'c'), "{}"};
    const std::string run_bytes = encode(run, contents);
    stored.add(contents);
    const auto run_back = decode_run(run_bytes, &stored);
    BOOST_REQUIRE(run_back.has_value());
    BOOST_TEST(run_back->config_json == run.config_json);
    BOOST_TEST(run_back->parent == id);
    BOOST_TEST(run_back->forked_from == id);
    BOOST_TEST(decode_run(run_bytes, nullptr)->config_json == "");

    LiveRow live;
    live.status = RunStatus::waiting;
    live.cancel_asked = true;
    live.owner = id;
    live.epoch = 3;
    live.tail = live.newest = 1'000'000;
    live.reason = "why";
    live.waits = {{Wait::On::time, Time(Millis(5)), {}},
                  {Wait::On::gate, {}, id},
                  {Wait::On::signal, {}, "go"}};
    const auto live_back = decode_live(encode(live));
    BOOST_REQUIRE(live_back.has_value());
    BOOST_TEST((live_back->status == RunStatus::waiting));
    BOOST_TEST(live_back->owner == id);
    BOOST_TEST(live_back->waits.size() == 3u);
    BOOST_TEST(live_back->waits[1].id == id);
    BOOST_TEST(live_back->waits[2].id == "go");

    GateRow gate;
    gate.gate.run = gate.gate.root = id;
    gate.gate.path = {"support", "refunds"};
    gate.gate.allow = {"approve"};
    gate.gate.deadline = Time(Millis(9));
    gate.gate.about_json = "{}";
    gate.on_close.resize(1);
    gate.on_close[0].key = std::string("a\0b", 3);
    gate.on_close[0].expect = 0;
    GateRow gate_back;
    BOOST_TEST(decode_question(encode_question(gate, contents), gate_back, stored));
    BOOST_TEST(decode_state(encode_state(gate), gate_back));
    BOOST_TEST(gate_back.gate.root == id);
    BOOST_TEST(gate_back.gate.path[1] == "refunds");
    BOOST_TEST(gate_back.on_close.at(0).key.size() == 3u);
    BOOST_TEST(gate_back.on_close.at(0).expect.value() == 0u);
}

BOOST_AUTO_TEST_CASE(ids_pack_into_sixteen_bytes_in_the_same_order) {
    const std::vector<std::string> ids = {
        "00000000000000000000000001", "01J9ZZZZZZ0000000000000000", "01J9ZZZZZZ0000000000000001",
        "01J9ZZZZZZZZZZZZZZZZZZZZZZ", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        BOOST_TEST(packed_id(ids[i]).size() == 16u);
        BOOST_TEST(unpacked_id(packed_id(ids[i])) == ids[i]);
        if (i > 0) BOOST_TEST((packed_id(ids[i - 1]) < packed_id(ids[i])));
    }
    BOOST_TEST(unpacked_id(packed_id("")) == "");
}

BOOST_AUTO_TEST_CASE(long_keys_keep_whole_code_points_and_end_in_their_digest) {
    BOOST_TEST(shortened(std::string(400, 'k')) == std::string(400, 'k'));
    std::string key(399, 'k');
    key += "é";
    const std::string stored = shortened(key);
    BOOST_TEST(stored.size() == 399u + 32);
    BOOST_TEST(shortened(key + "x") != stored);
}

BOOST_AUTO_TEST_CASE(the_checksum_is_crc_32c) {
    BOOST_TEST(crc32c("123456789") == 0xE3069283u);
    BOOST_TEST(crc32c("6789", crc32c("12345")) == 0xE3069283u);
}

BOOST_AUTO_TEST_CASE(attempts_and_outcomes_fold_into_one_record_each) {
    std::vector<Entry> entries;
    for (int attempt = 1; attempt <= 3; ++attempt) {
        Entry e = full_entry();
        e.sequence = static_cast<std::uint64_t>(attempt);
        e.attempts.resize(1);
        e.attempts[0].number = attempt;
        if (attempt < 3) e.outcome.reset();
        entries.push_back(e);
    }
    Entry root = full_entry();
    root.key.lane = "";
    root.sequence = 4;
    entries.push_back(root);
    const auto records = fold(std::move(entries));
    BOOST_REQUIRE(records.size() == 2u);
    BOOST_TEST(records[0].key.lane == "");
    BOOST_TEST(records[1].attempts.size() == 3u);
    BOOST_TEST(records[1].sequence == 3u);
    BOOST_TEST(records[1].outcome.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
