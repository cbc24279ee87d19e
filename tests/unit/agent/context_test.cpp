// What a model gets to see of a long history.
#include <boost/test/unit_test.hpp>

#include <condition_variable>
#include <future>

#include "agent/context/meter.hpp"
#include "agent/context/tokens.hpp"
#include "agent/context/view.hpp"
#include "fixture.hpp"

using namespace foxwedge;
using namespace foxwedge::agent;
using run::Ended;

namespace {

/// Plans until it is told to stop.
class EndlessStrategy final : public ContextStrategy {
public:
    std::promise<void> begun;
    std::atomic<bool> stopped{false};
    Result<ContextPlan> plan(const ContextRequest&, Call& call) override {
        std::mutex mutex;
        std::condition_variable_any never;
        std::unique_lock lock(mutex);
        begun.set_value();
        never.wait_until(lock, call.until.stop, *call.until.deadline, [] { return false; });
        stopped = call.until.stopped();
        return permanent("cancelled", "told to stop");
    }
};

class FakeStrategy final : public ContextStrategy {
public:
    std::function<Result<ContextPlan>(const ContextRequest&)> choose;
    std::vector<ContextRequest> asked;
    Result<ContextPlan> plan(const ContextRequest& request, Call&) override {
        asked.push_back(request);
        return choose(request);
    }
};

/// Turns that each look once, and a strategy.
struct LongBench : Bench {
    std::shared_ptr<FakeStrategy> strategy = std::make_shared<FakeStrategy>();
    explicit LongBench(int turns) {
        own("look", Json(std::string(400, 'x')));
        agent.options.context = JsonObject{{"strategy", "fake"}};
        agent.options.max_iterations = turns + 1;
        world.strategy = [this](std::string_view) -> Result<std::shared_ptr<ContextStrategy>> {
            return std::shared_ptr<ContextStrategy>(strategy);
        };
        // By the number of tokens reported, not by the messages: those are trimmed here.
        auto n = std::make_shared<std::atomic<int>>(0);
        const auto line = [n, turns](const GenerateRequest& request) -> Result<Generated> {
            if (request.system.find("Summarise") != std::string::npos) return says("short notes");
            if ((*n)++ < turns) return calls({call_block("", "look", "{}")});
            return says("done");
        };
        for (int i = 0; i < turns + 2; ++i) model->lines.push_back(line);
    }
};

ContextPlan keep_last(const ContextRequest& request, std::int64_t last) {
    ContextPlan plan;
    const std::int64_t end = request.first_group + static_cast<std::int64_t>(request.added.size());
    plan.keep_from = std::max<std::int64_t>(0, end - last);
    return plan;
}

Group group(std::string text) {
    Group out;
    out.assistant = {Role::assistant, {call_block("c", "look", "{}")}};
    Block result;
    result.type = Block::Type::tool_result;
    result.call_id = "c";
    result.content = {text_block(std::move(text))};
    out.reply = Message{Role::tool, {result}};
    out.calls = 1;
    return out;
}

} // namespace

BOOST_AUTO_TEST_SUITE(views)

// B55: a call and its results leave together, the newest exchange and the task always stay.
BOOST_AUTO_TEST_CASE(no_choice_splits_an_exchange_or_loses_the_newest_or_the_task) {
    Transcript history({{Role::user, {text_block("task")}}});
    Context context;
    for (int i = 0; i < 6; ++i) {
        history.append(group(std::to_string(i)), {"r"});
        context.exchange_appended(10);
    }
    for (std::int64_t keep_from : {-3, 0, 1, 4, 5, 6, 99}) {
        ContextPlan plan;
        plan.keep_from = keep_from;
        plan.pinned = {0, 77, -1, 0};
        context.adopt(context.checked(plan));
        const auto messages = context.messages(history);
        BOOST_TEST((messages.front().role == Role::user));
        BOOST_TEST(text_of(messages.back().content[0].content) == "5");
        int calls = 0, results = 0;
        for (const Message& message : messages)
            for (const Block& block : message.content) {
                calls += block.type == Block::Type::tool_call;
                results += block.type == Block::Type::tool_result;
            }
        BOOST_TEST(calls == results);
        BOOST_TEST(calls >= 1);
    }
}

