#include "memory.hpp"

#include <set>

#include "arguments.hpp"
#include "common/hash.hpp"
#include "common/store_ops.hpp"
#include "feed.hpp"

namespace knowledge {

using namespace foxwedge::plugin;
using namespace capability_kit;

namespace {

constexpr std::size_t max_memory_id = max_id - memory_prefix.size();

/// The first line with something in it, without the marks of a heading.
std::string first_line(std::string_view markdown) {
    constexpr std::string_view marks = "# \t\r\n";
    const auto from = markdown.find_first_not_of(marks);
    if (from == std::string_view::npos) return "Note";
    auto line = markdown.substr(from, markdown.find_first_of("\r\n", from) - from);
    return std::string(first_code_points(line, max_title));
}

/// One action of one call.
class Action {
public:
    Action(Shelves& shelves, const Check& detector, const Value& arguments, const Call& call)
        : shelves_(shelves), detector_(detector), fields_(arguments), call_(call) {}

    Value run() {
        const auto action = fields_.action();
        if (action == "remember") return remember();
        if (action == "list") return list();
        if (action == "search") return search();
        if (action == "read") return read();
        if (action == "forget") return forget();
        refuse("action", "action is remember, list, search, read or forget");
    }

private:
    Value remember() {
        fields_.only({"title", "markdown", "memoryId"});
        Document note;
        note.markdown = fields_.text("markdown", max_memory);
        if (note.markdown.empty()) refuse("markdown", "markdown is empty", 1);
        note.title = fields_.text_if_there("title", max_title).value_or("");
        const auto id = fields_.has("memoryId") ? memory_id() : new_id();
        for (const auto& [field, text] :
             {std::pair<std::string_view, std::string_view>{"markdown", note.markdown},
              {"title", note.title},
              {"memoryId", id}})
            refuse_secrets(field, text);
        if (note.title.empty()) note.title = first_line(note.markdown);
        note.id = std::string(memory_prefix) + id;
        shelves_.write(call_, note, std::nullopt);
        return done(note, "remembered");
    }

    Value list() {
        fields_.only({"cursor", "limit"});
        const auto after = list_place_of(fields_);
        return page(shelves_.list(call_, Shelf::memories, after, fields_.page_size()));
    }

    Value search() {
        fields_.only({"query", "cursor", "limit"});
        return page(shelves_.search(call_, Shelf::memories, question_of(fields_)));
    }

    Value read() {
        fields_.only({"memoryId"});
        const auto note = existing();
        return success(object({{"memoryId", bare(note)},
                               {"title", note.title},
                               {"markdown", note.markdown},
                               {"revision", note.revision}}),
                       resource_card(call_, false, note.id, note.title));
    }

    Value forget() {
        fields_.only({"memoryId"});
        const auto note = existing();
        shelves_.remove(call_, note.id, std::nullopt);
        return done(note, "forgotten");
    }

    std::string memory_id() const { return id_of(fields_, "memoryId", max_memory_id); }

    /// The same for each attempt of a step.
    std::string new_id() const {
        return hash_text(call_.step_key()) + hash_text(call_.step_key(), 1);
    }

    /// Kinds are named, what was found never is. A detector that fails lets nothing pass.
    void refuse_secrets(std::string_view field, std::string_view text) const {
        const Value answer = detector_.find_secrets(call_.raw(), text).value();
        if (!answer["secrets"].is_array())
            throw Failure(FOXWEDGE_E_INTERNAL, "internal", "the host's detector gave no answer");
        std::set<std::string> kinds;
        for (const Value& secret : answer["secrets"].array())
            kinds.emplace(secret.string("kind", "secret"));
        if (kinds.empty()) return;
        Value named = array();
        std::string list;
        for (const auto& kind : kinds) {
            named.push(kind);
            list += (list.empty() ? "" : ", ") + kind;
        }
        throw Refused{"input_validation",
                      "this looks like a secret (" + list + "); the memory keeps none",
                      object({{"pointer", '/' + std::string(field)}, {"kinds", std::move(named)}})};
    }

    Document existing() const {
        const auto id = std::string(memory_prefix) + memory_id();
        if (auto note = shelves_.read(call_, id)) return *note;
        throw Refused{"not_found", "there is no such memory", object({{"pointer", "/memoryId"}})};
    }

    static std::string bare(const Document& note) { return note.id.substr(memory_prefix.size()); }

    Value page(const Page& page) const {
        return success(page_of(page, "memories", "memoryId", memory_prefix.size()),
                       resource_card(call_, false, "", ""));
    }
    Value done(const Document& note, std::string_view what) const {
        return success(object({{"memoryId", bare(note)}, {std::string(what), true}}),
                       resource_card(call_, true, note.id, note.title));
    }

    Shelves& shelves_;
    const Check& detector_;
    const Fields fields_;
    const Call& call_;
};

} // namespace

Value Memory::tools() {
    return object({{"tools", array({memory_definition()})}});
}

Value Memory::run(std::string_view tool, const Value& arguments, Call& call) {
    if (tool != "global_memory")
        throw Failure(FOXWEDGE_E_UNSUPPORTED, "unknown_tool", "there is only global_memory");
    try {
        return Action(shelves_, detector_, arguments, call).run();
    } catch (const Refused& refused) {
        return failure(refused);
    }
}

} // namespace knowledge
