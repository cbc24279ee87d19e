#include "documents.hpp"

#include "arguments.hpp"
#include "common/hash.hpp"
#include "common/store_ops.hpp"
#include "feed.hpp"

namespace knowledge {

using namespace foxwedge::plugin;
using namespace capability_kit;

namespace {

/// One action of one call.
class Action {
public:
    Action(Shelves& shelves, const Value& arguments, const Call& call)
        : shelves_(shelves), fields_(arguments), call_(call) {}

    Value run() {
        const auto action = fields_.action();
        if (action == "list") return list();
        if (action == "search") return search();
        if (action == "read") return read();
        if (action == "create") return create();
        if (action == "update") return update();
        if (action == "delete") return remove();
        refuse("action", "action is list, search, read, create, update or delete");
    }

private:
    Value list() {
        fields_.only({"cursor", "limit"});
        const auto after = list_place_of(fields_);
        const auto page = shelves_.list(call_, Shelf::documents, after, fields_.page_size());
        return read_of(page_of(page, "documents", "documentId", 0));
    }

    Value search() {
        fields_.only({"query", "cursor", "limit"});
        const auto page = shelves_.search(call_, Shelf::documents, question_of(fields_));
        return read_of(page_of(page, "documents", "documentId", 0));
    }

    Value read() {
        fields_.only({"documentId"});
        const auto document = existing();
        return success(object({{"documentId", document.id},
                               {"title", document.title},
                               {"markdown", document.markdown},
                               {"revision", document.revision}}),
                       resource_card(call_, false, document.id, document.title));
    }

    Value create() {
        fields_.only({"documentId", "title", "markdown"});
        Document document;
        document.id = fields_.has("documentId") ? own_id() : new_id();
        document.title = title();
        document.markdown = fields_.text("markdown", max_markdown);
        if (shelves_.read(call_, document.id))
            throw Refused{"conflict",
                          "there is a document with this id; update it, or leave out documentId",
                          object({{"pointer", "/documentId"}})};
        shelves_.write(call_, document, 0);
        return written(document, "created");
    }

    Value update() {
        fields_.only({"documentId", "title", "markdown", "revision"});
        if (!fields_.has("title") && !fields_.has("markdown"))
            refuse("", "update needs a title or a markdown");
        const auto revision = fields_.revision();
        const auto new_markdown = fields_.text_if_there("markdown", max_markdown);
        auto document = existing();
        if (revision && *revision != document.revision)
            throw stale("the document", document.revision);
        if (fields_.has("title")) document.title = title();
        if (new_markdown) document.markdown = *new_markdown;
        // What was left out is as it was read: only over that may it be written.
        shelves_.write(call_, document, document.revision);
        return written(document, "updated");
    }

    Value remove() {
        fields_.only({"documentId", "revision"});
        const auto revision = fields_.revision();
        const auto document = existing();
        if (revision && *revision != document.revision)
            throw stale("the document", document.revision);
        shelves_.remove(call_, document.id, revision);
        return written(document, "deleted");
    }

    std::string own_id() const {
        auto id = id_of(fields_, "documentId", max_id);
        if (id.compare(0, memory_prefix.size(), memory_prefix) == 0)
            refuse("documentId", "ids that start with " + std::string(memory_prefix) +
                                     " belong to the memory and its tool");
        return id;
    }

    /// The same for each attempt of a step, so that an attempt done again makes no second document.
    std::string new_id() const {
        return "doc-" + hash_text(call_.step_key()) + hash_text(call_.step_key(), 1);
    }

    std::string title() const {
        auto title = fields_.text("title", max_title);
        if (title.empty()) refuse("title", "title is empty", 1);
        return title;
    }

    Document existing() const {
        const auto id = own_id();
        if (auto document = shelves_.read(call_, id)) return *document;
        throw Refused{"not_found", "there is no such document",
                      object({{"pointer", "/documentId"}})};
    }

    Value read_of(Value page) const {
        return success(std::move(page), resource_card(call_, false, "", ""));
    }
    Value written(const Document& document, std::string_view done) const {
        return success(object({{"documentId", document.id}, {std::string(done), true}}),
                       resource_card(call_, true, document.id, document.title));
    }

    Shelves& shelves_;
    const Fields fields_;
    const Call& call_;
};

} // namespace

Value Documents::tools() {
    return object({{"tools", array({documents_definition()})}});
}

Value Documents::run(std::string_view tool, const Value& arguments, Call& call) {
    if (tool != "knowledge_documents")
        throw Failure(FOXWEDGE_E_UNSUPPORTED, "unknown_tool", "there is only knowledge_documents");
    try {
        return Action(shelves_, arguments, call).run();
    } catch (const Refused& refused) {
        return failure(refused);
    }
}

} // namespace knowledge
