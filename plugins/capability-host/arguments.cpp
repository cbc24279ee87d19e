#include "arguments.hpp"

#include "common/fields.hpp"

namespace host_bridge {

using namespace capability_kit;

namespace {

constexpr std::size_t max_id = 200;             ///< code points
constexpr std::size_t max_arguments = 1u << 20; ///< bytes of JSON text

void check_id(const Fields& fields, std::string_view field) {
    if (fields.text(field, max_id).empty()) refuse(field, std::string(field) + " is empty", 1);
}

void check_get(const Fields& fields) {
    fields.only({"storage", "projectId", "configurationId"});
    for (const std::string_view field : {"storage", "projectId", "configurationId"})
        if (fields.has(field)) check_id(fields, field);
}

/// Saving names everything explicitly: nothing is taken from what happens to be active.
void check_manage(const Fields& fields) {
    fields.only({"storage", "projectId", "configurationId", "revision", "values"});
    for (const std::string_view field : {"storage", "projectId", "configurationId"})
        check_id(fields, field);
    fields.required("revision");
    fields.revision();
    if (!fields.required("values").is_object()) refuse("values", "values must be an object");
}

} // namespace

Asked read_arguments(const Value& arguments) {
    const Fields fields(arguments);
    Asked asked;
    asked.action = fields.action();
    asked.writes = asked.action == "manage_configurations";
    if (asked.writes)
        check_manage(fields);
    else if (asked.action == "get_configurations")
        check_get(fields);
    else
        refuse("action", "action is get_configurations or manage_configurations");
    asked.arguments = foxwedge::plugin::object();
    for (const auto& member : arguments.object())
        if (member.key != "action") asked.arguments.set(member.key, member.value);
    if (to_text(asked.arguments).size() > max_arguments)
        refuse("", "the arguments are larger than 1 MiB", max_arguments);
    return asked;
}

Value tool_definition() {
    return Value::parse(R"json({
  "name": "host_configuration",
  "title": "Host configuration",
  "description": "Configurations of the application around this host. get_configurations {storage?, projectId?, configurationId?}: those that fit, with their revisions. manage_configurations {storage, projectId, configurationId, revision, values}: saves values over exactly the revision that get_configurations gave.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "action": {"type": "string", "enum": ["get_configurations", "manage_configurations"]},
      "storage": {"type": "string", "minLength": 1, "maxLength": 200},
      "projectId": {"type": "string", "minLength": 1, "maxLength": 200},
      "configurationId": {"type": "string", "minLength": 1, "maxLength": 200},
      "revision": {"type": "integer", "minimum": 0},
      "values": {"type": "object"}
    },
    "required": ["action"],
    "additionalProperties": false
  },
  "annotations": {
    "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true
  },
  "effect": "once",
  "parallelSafe": true
})json");
}

} // namespace host_bridge
