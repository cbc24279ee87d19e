// Part of the engine conformance suite (conformance.hpp): what its tests speak.

using namespace foxwedge;
using namespace foxwedge::journal;

NewRun new_run(const std::string& key = {}, const std::string& input = "1") {
    NewRun run;
    run.host = "host";
    run.workflow = "flow";
    run.key = key;
    run.input_json = input;
    run.config_json = R"({"agents":{}})";
    run.labels_json = "{}";
    return run;
}

StepKey step(std::uint32_t index, const std::string& name, const std::string& kind = "task") {
    return {"", index, name, kind, sha256(name)};
}

Outcome value(std::string json) {
    return {std::nullopt, std::move(json), false};
}

Completion completion(const StepKey& key, std::optional<Outcome> outcome, int attempt = 1) {
    Completion c;
    c.key = key;
    c.attempt.number = attempt;
    c.outcome = std::move(outcome);
    if (!c.outcome) c.attempt.error = not_done("busy", "try later");
    return c;
}

template <class Item>
Batch batch_of(Item item) {
    Batch b;
    if constexpr (std::is_same_v<Item, Intent>)
        b.intents.push_back(std::move(item));
    else if constexpr (std::is_same_v<Item, Completion>)
        b.completions.push_back(std::move(item));
    else if constexpr (std::is_same_v<Item, GateOpening>)
        b.gates.push_back(std::move(item));
    else if constexpr (std::is_same_v<Item, Checkpoint>)
        b.checkpoints.push_back(std::move(item));
    else
        b.children.push_back(std::move(item));
    return b;
}

template <class Item>
Verdict commit(Activation& a, Item item) {
    return a.commit(batch_of(std::move(item))).verdicts.at(0);
}

Effect put(const std::string& key, const std::string& json,
           std::optional<std::uint64_t> expect = std::nullopt) {
    Effect e;
    e.collection = collection_name("capability-kv", "project", "demo");
    e.key = key;
    e.value_json = json;
    e.expect = expect;
    return e;
}
const std::string collection = collection_name("capability-kv", "project", "demo");

GateOpening opening(std::uint32_t index, const std::string& name) {
    GateOpening g;
    g.key = step(index, name, "gate");
    g.gate.kind = "approval";
    g.gate.about_json = R"({"tool":"refund","arguments":{"amount":20}})";
    g.gate.digest = sha256(name);
    g.gate.allow = {"approve", "reject"};
    return g;
}

Answer answer_to(const std::string& gate, const std::string& name, const std::string& word) {
    Answer a;
    a.gate = gate;
    a.digest = sha256(name);
    a.answer = word;
    a.decided_by = "user:ann";
    return a;
}

struct Fixture {
    Subject subject;
    std::unique_ptr<Engine> first = subject.process();

    std::string started(const NewRun& run = new_run()) {
        auto s = first->start(run);
        BOOST_REQUIRE(s);
        return s->run;
    }
    std::unique_ptr<Activation> opened(Engine& engine, const std::string& run,
                                       const OpenOptions& options = {}) {
        auto a = engine.open(run, options);
        BOOST_REQUIRE_MESSAGE(a, (a ? "" : a.error().code + ": " + a.error().message));
        return *std::move(a);
    }
    std::string error_of_open(Engine& engine, const std::string& run,
                              const OpenOptions& options = {}) {
        auto a = engine.open(run, options);
        return a ? "" : a.error().code;
    }
    RunStatus status(const std::string& run) {
        auto h = first->head(run);
        BOOST_REQUIRE(h);
        return h->status;
    }
    /// A fresh process after the first one died.
    void restart() {
        Subject::kill(*first);
        dead.push_back(std::move(first));
        first = subject.process();
    }
    std::vector<std::unique_ptr<Engine>> dead;
};
