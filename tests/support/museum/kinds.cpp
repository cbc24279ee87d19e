// A provider, a guardrail and a context strategy that break the rules of a call as their
// configuration says: {"fault": "no-result"}. Without a fault they work. `unruly` does the same for
// a capability.
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include <foxwedge/context_strategy.h>
#include <foxwedge/guardrail.h>
#include <foxwedge/provider.h>

#include "release.hpp"

namespace {

constexpr foxwedge_str lit(std::string_view s) {
    return {s.data(), s.size()};
}

/// An instance of any of the three kinds: the C struct, then what is ours.
template <class Api>
struct Faulty {
    Api api{};
    std::string fault;
};

/// The text of the one member that the configuration may have.
std::string fault_of(foxwedge_str config) {
    const std::string_view text(config.data, config.size), name = "\"fault\":\"";
    const auto at = text.find(name);
    if (at == text.npos) return {};
    const auto from = at + name.size();
    return std::string(text.substr(from, text.find('"', from) - from));
}

foxwedge_status give(const foxwedge_call* call, std::string_view json) {
    call->set_result(call, lit(json));
    return FOXWEDGE_OK;
}

foxwedge_status misbehave(std::string_view fault, const foxwedge_call* call,
                          std::string_view right) {
    if (fault == "no-result") return FOXWEDGE_OK;
    if (fault == "two-results") return give(call, right), give(call, right);
    if (fault == "bad-json") return give(call, "{\"content\":");
    if (fault == "wrong-shape") return give(call, R"(["action"])");
    if (fault == "unknown-status") return 42;
    if (fault == "throws") throw std::runtime_error("no disk");
    if (fault == "parked-for-nothing") return FOXWEDGE_PARKED;
    if (fault == "aborts") std::abort();
    if (fault == "hangs") museum::wait_until_released();
    return give(call, right);
}

template <class Api>
foxwedge_status misbehave(foxwedge_instance* self, const foxwedge_call* call,
                          std::string_view right) {
    return misbehave(reinterpret_cast<Faulty<Api>*>(self)->fault, call, right);
}

foxwedge_status describe(foxwedge_instance* self, const foxwedge_call* call) {
    if (reinterpret_cast<Faulty<foxwedge_provider>*>(self)->fault == "tools-in-text")
        return give(call, R"({"nativeTranscript":false,"tools":true})");
    return give(call, R"({"nativeTranscript":true,"tools":false,"structuredOutput":"none",
        "streaming":false,"parallelCalls":false,"reasoningReplay":false})");
}
foxwedge_status generate(foxwedge_instance* self, foxwedge_str, const foxwedge_call* call) {
    return misbehave<foxwedge_provider>(
        self, call, R"({"content":[{"type":"text","text":"fine"}],"stop":"end","usage":{}})");
}
foxwedge_status count_tokens(foxwedge_instance* self, foxwedge_str, const foxwedge_call* call) {
    return misbehave<foxwedge_provider>(self, call, R"({"tokens":3})");
}
foxwedge_status check(foxwedge_instance* self, std::uint32_t, foxwedge_str,
                      const foxwedge_call* call) {
    return misbehave<foxwedge_guardrail>(self, call, R"({"action":"allow"})");
}
foxwedge_status plan(foxwedge_instance* self, foxwedge_str, const foxwedge_call* call) {
    return misbehave<foxwedge_context_strategy>(self, call,
                                                R"({"keepFrom":0,"pinned":[],"state":""})");
}

void fill(foxwedge_provider& api) {
    api.describe = describe;
    api.generate = generate;
    api.count_tokens = count_tokens;
}
void fill(foxwedge_guardrail& api) {
    api.placements = FOXWEDGE_PLACEMENT_INPUT | FOXWEDGE_PLACEMENT_TOOL_ARGS;
    api.check = check;
}
void fill(foxwedge_context_strategy& api) {
    api.plan = plan;
}

template <class Api>
foxwedge_status create(const foxwedge_factory*, const foxwedge_host*, foxwedge_str config,
                       const foxwedge_call*, foxwedge_instance** instance) {
    auto* made = new Faulty<Api>;
    made->fault = fault_of(config);
    made->api.base.struct_size = sizeof(Api);
    made->api.base.destroy = [](foxwedge_instance* self) {
        delete reinterpret_cast<Faulty<Api>*>(self);
    };
    fill(made->api);
    *instance = &made->api.base;
    return FOXWEDGE_OK;
}

constexpr foxwedge_factory factories[] = {
    {sizeof(foxwedge_factory), 0, lit(FOXWEDGE_KIND_PROVIDER), lit("faulty"),
     create<foxwedge_provider>},
    {sizeof(foxwedge_factory), 0, lit(FOXWEDGE_KIND_GUARDRAIL), lit("faulty"),
     create<foxwedge_guardrail>},
    {sizeof(foxwedge_factory), 0, lit(FOXWEDGE_KIND_CONTEXT_STRATEGY), lit("faulty"),
     create<foxwedge_context_strategy>},
};

} // namespace

const foxwedge_entry foxwedge_entry_v1 = {
    sizeof(foxwedge_entry),
    FOXWEDGE_ABI_MINOR,
    0,
    0,
    [](const foxwedge_host*, const foxwedge_call*) -> foxwedge_status { return FOXWEDGE_OK; },
    [] {},
    [](std::uint32_t index) -> const foxwedge_factory* {
        return index < std::size(factories) ? &factories[index] : nullptr;
    }};
FOXWEDGE_DESCRIPTOR(R"({"id": "kinds", "version": "1.0.0", "title": "Three kinds with a fault",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.provider/1", "id": "faulty"},
        {"kind": "foxwedge.guardrail/1", "id": "faulty"},
        {"kind": "foxwedge.context-strategy/1", "id": "faulty"}]})");
