// Sizes and depth of what passes by.
#include <algorithm>
#include <optional>

#include <foxwedge/plugin.hpp>

#include "common/subject.hpp"

using namespace foxwedge::plugin;
using namespace guardrail_kit;

namespace {

constexpr std::int64_t no_limit = INT64_MAX;

struct Limits {
    std::int64_t bytes, depth, text_bytes, items;
};

struct Excess {
    std::string what, pointer;
    std::int64_t is, limit;
};

std::int64_t size_of(const std::string& text) {
    return static_cast<std::int64_t>(text.size());
}

/// The first thing in `value` that is over a limit, total size apart.
std::optional<Excess> excess(const Value& value, const Limits& limits, const std::string& pointer,
                             std::int64_t depth) {
    if (value.is_string()) {
        const auto size = size_of(value.string());
        if (size > limits.text_bytes) return Excess{"bytes", pointer, size, limits.text_bytes};
        return std::nullopt;
    }
    if (!value.is_array() && !value.is_object()) return std::nullopt;
    if (depth >= limits.depth) return Excess{"levels", pointer, depth + 1, limits.depth};
    const auto count = value.is_array() ? value.array().size() : value.object().size();
    if (static_cast<std::int64_t>(count) > limits.items)
        return Excess{"items", pointer, static_cast<std::int64_t>(count), limits.items};
    if (value.is_array()) {
        std::size_t n = 0;
        for (const Value& element : value.array())
            if (auto found =
                    excess(element, limits, below(pointer, std::to_string(n++)), depth + 1))
                return found;
        return std::nullopt;
    }
    for (const Member& member : value.object())
        if (auto found = excess(member.value, limits, below(pointer, member.key), depth + 1))
            return found;
    return std::nullopt;
}

std::optional<Excess> any_excess(const Value& value, const Limits& limits) {
    if (auto found = excess(value, limits, "", 0)) return found;
    const auto size = size_of(to_text(value));
    if (size > limits.bytes) return Excess{"bytes", "", size, limits.bytes};
    return std::nullopt;
}

/// At most `most` bytes of `text`, whole characters, with a note of what is missing.
std::string cut(const std::string& text, std::int64_t most) {
    if (size_of(text) <= most) return text;
    const auto note = "\n[cut: " + std::to_string(text.size()) + " bytes in all]";
    auto end = static_cast<std::size_t>(std::max<std::int64_t>(0, most - size_of(note)));
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    return text.substr(0, end) + note;
}

} // namespace

class LimitsGuardrail : public Guardrail {
public:
    static constexpr bool concurrent = true;

    LimitsGuardrail(const Host&, const Value& config)
        : Guardrail(every_placement), limits_{config.integer("maxBytes", 1 << 20),
                                              config.integer("maxDepth", 64),
                                              config.integer("maxTextBytes", no_limit),
                                              config.integer("maxItems", no_limit)},
          cuts_(config.string("action") == "cut") {}

    Value check(std::uint32_t placement, const Value& subject, Call&) override {
        const Value& passing_by = subject[passing(placement)];
        const auto found = any_excess(passing_by, limits_);
        if (!found) return object({{"action", "allow"}});
        if (cuts_ && placement == FOXWEDGE_PLACEMENT_TOOL_RESULT)
            if (auto shorter = shortened(passing_by))
                return object({{"action", "replace"},
                               {"value", std::move(*shorter)},
                               {"reason", told(*found)}});
        return object({{"action", "deny"}, {"message", told(*found)}});
    }

private:
    static std::string told(const Excess& found) {
        return "Too large: " + std::to_string(found.is) + ' ' + found.what + " at " +
               (found.pointer.empty() ? "the whole" : found.pointer) + ", allowed are " +
               std::to_string(found.limit) + '.';
    }

    /// The result with its texts cut; nothing where that does not make it fit.
    std::optional<Value> shortened(const Value& result) const {
        Value out = result;
        Value* content = nullptr;
        for (Member& member : out.object())
            if (member.key == "content" && member.value.is_array()) content = &member.value;
        if (!content) return std::nullopt;
        const auto texts_in = std::count_if(content->array().begin(), content->array().end(),
                                            [](const Value& block) { return block.has("text"); });
        if (texts_in == 0) return std::nullopt;
        // Structured content says the same again; half a value would be worse than none.
        if (any_excess(out["structuredContent"], limits_) || size_of(to_text(out)) > limits_.bytes)
            drop(out, "structuredContent");
        for (auto share = std::min(limits_.text_bytes, limits_.bytes / texts_in); share > 0;
             share = share * 3 / 4) {
            Value tried = out;
            for (Member& member : tried.object())
                if (member.key == "content")
                    for (Value& block : member.value.array())
                        if (block["text"].is_string())
                            block.set("text", cut(block["text"].string(), share));
            if (!any_excess(tried, limits_)) return tried;
        }
        return std::nullopt;
    }

    static void drop(Value& value, std::string_view name) {
        auto& members = value.object();
        members.erase(std::remove_if(members.begin(), members.end(),
                                     [&](const Member& member) { return member.key == name; }),
                      members.end());
    }

    const Limits limits_;
    const bool cuts_;
};

FOXWEDGE_PLUGIN(foxwedge::plugin::component<LimitsGuardrail>("limits"));
