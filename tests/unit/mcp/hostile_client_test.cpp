// Clients that do what they must not: the server fails what they asked, keeps the rest and loses
// nothing.
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "eventually.hpp"
#include "mcp/serve_http.hpp"
#include "mcp/serve_stdio.hpp"
#include "mcp/server_session.hpp"

using namespace foxwedge;
using namespace foxwedge::mcp;
using foxwedge::test::eventually;

namespace {

std::size_t open_descriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

std::size_t count(const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

struct Desk {
    std::atomic<int> working{0}, cancelled{0};
    std::atomic<bool> opened{false};
    Service service{"desk", "1.0"};
    const ToolEffect effect;
    explicit Desk(ToolEffect of_all = ToolEffect::unstated) : effect(of_all) {
        add("echo", [](const Json& arguments, Served&) -> Result<ToolResult> {
            return text_result(to_text(arguments));
        });
        add("wait", [this](const Json&, Served& call) -> Result<ToolResult> {
            ++working;
            eventually([&] { return call.until().stopped(); });
            cancelled += call.until().stopped();
            return text_result("");
        });
        add("ask", [](const Json&, Served& call) -> Result<ToolResult> {
            FOXWEDGE_TRY(answer, call.ask("q", "elicitation/create", JsonObject()));
            return text_result(to_text(answer));
        });
        add("open", [this](const Json&, Served&) -> Result<ToolResult> {
            opened = true;
            return text_result("");
        });
        add("wait-for-open", [this](const Json&, Served&) -> Result<ToolResult> {
            return text_result(eventually([&] { return opened.load(); }) ? "came in" : "stayed");
        });
        add("throw", [](const Json&, Served&) -> Result<ToolResult> {
            throw std::runtime_error("a handler's own fault");
        });
    }
    void add(const char* name, std::function<Result<ToolResult>(const Json&, Served&)> run) {
        ServedTool tool;
        tool.definition.name = name;
        tool.definition.effect = effect;
        tool.definition.input_schema = Json{{"type", "object"}};
        tool.run = std::move(run);
        BOOST_REQUIRE(service.add(std::move(tool)));
    }
    static std::string call(const std::string& id, const char* tool) {
        return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{"name":")" +
               std::string(tool) + "\"}}\n";
    }
};

/// A client at the other end of two pipes.
struct PipeClient : Desk {
    int to_server[2], from_server[2];
    StdioServing serving;
    std::jthread server;
    std::string heard;

    explicit PipeClient(ToolEffect effect = ToolEffect::unstated) : Desk(effect) {
        BOOST_REQUIRE(::pipe2(to_server, O_CLOEXEC) == 0 && ::pipe2(from_server, O_CLOEXEC) == 0);
        serving.in = to_server[0];
        serving.out = from_server[1];
        serving.last_answers = Millis(5000);
    }
    void start() {
        server = std::jthread([this] { serve_stdio(service, serving); });
    }
    void say(std::string_view bytes, std::size_t piece = 64 * 1024) {
        for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
            const auto part = bytes.substr(0, piece);
            BOOST_REQUIRE(::write(to_server[1], part.data(), part.size()) ==
                          static_cast<ssize_t>(part.size()));
        }
    }
    /// Reads until `part` has come `times` times.
    void hear(std::string_view part, std::size_t times = 1) {
        char bytes[64 * 1024];
        while (count(heard, part) < times) {
            const ssize_t got = ::read(from_server[0], bytes, sizeof bytes);
            BOOST_REQUIRE_MESSAGE(got > 0, "the server is gone; it said " + heard.substr(0, 500));
            heard.append(bytes, static_cast<std::size_t>(got));
        }
    }
    void shake_hands(const char* capabilities = "{}") {
        say(R"({"jsonrpc":"2.0","id":"hi","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":)" +
            std::string(capabilities) + "}}\n");
        hear("protocolVersion");
    }
    void leave() {
        if (to_server[1] >= 0) ::close(to_server[1]);
        to_server[1] = -1;
    }
    ~PipeClient() {
        leave();
        if (server.joinable()) server.join();
        ::close(to_server[0]);
        ::close(from_server[0]);
        ::close(from_server[1]);
    }
};

struct BriefClient : PipeClient {
    BriefClient() : PipeClient(ToolEffect::none) {}
};

/// A client of the HTTP server that writes its own bytes.
struct SocketClient : Desk {
    HttpServing serving;
    std::unique_ptr<HttpService> server;

    void start() {
        auto made = serve_http(service, serving);
        BOOST_REQUIRE(made.ok());
        server = std::move(*made);
    }
    int connect() const {
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in where{};
        where.sin_family = AF_INET;
        where.sin_port = htons(server->port());
        where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        BOOST_REQUIRE(::connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0);
        return fd;
    }
    static void say(int fd, const std::string& text) {
        (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    }
    static std::string all_of(int fd) {
        std::string heard;
        char bytes[4096];
        for (ssize_t got; (got = ::read(fd, bytes, sizeof bytes)) > 0;)
            heard.append(bytes, static_cast<std::size_t>(got));
        ::close(fd);
        return heard;
    }
    static std::string post(const std::string& body, const std::string& fields = "") {
        return "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
               "Content-Type: application/json\r\n" +
               fields + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }
    std::string ask(const std::string& body, const std::string& fields = "") {
        const int fd = connect();
        say(fd, post(body, fields));
        return all_of(fd);
    }
    static std::string modern(const char* tool) {
        return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" +
               std::string(tool) +
               R"(","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})";
    }
    static std::string modern_fields(const std::string& tool) {
        return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: " + tool +
               "\r\n";
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(a_hostile_client_over_pipes, PipeClient)

BOOST_AUTO_TEST_CASE(may_cut_its_bytes_anywhere) {
    start();
    say(call("1", "echo") + call("2", "echo"), 1);
    // Calls run beside each other, so either answer may come first.
    hear("\"id\":1");
    hear("\"id\":2");
    BOOST_TEST(count(heard, "\"id\":1") == 1u);
}

BOOST_AUTO_TEST_CASE(gets_an_error_for_a_line_that_is_too_long_and_is_served_on) {
    serving.limits.frame_bytes = 1024 * 1024;
    start();
    say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + std::string(64u << 20, 'x') + "\"}\n");
    say(call("2", "echo"));
    hear("\"id\":2");
    BOOST_TEST(has(heard, "-32600"));
}

BOOST_AUTO_TEST_CASE(gets_an_error_for_what_is_too_deep_or_no_json) {
    start();
    say(std::string(100'000, '[') + "\n" + std::string(100'000, '{') + "\n\xff\xfe\n[]\n\"x\"\n" +
        R"({"jsonrpc":"2.0","id":{},"method":"ping"})" + "\n" +
        R"({"jsonrpc":"2.0","id":null,"method":"ping"})" + "\n" + call("2", "echo"));
    hear("\"id\":2");
    BOOST_TEST(count(heard, "-32700") >= 3u);
    BOOST_TEST(count(heard, "-32600") >= 2u);
}

BOOST_AUTO_TEST_CASE(may_use_an_id_twice_and_gets_two_answers) {
    start();
    say(call("7", "echo") + call("7", "echo"));
    hear("\"id\":7", 2);
}

BOOST_AUTO_TEST_CASE(may_answer_what_nobody_asked) {
    start();
    say(R"({"jsonrpc":"2.0","id":1,"result":{}})"
        "\n"
        R"({"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}})"
        "\n"
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}})"
        "\n" +
        call("2", "echo"));
    hear("\"id\":2");
}

