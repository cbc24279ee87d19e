#include "agent/calls/argument_check.hpp"

#include <optional>

#include "schema/schema.hpp"

namespace foxwedge::agent {

struct SchemaCache::Entry {
    std::optional<schema::Schema> compiled;
    std::string problem;
};

SchemaCache::SchemaCache() = default;
SchemaCache::~SchemaCache() = default;

SchemaVerdict SchemaCache::check(const std::string& key, const Json& document, const Json& value) {
    Entry* entry = nullptr;
    {
        const std::lock_guard lock(mutex_);
        auto& slot = entries_[key];
        if (!slot) {
            slot = std::make_unique<Entry>();
            auto compiled = schema::Schema::compile(document);
            if (compiled)
                slot->compiled.emplace(*std::move(compiled));
            else
                slot->problem = compiled.error().message;
        }
        entry = slot.get();
    }
    SchemaVerdict out;
    if (!entry->compiled) {
        out.usable = false;
        out.problem = entry->problem;
        return out;
    }
    if (entry->compiled->valid(value)) return out;
    for (const schema::Violation& one : entry->compiled->check(value))
        out.violations.push_back(JsonObject{{"instancePointer", one.instance_pointer},
                                            {"schemaPointer", one.schema_pointer},
                                            {"message", one.message}});
    return out;
}

SchemaReport inspect_schema(const Json& document, bool strict_patterns) {
    SchemaReport report;
    schema::CompileOptions options;
    options.strict_patterns = strict_patterns;
    auto compiled = schema::Schema::compile(document, options);
    if (compiled)
        report.warnings = compiled->warnings();
    else
        report.error = compiled.error().message;
    return report;
}

std::string violations_text(const JsonArray& violations) {
    std::string out;
    for (const Json& one : violations) {
        if (!out.empty()) out += "\n";
        const auto pointer = string_member(one, "instancePointer").value_or("");
        out += "- ";
        out += pointer.empty() ? std::string_view("the whole") : pointer;
        out += ": ";
        out += string_member(one, "message").value_or("");
    }
    return out;
}

} // namespace foxwedge::agent
