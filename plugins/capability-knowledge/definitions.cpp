#include "arguments.hpp"
#include "common/storing_tool.hpp"

namespace knowledge {

// The schemas count what is written: one character of an id in normal form may be written as four.

Value documents_definition() {
    return capability_kit::storing_tool(R"json({
  "name": "knowledge_documents",
  "title": "Knowledge documents",
  "description": "The project's Markdown documents. list {cursor?, limit?}: ids and titles, least recently changed first. search {query, cursor?, limit?}: best matches first, with a snippet. read {documentId}: the whole document and its revision. create {documentId?, title, markdown}: a new one; without an id it is given one. update {documentId, title?, markdown?, revision?}: what is left out stays; with revision only if it is still the one that read gave, else the code conflict. delete {documentId, revision?}. cursor is that of the page before.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "action": {
        "type": "string", "enum": ["list", "search", "read", "create", "update", "delete"]
      },
      "documentId": {
        "type": "string", "minLength": 1, "maxLength": 800,
        "description": "In Unicode normal form C at most 200 characters"
      },
      "title": {"type": "string", "minLength": 1, "maxLength": 200},
      "markdown": {"type": "string", "maxLength": 200000},
      "revision": {
        "type": "integer", "minimum": 0,
        "description": "Write only if the document still has this revision"
      },
      "query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "Words to find"},
      "cursor": {"type": "string", "maxLength": 80},
      "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
    },
    "required": ["action"],
    "additionalProperties": false
  }
})json");
}

Value memory_definition() {
    return capability_kit::storing_tool(R"json({
  "name": "global_memory",
  "title": "Memory across conversations",
  "description": "Notes that later conversations of this project find again. remember {title?, markdown, memoryId?}: keeps a note; the same memoryId replaces it. Never credentials or other secrets: they are refused. list {cursor?, limit?}: ids and titles, least recently changed first. search {query, cursor?, limit?}: best matches first, with a snippet. read {memoryId}: the whole note. forget {memoryId}: deletes it. cursor is that of the page before, of the same action.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "action": {"type": "string", "enum": ["remember", "list", "search", "read", "forget"]},
      "memoryId": {
        "type": "string", "minLength": 1, "maxLength": 732,
        "description": "In Unicode normal form C at most 183 characters"
      },
      "title": {"type": "string", "maxLength": 200},
      "markdown": {"type": "string", "maxLength": 100000},
      "query": {"type": "string", "minLength": 1, "maxLength": 500, "description": "Words to find"},
      "cursor": {"type": "string", "maxLength": 80},
      "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}
    },
    "required": ["action"],
    "additionalProperties": false
  }
})json");
}

} // namespace knowledge
