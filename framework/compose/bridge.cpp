#include "compose/bridge.hpp"

#include <charconv>
#include <optional>

#include "http/url.hpp"

namespace foxwedge::compose {
namespace {

struct Pair {
    std::string url_name, token_name;
    std::optional<std::string> url, token;

    bool whole() const { return url && token; }
};

Pair pair_of(const std::string& prefix, const plugin::EnvironmentLookup& environment) {
    Pair pair{prefix + "_URL", prefix + "_TOKEN", {}, {}};
    const auto filled = [&](const std::string& name) {
        auto value = environment ? environment(name) : std::nullopt;
        return value && !value->empty() ? value : std::nullopt;
    };
    pair.url = filled(pair.url_name);
    pair.token = filled(pair.token_name);
    return pair;
}

std::string missing_in(const Pair& pair) {
    if (!pair.url && !pair.token) return pair.url_name + " and " + pair.token_name + " are not set";
    return (pair.url ? pair.token_name : pair.url_name) + " is not set";
}

bool is_port(std::string_view digits) {
    int port = 0;
    const auto end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, port);
    return !digits.empty() && digits.front() != '+' && error == std::errc{} && at == end &&
           port > 0 && port <= 65535;
}

} // namespace

std::string bridge_url_problem(std::string_view url) {
    constexpr std::string_view start = "http://127.0.0.1";
    if (url.substr(0, start.size()) != start) return "it must start with http://127.0.0.1";
    for (const char c : url)
        if (c <= ' ' || c == 0x7F || c == '\\') return "it holds a character that no address has";
    auto rest = url.substr(start.size());
    if (rest.find_first_of("?#") != rest.npos) return "it may have no query and no fragment";
    const auto authority = rest.substr(0, rest.find('/'));
    if (authority.empty()) return {};
    if (authority.find('@') != authority.npos) return "it may carry no user or password";
    if (authority.front() != ':') return "its host must be 127.0.0.1";
    return is_port(authority.substr(1)) ? "" : "its port must be a number from 1 to 65535";
}

Bridge injected_bridge(const plugin::EnvironmentLookup& environment) {
    const auto ours = pair_of("FOXWEDGE_HOST_BRIDGE", environment);
    const auto theirs = pair_of("STEAMHARNESS_DEVELOPER_ASSISTANT_HOST_BRIDGE", environment);
    const auto& pair = ours.whole() ? ours : theirs;
    Bridge bridge;
    if (!pair.whole()) {
        const bool half = ours.url || ours.token;
        bridge.problem = "no host bridge was injected: " + missing_in(half ? ours : theirs);
        return bridge;
    }
    if (const auto wrong = bridge_url_problem(*pair.url); !wrong.empty()) {
        bridge.problem = "the address in " + pair.url_name + " is no loopback bridge: " + wrong;
        return bridge;
    }
    bridge.url = *pair.url;
    bridge.token_variable = pair.token_name;
    return bridge;
}

Json Bridge::config() const {
    if (!problem.empty()) return nullptr;
    return JsonObject{{"url", url}, {"token", JsonObject{{"secret", bridge_secret}}}};
}

std::map<std::string, config::SecretSource>
Bridge::secrets_with(std::map<std::string, config::SecretSource> secrets) const {
    if (!problem.empty()) return secrets;
    config::SecretSource token;
    token.env = token_variable;
    if (const auto origin = http::origin_of(url)) token.origins = {*origin};
    secrets[std::string(bridge_secret)] = std::move(token);
    return secrets;
}

} // namespace foxwedge::compose
