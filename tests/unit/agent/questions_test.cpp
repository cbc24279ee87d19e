// What a tool call asks in its middle, and what becomes of it when the next attempt asks otherwise.
#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "contracts/questions.hpp"
#include "contracts/services.hpp"
#include "eventually.hpp"
#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using foxwedge::test::eventually;
using run::Ended;

namespace {

/// A server's tool that asks `asks`, or nothing where that is empty.
struct AskingBench : Bench {
    std::string asks = "one";
    AskingBench() {
        server("peer").add("go", [this](const JsonObject&, Call& call) -> Result<ToolResult> {
            if (asks.empty()) return text_result("asked nobody");
            JsonObject params{{"mode", "form"}, {"message", asks}};
            params["requestedSchema"] = JsonObject{{"type", "object"}};
            auto said = call.waits->questions()->ask("elicitation/create", Json(params));
            if (!said) return std::move(said).error();
            return text_result(to_text(*said));
        });
        model->say(calls({call_block("c", "peer_go", "{}")}));
        model->say(says("done"));
    }
    std::vector<std::string> asked() {
        std::vector<std::string> out;
        for (const auto& gate : open_gates())
            out.emplace_back(string_member(*parse_json(gate.about_json), "summary").value_or("?"));
        return out;
    }
    /// The answer on record to the n-th question.
    std::string answered(int n) {
        const auto found = record("a:iter:0:tool:c:input:" + std::to_string(n));
        return found && found->outcome ? found->outcome->value_json : "";
    }
};

/// A server's tool that holds its connection for the answer, and may take the question back.
struct HoldingBench : Bench {
    std::string method = "elicitation/create";
    Json params;
    std::stop_source taken_back;
    std::function<Result<ToolResult>(const Error&)> then = [](const Error& error) {
        return text_result(error.code);
    };
    HoldingBench() {
        JsonObject form{{"mode", "form"}, {"message", "one"}};
        form["requestedSchema"] = JsonObject{{"type", "object"}};
        params = std::move(form);
        server("peer").add("go", [this](const JsonObject&, Call& call) -> Result<ToolResult> {
            const auto said = call.waits->questions()->ask(method, params, Millis(3'600'000),
                                                           taken_back.get_token());
            // What ends the call is the host's.
            if (!said && said.error().code != "taken_back") return said.error();
            return said ? text_result(to_text(*said)) : then(said.error());
        });
        model->say(calls({call_block("c", "peer_go", "{}")}));
        model->say(says("done"));
    }
    /// However often it parks to wait for its next attempt.
    run::Finished execute_to_the_end() {
        auto finished = execute();
        while (finished.how == Ended::parked) finished = execute();
        return finished;
    }
    run::Finished execute_while(const std::function<void()>& other) {
        std::jthread beside(other);
        return execute_to_the_end();
    }
    /// `act` for each of `times` questions, once it is open.
    run::Finished execute_until_asked(const std::function<void()>& act, int times = 1) {
        return execute_while([this, act, times] {
            std::string last;
            for (int n = 0; n < times; ++n) {
                const bool open = eventually([&] {
                    const auto gates = open_gates();
                    return !gates.empty() && gates.front().id != last;
                });
                if (!open) return;
                last = open_gates().front().id;
                act();
            }
        });
    }
};

/// The model that may answer servers; without `says` it answers only when it is told to stop.
class Sampler final : public Provider {
public:
    std::function<Result<Generated>(int n)> says;
    std::atomic<int> asked{0};

