#include "mcp/listing.hpp"

#include <algorithm>

namespace foxwedge::mcp {

bool Pages::take(Json page) {
    ++pages_;
    bool news = false;
    if (const JsonArray* items = array_member(page, items_)) {
        for (const Json& item : *items) {
            // What has no name is kept once for the record of what was dropped.
            const auto name = string_member(item, key_);
            const std::string identity = name ? "n" + std::string(*name) : "j" + to_text(item);
            if (!seen_.insert(identity).second) continue;
            if (all_.size() >= limits_.tools) {
                incomplete_ = "too_many_items";
                return false;
            }
            all_.push_back(item);
            news = true;
        }
    } else {
        incomplete_ = "invalid_page";
        return false;
    }
    const auto next = string_member(page, "nextCursor");
    if (!next) return false;
    if (!news)
        incomplete_ = "pagination_loop";
    else if (pages_ >= limits_.pages)
        incomplete_ = "too_many_pages";
    cursor_ = *next;
    return incomplete_.empty();
}

namespace {

bool names_object(const Json& type) {
    if (type.is_string()) return view(type.get_string()) == "object";
    if (!type.is_array()) return false;
    return std::any_of(type.get_array().begin(), type.get_array().end(),
                       [](const Json& each) { return names_object(each); });
}

/// The reason why `schema` cannot describe an object of arguments, or "".
std::string make_object_schema(Json& schema) {
    if (schema.is_null() || (schema.is_bool() && schema.get_bool())) schema = JsonObject();
    if (!schema.is_object()) return "its inputSchema is no schema of an object";
    JsonObject& object = schema.get_object();
    Json* type = object.if_contains("type");
    if (!type) {
        object["type"] = "object";
        return {};
    }
    if (!names_object(*type)) return "its inputSchema has type " + to_text(*type) + ", not object";
    *type = "object";
    return {};
}

std::string text_or(const Json& raw, std::string_view key) {
    return std::string(string_member(raw, key).value_or(""));
}

} // namespace

std::variant<ToolDefinition, ToolList::Dropped> read_tool(const Json& raw,
                                                          std::vector<std::string>& warnings) {
    const std::string name = text_or(raw, "name");
    if (name.empty()) return ToolList::Dropped{"(unnamed)", "it has no name"};
    ToolDefinition tool;
    tool.name = name;
    tool.description = text_or(raw, "description");
    if (const Json* schema = member(raw, "inputSchema")) tool.input_schema = *schema;
    if (auto reason = make_object_schema(tool.input_schema); !reason.empty())
        return ToolList::Dropped{name, std::move(reason)};
    if (const Json* output = member(raw, "outputSchema")) {
        if (output->is_object())
            tool.output_schema = *output;
        else
            warnings.push_back(name + ": its outputSchema is no object and is not checked");
    }
    if (const Json* annotations = member(raw, "annotations");
        annotations && annotations->is_object())
        tool.annotations = annotations_from_json(*annotations);
    tool.title = text_or(raw, "title");
    if (tool.title.empty()) tool.title = tool.annotations.title.value_or("");
    return tool;
}

} // namespace foxwedge::mcp
