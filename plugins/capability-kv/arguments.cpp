#include "arguments.hpp"

#include <string_view>

#include "common/fields.hpp"
#include "common/normal_form.hpp"
#include "common/storing_tool.hpp"
#include "cursor.hpp"
#include "key.hpp"

namespace kv {

using capability_kit::Fields, capability_kit::refuse;

namespace {

std::string normal_text(const Fields& fields, std::string_view field) {
    return fields.normal_text(field, max_key, capability_kit::normal_form);
}

void read_key(Arguments& out, const Fields& fields) {
    out.key = normal_text(fields, "key");
    if (out.key.empty()) refuse("key", "the key is empty", 1);
    const bool writes = out.action != Arguments::Action::get;
    if (writes && is_reserved(out.key, out.conversation))
        refuse("key", "this key belongs to the runtime and can only be read");
}

void read_value(Arguments& out, const Fields& fields) {
    out.value = fields.required("value");
    if (to_text(out.value).size() > max_value)
        refuse("value", "the value is larger than 4 MiB", max_value);
    out.revision = fields.revision();
}

void read_list(Arguments& out, const Fields& fields) {
    if (fields.has("prefix")) out.prefix = normal_text(fields, "prefix");
    out.limit = fields.page_size();
    const auto cursor = fields.text_if_there("cursor", max_cursor);
    if (!cursor) return;
    const auto after = read_cursor(out.conversation, *cursor);
    if (!after || after->compare(0, out.prefix.size(), out.prefix) != 0)
        refuse("cursor", "this is no cursor of such a list");
    out.after = *after;
}

} // namespace

Arguments read_arguments(const Value& arguments) {
    const Fields fields(arguments);
    Arguments out;
    const std::string action = fields.action();
    if (const Value* scope = fields.find("scope")) {
        out.conversation = *scope == Value("conversation");
        if (!out.conversation && *scope != Value("project"))
            refuse("scope", "scope is project or conversation");
    }
    if (action == "get") {
        fields.only({"scope", "key"});
        read_key(out, fields);
    } else if (action == "set") {
        out.action = Arguments::Action::set;
        fields.only({"scope", "key", "value", "revision"});
        read_key(out, fields);
        read_value(out, fields);
    } else if (action == "delete") {
        out.action = Arguments::Action::remove;
        fields.only({"scope", "key"});
        read_key(out, fields);
    } else if (action == "list") {
        out.action = Arguments::Action::list;
        fields.only({"scope", "prefix", "cursor", "limit"});
        read_list(out, fields);
    } else {
        refuse("action", "action is get, set, delete or list");
    }
    return out;
}

/// The schema counts what is written: one character of a key in normal form may be written as four.
Value tool_definition() {
    return capability_kit::storing_tool(R"json({
  "name": "kv_store",
  "title": "Key-value store",
  "description": "Keeps JSON values under keys, for the project or for this conversation. get {key}: the value and its revision, or found: false. set {key, value, revision?}: writes; with revision only if the key still has it (0: only if there is no such key), else the code conflict. delete {key}: also fine if there is none. list {prefix?, cursor?, limit?}: keys in order; cursor is that of the page before.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "action": {"type": "string", "enum": ["get", "set", "delete", "list"]},
      "scope": {
        "type": "string", "enum": ["project", "conversation"], "default": "project",
        "description": "Whose values: kept for the whole project, or for this conversation alone"
      },
      "key": {
        "type": "string", "minLength": 1, "maxLength": 2000,
        "description": "In Unicode normal form C at most 500 characters"
      },
      "value": {"description": "Any JSON value"},
      "revision": {
        "type": "integer", "minimum": 0,
        "description": "The revision that get gave; 0: the key must not exist"
      },
      "prefix": {
        "type": "string", "maxLength": 2000,
        "description": "Only keys that start so; in Unicode normal form C at most 500 characters"
      },
      "cursor": {"type": "string", "maxLength": 3000},
      "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
    },
    "required": ["action"],
    "additionalProperties": false
  }
})json");
}

} // namespace kv
