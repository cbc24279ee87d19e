// Secrets of one host: resolved when used, kept in memory, masked in everything that is written.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/secret.hpp"
#include "config/host_config.hpp"

namespace foxwedge::compose {

/// Any thread.
class Secrets {
public:
    explicit Secrets(std::map<std::string, config::SecretSource> sources)
        : sources_(std::move(sources)) {}

    bool defines(const std::string& name) const { return sources_.count(name) > 0; }
    /// The value of a secret: as the config says, else the environment variable of that name.
    /// `unset_secret` names what is missing and where to define it; never the value.
    Result<std::string> value(const std::string& name);
    /// Where the config lets it be sent, as http::origin_of writes it; empty if the config does not
    /// define it.
    std::vector<std::string> origins(const std::string& name) const;
    /// Fills in `${secret:NAME}` and `${env:NAME}` of a secret-bearing field. `origin`: where the
    /// text is sent over HTTP, "" if it is not. `secret_origin` for a secret that the config
    /// defines and does not let go there.
    Result<std::string> filled(std::string_view text, std::string_view origin);

    /// Keeps a value that code gave out of what is written, as `name`; the newest of a name counts.
    void learn(const std::string& name, const std::string& value);

    /// `text` with every value that was resolved so far replaced by its name.
    std::string masked(std::string_view text) const;
    bool any() const;

private:
    Result<std::string> resolve(const std::string& name) const;
    Status check_origin(const std::string& name, std::string_view origin) const;

    const std::map<std::string, config::SecretSource> sources_;
    mutable std::shared_mutex mutex_;
    std::map<std::string, std::string> known_;
    std::shared_ptr<const Masker> masker_ = std::make_shared<Masker>();
};

} // namespace foxwedge::compose
