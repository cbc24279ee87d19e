// The model that benchmarks of the agent loop ask: it calls the tool `look` so many turns, then
// ends.
#pragma once
#include "contracts/provider.hpp"

namespace foxwedge::bench {

/// Counts its own turns: one model a run.
class LookingModel : public Provider {
public:
    explicit LookingModel(int turns) : left_(turns) {}
    Result<ProviderTraits> describe(Call&) override { return ProviderTraits(); }
    Result<Generated> generate(const GenerateRequest&, Call&) override {
        Generated out;
        out.usage.input = 1000;
        out.usage.output = 20;
        if (left_-- > 0) {
            Block call;
            call.type = Block::Type::tool_call;
            call.call_id = "call_1";
            call.name = "look";
            call.arguments = R"({"topic":"refunds"})";
            out.content = {std::move(call)};
            out.stop = "tool_use";
        } else {
            out.content = {text_block("done")};
            out.stop = "end";
        }
        return out;
    }

private:
    int left_;
};

} // namespace foxwedge::bench
