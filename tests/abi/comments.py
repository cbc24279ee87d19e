#!/usr/bin/env python3
"""Fails where a function of the contract does not say who calls it and how long things live.

    comments.py SOURCE_ROOT
"""
import pathlib
import re
import sys

TAGS = re.compile(r"\[(control|worker|caller|verb|any)\]")
FUNCTION = re.compile(r"\(\*(\w+)\)\(")


def silent(header):
    """(line, function, what is missing) of each function pointer in a struct."""
    comment, inside = "", False
    for number, line in enumerate(header.read_text("utf-8").splitlines(), 1):
        text = line.strip()
        if text.startswith("/*"):
            comment, inside = "", True
        if inside:
            comment += text + "\n"
            inside = "*/" not in text
            continue
        for name in FUNCTION.findall(line):
            if not TAGS.search(comment):
                yield number, name, "a thread tag"
            # close() is given nothing: what ends with it stands in its place.
            if "Lifetime" not in comment:
                yield number, name, "a lifetime"
        if not text:
            comment = ""


def main():
    found, functions = 0, 0
    for header in sorted((pathlib.Path(sys.argv[1]) / "abi/foxwedge").glob("*.h")):
        functions += len(FUNCTION.findall(header.read_text("utf-8")))
        for number, name, missing in silent(header):
            print(f"{header}:{number}: {name} lacks {missing}")
            found += 1
    if functions < 30:
        sys.exit(f"only {functions} functions: has the contract moved?")
    sys.exit(1 if found else 0)


main()
