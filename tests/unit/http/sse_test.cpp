// Server-sent events, however they are cut.
#include <boost/test/unit_test.hpp>

#include "http/sse.hpp"

using namespace foxwedge;
using namespace foxwedge::http;

namespace {

std::vector<SseEvent> read(SseReader& reader, std::string_view text, std::size_t piece = 0) {
    std::vector<SseEvent> events;
    const auto take = [&](SseEvent event) -> Status {
        events.push_back(std::move(event));
        return {};
    };
    if (piece == 0) piece = text.size();
    for (std::size_t at = 0; at < text.size(); at += piece)
        BOOST_REQUIRE(reader.feed(text.substr(at, piece), take).ok());
    return events;
}
std::string shown(const std::vector<SseEvent>& events) {
    std::string out;
    for (const auto& e : events) out += e.type + "|" + e.data + "|" + e.last_id + "\n";
    return out;
}
std::string shown(std::string_view text, std::size_t piece = 0) {
    SseReader reader;
    return shown(read(reader, text, piece));
}

} // namespace

BOOST_AUTO_TEST_SUITE(sse)

BOOST_AUTO_TEST_CASE(fields_become_events) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"data: a\n\n", "message|a|\n"},
        {"data:a\ndata:b\n\n", "message|a\nb|\n"},
        {"data:  a\n\n", "message| a|\n"},
        {"data\n\n", "message||\n"},
        {"data\ndata\n\n", "message|\n|\n"},
        {"event: x\ndata: a\n\n", "x|a|\n"},
        {"event: x\n\ndata: a\n\n", "message|a|\n"},
        {": ping\n\ndata: a\n\n", "message|a|\n"},
        {"id: 7\ndata: a\n\ndata: b\n\n", "message|a|7\nmessage|b|7\n"},
        {"id: 7\ndata: a\n\nid\ndata: b\n\n", "message|a|7\nmessage|b|\n"},
        {"foo: bar\ndata: a\n\n", "message|a|\n"},
        {"data: a\r\n\r\ndata: b\r\n\r\n", "message|a|\nmessage|b|\n"},
        {"data: a\r\rdata: b\r\r", "message|a|\nmessage|b|\n"},
        {"\xEF\xBB\xBF"
         "data: a\n\n",
         "message|a|\n"},
        {"data: a\n", ""},
        {"data: a\n\ndata: cut", "message|a|\n"},
    };
    for (const auto& [text, expected] : table) BOOST_TEST(shown(text) == expected, text);
}

// B25: framed into lines first, decoded afterwards.
BOOST_AUTO_TEST_CASE(any_cut_gives_the_same_events) {
    const std::string_view text =
        "\xEF\xBB\xBF: hi\r\nid: 1\r\nevent: d\r\ndata: {\"t\":\"你好 🌍\"}\r\n\r\n"
        ": OPENROUTER PROCESSING\n\ndata: [DONE]\n\n";
    const auto whole = shown(text);
    BOOST_TEST(whole == "d|{\"t\":\"你好 🌍\"}|1\nmessage|[DONE]|1\n");
    for (std::size_t piece = 1; piece < text.size(); ++piece)
        BOOST_TEST(shown(text, piece) == whole);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        SseReader reader;
        auto events = read(reader, text.substr(0, cut), 1 + cut);
        for (auto& e : read(reader, text.substr(cut), text.size())) events.push_back(e);
        BOOST_TEST(shown(events) == whole);
    }
}

BOOST_AUTO_TEST_CASE(invalid_bytes_become_a_mark_and_end_nothing) {
    BOOST_TEST(shown("data: a\xFFz\n\ndata: b\n\n") == "message|a\xEF\xBF\xBDz|\nmessage|b|\n");
}

// B21: the last seen id lasts over empty reconnects, and moves without data.
BOOST_AUTO_TEST_CASE(the_last_id_lasts_over_reconnects) {
    SseReader reader;
    read(reader, "id: e1\ndata:\n\n");
    BOOST_TEST(reader.last_id() == "e1");
    reader.reconnected();
    BOOST_TEST(reader.last_id() == "e1");
    reader.reconnected();
    read(reader, "id: e2\n\n");
    BOOST_TEST(reader.last_id() == "e2");
    read(reader, "id: e3\ndata: cut in the middle");
    BOOST_TEST(reader.inside_event());
    BOOST_TEST(reader.last_id() == "e2");
    reader.reconnected();
    BOOST_TEST(!reader.inside_event());
    BOOST_TEST(shown(read(reader, "data: a\n\n")) == "message|a|e2\n");
}

BOOST_AUTO_TEST_CASE(the_reconnection_time_is_digits_only) {
    SseReader reader;
    read(reader, "retry: soon\n\nretry: -5\n\n");
    BOOST_TEST(!reader.retry().has_value());
    read(reader, "retry: 1500\n\n");
    BOOST_TEST(reader.retry()->count() == 1500);
}

BOOST_AUTO_TEST_CASE(an_event_without_end_is_refused) {
    SseReader reader({.event_bytes = 100});
    const auto ignore = [](SseEvent) -> Status { return {}; };
    BOOST_TEST(reader.feed("data: " + std::string(200, 'x'), ignore).error().code ==
               "event_too_large");
    SseReader lines({.event_bytes = 100});
    Status status;
    for (int i = 0; i < 50 && status; ++i) status = lines.feed("data: 12345\n", ignore);
    BOOST_TEST(status.error().code == "event_too_large");
}

BOOST_AUTO_TEST_CASE(the_reader_reads_what_the_writer_writes) {
    BOOST_TEST(shown(to_sse_text("d", "a\nb\r\nc", "9")) == "d|a\nb\nc|9\n");
    BOOST_TEST(shown(to_sse_text("", "")) == "message||\n");
}

BOOST_AUTO_TEST_SUITE_END()
