// From a file to a HostConfig: comments, includes, substitution, all mistakes at once.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/host_config.hpp"
#include "config/problem.hpp"

namespace foxwedge::config {

struct LoadOptions {
    /// Where ${env:NAME} comes from; default: this process's environment.
    std::function<std::optional<std::string>(std::string_view name)> environment;
    /// `--set agents.support.model=x`: dotted path and value, JSON where it parses, else text.
    std::vector<std::pair<std::string, std::string>> sets;
};

struct Loaded {
    std::optional<HostConfig> config; ///< none if any problem is no warning
    std::vector<Problem> problems;    ///< warnings too, in order of place
};

/// Reads `path` and what it includes. Touches no network, starts nothing. Any thread.
Loaded load(const std::string& path, const LoadOptions& = {});

/// `invalid_config`, whose message tells every mistake, each on a line of its own.
Error invalid_config(const std::vector<Problem>&);

/// The configuration that a run has pinned (HostConfig::resolved).
Result<HostConfig> read_pinned(const Json& resolved, const std::string& file);

/// A pinned configuration with `sets` in it, each as LoadOptions::sets. Paths are not made absolute
/// and nothing is filled in: the values are taken as they are.
Json with_values(Json resolved, const std::vector<std::pair<std::string, std::string>>& sets);

/// The published JSON Schema (2020-12) of a config file.
Json json_schema();

/// Where a host of this name keeps its journal by default.
std::string default_journal_path(std::string_view name, const LoadOptions& = {});

} // namespace foxwedge::config
