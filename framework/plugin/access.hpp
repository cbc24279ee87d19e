// What one configured component may reach: the origins and secrets that its configuration names.
#pragma once
#include <memory>
#include <set>
#include <string>

#include "base/json.hpp"
#include "http/client.hpp"
#include "plugin/descriptor.hpp"
#include "plugin/lent.hpp"

namespace foxwedge::plugin {

/// Grant and resolver for the http service. Origins: every http(s) URL in `config`. Secrets: those
/// that `config` names as {"secret": NAME}, and for a shipped plugin those of its descriptor; one
/// that the host does not define is then the environment variable of that name, open to the
/// component's own origins alone. Each secret that is given out is learnt by `masking`.
http::Caller access_of(const Component&, const Json& config, bool shipped, const Lent&,
                       const std::shared_ptr<Masking>& masking);

/// The names in {"secret": NAME} anywhere in a configuration.
std::set<std::string> secrets_named_in(const Json& config);

} // namespace foxwedge::plugin