BOOST_AUTO_TEST_CASE(may_answer_a_question_with_nonsense_and_twice) {
    start();
    shake_hands(R"({"elicitation":{}})");
    say(call("2", "ask"));
    hear("elicitation/create");
    say(R"({"jsonrpc":"2.0","id":1,"result":[1,2]})"
        "\n"
        R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})"
        "\n");
    hear("\"id\":2");
}

BOOST_AUTO_TEST_CASE(that_leaves_cancels_what_it_asked_for) {
    serving.last_answers = Millis(1);
    start();
    shake_hands(R"({"elicitation":{}})");
    say(call("1", "wait") + call("2", "ask"));
    BOOST_TEST(eventually([&] { return working.load() == 1; }));
    leave();
    server.join();
    BOOST_TEST(cancelled.load() == 1);
}

BOOST_AUTO_TEST_CASE(that_does_not_read_holds_up_nobody_for_ever) {
    serving.last_answers = Millis(1);
    start();
    // More than a pipe takes: the server blocks on writing until the client is gone.
    const std::string big = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)"
                            R"({"name":"echo","arguments":{"a":")" +
                            std::string(256 * 1024, 'a') + "\"}}}\n";
    say(big);
    ::close(from_server[0]);
    from_server[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    leave();
    server.join();
}

BOOST_AUTO_TEST_CASE(that_floods_is_refused_above_the_limit) {
    const Seal seal;
    const auto session = std::make_shared<ServerSession>(service, seal, SessionTraits{.calls = 2});
    struct Noted final : Outlet {
        void send(std::string_view message, bool) override {
            std::lock_guard lock(mutex);
            text += message;
        }
        std::mutex mutex;
        std::string text;
    };
    const auto outlet = std::make_shared<Noted>();
    for (const char* id : {"1", "2", "3"})
        session->take(classify(*parse_json(call(id, "wait"))), outlet);
    BOOST_TEST(has(outlet->text, "too many requests"));
    session->end();
    BOOST_TEST(cancelled.load() == 2);
}

