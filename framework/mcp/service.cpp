#include "mcp/service.hpp"

#include <algorithm>

namespace foxwedge::mcp {
namespace {

std::string_view name_of(const ServedTool& each) {
    return each.definition.name;
}
std::string_view name_of(const ServedPrompt& each) {
    return string_member(each.listed, "name").value_or("");
}
std::string_view name_of(const ServedResource& each) {
    const auto uri = string_member(each.listed, "uri");
    return uri ? *uri : string_member(each.listed, "uriTemplate").value_or("");
}

template <class Item>
void put(std::vector<std::shared_ptr<const Item>>& all, Item item) {
    auto next = std::make_shared<const Item>(std::move(item));
    for (auto& each : all)
        if (name_of(*each) == name_of(*next)) return (void)(each = std::move(next));
    all.push_back(std::move(next));
}

template <class Item>
std::shared_ptr<const Item> find(const std::vector<std::shared_ptr<const Item>>& all,
                                 std::string_view name) {
    for (const auto& each : all)
        if (name_of(*each) == name) return each;
    return nullptr;
}

template <class Item>
bool erase(std::vector<std::shared_ptr<const Item>>& all, std::string_view name) {
    return std::erase_if(all, [&](const auto& each) { return name_of(*each) == name; }) > 0;
}

/// Fits `uri` to a template of plain `{variables}`, each of which takes one path segment.
bool fits(std::string_view pattern, std::string_view uri, JsonObject& variables) {
    while (true) {
        const auto open = pattern.find('{');
        const auto literal = pattern.substr(0, open);
        if (uri.substr(0, literal.size()) != literal) return false;
        uri.remove_prefix(literal.size());
        if (open == pattern.npos) return uri.empty();
        const auto close = pattern.find('}', open);
        if (close == pattern.npos) return false;
        const auto name = pattern.substr(open + 1, close - open - 1);
        pattern.remove_prefix(close + 1);
        const auto value = uri.substr(0, uri.find('/'));
        if (value.empty()) return false;
        variables[boost::json::string_view(name.data(), name.size())] = value;
        uri.remove_prefix(value.size());
    }
}

} // namespace

Status Service::add(ServedTool tool) {
    if (tool.definition.input_schema.is_object()) {
        FOXWEDGE_TRY(compiled, schema::Schema::compile(tool.definition.input_schema));
        tool.schema = std::make_shared<const schema::Schema>(std::move(compiled));
        FOXWEDGE_TRY(headers, header_params(tool.definition.input_schema));
        tool.headers = std::move(headers);
    }
    {
        std::lock_guard lock(mutex_);
        put(tools_, std::move(tool));
    }
    tell(List::tools, "");
    return {};
}
void Service::add(ServedPrompt prompt) {
    {
        std::lock_guard lock(mutex_);
        put(prompts_, std::move(prompt));
    }
    tell(List::prompts, "");
}
void Service::add(ServedResource resource) {
    {
        std::lock_guard lock(mutex_);
        put(resources_, std::move(resource));
    }
    tell(List::resources, "");
}

bool Service::remove_tool(std::string_view name) {
    {
        std::lock_guard lock(mutex_);
        if (!erase(tools_, name)) return false;
    }
    tell(List::tools, "");
    return true;
}
bool Service::remove_prompt(std::string_view name) {
    {
        std::lock_guard lock(mutex_);
        if (!erase(prompts_, name)) return false;
    }
    tell(List::prompts, "");
    return true;
}
void Service::changed(std::string_view uri) {
    tell(List::resources, uri);
}

std::shared_ptr<const ServedTool> Service::tool(std::string_view name) const {
    std::lock_guard lock(mutex_);
    return find(tools_, name);
}
std::shared_ptr<const ServedPrompt> Service::prompt(std::string_view name) const {
    std::lock_guard lock(mutex_);
    return find(prompts_, name);
}
std::shared_ptr<const ServedResource> Service::resource(std::string_view uri,
                                                        Json& variables) const {
    std::lock_guard lock(mutex_);
    for (const auto& each : resources_)
        if (string_member(each->listed, "uri") == uri) return each;
    for (const auto& each : resources_) {
        JsonObject values;
        const auto pattern = string_member(each->listed, "uriTemplate");
        if (!pattern || !fits(*pattern, uri, values)) continue;
        variables = std::move(values);
        return each;
    }
    return nullptr;
}

JsonArray Service::listed_tools() const {
    std::lock_guard lock(mutex_);
    JsonArray list;
    for (const auto& each : tools_) list.push_back(listed_tool(each->definition));
    return list;
}
JsonArray Service::listed_prompts() const {
    std::lock_guard lock(mutex_);
    JsonArray list;
    for (const auto& each : prompts_) list.push_back(each->listed);
    return list;
}
JsonArray Service::listed_resources(bool templates, std::string_view user) const {
    JsonArray list;
    {
        std::lock_guard lock(mutex_);
        for (const auto& each : resources_)
            if ((member(each->listed, "uriTemplate") != nullptr) == templates)
                list.push_back(each->listed);
    }
    if (templates) return list;
    for (const auto& lister : listers_)
        for (Json& each : lister(user)) list.push_back(std::move(each));
    return list;
}

Json Service::capabilities() const {
    std::lock_guard lock(mutex_);
    JsonObject offered{{"logging", JsonObject()}, {"tools", JsonObject{{"listChanged", true}}}};
    if (!prompts_.empty()) offered["prompts"] = JsonObject{{"listChanged", true}};
    if (!resources_.empty())
        offered["resources"] = JsonObject{{"subscribe", true}, {"listChanged", true}};
    if (completion_) offered["completions"] = JsonObject();
    return offered;
}

std::shared_ptr<void> Service::listen(Hear hear) {
    auto token = std::make_shared<Hear>(std::move(hear));
    std::lock_guard lock(mutex_);
    std::erase_if(listeners_, [](const auto& each) { return each.expired(); });
    listeners_.push_back(token);
    return token;
}

void Service::tell(List list, std::string_view uri) {
    std::vector<std::shared_ptr<Hear>> listeners;
    {
        std::lock_guard lock(mutex_);
        for (const auto& each : listeners_)
            if (auto hear = each.lock()) listeners.push_back(std::move(hear));
    }
    for (const auto& hear : listeners) (*hear)(list, uri);
}

Json listed_tool(const ToolDefinition& tool) {
    JsonObject listed{{"name", tool.name}};
    if (!tool.title.empty()) listed["title"] = tool.title;
    listed["description"] = tool.description;
    listed["inputSchema"] =
        tool.input_schema.is_object() ? tool.input_schema : Json(JsonObject{{"type", "object"}});
    if (tool.output_schema.is_object()) listed["outputSchema"] = tool.output_schema;
    Json annotations = to_json(tool.annotations);
    if (annotations.is_object() && !annotations.get_object().empty())
        listed["annotations"] = std::move(annotations);
    return listed;
}

Json served_result(ToolResult result) {
    JsonObject served;
    served["content"] = std::move(result.content);
    if (result.structured) served["structuredContent"] = std::move(*result.structured);
    if (result.is_error) served["isError"] = true;
    JsonObject meta;
    for (const char* card : {"resourceCard", "card"})
        if (const Json* value = member(result.details, card))
            meta[std::string("foxwedge/") + card] = *value;
    if (!meta.empty()) served["_meta"] = std::move(meta);
    return served;
}

} // namespace foxwedge::mcp
