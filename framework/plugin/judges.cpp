#include "plugin/judges.hpp"

namespace foxwedge::plugin {
namespace {

constexpr std::size_t most_handles = 10'000;
constexpr std::size_t most_seen = 256; // then all are forgotten: simple, and rarely reached

Result<CompiledSchema> compiled(const Json& schema) {
    auto made = schema::Schema::compile(schema);
    if (!made) return std::move(made).error();
    return std::make_shared<const schema::Schema>(std::move(*made));
}

Result<CompiledRule> compiled(std::string_view text, std::vector<std::string> names) {
    auto made = rule::Rule::compile(text, names);
    if (!made) return std::move(made).error();
    return std::make_shared<const NamedRule>(NamedRule{std::move(*made), std::move(names)});
}

Error no_handle() {
    return permanent("not_found", "there is no such handle");
}

} // namespace

Result<Json> NamedRule::evaluate(const JsonObject& values) const {
    std::vector<const Json*> ordered;
    for (const auto& name : names) ordered.push_back(values.if_contains(name));
    return rule.evaluate(ordered);
}

Result<std::uint64_t> Judges::keep(Compiled compiled) {
    std::lock_guard lock(mutex_);
    if (handles_.size() >= most_handles)
        return permanent("too_many", "too many handles are open: release some");
    handles_.emplace(++last_, std::move(compiled));
    return last_;
}
Result<std::uint64_t> Judges::compile_schema(const Json& schema) {
    FOXWEDGE_TRY(made, compiled(schema));
    return keep(made);
}
Result<std::uint64_t> Judges::compile_rule(std::string_view text, std::vector<std::string> names) {
    FOXWEDGE_TRY(made, compiled(text, std::move(names)));
    return keep(made);
}

Status Judges::release(std::uint64_t handle) {
    std::lock_guard lock(mutex_);
    if (handles_.erase(handle) == 0) return no_handle();
    return {};
}

template <class Sort>
Result<Sort> Judges::by_handle(std::uint64_t handle) const {
    std::lock_guard lock(mutex_);
    const auto it = handles_.find(handle);
    if (it == handles_.end() || !std::holds_alternative<Sort>(it->second)) return no_handle();
    return std::get<Sort>(it->second);
}
Result<CompiledSchema> Judges::schema_of(std::uint64_t handle) const {
    return by_handle<CompiledSchema>(handle);
}
Result<CompiledRule> Judges::rule_of(std::uint64_t handle) const {
    return by_handle<CompiledRule>(handle);
}

template <class Sort, class Make>
Result<Sort> Judges::seen(const std::string& text, Make make) {
    {
        std::lock_guard lock(mutex_);
        if (const auto it = seen_.find(text); it != seen_.end()) return std::get<Sort>(it->second);
    }
    Result<Sort> made = make();
    if (!made) return made;
    std::lock_guard lock(mutex_);
    if (seen_.size() >= most_seen) seen_.clear();
    seen_.emplace(text, *made);
    return made;
}
Result<CompiledSchema> Judges::schema_for(const Json& schema) {
    return seen<CompiledSchema>("schema " + to_text(schema), [&] { return compiled(schema); });
}
Result<CompiledRule> Judges::rule_for(std::string_view text, std::vector<std::string> names) {
    auto key = "rule " + std::string(text);
    for (const auto& name : names) key += '\n' + name;
    return seen<CompiledRule>(key, [&] { return compiled(text, std::move(names)); });
}

} // namespace foxwedge::plugin
