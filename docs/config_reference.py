#!/usr/bin/env python3
"""The reference part of docs/config.md, from the schema that `foxwedge config schema` prints.

config_reference.py FOXWEDGE docs/config.md          fails if the page is out of date
config_reference.py FOXWEDGE docs/config.md --write  brings it up to date
"""
import json
import pathlib
import subprocess
import sys

BEGIN, END = "<!-- reference: begin -->\n", "<!-- reference: end -->\n"


def kind(schema):
    if "enum" in schema:
        return " \\| ".join(f"`{word}`" for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(part) for part in schema["anyOf"]))
    named = schema.get("type", "any")
    if named == "array":
        return f"list of {kind(schema.get('items', {}))}"
    if named == "string" and schema.get("pattern", "").endswith("(ms|s|m|h|d)$"):
        return "duration"
    if named == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"name → {kind(schema['additionalProperties'])}"
    return {"string": "text", "integer": "whole number"}.get(named, named)


def inner(schema):
    """The object whose keys are worth a table of their own."""
    if schema.get("properties"):
        return schema
    for part in schema.get("anyOf", []) + [schema.get("items", {}), schema.get("additionalProperties")]:
        if isinstance(part, dict) and part:
            found = inner(part)
            if found:
                return found
    return None


def table(title, schema, out, depth):
    out.append(f"{'#' * depth} {title}\n\n| key | value | meaning |\n| --- | --- | --- |\n")
    deeper = []
    for name, part in schema["properties"].items():
        needed = " (required)" if name in schema.get("required", []) else ""
        meaning = part.get("description", "")
        if "default" in part and "default" not in meaning:
            meaning += f"; default `{json.dumps(part['default'])}`"
        out.append(f"| `{name}`{needed} | {kind(part)} | {meaning} |\n")
        if inner(part):
            deeper.append((name, inner(part)))
    out.append("\n")
    return deeper


def reference(schema):
    out, seen = [], set()
    queue = [("The file", schema)]
    while queue:
        title, part = queue.pop(0)
        shape = json.dumps(sorted(part["properties"]))
        if shape in seen:
            continue
        seen.add(shape)
        queue += [(name if title == "The file" else f"{title}.{name}", deeper)
                  for name, deeper in table(title if title == "The file" else f"`{title}`", part, out, 3)]
    return "".join(out)


def main():
    program, page = sys.argv[1], pathlib.Path(sys.argv[2])
    schema = json.loads(subprocess.run([program, "config", "schema"], check=True,
                                       capture_output=True, text=True).stdout)
    text = page.read_text("utf-8")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    fresh = head + BEGIN + "\n" + reference(schema) + END + tail
    if "--write" in sys.argv:
        page.write_text(fresh, "utf-8")
    elif fresh != text:
        sys.exit(f"{page} is out of date: run {sys.argv[0]} {program} {page} --write")


main()
