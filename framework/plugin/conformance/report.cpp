#include "plugin/conformance/report.hpp"

#include <algorithm>

#include <foxwedge/abi.h>

namespace foxwedge::plugin::conformance {

const char* to_string(Outcome outcome) noexcept {
    switch (outcome) {
    case Outcome::passed:
        return "passed";
    case Outcome::failed:
        return "failed";
    case Outcome::skipped:
        break;
    }
    return "skipped";
}

bool Report::conforms() const {
    return count(Outcome::failed) == 0;
}

std::size_t Report::count(Outcome outcome) const {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [outcome](const Finding& finding) { return finding.outcome == outcome; }));
}

Json to_json(const Report& report) {
    // Published, it says nothing of the machine that it was made on.
    const auto file_name = [](std::string_view path) {
        return std::string(path.substr(path.rfind('/') + 1));
    };
    JsonArray findings;
    for (const auto& finding : report.findings) {
        JsonObject one{{"subject", finding.subject},
                       {"id", finding.id},
                       {"promise", finding.promise},
                       {"outcome", to_string(finding.outcome)}};
        if (!finding.detail.empty()) one["detail"] = finding.detail;
        findings.push_back(std::move(one));
    }
    JsonArray sealed_by;
    for (const auto& means : report.sealed_by) sealed_by.emplace_back(means);
    return JsonObject{{"plugin", JsonObject{{"file", file_name(report.path)},
                                            {"id", report.id},
                                            {"version", report.version},
                                            {"title", report.title},
                                            {"sha256", report.sha256}}},
                      {"host", JsonObject{{"name", "foxwedge"},
                                          {"version", report.host_version},
                                          {"abi", JsonObject{{"major", FOXWEDGE_ABI_MAJOR},
                                                             {"minor", FOXWEDGE_ABI_MINOR}}}}},
                      {"sealedBy", std::move(sealed_by)},
                      {"conforms", report.conforms()},
                      {"passed", report.count(Outcome::passed)},
                      {"failed", report.count(Outcome::failed)},
                      {"skipped", report.count(Outcome::skipped)},
                      {"findings", std::move(findings)}};
}

bool Ledger::note(std::string id, std::string promise, std::string problem) {
    const bool passed = problem.empty();
    failed_ = failed_ || !passed;
    report_.findings.push_back({subject_, std::move(id), std::move(promise),
                                passed ? Outcome::passed : Outcome::failed, std::move(problem)});
    return passed;
}

void Ledger::skip(std::string id, std::string promise, std::string why) {
    report_.findings.push_back(
        {subject_, std::move(id), std::move(promise), Outcome::skipped, std::move(why)});
}

} // namespace foxwedge::plugin::conformance
