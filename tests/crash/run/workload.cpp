#include "workload.hpp"

namespace foxwedge::run {
namespace {

journal::Effect add_one() {
    journal::Effect effect;
    effect.collection = Workload::collection();
    effect.key = "adds";
    effect.kind = journal::Effect::Kind::add;
    effect.add_json = "1";
    return effect;
}

Result<std::int64_t> number_of(const Result<StepValue>& done) {
    if (!done) return done.error();
    return std::strtoll(done->value_json.c_str(), nullptr, 10);
}

struct Doing {
    const Workload& load;

    Result<StepValue> value(StepCall& call, std::int64_t number, bool effect = false) const {
        load.on_body(call.key());
        StepValue value{std::to_string(number)};
        if (effect) value.effects.push_back(add_one());
        return value;
    }
    Result<std::int64_t> step(Run& lane, std::string_view name, std::int64_t number,
                              bool effect = false, const StepOptions& options = {}) const {
        return number_of(
            lane.step(name, options, [&](StepCall& call) { return value(call, number, effect); }));
    }
    Result<std::int64_t> refused_once(Run& lane, std::string_view name) const {
        StepOptions options;
        options.retry.initial_delay = Millis(20);
        return number_of(lane.step(name, options, [&](StepCall& call) -> Result<StepValue> {
            load.on_body(call.key());
            if (call.attempt() == 1) return not_done("overloaded", "not now");
            StepValue value{"1"};
            value.effects.push_back(add_one());
            return value;
        }));
    }
    Result<std::int64_t> container(Run& lane) const {
        StepOptions options;
        options.container = true;
        return number_of(lane.step("container", options, [&](StepCall& call) -> Result<StepValue> {
            load.on_body(call.key());
            FOXWEDGE_TRY(first, step(call.lane(), "inner-0", 100));
            if (call.checkpoint().empty()) FOXWEDGE_CHECK(call.save_checkpoint("half way"));
            FOXWEDGE_TRY(second, step(call.lane(), "inner-1", 200, true));
            return StepValue{std::to_string(first + second)};
        }));
    }
};

} // namespace

Workflow Workload::child() const {
    return [this](Run& run) -> Result<Json> {
        const Doing doing{*this};
        FOXWEDGE_TRY(value, doing.step(run, "small", 10'000, true));
        return Json(value);
    };
}

Workflow Workload::parent() const {
    return [this](Run& run) -> Result<Json> {
        const Doing doing{*this};
        FOXWEDGE_TRY(first, doing.refused_once(run, "first"));

        FanOut fan;
        fan.gates_name = "gates";
        fan.gates_json = "[]";
        fan.branches.push_back({{}, [&](Run& lane, const std::string&) -> Result<Json> {
                                    FOXWEDGE_TRY(v, doing.step(lane, "effect", 2, true));
                                    return Json(v);
                                }});
        fan.branches.push_back({{}, [&](Run& lane, const std::string&) -> Result<Json> {
                                    FOXWEDGE_TRY(a, doing.step(lane, "pair-0", 3));
                                    FOXWEDGE_TRY(b, doing.step(lane, "pair-1", 4));
                                    return Json(a + b);
                                }});
        GateSpec gate;
        gate.name = "careful:approval";
        gate.about_json = R"({"tool":"careful"})";
        gate.digest = sha256("careful");
        gate.allow = {"approve", "reject"};
        fan.branches.push_back({gate, [&](Run& lane, const std::string& decision) -> Result<Json> {
                                    FOXWEDGE_TRY(said, parse_json(decision));
                                    if (string_member(said, "answer") != "approve") return Json(0);
                                    FOXWEDGE_TRY(v, doing.step(lane, "careful", 5));
                                    return Json(v);
                                }});
        fan.branches.push_back({{}, [&](Run& lane, const std::string&) -> Result<Json> {
                                    StepOptions options;
                                    options.repeat = Repeat::once;
                                    options.on_interrupted = OnInterrupted::ask;
                                    FOXWEDGE_TRY(v, doing.step(lane, "once", 40, false, options));
                                    return Json(v);
                                }});
        std::int64_t sum = first;
        for (auto& branch : run.fan_out(std::move(fan))) {
            if (!branch) return branch.error();
            sum += branch->to_number<std::int64_t>();
        }
        FOXWEDGE_TRY(inner, doing.container(run));
        FOXWEDGE_CHECK(run.sleep("nap", Millis(30)));
        ChildSpec spec;
        spec.name = "helper";
        spec.workflow = "child";
        spec.input_json = "{}";
        FOXWEDGE_TRY(helped, run.child(spec));
        FOXWEDGE_TRY(more, parse_json(helped.outcome.value_json));
        FOXWEDGE_TRY(last, doing.step(run, "last", 100'000, true));
        return Json(sum + inner + more.to_number<std::int64_t>() + last);
    };
}

const char* Workload::final_value() {
    return "110355"; // 1 + (2 + 7 + 5 + 40) + 300 + 10000 + 100000
}

} // namespace foxwedge::run