BOOST_AUTO_TEST_CASE(meets_a_handler_that_throws) {
    start();
    say(call("1", "throw") + call("2", "echo"));
    hear("\"id\":1");
    hear("\"id\":2");
    BOOST_TEST(has(heard, "isError"));
}

BOOST_AUTO_TEST_SUITE_END()

// Calls without effect are worked on by the thread that reads.
BOOST_FIXTURE_TEST_SUITE(a_call_without_effect, BriefClient)

BOOST_AUTO_TEST_CASE(that_takes_long_holds_up_no_other_request) {
    start();
    say(call("1", "wait-for-open") + call("2", "open"));
    hear("\"id\":2");
    hear("came in");
}

BOOST_AUTO_TEST_CASE(may_ask_its_client) {
    start();
    shake_hands(R"({"elicitation":{}})");
    say(call("2", "ask"));
    hear("elicitation/create");
    say(R"({"jsonrpc":"2.0","id":1,"result":{"action":"accept"}})"
        "\n");
    hear("\"id\":2");
}

BOOST_AUTO_TEST_CASE(is_cancelled_while_it_takes_long) {
    start();
    shake_hands();
    say(call("1", "wait"));
    BOOST_TEST(eventually([&] { return working.load() == 1; }));
    say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"
        "\n" +
        call("2", "echo"));
    hear("\"id\":2");
    BOOST_TEST(eventually([&] { return cancelled.load() == 1; }));
    BOOST_TEST(!has(heard, "\"id\":1"));
}

BOOST_AUTO_TEST_CASE(ends_with_its_client) {
    serving.last_answers = Millis(1);
    start();
    shake_hands();
    say(call("1", "wait"));
    BOOST_TEST(eventually([&] { return working.load() == 1; }));
    leave();
    server.join();
    BOOST_TEST(cancelled.load() == 1);
}

BOOST_AUTO_TEST_CASE(that_takes_long_holds_up_no_rest_of_its_batch) {
    start();
    auto batch = "[" + call("1", "wait-for-open") + "," + call("2", "open") + "]";
    std::erase(batch, '\n');
    say(batch + "\n");
    hear("\"id\":2");
    hear("came in");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(a_hostile_client_over_http, SocketClient)

BOOST_AUTO_TEST_CASE(leaves_no_descriptor_behind) {
    start();
    (void)ask("{}"); // what is opened once is open now
    const auto before = open_descriptors();
    for (int i = 0; i < 20; ++i) {
        const int half = connect();
        say(half, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"js");
        ::close(half);
        const int silent = connect();
        ::close(silent);
        (void)ask("not json");
        (void)ask(std::string(100'000, '['));
        (void)ask("[]");
    }
    BOOST_TEST(eventually([&] { return open_descriptors() <= before; }));
    BOOST_TEST(has(ask(modern("echo"), modern_fields("echo")), "200 OK"));
}

BOOST_AUTO_TEST_CASE(that_hangs_up_cancels_its_call) {
    start();
    const int fd = connect();
    say(fd, post(modern("wait"), modern_fields("wait")));
    BOOST_TEST(eventually([&] { return working.load() == 1; }));
    ::close(fd);
    BOOST_TEST(eventually([&] { return cancelled.load() == 1; }));
}

BOOST_AUTO_TEST_CASE(gets_a_status_for_what_is_no_request) {
    start();
    BOOST_TEST(has(ask("nonsense"), " 400 "));
    BOOST_TEST(has(ask(R"({"jsonrpc":"2.0","id":1})"), " 400 "));
    BOOST_TEST(
        has(ask(R"({"jsonrpc":"2.0","id":1,"result":{}})", "MCP-Protocol-Version: 2026-07-28\r\n"),
            " 400 "));
    const int fd = connect();
    say(fd, "PUT /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    BOOST_TEST(has(all_of(fd), " 405 "));
}

BOOST_AUTO_TEST_CASE(cannot_smuggle_a_name_past_the_header_check) {
    start();
    BOOST_TEST(has(ask(modern("echo"), modern_fields("wait")), "-32020"));
    BOOST_TEST(has(ask(modern("echo"), modern_fields("=?base64?ZWNobw==?=")), "200 OK"));
    BOOST_TEST(has(ask(modern("echo"), modern_fields("=?base64?ZWNobw?=")), "-32020"));
}

BOOST_AUTO_TEST_SUITE_END()
