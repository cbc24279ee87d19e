// Values under keys, kept by the host's store service: written with the step or not at all.
#include <string>
#include <string_view>

#include <foxwedge/plugin.hpp>

#include "arguments.hpp"
#include "common/store_ops.hpp"
#include "common/text.hpp"
#include "cursor.hpp"
#include "key.hpp"

namespace kv {

using namespace foxwedge::plugin;
using namespace capability_kit;

namespace {

constexpr std::size_t max_title = 200; ///< code points of a resource card's title

Value operation(std::string_view op, const Arguments& arguments) {
    return object({{"op", op}, {"scope", arguments.scope()}, {"key", arguments.key}});
}

/// Where a host that shows cards finds what the call was about.
Value resource_card(const Arguments& arguments, const Value& context) {
    const bool reads =
        arguments.action == Arguments::Action::get || arguments.action == Arguments::Action::list;
    Value target = object({{"source", "local"}, {"scope", arguments.scope()}});
    if (const auto project = context.string("project"); !project.empty())
        target.set("projectId", project);
    if (arguments.conversation) target.set("conversationId", context.string("conversation"));
    const bool one_key = arguments.action != Arguments::Action::list;
    if (one_key) target.set("key", arguments.key);
    Value card = object({{"kind", "kv"}, {"operation", reads ? "read" : "write"}});
    const auto title = first_code_points(one_key ? arguments.key : arguments.prefix, max_title);
    if (!title.empty()) card.set("title", title);
    card.set("target", std::move(target));
    return card;
}

} // namespace

class KeyValue : public Capability {
public:
    static constexpr bool concurrent = true;

    KeyValue(const Host& host, const Value&) : store_(host.store()) {}

    Value tools() override { return object({{"tools", array({tool_definition()})}}); }

    Value run(std::string_view tool, const Value& given, Call& call) override {
        if (tool != "kv_store")
            throw Failure(FOXWEDGE_E_UNSUPPORTED, "unknown_tool", "there is only kv_store");
        try {
            const Arguments arguments = read_arguments(given);
            const Value context = call.context();
            if (arguments.conversation && context.string("conversation").empty())
                throw Refused{"input_validation", "this call belongs to no conversation",
                              object({{"pointer", "/scope"}})};
            return success(act(arguments, call),
                           object({{"resourceCard", resource_card(arguments, context)}}));
        } catch (const Refused& refused) {
            return failure(refused);
        }
    }

private:
    Value act(const Arguments& arguments, const Call& call) {
        switch (arguments.action) {
        case Arguments::Action::get:
            return get(arguments, call);
        case Arguments::Action::set:
            return set(arguments, call);
        case Arguments::Action::remove:
            return remove(arguments, call);
        case Arguments::Action::list:
            return list(arguments, call);
        }
        throw Failure(FOXWEDGE_E_INTERNAL, "internal", "an action without code");
    }

    Value ask(Value op, const Call& call) const {
        return capability_kit::ask(store_, call, std::move(op));
    }

    Value get(const Arguments& arguments, const Call& call) {
        const Value found = ask(operation("get", arguments), call);
        if (!found.boolean("found", false)) return object({{"found", false}});
        Value out = object({{"found", true}, {"value", found["value"]}});
        if (const Value* revision = found.find("revision")) out.set("revision", *revision);
        return out;
    }

    Value set(const Arguments& arguments, const Call& call) {
        Value put = operation("put", arguments);
        put.set("value", arguments.value);
        if (arguments.revision) {
            // Said here with the revision that is; the store compares again when it commits.
            const Value now = ask(operation("get", arguments), call);
            const auto revision = now.boolean("found", false) ? now.integer("revision", 0) : 0;
            if (revision != *arguments.revision) throw stale("the key", revision);
            put.set("expect", *arguments.revision);
        }
        const Value done = ask(std::move(put), call);
        Value out = object({{"key", arguments.key}, {"written", true}});
        // A revision is given at the commit; a store that knows it before may say so.
        if (const auto revision = done.integer("revision", 0); revision > 0)
            out.set("revision", revision);
        return out;
    }

    Value remove(const Arguments& arguments, const Call& call) {
        const Value done = ask(operation("delete", arguments), call);
        return object({{"key", arguments.key}, {"deleted", done.boolean("found", false)}});
    }

    Value list(const Arguments& arguments, const Call& call) {
        Value scan = object({{"op", "scan"},
                             {"scope", arguments.scope()},
                             {"prefix", arguments.prefix},
                             {"limit", arguments.limit}});
        if (!arguments.after.empty()) scan.set("after", arguments.after);
        const Value page = ask(std::move(scan), call);
        Value keys = array();
        for (const Value& item : page.array("items")) {
            Value& key = keys.push(object({{"key", item["key"]}}));
            if (const Value* revision = item.find("revision")) key.set("revision", *revision);
        }
        Value out = object({{"keys", std::move(keys)}});
        if (const auto next = page.string("next"); !next.empty())
            out.set("cursor", make_cursor(arguments.conversation, next));
        return out;
    }

    const Store store_;
};

} // namespace kv

FOXWEDGE_PLUGIN(foxwedge::plugin::component<kv::KeyValue>("workflow-kv"));
