// What every provider's configuration has: where it is, how one signs in, how long to wait.
#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include <foxwedge/call.hpp>

namespace provider_kit {

using foxwedge::plugin::Failure;
using foxwedge::plugin::Value;

/// The members `baseUrl`, `apiKey`, `headers`, `stream`, `timeoutMs`, `idleTimeoutMs` (see the
/// descriptors). A key is {"secret": NAME}, never a text: the host fills it in when it sends.
class Settings {
public:
    Settings(const Value& config, std::string_view base_url, std::string_view secret)
        : base_url_(config.string("baseUrl", base_url)), key_(config["apiKey"]),
          headers_(config["headers"]), stream_(config.boolean("stream", true)),
          timeout_ms_(config.integer("timeoutMs", 600'000)),
          idle_ms_(config.integer("idleTimeoutMs", 120'000)) {
        while (!base_url_.empty() && base_url_.back() == '/') base_url_.pop_back();
        // Another server may want no key at all, and ours is not for it. The host fills in the
        // schema's defaults, so the address decides, not whether it is named.
        if (!config.find("apiKey") && base_url_ == base_url)
            key_ = foxwedge::plugin::object({{"secret", secret}});
        if (key_.is_string())
            throw Failure(FOXWEDGE_E_INVALID, "invalid_config",
                          "apiKey is {\"secret\": NAME}, with the secret defined in \"secrets\"");
    }

    /// A POST of `body`; `name` and `prefix` say how the key travels.
    Value post(std::string_view path, const Value& body, std::string_view name,
               std::string_view prefix, std::string_view step_key) const {
        Value headers = foxwedge::plugin::object({{"content-type", "application/json"}});
        if (key_.is_object()) {
            Value key = key_;
            if (!key.find("prefix") && !prefix.empty()) key.set("prefix", prefix);
            headers.set(name, std::move(key));
        }
        if (!step_key.empty()) headers.set("idempotency-key", step_key);
        if (headers_.is_object())
            for (const auto& [header, value] : headers_.object()) headers.set(header, value);
        Value request = foxwedge::plugin::object({{"method", "POST"},
                                                  {"url", base_url_ + std::string(path)},
                                                  {"headers", std::move(headers)},
                                                  {"body", to_text(body)}});
        if (timeout_ms_ > 0) request.set("timeoutMs", timeout_ms_);
        if (idle_ms_ > 0) request.set("idleTimeoutMs", idle_ms_);
        return request;
    }

    const std::string& base_url() const { return base_url_; }
    bool stream() const { return stream_; }
    std::chrono::milliseconds idle() const { return std::chrono::milliseconds(idle_ms_); }

private:
    std::string base_url_;
    Value key_, headers_;
    bool stream_;
    std::int64_t timeout_ms_, idle_ms_;
};

} // namespace provider_kit
