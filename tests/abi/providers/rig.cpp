#include "rig.hpp"

#include <cstdlib>

namespace provider_test {

std::string library(const std::string& plugin) {
    const char* root = std::getenv("FOXWEDGE_BUILD_ROOT");
    BOOST_REQUIRE_MESSAGE(root, "FOXWEDGE_BUILD_ROOT names the build folder");
    const auto shipped = std::string(root) + "/plugins/" + plugin + "/" + plugin + ".so";
    if (std::filesystem::exists(shipped)) return shipped;
    return std::string(root) + "/tests/abi/" + plugin + ".so";
}

Rig::Rig(const std::string& name, std::string_view component, const Value& config)
    : plugin(std::make_unique<plugin_host::Plugin>(host, library(name))),
      instance(plugin->create(component, config)) {}

void Rig::answer(int status, std::string_view content_type, std::string_view body,
                 std::size_t piece) {
    host.response_head =
        object({{"status", status}, {"headers", object({{"content-type", content_type}})}});
    host.response_pieces.clear();
    if (piece == 0) piece = body.size() + 1;
    for (std::size_t at = 0; at < body.size(); at += piece)
        host.response_pieces.emplace_back(body.substr(at, piece));
}

void Rig::header(std::string_view name, std::string_view value) {
    Value headers = host.response_head["headers"];
    headers.set(name, value);
    host.response_head.set("headers", headers);
}

Value Rig::question(std::string_view model) {
    return object(
        {{"model", model},
         {"system", ""},
         {"messages",
          array({object({{"role", "user"},
                         {"content", array({object({{"type", "text"}, {"text", "Hi"}})})}})})},
         {"tools", array()},
         {"toolChoice", "auto"},
         {"options", object()},
         {"idempotencyKey", "k"}});
}

std::string Rig::preview(const Outcome& outcome, std::uint32_t event) {
    std::string out;
    for (const auto& e : outcome.events)
        if (e.number == event) out += e.payload.string("text");
    return out;
}

std::string text_of(const Value& result, std::string_view type) {
    std::string out;
    for (const auto& block : result.array("content"))
        if (block.string("type") == type) out += block.string("text");
    return out;
}

Value calls_of(const Value& result) {
    Value calls = array();
    for (const auto& block : result.array("content")) {
        if (block.string("type") != "tool_call") continue;
        const auto text = block.string("arguments");
        calls.push(object({{"id", block.string("id")},
                           {"name", block.string("name")},
                           {"arguments", text.empty() ? object() : Value::parse(text)}}));
    }
    return calls;
}

} // namespace provider_test
