// What strangers send: framing, JSON-RPC, events, header values, tool results, a server session.
// Built with -fsanitize=fuzzer it is a libFuzzer target; driver.cpp makes a test of it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "http/sse.hpp"
#include "mcp/frame.hpp"
#include "mcp/header_params.hpp"
#include "mcp/negotiation.hpp"
#include "mcp/server_session.hpp"
#include "mcp/tool_result.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;

namespace {

/// What must hold whatever the input is.
void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

constexpr std::size_t frame_limit = 4096;

/// The frames of `bytes` as text, fed in pieces of `piece` bytes.
std::vector<std::string> frames(std::string_view bytes, std::size_t piece) {
    FrameReader reader(frame_limit);
    std::vector<std::string> all;
    const auto keep = [&](const Frame& frame) {
        must(frame.text.size() <= frame_limit, "a frame is no longer than its limit");
        all.push_back(frame.too_large ? "too large " + frame.id.value_or("?")
                                      : std::string(frame.text));
    };
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        const auto part = bytes.substr(at, piece);
        const auto room = reader.room();
        must(room.size >= part.size(), "there is room for a piece");
        std::memcpy(room.data, part.data(), part.size());
        reader.filled(part.size());
        while (auto frame = reader.next()) keep(*frame);
    }
    if (auto frame = reader.rest()) keep(*frame);
    return all;
}

std::vector<std::string> events(std::string_view bytes, std::size_t piece) {
    http::SseReader reader({frame_limit});
    std::vector<std::string> all;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        const auto status =
            reader.feed(bytes.substr(at, piece), [&](const http::SseEvent& event) -> Status {
                must(event.data.size() <= 3 * frame_limit, "an event is no longer than its limit");
                all.push_back(event.type + "|" + event.data + "|" + event.last_id);
                return {};
            });
        if (!status) {
            all.push_back(status.error().code);
            break;
        }
    }
    return all;
}

struct CountingOutlet final : Outlet {
    void send(std::string_view message, bool last) override {
        const auto parsed = parse_json(message);
        must(parsed.ok(), "what we send is JSON");
        answers += last;
    }
    int answers = 0;
};

Service& service() {
    static Service desk("desk", "1");
    static const bool filled = [] {
        ServedTool echo;
        echo.definition.name = "echo";
        echo.definition.input_schema = *parse_json(
            R"({"type":"object","properties":{"text":{"type":"string","x-mcp-header":"T"}}})");
        echo.run = [](const Json& arguments, Served&) -> Result<ToolResult> {
            return text_result(to_text(arguments));
        };
        ServedTool ask;
        ask.definition.name = "ask";
        ask.run = [](const Json&, Served& call) -> Result<ToolResult> {
            call.keep(Json{{"round", 1}});
            // A handshake client would have to answer while we wait; here nobody does.
            if (!call.meta().get_object().contains("io.modelcontextprotocol/protocolVersion"))
                return text_result("not asked");
            FOXWEDGE_TRY(answer, call.ask("q", "elicitation/create", JsonObject()));
            return text_result(to_text(answer));
        };
        desk.add(ServedResource{Json{{"uriTemplate", "t://{a}/x/{b}"}, {"name", "t"}},
                                [](std::string_view, const Json& variables,
                                   Served&) -> Result<JsonArray> { return JsonArray{variables}; }});
        return desk.add(std::move(echo)).ok() && desk.add(std::move(ask)).ok();
    }();
    must(filled, "the desk's tools are good");
    return desk;
}

/// Every request with an id is answered exactly once, whatever it asks.
void serve(const std::vector<std::string>& lines) {
    static const Seal seal("0123456789abcdef0123456789abcdef");
    const auto session =
        std::make_shared<ServerSession>(service(), seal, SessionTraits{.hands = Hands::callers});
    for (const auto& line : lines) {
        const auto outlet = std::make_shared<CountingOutlet>();
        auto parsed = parse_json(line, {64, frame_limit});
        if (!parsed) continue;
        mcp::Message message = classify(std::move(*parsed));
        const auto* request = std::get_if<Request>(&message);
        const bool answered = request && request->method != "subscriptions/listen";
        session->take(std::move(message), outlet);
        if (answered) must(outlet->answers == 1, "a request has one answer");
    }
    session->end();
}

void be_a_client(const std::string& line) {
    auto parsed = parse_json(line, {64, frame_limit});
    if (!parsed) return;
    (void)read_tool_result(*parsed, false);
    (void)header_params(*parsed);
    Negotiation negotiation({}, std::nullopt);
    (void)negotiation.start();
    (void)negotiation.on_result(*parsed);
    mcp::Message message = classify(std::move(*parsed));
    if (const auto* response = std::get_if<Response>(&message)) {
        (void)own_id(response->id);
        if (response->error) (void)read_tool_error(*response->error);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto lines = frames(bytes, 60'000);
    must(lines == frames(bytes, 1) && lines == frames(bytes, 7), "pieces do not change frames");
    must(events(bytes, 60'000) == events(bytes, 1), "pieces do not change events");
    serve(lines);
    for (const auto& line : lines) {
        be_a_client(line);
        const auto value = header_value(line);
        const auto back = from_header_value(value);
        must(!back || *back == line || value != line, "a header value reads back");
    }
    (void)from_header_value(bytes.substr(0, 200));
    return 0;
}
