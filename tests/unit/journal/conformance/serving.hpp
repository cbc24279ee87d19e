// Part of the engine conformance suite (conformance.hpp): serving.

BOOST_FIXTURE_TEST_CASE(serve_runs_what_is_ready_and_what_becomes_ready, Fixture) {
    const auto id = started();
    // Boost.Test's checks are the main thread's: what happens elsewhere is noted and checked here.
    std::atomic<int> executed{0};
    std::atomic<bool> parked{false}, finished{false};
    std::stop_source stop;
    auto served = std::async(std::launch::async, [&] {
        first->serve(
            {"host", {"flow"}, "", 4},
            [&](std::unique_ptr<Activation> a) {
                if (++executed == 1) {
                    const auto gate = a->commit(batch_of(opening(0, "ask"))).gate_ids.at(0);
                    parked = bool(a->park({{Wait::On::gate, {}, gate}}));
                    return;
                }
                finished = bool(a->finish(RunStatus::succeeded, value("1")));
                stop.request_stop();
            },
            stop.get_token());
    });
    auto second = subject.process();
    std::vector<Gate> gates;
    while (gates.empty()) {
        gates = *second->gates({});
        std::this_thread::yield();
    }
    BOOST_TEST(second->served("host", "flow"));
    BOOST_TEST(!second->served("host", "other"));
    BOOST_TEST(bool(second->answer(answer_to(gates[0].id, "ask", "approve"))));
    served.get();
    BOOST_TEST(executed == 2);
    BOOST_TEST(parked);
    BOOST_TEST(finished);
    BOOST_TEST((status(id) == RunStatus::succeeded));
    BOOST_TEST(!second->served("host", "flow"));
}

BOOST_FIXTURE_TEST_CASE(serve_leaves_alone_what_it_does_not_serve, Fixture) {
    auto run = new_run();
    run.host = "elsewhere";
    const auto foreign = started(run);
    const auto other_tree = started();
    const auto mine = started();
    std::stop_source stop;
    std::string executed;
    first->serve(
        {"host", {}, mine, 4},
        [&](std::unique_ptr<Activation> a) {
            executed = a->run().id;
            if (a->finish(RunStatus::succeeded, value("1"))) stop.request_stop();
        },
        stop.get_token());
    BOOST_TEST(executed == mine);
    BOOST_TEST((status(foreign) == RunStatus::ready));
    BOOST_TEST((status(other_tree) == RunStatus::ready));
}

BOOST_FIXTURE_TEST_CASE(serve_takes_up_what_a_dead_process_left, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    restart();
    std::stop_source stop;
    first->serve(
        {"host", {}, "", 4},
        [&](std::unique_ptr<Activation> a) {
            if (a->finish(RunStatus::succeeded, value("1"))) stop.request_stop();
        },
        stop.get_token());
    BOOST_TEST((status(id) == RunStatus::succeeded));
}

BOOST_FIXTURE_TEST_CASE(many_lanes_commit_at_once, Fixture) {
    const auto id = started();
    auto held = opened(*first, id);
    std::vector<std::thread> lanes;
    for (int lane = 0; lane < 16; ++lane)
        lanes.emplace_back([&, lane] {
            for (std::uint32_t i = 0; i < 10; ++i) {
                auto c =
                    completion(step(i, std::to_string(lane) + "/" + std::to_string(i)), value("1"));
                c.key.lane = "0." + std::to_string(lane);
                Effect add = put("count", "");
                add.kind = Effect::Kind::add;
                add.add_json = "1";
                c.effects = {add};
                if (commit(*held, std::move(c)) != Verdict::recorded) std::abort();
            }
        });
    for (auto& t : lanes) t.join();
    BOOST_TEST(first->records(id)->size() == 160u);
    BOOST_TEST((*first->get(collection, "count"))->value_json == "160");
}
