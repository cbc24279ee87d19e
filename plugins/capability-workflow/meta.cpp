#include "meta.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace workflow {
namespace {

class Problems {
public:
    void add(const std::string& sentence) { text_ += (text_.empty() ? "" : "; ") + sentence; }

    /// Members beside these.
    void strangers(const Value& object, const std::string& place,
                   std::initializer_list<std::string_view> known) {
        for (const auto& member : object.object()) {
            if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
            std::string list;
            for (const auto name : known) list.append(list.empty() ? "" : ", ").append(name);
            add(place + " has no field " + foxwedge::plugin::quoted(member.key) + ", only " + list);
        }
    }
    void text(const Value& object, const std::string& place, std::string_view name, bool required) {
        const Value* const value = object.find(name);
        if (!value && !required) return;
        const bool blank = !value || !value->is_string() ||
                           value->string().find_first_not_of(" \t\r\n") == std::string::npos;
        if (blank) add(place + "." + std::string(name) + " must be a text that is not empty");
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

} // namespace

std::string meta_problems(const Value& meta) {
    Problems problems;
    if (!meta.is_object()) return "meta must be an object";
    problems.strangers(meta, "meta", {"name", "description", "whenToUse", "phases"});
    problems.text(meta, "meta", "name", true);
    problems.text(meta, "meta", "description", true);
    problems.text(meta, "meta", "whenToUse", false);
    const Value* const phases = meta.find("phases");
    if (phases && !phases->is_array()) problems.add("meta.phases must be an array of objects");
    if (!phases || !phases->is_array()) return problems.text();
    std::size_t n = 0;
    for (const Value& phase : phases->array()) {
        const std::string place = "meta.phases[" + std::to_string(n++) + "]";
        if (!phase.is_object()) {
            problems.add(place + " must be an object");
            continue;
        }
        problems.strangers(phase, place, {"title", "detail", "provider", "model"});
        problems.text(phase, place, "title", true);
        for (const char* name : {"detail", "provider", "model"})
            problems.text(phase, place, name, false);
    }
    return problems.text();
}

} // namespace workflow
