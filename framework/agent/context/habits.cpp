#include "agent/context/habits.hpp"

#include "base/text.hpp"

namespace foxwedge::agent {
namespace {

// The first whose family the name holds counts, so the narrower name stands first.
constexpr Habits known[] = {
    {.family = "claude", .request = 7, .tools = 340, .output = 150},
    // Nothing is counted around a message: what each is given here is taken back.
    {.family = "gemini", .request = -3, .tool = 0, .schema = 30, .output_schema = 0},
    {.family = "gpt-oss", .request = 64, .schema = 60},
    {.family = "gpt", .tool = 8, .schema = 75},
    {.family = "deepseek", .request = 0, .tools = 250, .schema = 110},
    {.family = "glm", .request = 2, .tools = 110, .tool = 10, .output_schema = 0},
    {.family = "qwen", .output = 80},
};
constexpr Habits usual{};

} // namespace

const Habits& habits_of(std::string_view model) {
    const std::string name = lower_ascii(model);
    for (const Habits& one : known)
        if (name.find(one.family) != name.npos) return one;
    return usual;
}

} // namespace foxwedge::agent
