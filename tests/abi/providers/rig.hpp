// A provider's library, driven verb by verb, with answers that the test chooses.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "plugin_host/plugin.hpp"

namespace provider_test {

using foxwedge::plugin::array;
using foxwedge::plugin::object;
using foxwedge::plugin::Value;
using plugin_host::Outcome;

/// `plugin`: "provider-anthropic"; `component`: "anthropic".
class Rig {
public:
    Rig(const std::string& plugin, std::string_view component, const Value& config = object());

    /// What the server answers next: a head and a body, handed over in pieces of `piece` bytes
    /// (0: as one).
    void answer(int status, std::string_view content_type, std::string_view body,
                std::size_t piece = 0);
    void answer_stream(std::string_view body, std::size_t piece = 0) {
        answer(200, "text/event-stream", body, piece);
    }
    void answer_json(std::string_view body) { answer(200, "application/json", body); }
    void header(std::string_view name, std::string_view value);

    Outcome generate(const Value& request) { return instance->generate(request); }
    /// One question to the model "m".
    Outcome ask() { return generate(question()); }
    static Value question(std::string_view model = "m");
    /// The body that was sent last.
    Value sent() const { return Value::parse(host.requests.back().string("body")); }
    /// Text deltas that the host was given, joined.
    static std::string preview(const Outcome&, std::uint32_t event = FOXWEDGE_EVENT_TEXT);

    plugin_host::Host host;
    std::unique_ptr<plugin_host::Plugin> plugin;
    std::unique_ptr<plugin_host::Instance> instance;
};

inline bool has(const Value& value, std::string_view key) {
    return value.find(key) != nullptr;
}
/// The path of a plugin in the build tree: a shipped one's, else a sample's.
std::string library(const std::string& plugin);
/// The text blocks of a result, joined; likewise its reasoning.
std::string text_of(const Value& result, std::string_view type = "text");
/// [{"id", "name", "arguments": parsed}] of a result.
Value calls_of(const Value& result);

} // namespace provider_test
