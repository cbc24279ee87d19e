#include "compose/cards.hpp"

namespace foxwedge::compose {

Result<JsonArray> conversation_cards(Host& host, std::string_view conversation) {
    constexpr std::string_view prefix = "card/";
    constexpr int page = 200;
    JsonArray cards;
    const auto ui = host.plugins().find("foxwedge.capability/1", "workflow-ui");
    if (!ui) return cards;
    const auto collection = journal::collection_name(ui->build.id, "conversation", conversation);
    for (std::string after;;) {
        FOXWEDGE_TRY(items, host.engine().scan(collection, prefix, after, page));
        for (const auto& item : items) {
            FOXWEDGE_TRY(card, parse_json(item.value_json));
            cards.push_back(std::move(card));
        }
        if (items.size() < static_cast<std::size_t>(page)) return cards;
        after = items.back().key;
    }
}

} // namespace foxwedge::compose