BOOST_AUTO_TEST_CASE(a_strategy_is_told_only_what_is_new) {
    LongBench bench(3);
    bench.strategy->choose = [](const ContextRequest& r) -> Result<ContextPlan> {
        ContextPlan plan = keep_last(r, 1);
        plan.state = r.state + "x";
        return plan;
    };
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_REQUIRE(bench.strategy->asked.size() == 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        const auto& request = bench.strategy->asked[i];
        BOOST_TEST(request.added.size() == (i == 0 ? 0u : 1u));
        BOOST_TEST(request.state == std::string(i, 'x'));
    }
    BOOST_TEST(bench.model->requests().back().messages.size() == 3u); // task, call, result
}

BOOST_AUTO_TEST_CASE(views_are_replayed_and_not_chosen_again) {
    LongBench bench(3);
    bench.strategy->choose = [](const ContextRequest& r) -> Result<ContextPlan> {
        return keep_last(r, 1);
    };
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    bench.world.strategy = nullptr;
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_summary_is_a_step_and_stands_for_what_it_covers) {
    LongBench bench(3);
    bench.strategy->choose = [](const ContextRequest& r) -> Result<ContextPlan> {
        ContextPlan plan;
        if (r.first_group == 2) {
            plan.keep_from = 2;
            plan.summarize = ContextPlan::Summarize();
            plan.summarize->to = 2;
        } else {
            plan.keep_from = r.first_group > 2 ? 2 : 0;
        }
        return plan;
    };
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(bench.record("a:iter:3:context").has_value());
    const auto messages = bench.model->requests().back().messages;
    BOOST_REQUIRE(messages.size() == 4u); // task, notes, call, result
    BOOST_TEST(text_of(messages[1].content).find("short notes") != std::string::npos);
    bench.world.strategy = nullptr;
    const int generated = bench.model->generated;
    BOOST_TEST((bench.replay().how == Ended::succeeded));
    BOOST_TEST(bench.model->generated == generated);
}

// B56: what does not shrink is discarded, what fails lets the run go on.
BOOST_AUTO_TEST_CASE(a_summary_that_does_not_shrink_or_fails_changes_nothing) {
    for (const bool fails : {false, true}) {
        LongBench bench(2);
        bench.strategy->choose = [](const ContextRequest& r) -> Result<ContextPlan> {
            ContextPlan plan;
            if (r.first_group == 1) {
                plan.keep_from = 1;
                plan.summarize = ContextPlan::Summarize();
                plan.summarize->to = 1;
            }
            return plan;
        };
        for (auto& line : bench.model->lines)
            line = [line, fails](const GenerateRequest& request) -> Result<Generated> {
                if (request.system.find("Summarise") == std::string::npos) return line(request);
                if (fails) return permanent("invalid_request", "no");
                return says(std::string(4000, 'y'));
            };
        BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
        BOOST_TEST(bench.model->requests().back().messages.size() == 5u); // all of it
        BOOST_TEST((bench.replay().how == Ended::succeeded));
    }
}

BOOST_AUTO_TEST_CASE(a_strategy_is_told_of_a_summary_that_failed_and_asks_no_second_time) {
    LongBench bench(4);
    bench.strategy->choose = [](const ContextRequest& r) -> Result<ContextPlan> {
        ContextPlan plan;
        plan.state = "asked";
        if (r.state.empty() && r.first_group + static_cast<std::int64_t>(r.added.size()) >= 2) {
            plan.keep_from = 1;
            plan.summarize = ContextPlan::Summarize();
            plan.summarize->to = 1;
        } else if (r.state.empty()) {
            plan.state.clear();
        }
        return plan;
    };
    int summaries = 0;
    for (auto& line : bench.model->lines)
        line = [line, &summaries](const GenerateRequest& request) -> Result<Generated> {
            if (request.system.find("Summarise") == std::string::npos) return line(request);
            ++summaries;
            return permanent("invalid_request", "no");
        };
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    BOOST_TEST(summaries == 1);
    for (const auto& request : bench.strategy->asked) // each exchange is told once
        BOOST_TEST(request.added.size() <= 1u);
    BOOST_TEST(bench.model->requests().back().messages.size() == 9u); // all of it
    BOOST_TEST((bench.replay().how == Ended::succeeded));
}

