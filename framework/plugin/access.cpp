#include "plugin/access.hpp"

#include <algorithm>

namespace foxwedge::plugin {
namespace {

template <class Visit>
void walk(const Json& value, const Visit& visit) {
    visit(value);
    if (value.is_array())
        for (const auto& element : value.get_array()) walk(element, visit);
    if (value.is_object())
        for (const auto& [key, element] : value.get_object()) walk(element, visit);
}

std::vector<std::string> origins_in(const Json& config) {
    std::vector<std::string> origins;
    walk(config, [&](const Json& value) {
        if (!value.is_string()) return;
        const auto text = foxwedge::view(value.get_string());
        if (!text.starts_with("http://") && !text.starts_with("https://")) return;
        if (auto origin = http::origin_of(text)) origins.push_back(std::move(*origin));
    });
    return origins;
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

Error wrong_origin(std::string_view name, std::string_view origin) {
    return permanent("secret_origin", "the secret " + std::string(name) + " may not be sent to " +
                                          std::string(origin) +
                                          "; add that origin to the secret's \"origins\" if you "
                                          "trust it");
}

} // namespace

std::set<std::string> secrets_named_in(const Json& config) {
    std::set<std::string> names;
    walk(config, [&](const Json& value) {
        if (value.is_object())
            if (const auto name = string_member(value, "secret")) names.emplace(*name);
    });
    return names;
}

http::Caller access_of(const Component& component, const Json& config, bool shipped,
                       const Lent& lent, const std::shared_ptr<Masking>& masking) {
    http::Caller caller;
    caller.grant.origins = origins_in(config);
    auto named = secrets_named_in(config);
    std::set<std::string> own;
    if (shipped) own.insert(component.secrets.begin(), component.secrets.end());
    named.insert(own.begin(), own.end());
    caller.secrets = [=, origins = caller.grant.origins, secrets = lent.secrets,
                      environment = lent.environment](
                         std::string_view name, std::string_view origin) -> Result<std::string> {
        if (!named.contains(std::string(name)))
            return permanent("unknown_secret", "the configuration of " + component.id +
                                                   " does not name the secret " +
                                                   std::string(name));
        std::optional<SecretValue> found;
        if (secrets) {
            FOXWEDGE_TRY(defined, secrets(name));
            found = std::move(defined);
        }
        if (!found && own.contains(std::string(name)) && environment)
            if (auto value = environment(name)) found = SecretValue{std::move(*value), origins};
        if (!found) {
            // Only for a shipped plugin's own does the environment help by itself.
            const auto variable =
                own.contains(std::string(name))
                    ? "set the environment variable " + std::string(name) + ", or "
                    : std::string();
            return permanent("unknown_secret", "the secret " + std::string(name) +
                                                   " is not defined: " + variable +
                                                   "define it under \"secrets\" in the config");
        }
        if (!contains(found->origins, origin)) return wrong_origin(name, origin);
        masking->learn(name, found->value);
        return std::move(found->value);
    };
    return caller;
}

} // namespace foxwedge::plugin
