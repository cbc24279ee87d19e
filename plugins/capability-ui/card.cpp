#include "card.hpp"

#include "common/fields.hpp"
#include "common/normal_form.hpp"
#include "target.hpp"

namespace ui {

using namespace capability_kit;
using foxwedge::plugin::object;

namespace {

constexpr std::size_t max_card_id = 200, max_title = 200;

bool flag(const Fields& fields, std::string_view name) {
    const Value& value = fields.required(name);
    if (!value.is_bool()) refuse(name, std::string(name) + " is true or false");
    return value.boolean();
}

std::string operation(const Fields& fields) {
    if (!fields.has("operation")) return "show";
    const auto word = fields.text("operation", max_title);
    if (word != "read" && word != "write" && word != "open" && word != "show")
        refuse("operation", "operation is read, write, open or show");
    return word;
}

/// Kanban boards and pages open a preview and are pinned unless the caller says no. Of a project
/// only the host knows whether it is a Kanban project, so its defaults are left to the host.
void set_flags(Value& command, Kind kind, const Fields& fields) {
    const bool previews = kind == Kind::kanban || kind == Kind::browser || kind == Kind::project;
    if (fields.has("preview") && !previews)
        refuse("preview", "only kanban, project and browser cards have a preview");
    const bool by_default = kind == Kind::kanban || kind == Kind::browser;
    for (const std::string_view name : {"pinned", "preview"}) {
        if (fields.has(name))
            command.set(name, flag(fields, name));
        else if (by_default)
            command.set(name, true);
    }
}

void set_kanban(Value& command, Kind kind, const Fields& fields) {
    const Value* kanban = fields.find("kanban");
    if (!kanban) return;
    if (kind != Kind::kanban) refuse("kanban", "only kanban cards take kanban");
    if (!kanban->is_object()) refuse("kanban", "kanban must be an object");
    for (const auto& member : kanban->object())
        if (member.key != "mode" && member.key != "values")
            refuse("kanban/" + escaped(member.key), "kanban has mode and values alone");
    if (kanban->string("mode") != "preview") refuse("kanban/mode", "mode is preview");
    const Value* values = kanban->find("values");
    if (!values || !values->is_object()) refuse("kanban/values", "values must be an object");
    command.set("kanban", object({{"mode", "preview"}, {"values", *values}}));
}

} // namespace

Card read_card(const Value& arguments) {
    const Fields fields(arguments);
    const auto action = fields.action();
    if (action != "upsert" && action != "remove") refuse("action", "action is upsert or remove");
    if (action == "remove")
        fields.only({"cardId"});
    else
        fields.only(
            {"cardId", "kind", "operation", "title", "target", "pinned", "preview", "kanban"});
    Card card;
    card.id = fields.normal_text("cardId", max_card_id, normal_form);
    if (card.id.empty()) refuse("cardId", "cardId is empty", 1);
    card.removed = action == "remove";
    card.command = object({{"action", action}, {"cardId", card.id}});
    if (card.removed) return card;
    const auto word = fields.text("kind", max_title);
    const Kind kind = kind_of(word);
    card.command.set("kind", word);
    card.command.set("operation", operation(fields));
    if (const auto title = fields.text_if_there("title", max_title))
        card.command.set("title", *title);
    card.command.set("target", checked_target(kind, fields.required("target")));
    set_flags(card.command, kind, fields);
    set_kanban(card.command, kind, fields);
    return card;
}

/// The schema counts what is written: one character of an id in normal form may be written as four.
Value tool_definition() {
    return Value::parse(R"json({
  "name": "present_card",
  "title": "Conversation resource card",
  "description": "Shows a card beside the conversation that opens a resource. upsert creates the card or, with the same cardId, replaces it; remove takes cardId alone. target names the resource: knowledge {source, projectId?, documentId}; kv {source, projectId?, scope?, key, conversationId?}; browser {url}; file {source, projectId?, filePath}; kanban and project {source, projectId?, configurationId?}. source is local, server, or current for the project being worked on. pinned keeps the card in view. preview (kanban, project, browser): whether its preview opens; kanban and browser cards are pinned and previewed unless false. kanban {mode: \"preview\", values}: values for the preview alone; nothing is saved.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "action": {"type": "string", "enum": ["upsert", "remove"]},
      "cardId": {
        "type": "string", "minLength": 1, "maxLength": 800,
        "description": "Stable: the same id is the same card; in Unicode normal form C at most 200 characters"
      },
      "kind": {
        "type": "string", "enum": ["knowledge", "kv", "project", "kanban", "browser", "file"]
      },
      "operation": {
        "type": "string", "enum": ["read", "write", "open", "show"], "default": "show"
      },
      "title": {"type": "string", "maxLength": 200},
      "target": {
        "type": "object",
        "properties": {
          "source": {"type": "string", "enum": ["local", "server", "current"]},
          "projectId": {"type": "string", "minLength": 1, "maxLength": 800},
          "documentId": {"type": "string", "minLength": 1, "maxLength": 800},
          "scope": {"type": "string", "enum": ["project", "conversation"]},
          "key": {"type": "string", "minLength": 1, "maxLength": 2000},
          "conversationId": {"type": "string", "minLength": 1, "maxLength": 800},
          "url": {"type": "string", "maxLength": 8192, "description": "http or https"},
          "filePath": {
            "type": "string", "minLength": 1, "maxLength": 4096,
            "description": "Relative to the project"
          },
          "configurationId": {"type": "string", "minLength": 1, "maxLength": 800}
        },
        "additionalProperties": false
      },
      "pinned": {"type": "boolean"},
      "preview": {"type": "boolean"},
      "kanban": {
        "type": "object",
        "properties": {
          "mode": {"type": "string", "enum": ["preview"]},
          "values": {"type": "object"}
        },
        "required": ["mode", "values"],
        "additionalProperties": false
      }
    },
    "required": ["action", "cardId"],
    "additionalProperties": false
  },
  "annotations": {
    "readOnlyHint": false, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false
  },
  "effect": "store",
  "parallelSafe": true
})json");
}

} // namespace ui
