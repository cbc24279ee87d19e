#!/usr/bin/env python3
"""The reference part of docs/capabilities.md, from the tools as their plugins describe them.

capabilities_reference.py FOXWEDGE docs/capabilities.md          fails if the page is out of date
capabilities_reference.py FOXWEDGE docs/capabilities.md --write  brings it up to date
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

BEGIN, END = "<!-- reference: begin -->\n", "<!-- reference: end -->\n"
TOOLS = ("workflow-knowledge_knowledge_documents", "workflow-memory_global_memory",
         "workflow-kv_kv_store", "workflow-ui_present_card", "workflow-host_host_configuration")


def described(program):
    """Tool id → its definition."""
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "host.json"
        config.write_text(json.dumps({"name": "reference", "tools": {tool: {} for tool in TOOLS}}))
        injected = {"FOXWEDGE_HOST_BRIDGE_URL": "http://127.0.0.1:9", "FOXWEDGE_HOST_BRIDGE_TOKEN": "x"}
        printed = subprocess.run([program, "--json", "tools", config], check=True, capture_output=True,
                                 text=True, env={**os.environ, **injected, "XDG_STATE_HOME": folder}).stdout
    catalogue = json.loads(printed)["catalogue"]
    return {tool: catalogue[tool]["definition"] for tool in TOOLS}


def kind(schema):
    if "enum" in schema:
        return " \\| ".join(f"`{word}`" for word in schema["enum"])
    return {"string": "text", "integer": "whole number", "boolean": "true or false",
            None: "any JSON value"}.get(schema.get("type"), schema.get("type"))


def limits(schema):
    words = []
    if "maxLength" in schema:
        words.append(f"at most {schema['maxLength']:,} characters")
    if schema.get("minLength"):
        words.append("not empty")
    if "minimum" in schema:
        words.append(f"from {schema['minimum']}" + (f" to {schema['maximum']}" if "maximum" in schema else ""))
    if "default" in schema:
        words.append(f"default `{schema['default']}`")
    if "description" in schema:
        words.append(schema["description"])
    return "; ".join(words)


def rows(schema, below=""):
    for name, part in schema["properties"].items():
        yield f"| `{below}{name}` | {kind(part)} | {limits(part)} |\n"
        if part.get("properties"):
            yield from rows(part, f"{below}{name}.")


def reference(tools):
    out = []
    for tool, definition in tools.items():
        out.append(f"### `{tool}`\n\n{definition['description']}\n\n")
        out.append(f"Effect: `{definition['effect']}`. Only `"
                   + "`, `".join(definition["inputSchema"]["required"]) + "` "
                   + ("is" if len(definition["inputSchema"]["required"]) == 1 else "are")
                   + " always needed; which of the others an action takes is said above.\n\n")
        out.append("| argument | value | limits |\n| --- | --- | --- |\n")
        out += rows(definition["inputSchema"])
        out.append("\n")
    return "".join(out)


def main():
    program, page = sys.argv[1], pathlib.Path(sys.argv[2])
    text = page.read_text("utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    fresh = head + BEGIN + "\n" + reference(described(program)) + END + tail
    if "--write" in sys.argv:
        page.write_text(fresh, "utf-8")
    elif fresh != text:
        sys.exit(f"{page} is out of date: run {sys.argv[0]} {program} {page} --write")


main()
