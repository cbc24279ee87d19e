// What a plugin was held to, and how it did: the report that `plugins check` prints and a vendor
// can publish.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace foxwedge::plugin::conformance {

enum class Outcome : std::uint8_t { passed, failed, skipped };
const char* to_string(Outcome) noexcept;

struct Finding {
    std::string subject; ///< "file", or kind and id of a component: "capability kv"
    std::string id;      ///< stable, for programs: "tools.listed", "run.kv_store.cancelled"
    std::string promise; ///< what was asked for, a sentence
    Outcome outcome = Outcome::passed;
    std::string detail; ///< failed: what happened instead; skipped: why
};

struct Report {
    std::string path, id, version, title, sha256; ///< as far as the file tells
    std::string host_version;
    std::vector<std::string> sealed_by; ///< what kept the plugin in while it ran
    std::vector<Finding> findings;

    bool conforms() const;
    std::size_t count(Outcome) const;
};
/// {"plugin", "host", "sealedBy", "conforms", "passed", "failed", "skipped", "findings"}.
Json to_json(const Report&);

/// Takes down the findings about one subject.
class Ledger {
public:
    Ledger(Report& report, std::string subject) : report_(report), subject_(std::move(subject)) {}

    /// Passed if `problem` is empty; says which.
    bool note(std::string id, std::string promise, std::string problem);
    void skip(std::string id, std::string promise, std::string why);
    /// Where further findings would follow from one that is there.
    bool failed() const { return failed_; }

private:
    Report& report_;
    const std::string subject_;
    bool failed_ = false;
};

} // namespace foxwedge::plugin::conformance