    Result<ProviderTraits> describe(Call&) override { return ProviderTraits(); }
    Result<Generated> generate(const GenerateRequest&, Call& call) override {
        const int n = asked++;
        if (says) return says(n);
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any quiet;
        quiet.wait(lock, call.until.stop, [] { return false; });
        return unknown_outcome("cancelled", "stopped");
    }
};

struct SamplingBench : HoldingBench {
    std::shared_ptr<Sampler> sampler = std::make_shared<Sampler>();
    SamplingBench() {
        method = "sampling/createMessage";
        params = *parse_json(
            R"({"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":5})");
        server_options["peer"].sampling = "sampler";
        world.provider = [this](std::string_view name) -> Result<std::shared_ptr<Provider>> {
            if (name == "sampler") return std::shared_ptr<Provider>(sampler);
            return std::shared_ptr<Provider>(model);
        };
    }
};

using Texts = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(questions_of_a_call)

BOOST_AUTO_TEST_CASE(one_that_the_next_attempt_does_not_ask_is_withdrawn) {
    AskingBench bench;
    BOOST_TEST((bench.execute().how == Ended::parked));
    BOOST_TEST(bench.asked() == Texts{"one"}, boost::test_tools::per_element());
    bench.asks = "two";
    BOOST_TEST((bench.execute().how == Ended::parked));
    BOOST_TEST(bench.asked() == Texts{"two"}, boost::test_tools::per_element());
    BOOST_TEST(bench.answered(0).find("system:cancel") != std::string::npos);
    BOOST_REQUIRE(bench.answer("approve").ok());
    BOOST_TEST((bench.execute().how == Ended::succeeded));
    const std::string said = text_of(bench.last_results().at(0).content);
    BOOST_TEST(said.find("accept") != std::string::npos);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(one_that_was_withdrawn_is_asked_anew_where_it_comes_again) {
    AskingBench bench;
    (void)bench.execute();
    bench.asks = "two";
    (void)bench.execute();
    bench.asks = "one";
    BOOST_TEST((bench.execute().how == Ended::parked));
    BOOST_TEST(bench.asked() == Texts{"one"}, boost::test_tools::per_element());
    BOOST_REQUIRE(bench.answer("approve").ok());
    BOOST_TEST((bench.execute().how == Ended::succeeded));
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(one_that_is_open_when_the_call_is_over_is_withdrawn_with_it) {
    AskingBench bench;
    (void)bench.execute();
    bench.asks.clear();
    BOOST_TEST((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.answered(0).find("system:cancel") != std::string::npos);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(one_that_was_answered_is_not_withdrawn) {
    AskingBench bench;
    (void)bench.execute();
    BOOST_REQUIRE(bench.answer("reject", "", "not now").ok());
    bench.asks = "two";
    (void)bench.execute();
    BOOST_TEST(bench.answered(0).find("not now") != std::string::npos);
    BOOST_TEST(bench.asked() == Texts{"two"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(one_that_is_taken_back_while_it_is_open_is_withdrawn) {
    HoldingBench bench;
    std::vector<journal::Gate> open;
    const auto finished = bench.execute_until_asked([&] {
        open = bench.open_gates();
        bench.taken_back.request_stop();
    });
    BOOST_TEST((finished.how == Ended::succeeded));
    BOOST_TEST(text_of(bench.last_results().at(0).content) == "taken_back");
    BOOST_TEST(bench.open_gates().empty());
    BOOST_REQUIRE(open.size() == 1);
    const auto late =
        bench.engine->answer({.gate = open[0].id, .digest = open[0].digest, .answer = "approve"});
    BOOST_REQUIRE(!late.ok());
    BOOST_TEST(late.error().code == "conflict");
    BOOST_TEST(late.error().message ==
               "this gate was closed: nobody waits for its answer any more");
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(one_that_was_taken_back_is_asked_anew_by_the_next_attempt) {
    HoldingBench bench;
    bench.then = [&](const Error& error) -> Result<ToolResult> {
        bench.taken_back = std::stop_source();
        return not_done("server_unavailable", error.message);
    };
    int asked = 0;
    const auto finished = bench.execute_until_asked(
        [&] {
            if (++asked == 1)
                bench.taken_back.request_stop();
            else
                BOOST_CHECK(bench.answer("approve").ok());
        },
        2);
    BOOST_TEST((finished.how == Ended::succeeded));
    BOOST_TEST(asked == 2);
    BOOST_TEST(text_of(bench.last_results().at(0).content).find("accept") != std::string::npos);
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(the_call_of_a_model_ends_when_its_question_is_taken_back) {
    SamplingBench bench;
    const auto finished = bench.execute_while([&] {
        if (eventually([&] { return bench.sampler->asked.load() == 1; }))
            bench.taken_back.request_stop();
    });
    BOOST_TEST((finished.how == Ended::succeeded));
    BOOST_TEST(text_of(bench.last_results().at(0).content) == "taken_back");
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_model_is_asked_again_as_the_agents_own_is) {
    SamplingBench bench;
    bench.agent.options.retry = bench.world.retry;
    bench.agent.options.retry->max_attempts = 2;
    bench.sampler->says = [](int) -> Result<Generated> { return not_done("overloaded", "later"); };
    const auto finished = bench.execute_to_the_end();
    BOOST_TEST((finished.how == Ended::failed));
    BOOST_TEST(bench.sampler->asked == 2);
}

BOOST_AUTO_TEST_CASE(what_a_model_costs_that_a_server_asks_is_part_of_the_agents_usage) {
    SamplingBench bench;
    bench.sampler->says = [](int) -> Result<Generated> { return says("sampled"); };
    const auto finished = bench.execute();
    BOOST_TEST((finished.how == Ended::succeeded));
    const auto result = parse_json(finished.outcome.value_json);
    // Two turns of the agent and one answer to the server, of 10 tokens each.
    BOOST_TEST(to_text(*member(*result, "usage")).find("\"input\":30") != std::string::npos,
               finished.outcome.value_json);
    const auto step = bench.record("a:iter:0:tool:c:sampling:0");
    BOOST_REQUIRE(step.has_value());
    BOOST_TEST(step->key.kind == "model");
    BOOST_TEST(step->usage_json.find("\"input\":10") != std::string::npos);
    BOOST_TEST((bench.replay().outcome.value_json == finished.outcome.value_json));
}

BOOST_AUTO_TEST_CASE(a_budget_stops_what_a_server_asks_of_a_model) {
    SamplingBench bench;
    bench.sampler->says = [](int) -> Result<Generated> { return says("sampled"); };
    bench.agent.options.budget.emplace();
    bench.agent.options.budget->input_tokens = 10; // which the turn before has used up
    (void)bench.execute();
    BOOST_TEST(bench.sampler->asked == 0);
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_cut_at_the_servers_limit_says_so) {
    SamplingBench bench;
    bench.sampler->says = [](int) -> Result<Generated> {
        Generated cut = says("the first half of");
        cut.stop = "length";
        return cut;
    };
    BOOST_TEST((bench.execute().how == Ended::succeeded));
    const std::string told = text_of(bench.last_results().at(0).content);
    BOOST_TEST(told.find(R"("stopReason":"maxTokens")") != std::string::npos, told);
    BOOST_TEST(told.find("the first half of") != std::string::npos, told);
}

BOOST_AUTO_TEST_SUITE_END()
