// host_configuration: the configurations of the application that this host runs in, through the
// loopback bridge that it injected.
#include <string_view>

#include <foxwedge/plugin.hpp>

#include "arguments.hpp"
#include "bridge.hpp"
#include "common/result.hpp"

namespace host_bridge {

using namespace foxwedge::plugin;
using namespace capability_kit;

class HostConfiguration : public Capability {
public:
    static constexpr bool concurrent = true;

    HostConfiguration(const Host& host, const Value& config)
        : http_(host.http()), bridge_{std::string(config.string("url")), config["token"]} {}

    Value tools() override { return object({{"tools", array({tool_definition()})}}); }

    Value run(std::string_view tool, const Value& arguments, Call& call) override {
        if (tool != "host_configuration")
            throw Failure(FOXWEDGE_E_UNSUPPORTED, "unknown_tool",
                          "there is only host_configuration");
        try {
            const Asked asked = read_arguments(arguments);
            if (bridge_.url.empty() || !bridge_.token.is_object())
                throw Refused{"unavailable", "no host bridge was injected", nullptr};
            return success(send(http_, call, bridge_, asked), object());
        } catch (const Refused& refused) {
            return failure(refused);
        }
    }

private:
    const Http http_;
    const Bridge bridge_;
};

} // namespace host_bridge

FOXWEDGE_PLUGIN(foxwedge::plugin::component<host_bridge::HostConfiguration>("workflow-host"));