BOOST_AUTO_TEST_CASE(a_strategy_hears_that_its_run_is_cancelled) {
    LongBench bench(2);
    const auto endless = std::make_shared<EndlessStrategy>();
    bench.world.strategy = [&](std::string_view) -> Result<std::shared_ptr<ContextStrategy>> {
        return std::shared_ptr<ContextStrategy>(endless);
    };
    auto ended = std::async(std::launch::async, [&] { return bench.execute(); });
    endless->begun.get_future().wait();
    BOOST_REQUIRE(bench.engine->cancel(bench.run, "user:ann").ok());
    BOOST_TEST((ended.get().how == Ended::cancelled));
    BOOST_TEST(endless->stopped);
}

BOOST_AUTO_TEST_CASE(a_strategy_that_finds_no_room_fails_the_run) {
    LongBench bench(1);
    bench.strategy->choose = [](const ContextRequest&) -> Result<ContextPlan> {
        return permanent("context_window_exceeded", "the newest exchange alone is too long");
    };
    BOOST_TEST(bench.execute().error->code == "context_window_exceeded");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tokens)

BOOST_AUTO_TEST_CASE(the_second_call_is_estimated_from_what_the_first_one_counted) {
    Meter meter(100);
    BOOST_TEST(meter.used(100) == 200);
    Usage usage;
    usage.input = 100;
    usage.cache_read = 200;
    meter.counted(usage, 100);
    BOOST_TEST(meter.factor() == 1.5);
    BOOST_TEST(meter.used(300) == 600);
}

BOOST_AUTO_TEST_CASE(the_second_view_is_chosen_by_what_the_first_call_was_counted_as) {
    LongBench bench(1);
    bench.start(quoted(std::string(8000, 'y') + " is a long task"));
    std::int64_t estimated = 0;
    bench.model->lines[0] = [&](const GenerateRequest& request) -> Result<Generated> {
        if (estimated > 0) return says("done");
        estimated = estimated_tokens(request);
        Generated answer = calls({call_block("c1", "look", "{}")});
        answer.usage.input = 3 * estimated;
        return answer;
    };
    bench.strategy->choose = [](const ContextRequest& r) -> Result<ContextPlan> {
        return keep_last(r, 0);
    };
    bench.model->lines[1] = bench.model->lines[0];
    BOOST_REQUIRE((bench.execute().how == Ended::succeeded));
    const auto& asked = bench.strategy->asked;
    BOOST_REQUIRE(asked.size() == 2u);
    BOOST_TEST(asked[0].used == estimated); // the task counts too
    BOOST_TEST(asked[1].used > 3 * estimated);
    BOOST_TEST(asked[1].used < 3 * estimated + 3 * 500);
}

BOOST_AUTO_TEST_CASE(an_estimated_or_absurd_count_corrects_nothing_or_little) {
    Meter meter(100);
    Usage usage;
    usage.input = 1'000'000;
    usage.estimated = true;
    meter.counted(usage, 0);
    BOOST_TEST(meter.factor() == 1);
    usage.estimated = false;
    meter.counted(usage, 0);
    BOOST_TEST(meter.factor() == 4);
}

// B58: Japanese is not a quarter of its characters, emoji are more than one token.
BOOST_AUTO_TEST_CASE(scripts_are_counted_by_their_own_measure) {
    std::string japanese, emoji;
    for (int i = 0; i < 750; ++i) japanese += "\xE6\x97\xA5";
    for (int i = 0; i < 1000; ++i) emoji += "\xF0\x9F\x98\x80";
    const auto within = [](std::int64_t got, std::int64_t low, std::int64_t high) {
        return got >= low && got <= high;
    };
    BOOST_TEST(within(estimated_tokens(japanese), 520, 1300));
    BOOST_TEST(within(estimated_tokens(emoji), 1600, 4000));
    BOOST_TEST(within(estimated_tokens("The quick brown fox jumps over the lazy dog."), 8, 14));
    BOOST_TEST(estimated_tokens("") == 0);
    Block picture;
    picture.type = Block::Type::other;
    picture.raw = JsonObject{{"type", "image"}, {"data", std::string(1'000'000, 'A')}};
    BOOST_TEST(within(estimated_tokens(picture), 200, 3000));
}

BOOST_AUTO_TEST_SUITE_END()
