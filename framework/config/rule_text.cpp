// Rules are compiled when a config is read, so that a mistake is shown with its place in the file.
#include "config/shapes.hpp"
#include "rule/rule.hpp"

namespace foxwedge::config {

Codec<std::string> rule_text(std::vector<std::string> names) {
    return {[names = std::move(names)](Reading& r, const Json& v, const std::string& p,
                                       std::string& to) {
                nonempty_text().read(r, v, p, to);
                if (to.empty()) return;
                if (auto compiled = rule::Rule::compile(to, names); !compiled)
                    r.problem(p, "the rule \"" + to +
                                     "\" cannot be used: " + compiled.error().message);
            },
            [] { return nonempty_text().schema(); }};
}

} // namespace foxwedge::config
