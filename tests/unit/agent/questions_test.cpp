// What a tool call asks in its middle, and what becomes of it when the next attempt asks otherwise.
#include <boost/test/unit_test.hpp>

#include "contracts/questions.hpp"
#include "contracts/services.hpp"
#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
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

BOOST_AUTO_TEST_SUITE_END()
