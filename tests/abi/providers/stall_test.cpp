// B27: keep-alives hold a connection open but are no content. Time comes in by hand.
#include <boost/test/unit_test.hpp>

#include <foxwedge/provider_kit/exchange.hpp>

using namespace std::chrono_literals;
using foxwedge::plugin::object;
using foxwedge::plugin::Value;
using provider_kit::ResponseReader;

namespace {

/// Content is what is not "ping"; "end" ends the answer.
struct Words : provider_kit::Decoder {
    bool event(std::string_view, std::string_view data) override {
        over = over || data == "end";
        return data != "ping";
    }
    void whole(const Value&) override {}
    bool ended() const override { return over; }
    Value result() override { return object(); }
    provider_kit::Complaint complaint(const Value&) const override { return {}; }
    bool over = false;
};

struct Stream {
    Words words;
    ResponseReader::Time start{};
    ResponseReader reader{words, 120s, start};
    Stream() {
        reader.head(object(
            {{"status", 200}, {"headers", object({{"content-type", "text/event-stream"}})}}));
    }
    void at(std::chrono::seconds second, std::string_view data) {
        reader.chunk("data: " + std::string(data) + "\n\n", start + second);
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(stall)

BOOST_AUTO_TEST_CASE(a_stream_of_pings_is_given_up) {
    Stream stream;
    stream.at(10s, "word");
    stream.at(100s, "ping");
    stream.at(129s, "ping");
    try {
        stream.at(130s, "ping");
        BOOST_ERROR("nothing was thrown");
    } catch (const foxwedge::plugin::Failure& failure) {
        BOOST_TEST(failure.code == "timeout");
        BOOST_TEST(failure.status == FOXWEDGE_E_UNKNOWN);
    }
}

BOOST_AUTO_TEST_CASE(content_however_slow_is_waited_for) {
    Stream stream;
    for (int i = 1; i < 10; ++i) stream.at(std::chrono::seconds(100 * i), "word");
    stream.at(910s, "end");
    stream.at(2000s, "ping");
    BOOST_CHECK_NO_THROW(stream.reader.finish());
}

BOOST_AUTO_TEST_SUITE_END()
