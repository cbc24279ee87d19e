// What a host lends to its plugins, and how it keeps secrets out of what they say.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "plugin/script.hpp"

namespace foxwedge::http {
class Client;
}

namespace foxwedge::plugin {

/// A secret of the configuration, looked up at the moment of use.
struct SecretValue {
    std::string value;
    std::vector<std::string> origins; ///< as http::origin_of writes them
};
/// Nothing for a name that the configuration does not define; an error if it is defined and cannot
/// be had.
using SecretLookup = std::function<Result<std::optional<SecretValue>>(std::string_view name)>;
using EnvironmentLookup = std::function<std::optional<std::string>(std::string_view name)>;
using TextMask = std::function<std::string(std::string_view)>;

/// Everything here outlives the registry, or is shared with it.
struct Lent {
    Log* log = nullptr;                 ///< null: no lines are written
    std::shared_ptr<http::Client> http; ///< null: plugins get no http
    SecretLookup secrets;               ///< empty: the configuration defines none
    EnvironmentLookup environment;      ///< for shipped plugins' own secrets; empty: none
    ScriptStarter scripts;              ///< empty: no scripts
    TextMask mask;                      ///< the host's own, applied first; may be empty
};

/// Masks what it has been taught. Any thread.
class Masking {
public:
    explicit Masking(TextMask first) : first_(std::move(first)) {}
    void learn(std::string_view name, std::string_view value);
    std::string masked(std::string_view text) const;

private:
    const TextMask first_;
    mutable std::mutex mutex_;
    std::vector<Masker::Known> known_;
    std::shared_ptr<const Masker> masker_;
};

} // namespace foxwedge::plugin
