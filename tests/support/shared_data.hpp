// The public suites and recordings that tests read where they are present.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <boost/test/unit_test.hpp>

namespace foxwedge::test {

/// The folder or file `part` of the shared data. Where it is missing the test says so and skips
/// (nothing is returned); with CI=true it fails instead: there the data must be present.
inline std::optional<std::filesystem::path> shared_data(const std::string& part) {
    const char* root = std::getenv("FOXWEDGE_SHARED_DATA");
    std::filesystem::path path =
        root ? std::filesystem::path(root) / part : std::filesystem::path();
    std::error_code ignored;
    if (root && std::filesystem::exists(path, ignored)) return path;
    const char* ci = std::getenv("CI");
    auto missing =
        "shared data \"" + part + "\" is not here (FOXWEDGE_SHARED_DATA names its folder)";
    if (ci && std::string(ci) == "true") BOOST_FAIL(missing);
    BOOST_TEST_MESSAGE("skipped: " << missing);
    return std::nullopt;
}

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace foxwedge::test
