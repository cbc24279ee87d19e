// A capability whose tools start agents and wait: what the `agents` and `wait` services are for.
#include <string>
#include <string_view>

#include <foxwedge/plugin.hpp>

namespace {

using namespace foxwedge::plugin;

Value tool(const char* name, Value properties) {
    return object(
        {{"name", name},
         {"description", "a tool of the tests"},
         {"inputSchema", object({{"type", "object"}, {"properties", std::move(properties)}})}});
}

Value said(std::string text) {
    return object({{"content", array({object({{"type", "text"}, {"text", std::move(text)}})})}});
}

class Delegate : public Capability {
public:
    static constexpr bool concurrent = true;

    Delegate(const Host& host, const Value&) : agents_(host.agents()), wait_(host.wait()) {}

    Value tools() override {
        return object({{"tools", array({tool("ask", object({{"requests", object()}})),
                                        tool("nap", object({{"until", object()}})),
                                        tool("listen", object({{"signal", object()}})),
                                        tool("drop", object({{"requests", object()}})),
                                        tool("loaf", object())})}});
    }

    Value run(std::string_view name, const Value& arguments, Call& call) override {
        if (name == "ask") return ask(arguments, call, false);
        if (name == "drop") return ask(arguments, call, true);
        if (name == "nap") return rest(wait_.until(call, arguments.integer("until", 0)));
        if (name == "listen") return rest(wait_.signal(call, arguments.string("signal")));
        throw parked(); // for nothing
    }

private:
    /// Starts one child for each request and gives what they answered, in the order of their ends.
    Value ask(const Value& arguments, Call& call, bool cancels) {
        std::string all;
        const auto& requests = arguments.array("requests");
        for (const Value& request : requests) {
            const Value started = agents_.start(call, request).value();
            const Value again = agents_.start(call, request).value();
            if (started.string("ticket") != again.string("ticket")) all += "[two tickets]";
            if (cancels) agents_.cancel(call, std::string(started.string("ticket"))).value();
        }
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const Value ended = agents_.next(call).value();
            const Value* const value = ended.find("value");
            all += std::string(ended.string("status")) + " " +
                   (value ? to_text(*value) : std::string(ended["error"].string("code"))) + "; ";
        }
        return said(all);
    }

    Value rest(const Reply& reply) const {
        const Value answer = reply.value();
        if (!answer.boolean("fired", false)) throw parked();
        return said("awake " + to_text(answer));
    }

    Agents agents_;
    Wait wait_;
};

} // namespace

FOXWEDGE_PLUGIN(foxwedge::plugin::component<Delegate>("delegate"));
