// A plugin with another Boost than the host's, which uses the same parts of it: built by its test
// (plugin_test.py).
#include <boost/asio.hpp>
#include <boost/version.hpp>

#include <foxwedge/plugin.hpp>

namespace {

using namespace foxwedge::plugin;

class OtherBoost final : public Capability {
public:
    OtherBoost(const Host&, const Value&) {}
    Value tools() override {
        return Value::parse(R"({"tools": [{"name": "post", "description": "Posts and counts.",
            "inputSchema": {"type": "object"}, "effect": "none"}]})");
    }
    Value run(std::string_view, const Value&, Call&) override {
        boost::asio::io_context context;
        int count = 0;
        for (int n = 0; n < 100; ++n) boost::asio::post(context, [&] { ++count; });
        context.run();
        const auto text = std::string(BOOST_LIB_VERSION) + ": " + std::to_string(count);
        return object({{"content", array({object({{"type", "text"}, {"text", text}})})}});
    }
};

} // namespace

FOXWEDGE_PLUGIN(component<OtherBoost>("other-boost"));
FOXWEDGE_DESCRIPTOR(R"({"id": "other-boost", "version": "1.0.0", "title": "Another Boost",
    "abi": {"major": 1, "minMinor": 0}, "components": [
        {"kind": "foxwedge.capability/1", "id": "other-boost", "title": "Another Boost"}]})");
