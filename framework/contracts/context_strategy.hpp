// Chooses what the model gets to see. Pure: same request, same plan.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contracts/call.hpp"
#include "contracts/message.hpp"

namespace foxwedge {

struct ContextGroup {
    std::int64_t n = 0, tokens = 0, calls = 0, bytes = 0;
    bool is_summary = false;
};
struct ContextRequest {
    std::string state; ///< as the last plan left it
    std::int64_t first_group = 0;
    std::vector<ContextGroup> added; ///< since the last plan
    std::int64_t context_window = 0, used = 0, reserve = 0;
    Json config;
};
Json to_json(const ContextRequest&);

struct ContextPlan {
    std::int64_t keep_from = 0;
    std::vector<std::int64_t> pinned;
    struct Summarize {
        std::int64_t from = 0, to = 0, max_tokens = 1024;
        std::string instructions, model;
    };
    std::optional<Summarize> summarize;
    std::string state; ///< ≤ 4 KiB
};
Json to_json(const ContextPlan&);
Result<ContextPlan> context_plan_from_json(const Json&);

class ContextStrategy {
public:
    virtual ~ContextStrategy() = default;
    virtual Result<ContextPlan> plan(const ContextRequest&, Call&) = 0;
};

} // namespace foxwedge
