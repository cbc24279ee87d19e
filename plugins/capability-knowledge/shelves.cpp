#include "shelves.hpp"

#include "common/hash.hpp"
#include "common/store_ops.hpp"
#include "common/text.hpp"
#include "feed.hpp"

namespace knowledge {

using namespace foxwedge::plugin;

namespace {

constexpr std::size_t max_card_title = 200; ///< code points

Value operation(std::string_view op, std::string_view id,
                std::optional<std::int64_t> expected = std::nullopt) {
    Value out = object(
        {{"op", op}, {"scope", "project"}, {"key", std::string(document_prefix).append(id)}});
    if (expected) out.set("expect", *expected);
    return out;
}

} // namespace

std::optional<Document> Shelves::read(const Call& call, std::string_view id) const {
    const Value found = capability_kit::ask(store_, call, operation("get", id));
    if (!found.boolean("found", false)) return std::nullopt;
    const Value& value = found["value"];
    return Document{std::string(id), std::string(value.string("title")),
                    std::string(value.string("markdown")), found.integer("revision", 0)};
}

void Shelves::write(const Call& call, const Document& document,
                    std::optional<std::int64_t> expected) const {
    Value put = operation("put", document.id, expected);
    put.set("value", object({{"title", document.title}, {"markdown", document.markdown}}));
    capability_kit::ask(store_, call, std::move(put));
}

void Shelves::remove(const Call& call, std::string_view id,
                     std::optional<std::int64_t> expected) const {
    capability_kit::ask(store_, call, operation("delete", id, expected));
}

Page Shelves::list(const Call& call, Shelf shelf, std::int64_t after, int limit) {
    return index(call).list(call, store_, shelf, after, limit);
}

Page Shelves::search(const Call& call, Shelf shelf, const Question& question) {
    return index(call).search(call, store_, shelf, question);
}

Index& Shelves::index(const Call& call) {
    const std::string project(call.context().string("project"));
    const std::lock_guard lock(mutex_);
    auto& index = indexes_[project];
    if (!index) {
        // Where the host lends no folder the index lives in memory, made anew by each instance.
        const Reply folder = store_.folder(call);
        std::string path;
        if (folder.ok())
            path = folder.text + "/search-" + capability_kit::hash_text(project) + ".sqlite";
        index = std::make_unique<Index>(std::move(path));
    }
    return *index;
}

Value resource_card(const Call& call, bool writes, std::string_view id, std::string_view title) {
    Value target = object({{"source", "local"}});
    if (const auto project = call.context().string("project"); !project.empty())
        target.set("projectId", project);
    if (!id.empty()) target.set("documentId", id);
    Value card = object({{"kind", "knowledge"}, {"operation", writes ? "write" : "read"}});
    const auto shown = capability_kit::first_code_points(title, max_card_title);
    if (!shown.empty()) card.set("title", shown);
    card.set("target", std::move(target));
    return object({{"resourceCard", std::move(card)}});
}

} // namespace knowledge
