// The arguments of a tool with actions, read field by field. Checked here as well as by the
// published schema, because a client over MCP is not bound by that.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "pointer.hpp"
#include "result.hpp"
#include "text.hpp"

namespace capability_kit {

constexpr int default_page = 50, max_page = 200;

using plugin_kit::escaped;

/// Everything throws Refused, `input_validation`, naming the field.
class Fields {
public:
    /// `arguments` outlives this.
    explicit Fields(const Value& arguments) : arguments_(arguments) {
        if (!arguments.is_object()) refuse("", "the arguments must be an object");
    }

    /// The member `action`; "" if it is no text.
    std::string action() const {
        const Value& action = required("action");
        return action.is_string() ? action.string() : "";
    }
    /// Refuses every member but `action` and these.
    void only(std::initializer_list<std::string_view> fields) const {
        for (const auto& member : arguments_.object())
            if (member.key != "action" &&
                std::find(fields.begin(), fields.end(), member.key) == fields.end())
                refuse(escaped(member.key), action() + " has no field " +
                                                std::string(first_code_points(member.key, 80)));
    }

    const Value* find(std::string_view field) const { return arguments_.find(field); }
    bool has(std::string_view field) const { return find(field) != nullptr; }
    const Value& required(std::string_view field) const {
        if (const Value* found = find(field)) return *found;
        refuse(field, "the field " + std::string(field) + " is missing");
    }

    /// A text that must be there, of at most so many code points.
    std::string text(std::string_view field, std::size_t most) const {
        const Value& value = required(field);
        if (!value.is_string()) refuse(field, std::string(field) + " must be a text");
        check_length(field, value.string(), most);
        return value.string();
    }
    std::optional<std::string> text_if_there(std::string_view field, std::size_t most) const {
        return has(field) ? std::optional(text(field, most)) : std::nullopt;
    }
    /// The same after Unicode normalisation; `normal` is normal_form().
    template <class NormalForm>
    std::string normal_text(std::string_view field, std::size_t most, NormalForm&& normal) const {
        const Value& value = required(field);
        if (!value.is_string()) refuse(field, std::string(field) + " must be a text");
        const auto made = normal(value.string());
        if (!made) refuse(field, std::string(field) + " is not valid UTF-8");
        check_length(field, *made, most);
        return *made;
    }

    std::int64_t integer(std::string_view field) const {
        try {
            return required(field).integer();
        } catch (const foxwedge::plugin::JsonError&) {
            refuse(field, std::string(field) + " must be an integer");
        }
    }
    /// `limit`: how many items a page has.
    int page_size() const {
        if (!has("limit")) return default_page;
        const auto n = integer("limit");
        if (n < 1) refuse("limit", "limit is at least 1", 1);
        if (n > max_page) refuse("limit", "limit is at most " + std::to_string(max_page), max_page);
        return static_cast<int>(n);
    }
    std::optional<std::int64_t> revision() const {
        if (!has("revision")) return std::nullopt;
        const auto revision = integer("revision");
        if (revision < 0) refuse("revision", "a revision is not negative", 0);
        return revision;
    }

private:
    static void check_length(std::string_view field, std::string_view text, std::size_t most) {
        if (code_points(text) > most)
            refuse(field,
                   std::string(field) + " is longer than " + std::to_string(most) + " characters",
                   most);
    }

    const Value& arguments_;
};

} // namespace capability_kit
