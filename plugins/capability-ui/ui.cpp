// present_card: cards beside a conversation. The command travels in the result; the cards that
// stand are kept in the store, so that a client that comes later finds them.
#include <string>
#include <string_view>

#include <foxwedge/plugin.hpp>

#include "card.hpp"
#include "common/store_ops.hpp"

namespace ui {

using namespace foxwedge::plugin;
using namespace capability_kit;

class Cards : public Capability {
public:
    static constexpr bool concurrent = true;

    Cards(const Host& host, const Value&) : store_(host.store()) {}

    Value tools() override { return object({{"tools", array({tool_definition()})}}); }

    Value run(std::string_view tool, const Value& arguments, Call& call) override {
        if (tool != "present_card")
            throw Failure(FOXWEDGE_E_UNSUPPORTED, "unknown_tool", "there is only present_card");
        try {
            Card card = read_card(arguments);
            keep(card, call);
            const auto said = (card.removed ? "Removed card " : "Presented card ") + card.id;
            return object({{"content", text_block(said)},
                           {"details", object({{"card", std::move(card.command)}})}});
        } catch (const Refused& refused) {
            return failure(refused);
        }
    }

private:
    void keep(const Card& card, const Call& call) const {
        Value op = object({{"op", card.removed ? "delete" : "put"},
                           {"scope", "conversation"},
                           {"key", "card/" + card.id}});
        if (!card.removed) op.set("value", card.command);
        ask(store_, call, std::move(op));
    }

    const Store store_;
};

} // namespace ui

FOXWEDGE_PLUGIN(foxwedge::plugin::component<ui::Cards>("workflow-ui"));
