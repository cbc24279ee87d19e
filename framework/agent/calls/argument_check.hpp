// A tool's arguments against its inputSchema, its result against its outputSchema. The layer's only
// door to `schema`.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace foxwedge::agent {

struct SchemaVerdict {
    bool usable = true; ///< false: the schema itself is unusable, `problem` says why
    std::string problem;
    JsonArray violations; ///< {"instancePointer", "schemaPointer", "message"}; empty: conforms

    bool ok() const { return usable && violations.empty(); }
};

/// Compiled schemas by name, each compiled at its first use. Any thread.
class SchemaCache {
public:
    SchemaCache();
    ~SchemaCache();
    /// `key` names the schema, which must be the same each time.
    SchemaVerdict check(const std::string& key, const Json& schema, const Json& value);

private:
    struct Entry;
    std::mutex mutex_;
    std::map<std::string, std::unique_ptr<Entry>, std::less<>> entries_;
};

/// What is to be told about a schema when it is registered: an error makes it unusable.
struct SchemaReport {
    std::string error;
    std::vector<std::string> warnings;
};
SchemaReport inspect_schema(const Json& schema, bool strict_patterns);

/// "… does not fit: /amount: must be a number; …" for a model to correct itself by.
std::string violations_text(const JsonArray& violations);

} // namespace foxwedge::agent
