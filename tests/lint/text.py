#!/usr/bin/env python3
"""Fails on what may not stand in the project's files: text.py SOURCE_ROOT

Absolute paths of somebody's machine, download addresses in lock files, files that grew too long.
"""
import pathlib
import re
import shutil
import subprocess
import sys

LONGEST = 500  # lines of one source file
SOURCES = {".h", ".hpp", ".c", ".cpp", ".py", ".rs", ".mjs"}
ADDRESS = re.compile(r'"resolved"\s*:\s*"https?://')


def tracked(root):
    if shutil.which("git"):
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True)
        if listed.returncode == 0:
            return [root / name for name in listed.stdout.decode().split("\0") if name]
    # Without git: everything but what builds leave behind.
    return [f for f in root.rglob("*") if f.is_file()
            and not any(part.startswith("build") or part == ".git" for part in f.relative_to(root).parts[:1])]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    bad = []
    for file in tracked(root):
        if not file.is_file():
            continue
        name = file.relative_to(root)
        data = file.read_bytes()
        if b"\0" in data:
            continue
        text = data.decode("utf-8", "replace")
        if any(f"{place}/" in text for place in (root, root.parent / "shared")):
            bad.append(f"{name}: holds a path of this machine")
        if name.name == "package-lock.json" and ADDRESS.search(text):
            bad.append(f"{name}: holds download addresses")
        if file.suffix in SOURCES and text.count("\n") > LONGEST:
            bad.append(f"{name}: {text.count(chr(10))} lines, more than {LONGEST}: split it")
    print("\n".join(bad))
    return bool(bad)


sys.exit(main())
