#!/usr/bin/env python3
"""Makes the C source of a plugin's descriptor note.

    note.py descriptor.json PLUGIN_ID note.c

The descriptor is checked as far as a build can check it, made compact, and written as the ELF note
that foxwedge/abi.h describes. Compile the source with the plugin; it needs the headers and nothing
else. PLUGIN_ID is the name of the library's file without ".so".
"""
import json
import pathlib
import re
import sys

NAME = b"foxwedge\0"
ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
KIND = re.compile(r"[a-z0-9.-]+/[0-9]+")


def mistakes(descriptor, plugin_id):
    """What a host would refuse, one sentence each."""
    if not isinstance(descriptor, dict):
        yield "the descriptor must be an object"
        return
    if descriptor.get("id") != plugin_id:
        yield f'"id" is {descriptor.get("id")!r}, but the file is named {plugin_id!r}'
    if not ID.fullmatch(plugin_id):
        yield f"{plugin_id!r} is no plugin id: use a-z, 0-9 and -, at most 64"
    for member in ("version", "title"):
        if not isinstance(descriptor.get(member), str):
            yield f'"{member}" must be a text'
    abi = descriptor.get("abi")
    if not isinstance(abi, dict) or not all(type(abi.get(m)) is int for m in ("major", "minMinor")):
        yield '"abi" must be {"major": 1, "minMinor": 0}, with the numbers that the plugin needs'
    components = descriptor.get("components")
    if not isinstance(components, list):
        yield '"components" must be a list'
        return
    seen = set()
    for n, component in enumerate(components):
        here = f'"components"[{n}]'
        if not isinstance(component, dict):
            yield f"{here} must be an object"
            continue
        kind, name = component.get("kind"), component.get("id")
        if not isinstance(kind, str) or not KIND.fullmatch(kind):
            yield f'{here}: "kind" must be like "foxwedge.capability/1"'
        if not isinstance(name, str) or not ID.fullmatch(name):
            yield f'{here}: "id" must be of a-z, 0-9 and -, at most 64'
        if (kind, name) in seen:
            yield f"{here}: there are two of this kind and id"
        seen.add((kind, name))


def note(text):
    """The note as a byte array: no string literal, so no limit on its length."""
    body = NAME.ljust(12, b"\0") + text + b"\0" * (-len(text) % 4)
    rows = (", ".join(map(str, body[i:i + 20])) for i in range(0, len(body), 20))
    return (
        "#include <foxwedge/abi.h>\n"
        "FOXWEDGE_NOTE static const struct {\n"
        "    uint32_t name_size, json_size, type;\n"
        f"    unsigned char body[{len(body)}];\n"
        f"}} foxwedge_descriptor = {{{len(NAME)}, {len(text)}, FOXWEDGE_NOTE_TYPE, {{\n    "
        + ",\n    ".join(rows) + "}};\n"
    )


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, plugin_id, target = sys.argv[1:]
    try:
        descriptor = json.loads(pathlib.Path(source).read_text("utf-8"))
    except (OSError, UnicodeError, json.JSONDecodeError) as error:
        sys.exit(f"{source}: {error}")
    found = list(mistakes(descriptor, plugin_id))
    if found:
        sys.exit("\n".join(f"{source}: {sentence}" for sentence in found))
    compact = json.dumps(descriptor, ensure_ascii=False, separators=(",", ":"))
    pathlib.Path(target).write_text(note(compact.encode()), "utf-8")


main()
