#!/usr/bin/env python3
"""Fails when a file includes what its layer may not: layers.py SOURCE_ROOT

The table is the architecture: data flows top-down once, and a library with a large surface has one
file that is its door, so that everything else is tested without it and the part can be replaced.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": set(),
    "schema": {"base"},
    "rule": {"base"},
    "contracts": {"base", "schema"},
    "config": {"base", "schema", "rule", "contracts"},
    "journal": {"base"},
    "run": {"base", "journal"},
    "agent": {"base", "schema", "rule", "contracts", "run"},
    "process": {"base"},
    "http": {"base"},
    "plugin": {"base", "schema", "rule", "contracts", "process", "http", "foxwedge"},
    "mcp": {"base", "schema", "contracts", "process", "http"},
    "capability": {"base", "contracts", "run", "agent", "mcp"},
    "telemetry": {"base", "run", "http"},
}
ALLOWED["compose"] = set(ALLOWED)  # all of the above
LAYERS = set(ALLOWED)
# Library → how many files of framework/ may include it.
DOORS = {
    "lmdb.h": 1,
    "boost/dll": 1,
    "boost/process": 1,
    "curl/curl.h": 1,
    "re2/re2.h": 1,
    "spdlog": 1,
    "boost/beast": 1,
}
INCLUDE = re.compile(r'\s*#\s*include\s+[<"]([^">]+)[>"]')
SOURCES = {".h", ".hpp", ".c", ".cpp"}


def includes(file):
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1]


def sources(folder):
    return [f for f in sorted(folder.rglob("*")) if f.suffix in SOURCES]


def wrong(root, folder, name, may):
    """Includes in `folder` that reach a layer, or the ABI, which is not in `may`."""
    for file in sources(root / folder):
        for number, what in includes(file):
            top = what.split("/")[0]
            if "/" in what and top in (LAYERS | {"foxwedge"}) - may - {name}:
                yield f"{file}:{number}: {name}/ may not include {top}/"


def doors(root):
    for library, most in DOORS.items():
        files = [f for f in sources(root / "framework")
                 if any(w == library or w.startswith(library + "/") or w.startswith(library + ".")
                        for _, w in includes(f))]
        if len(files) > most:
            names = ", ".join(str(f.relative_to(root)) for f in files)
            yield f"{library}: {len(files)} files include it, {most} may: {names}"


def main():
    root = pathlib.Path(sys.argv[1])
    bad = [f"{folder}: not a layer" for folder in sorted((root / "framework").glob("*/"))
           if folder.name not in LAYERS]
    for layer, may in ALLOWED.items():
        bad += wrong(root, f"framework/{layer}", layer, may)
    bad += wrong(root, "abi", "abi", {"foxwedge"})
    bad += wrong(root, "plugins", "plugins", {"foxwedge"})
    bad += doors(root)
    print("\n".join(bad))
    return bool(bad)


sys.exit(main())
