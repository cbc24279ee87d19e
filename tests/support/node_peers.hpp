// Programs on Node that tests talk to; installed by tests/support/node-setup.sh.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <boost/test/unit_test.hpp>

namespace foxwedge::test {

struct NodePeer {
    std::string node;   ///< the node binary
    std::string script; ///< absolute
};

/// The program `script`, relative to the folder of the installed peers ("server-v1.mjs",
/// "node_modules/…"). Where it is not installed the test says so and skips; with CI=true it fails.
inline std::optional<NodePeer> node_peer(const std::string& script) {
    const char* build = std::getenv("FOXWEDGE_BUILD_ROOT");
    const std::filesystem::path folder = std::filesystem::path(build ? build : ".") / "node";
    std::error_code ignored;
    if (std::filesystem::exists(folder / "node", ignored) &&
        std::filesystem::exists(folder / script, ignored))
        return NodePeer{folder / "node", folder / script};
    const auto missing = script + " is not installed (tests/support/node-setup.sh does it)";
    const char* ci = std::getenv("CI");
    if (ci && std::string(ci) == "true") BOOST_FAIL(missing);
    BOOST_TEST_MESSAGE("skipped: " << missing);
    return std::nullopt;
}

} // namespace foxwedge::test
