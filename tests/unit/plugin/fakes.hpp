// What a call may meet (events, a store, waits, transfers that answer by themselves), and a fixture
// that makes calls.
#pragma once
#include <map>
#include <thread>

#include "contracts/services.hpp"
#include "http/client.hpp"
#include "plugin/lent.hpp"

#include "folder.hpp"

namespace plugin_tests {

using namespace foxwedge;

struct Events final : EventReceiver {
    std::vector<std::pair<EventKind, std::string>> seen;
    std::size_t wanted = 1'000'000;
    bool receive(EventKind kind, std::string_view payload) override {
        seen.emplace_back(kind, payload);
        return seen.size() < wanted;
    }
};

/// Counts what the plugin wrote.
struct FakeStore final : Store {
    std::vector<StoreOp> ops;
    std::string name_space;
    Result<std::vector<StoreAnswer>> apply(std::string_view name,
                                           std::span<const StoreOp> asked) override {
        name_space = name;
        ops.insert(ops.end(), asked.begin(), asked.end());
        StoreAnswer answer;
        answer.found = true;
        answer.value_json = "7";
        answer.revision = 3;
        return std::vector<StoreAnswer>(asked.size(), answer);
    }
    Result<std::string> folder(std::string_view) override { return std::string("/nowhere"); }
};

struct FakeWaits final : Waits {
    std::thread::id thread;
    bool fired = false;
    Result<Json> wait_for(const Json&) override {
        thread = std::this_thread::get_id();
        return Json(JsonObject{{"fired", fired}});
    }
};

/// Answers 200, or a redirect; remembers what was sent.
struct FakeTransfers final : http::Transfers {
    struct Answer final : http::Transfer {
        http::ResponseHead to_give;
        Result<http::ResponseHead> head(const Until&, Millis) override { return to_give; }
        Result<std::string> next(const Until&, Millis) override { return std::string(); }
    };
    std::vector<http::TransferRequest>& sent;
    std::map<std::string, std::string> redirects; // host → location
    explicit FakeTransfers(std::vector<http::TransferRequest>& s) : sent(s) {}

    Result<std::unique_ptr<http::Transfer>> start(http::TransferRequest request) override {
        auto answer = std::make_unique<Answer>();
        answer->to_give.status = 200;
        answer->to_give.headers.add("X-Seen", "yes");
        if (const auto it = redirects.find(request.url.host); it != redirects.end()) {
            answer->to_give.status = 307;
            answer->to_give.headers.add("Location", it->second);
        }
        sent.push_back(std::move(request));
        return std::unique_ptr<http::Transfer>(std::move(answer));
    }
};

/// Two secrets of one shop.
inline Result<std::optional<plugin::SecretValue>> shop_secrets(std::string_view name) {
    using plugin::SecretValue;
    if (name == "SHOP")
        return std::optional(SecretValue{"sk-test-AAAA1111BBBB", {"https://shop.test"}});
    if (name == "OTHER") return std::optional(SecretValue{"tok-zzzzzzzz", {"https://shop.test"}});
    return std::optional<SecretValue>();
}

/// One capability of a registry, and its verbs.
struct Verbs : Folder {
    std::unique_ptr<plugin::Registry> registry;
    std::shared_ptr<ToolSource> tools;
    std::stop_source stop;
    Call call;

    void use(plugin::RegistryOptions options, const std::string& id, const Json& config) {
        close();
        auto made = plugin::Registry::open(std::move(options));
        BOOST_REQUIRE_MESSAGE(made.ok(), why(made));
        registry = std::move(*made);
        auto source = registry->capability(id, config);
        BOOST_REQUIRE_MESSAGE(source.ok(), why(source));
        tools = *source;
    }
    void close() {
        tools.reset();
        registry.reset();
    }
    Result<ToolResult> run(std::string_view tool, std::string_view arguments = "{}") {
        return tools->run(tool, arguments, call);
    }
    Error failure(std::string_view tool) {
        const auto result = run(tool);
        BOOST_REQUIRE_MESSAGE(!result.ok(), std::string(tool) + " succeeded");
        return result.error();
    }

    /// The exhibit `unruly` breaks each promise; it is named, and the plugin at fault.
    void check_broken_promises() {
        const std::pair<const char*, const char*> cases[] = {
            {"no-result", "returned ok without a result"},
            {"two-results", "gave 2 results"},
            {"bad-json", "gave a result of another form"},
            {"null-result", "gave a result of another form"},
            {"wrong-shape", "gave a result of another form"},
            {"unknown-status", "returned the unknown status 42"},
            {"throws", "threw an exception: no disk"},
            {"throws-int", "threw something that is no std::exception"},
            {"parked-for-nothing", "returned parked without having registered a wait"},
        };
        for (const auto& [tool, words] : cases) {
            const auto error = failure(tool);
            BOOST_TEST(error.code == "internal", tool);
            BOOST_TEST((error.certainty == Certainty::permanent), tool);
            BOOST_TEST(error.message.find(words) != std::string::npos, error.message);
            BOOST_TEST(error.message.find("plugin unruly: run_tool") == 0u, error.message);
        }
    }

    /// A run that parks unwinds its thread with an exception of its own. It goes round the plugin,
    /// whose code may be `noexcept`, and goes on behind it.
    void check_unwinding() {
        struct Unwinding {};
        struct Parking final : Waits {
            Result<Json> wait_for(const Json&) override { throw Unwinding(); }
        } waits;
        call.waits = &waits;
        BOOST_CHECK_THROW(run("noexcept-under-a-step"), Unwinding);
        BOOST_TEST(run("fine").ok());
    }

    /// The exhibit `unruly` asks a call of its past: soon after, and when the memory of that call
    /// and of thousands behind it has gone back.
    void check_dead_calls() {
        FakeStore store;
        call.store = &store;
        BOOST_REQUIRE(run("keeps-its-call").ok());
        for (const int calls : {1, 12'000}) {
            for (int n = 0; n < calls; ++n) BOOST_REQUIRE(run("fine").ok());
            const auto asked = run("asks-a-dead-call");
            BOOST_TEST(asked.ok(), calls << " calls later: " << why(asked));
        }
        BOOST_TEST(store.ops.empty());
    }
};

} // namespace plugin_tests
