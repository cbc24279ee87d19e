// A guardrail: a check that lets pass, changes or stops what goes by. This one stops prompts, and
// denies calls of tools, in which one of the configured words stands.
#include <foxwedge/plugin.hpp>

using namespace foxwedge::plugin;

namespace {

class PLUGIN_TYPE final : public Guardrail {
public:
    static constexpr bool concurrent = true; // nothing in it changes

    PLUGIN_TYPE(const Host&, const Value& config)
        : Guardrail(FOXWEDGE_PLACEMENT_INPUT | FOXWEDGE_PLACEMENT_TOOL_ARGS),
          words_(config.array("words")) {}

    Value check(std::uint32_t placement, const Value& subject, Call&) override {
        std::string said;
        if (placement == FOXWEDGE_PLACEMENT_INPUT)
            gather_prompt(subject["prompt"], said);
        else
            gather(subject["arguments"], said);
        for (const Value& word : words_)
            if (said.find(word.string()) != said.npos)
                return object({{"action", "deny"},
                               {"message", "a word that is not wanted here"},
                               {"reason", word}});
        return object({{"action", "allow"}});
    }

private:
    /// Adds every text in a value, whatever its form; of an object the values, not the names.
    static void gather(const Value& value, std::string& said) {
        if (value.is_string()) said += value.string() + '\n';
        if (value.is_array())
            for (const Value& element : value.array()) gather(element, said);
        if (value.is_object())
            for (const Member& member : value.object()) gather(member.value, said);
    }
    static void gather_prompt(const Value& prompt, std::string& said) {
        for (const Value& message : prompt.array())
            for (const Value& block : message.array("content")) gather(block["text"], said);
    }
    const Array words_;
};

} // namespace

FOXWEDGE_PLUGIN(component<PLUGIN_TYPE>("@NAME@"));
