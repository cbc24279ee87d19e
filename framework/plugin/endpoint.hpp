// The verbs of one configured component, wherever it runs: in this process or in a box.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "contracts/call.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/running_call.hpp"

namespace foxwedge::plugin {

enum class Verb : std::uint8_t {
    list_tools,
    run_tool,
    describe,
    generate,
    count_tokens,
    check,
    plan
};
const char* to_string(Verb) noexcept;

struct VerbRequest {
    Verb verb;
    std::string_view json;       ///< arguments, request or subject; "" where the verb has none
    std::string_view name;       ///< run_tool: the tool
    std::uint32_t placement = 0; ///< check
};

/// Any thread, calls may overlap: instances are made as they are needed.
class Endpoint {
public:
    virtual ~Endpoint() = default;
    virtual Ended call(const VerbRequest&, Call&) = 0;
    /// Of a guardrail: the placements that it wants.
    virtual std::uint32_t placements() const = 0;
    virtual const Component& component() const = 0;
    /// "plugin capability-kv": for messages.
    virtual std::string name() const = 0;
};

} // namespace foxwedge::plugin
