#!/usr/bin/env python3
"""The snippets of the manual: extract.py LANGUAGE FILE… prints those in one language, as they stand."""
import pathlib
import re
import sys

FENCE = re.compile(r"^```(\S+)(?: (\S+))?$")


def snippets(file):
    """(line number, language, label, text) of each fenced block."""
    number, inside = 0, None
    for number, line in enumerate(pathlib.Path(file).read_text("utf-8").splitlines(), 1):
        if inside is None:
            found = FENCE.match(line)
            if found or line == "```":
                inside = (number + 1, found[1] if found else "", found[2] if found else None, [])
        elif line == "```":
            yield (*inside[:3], "\n".join(inside[3]) + "\n")
            inside = None
        else:
            inside[3].append(line)
    if inside:
        raise SystemExit(f"{file}:{inside[0]}: the block has no end")


def main():
    language, *files = sys.argv[1:]
    for file in files:
        for line, kind, _, text in snippets(file):
            if kind == language:
                print(f'#line {line} "{pathlib.Path(file).name}"')
                print(text)


if __name__ == "__main__":
    main()
