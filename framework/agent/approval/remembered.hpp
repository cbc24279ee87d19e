// "Always": a decision that a person lets stand for calls to come. A stored rule of the project,
// which outranks nothing that states its own `approval`; it can be listed and revoked.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/world.hpp"

namespace foxwedge::agent {

struct RememberedRule {
    std::string id;        ///< 26 characters
    std::string tool;      ///< as the model calls it
    std::string condition; ///< CEL over tool, args, risk, iteration; "" for none
    std::string run;       ///< root run that it holds for; "" for the whole project
    std::string by;        ///< "user:<name>"
    Time made{};
};
Json to_json(const RememberedRule&);

/// Writes for Engine::apply: keep the rule, or revoke it.
journal::Effect remember_effect(const std::string& project, const RememberedRule&);
journal::Effect revoke_effect(const std::string& project, const std::string& id);

/// All rules of a project, oldest first.
Result<std::vector<RememberedRule>> remembered_rules(StoreReader&, const std::string& project);
Result<std::vector<RememberedRule>> remembered_rules(journal::Engine&, const std::string& project);

/// The first rule that lets this call pass, or nothing. A condition that cannot be evaluated lets
/// nothing pass. Pure.
std::optional<std::string> remembered_approval(const std::vector<RememberedRule>&,
                                               std::string_view root_run, const RuleCall&,
                                               std::string_view risk, RuleLanguage*);

} // namespace foxwedge::agent
