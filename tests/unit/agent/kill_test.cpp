// The kill matrix in memory: the process dies after every single durable operation of an agent's
// run with parallel tools, an approval, store effects and retries, and the run always ends the
// same.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>

#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;

namespace {

struct MatrixBench : Bench {
    std::atomic<int> appended{0}, paid{0};
    std::shared_ptr<std::atomic<int>> failures = std::make_shared<std::atomic<int>>(1);

    MatrixBench() {
        world.accounting = "capability-kv";
        auto& kv = capability("workflow-kv");
        kv.add("append", [](const JsonObject&, Call& call) -> Result<ToolResult> {
            StoreOp op;
            op.kind = StoreOp::Kind::add;
            op.scope = "project";
            op.key = "count";
            op.by_json = "1";
            FOXWEDGE_TRY(answers, call.store->apply("capability-kv", {&op, 1}));
            return text_result(answers[0].found ? "appended" : "appended first");
        });
        use("workflow-kv_append");
        auto& orders = server("orders");
        orders.add("lookup", [this](const JsonObject&, Call&) -> Result<ToolResult> {
            if ((*failures)-- > 0) return not_done("start_failed", "not yet");
            return text_result("order 7");
        });
        ToolOptions options;
        options.name = "refund";
        options.requires_approval = true;
        options.effect = ToolEffect::idempotent;
        agent.tools.push_back(tool(options, [this](const JsonObject&) -> Result<Json> {
            ++paid;
            return Json("paid");
        }));
        model->say(calls({call_block("c1", "workflow-kv_append", "{}"),
                          call_block("c2", "orders_lookup", "{}"),
                          call_block("c3", "refund", R"({"amount":5})"),
                          call_block("c4", "workflow-kv_append", "{}")}));
        model->say(calls({call_block("c1", "workflow-kv_append", "{}")}));
        model->say(says("done"));
    }
    /// Goes on, in fresh processes, until the run has ended.
    run::Finished to_the_end() {
        run::Finished finished;
        for (int i = 0; i < 20; ++i) {
            finished = execute();
            const bool died = engine->dead();
            if (died) engine = journal.process();
            if (finished.how == Ended::succeeded || finished.how == Ended::failed) return finished;
            // The end may be on record though its writer was not told.
            if (const auto head = engine->head(run); head && head->result) {
                finished.how = head->result->error ? Ended::failed : Ended::succeeded;
                finished.outcome = *head->result;
                return finished;
            }
            if (died) continue;
            if (!open_gates().empty()) (void)answer("approve");
        }
        return finished;
    }
    std::string count() {
        const auto item =
            engine->get(journal::collection_name("capability-kv", "project", "shop"), "count");
        return item && *item ? (*item)->value_json : "none";
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(kill_matrix)

BOOST_AUTO_TEST_CASE(every_point_of_death_leads_to_the_same_end_and_effects_happen_once) {
    std::string want;
    std::uint64_t operations = 0;
    {
        MatrixBench whole;
        const auto finished = whole.to_the_end();
        BOOST_REQUIRE((finished.how == Ended::succeeded));
        want = finished.outcome.value_json;
        operations = whole.journal.operations();
        BOOST_TEST(whole.count() == "3");
    }
    BOOST_TEST(operations > 8u);
    for (std::uint64_t after = 2; after <= operations; ++after) {
        for (const bool answered : {true, false}) {
            MatrixBench bench;
            bench.journal.cut(journal::Cut{after, answered});
            const auto finished = bench.to_the_end();
            BOOST_TEST_CONTEXT("cut after " << after << (answered ? "" : ", unanswered")) {
                BOOST_REQUIRE((finished.how == Ended::succeeded));
                BOOST_TEST(finished.outcome.value_json == want);
                BOOST_TEST(bench.count() == "3");
                const auto order = bench.journal.order();
                const std::set<std::string> once(order.begin(), order.end());
                BOOST_TEST(once.size() == order.size()); // no step was completed twice
                BOOST_TEST((bench.replay().how == Ended::succeeded));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_gates_note_in_the_conversation_goes_when_it_is_decided) {
    MatrixBench bench;
    BOOST_REQUIRE((bench.execute().how == Ended::parked));
    const auto collection = journal::collection_name("capability-kv", "conversation", bench.run);
    const auto key = "agent.pendingApproval." + bench.open_gates()[0].id;
    BOOST_TEST(bench.engine->get(collection, key)->has_value());
    BOOST_REQUIRE(bench.answer("approve").ok());
    const auto gone = bench.engine->get(collection, key);
    BOOST_TEST((!*gone || (*gone)->removed));
}

BOOST_AUTO_TEST_SUITE_END()
