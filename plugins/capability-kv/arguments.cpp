#include "arguments.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "cursor.hpp"
#include "key.hpp"

namespace kv {

using foxwedge::plugin::object;

namespace {

[[noreturn]] void refuse(std::string_view field, const std::string& message,
                         Value limit = nullptr) {
    Value details = object({{"pointer", field.empty() ? "" : '/' + std::string(field)}});
    if (!limit.is_null()) details.set("limit", std::move(limit));
    throw Refused{"input_validation", message, std::move(details)};
}

/// A JSON pointer to a member whose name comes from outside.
std::string escaped(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    }
    return out;
}

void only(const Value& arguments, std::string_view action,
          std::initializer_list<std::string_view> fields) {
    for (const auto& member : arguments.object())
        if (member.key != "action" && member.key != "scope" &&
            std::find(fields.begin(), fields.end(), member.key) == fields.end())
            refuse(escaped(member.key), std::string(action) + " has no field " +
                                            std::string(first_code_points(member.key, 80)));
}

const Value& required(const Value& arguments, std::string_view field) {
    if (const Value* found = arguments.find(field)) return *found;
    refuse(field, "the field " + std::string(field) + " is missing");
}

/// A text in normal form of at most 500 code points.
std::string text(const Value& value, std::string_view field) {
    if (!value.is_string()) refuse(field, std::string(field) + " must be a text");
    const auto normal = normal_form(value.string());
    if (!normal) refuse(field, std::string(field) + " is not valid UTF-8");
    if (code_points(*normal) > max_key)
        refuse(field, std::string(field) + " is longer than 500 characters", max_key);
    return *normal;
}

std::int64_t integer(const Value& value, std::string_view field) {
    try {
        return value.integer();
    } catch (const foxwedge::plugin::JsonError&) {
        refuse(field, std::string(field) + " must be an integer");
    }
}

void read_key(Arguments& out, const Value& arguments) {
    out.key = text(required(arguments, "key"), "key");
    if (out.key.empty()) refuse("key", "the key is empty", 1);
    const bool writes = out.action != Arguments::Action::get;
    if (writes && is_reserved(out.key, out.conversation))
        refuse("key", "this key belongs to the runtime and can only be read");
}

void read_list(Arguments& out, const Value& arguments) {
    if (const Value* prefix = arguments.find("prefix")) out.prefix = text(*prefix, "prefix");
    if (const Value* limit = arguments.find("limit")) {
        const auto n = integer(*limit, "limit");
        if (n < 1) refuse("limit", "limit is at least 1", 1);
        if (n > max_page) refuse("limit", "limit is at most 200", max_page);
        out.limit = static_cast<int>(n);
    }
    const Value* cursor = arguments.find("cursor");
    if (!cursor) return;
    if (!cursor->is_string()) refuse("cursor", "cursor must be a text");
    if (code_points(cursor->string()) > max_cursor)
        refuse("cursor", "cursor is longer than any cursor", max_cursor);
    const auto after = read_cursor(out.conversation, cursor->string());
    if (!after || after->compare(0, out.prefix.size(), out.prefix) != 0)
        refuse("cursor", "this is no cursor of such a list");
    out.after = *after;
}

} // namespace

Arguments read_arguments(const Value& arguments) {
    if (!arguments.is_object()) refuse("", "the arguments must be an object");
    Arguments out;
    const Value& action = required(arguments, "action");
    const std::string name = action.is_string() ? action.string() : "";
    if (const Value* scope = arguments.find("scope")) {
        out.conversation = *scope == Value("conversation");
        if (!out.conversation && *scope != Value("project"))
            refuse("scope", "scope is project or conversation");
    }
    if (name == "get") {
        only(arguments, name, {"key"});
        read_key(out, arguments);
    } else if (name == "set") {
        out.action = Arguments::Action::set;
        only(arguments, name, {"key", "value", "revision"});
        read_key(out, arguments);
        out.value = required(arguments, "value");
        if (to_text(out.value).size() > max_value)
            refuse("value", "the value is larger than 4 MiB", max_value);
        if (const Value* revision = arguments.find("revision")) {
            out.revision = integer(*revision, "revision");
            if (*out.revision < 0) refuse("revision", "a revision is not negative", 0);
        }
    } else if (name == "delete") {
        out.action = Arguments::Action::remove;
        only(arguments, name, {"key"});
        read_key(out, arguments);
    } else if (name == "list") {
        out.action = Arguments::Action::list;
        only(arguments, name, {"prefix", "cursor", "limit"});
        read_list(out, arguments);
    } else {
        refuse("action", "action is get, set, delete or list");
    }
    return out;
}

Value tool_definition() {
    return Value::parse(R"json({
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
      "key": {"type": "string", "minLength": 1, "maxLength": 500},
      "value": {"description": "Any JSON value"},
      "revision": {
        "type": "integer", "minimum": 0,
        "description": "The revision that get gave; 0: the key must not exist"
      },
      "prefix": {"type": "string", "maxLength": 500, "description": "Only keys that start so"},
      "cursor": {"type": "string", "maxLength": 3000},
      "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
    },
    "required": ["action"],
    "additionalProperties": false
  },
  "annotations": {
    "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": false
  },
  "effect": "store",
  "parallelSafe": true
})json");
}

} // namespace kv
