#!/usr/bin/env python3
"""Which test stands for which field case: field_cases.py SOURCE_ROOT SHARED_DATA

Prints a line for each case of bugs/cases.json with the tests that name it ("B41" in a comment at the
test or beside it), and fails if one of the kinds below has none. Exit 77: the data is not here.
"""
import json
import pathlib
import re
import sys

KINDS = {"providers", "durable run", "context trimming", "MCP stdio", "MCP HTTP", "secrets and SSRF",
         "knowledge and KV"}
CASE = re.compile(r"\bB\d\d\b")
TEST = re.compile(r"(?:BOOST_(?:AUTO|FIXTURE)_TEST_CASE\((\w+)|def (test_\w+))")


def named(file):
    """(case, test) for each case that a test file names: the test around it, else the next one."""
    current, waiting = None, []
    for line in file.read_text("utf-8", "replace").splitlines():
        test = TEST.search(line)
        if test:
            current = test[1] or test[2]
            for case in waiting:
                yield case, current
            waiting = []
        cases = CASE.findall(line)
        # A comment at the margin speaks of what follows, one further in of where it stands.
        if cases and not test and not line.startswith((" ", "\t")):
            waiting += cases
        elif cases:
            for case in cases:
                yield case, current or "(the whole file)"
    for case in waiting:
        yield case, "(the whole file)"


def main():
    root, data = map(pathlib.Path, sys.argv[1:])
    listed = data / "bugs/cases.json"
    if not listed.is_file():
        print("skipped: the field cases are not here")
        return 77
    tests = {}
    for file in sorted((root / "tests").rglob("*")):
        if file.name == "field_cases.py":
            continue
        if file.suffix in (".cpp", ".hpp", ".py"):
            for case, test in named(file):
                tests.setdefault(case, {}).setdefault(f"{file.relative_to(root)}: {test}")
    missing = []
    for case in json.loads(listed.read_text("utf-8")):
        id, kind = case["id"], case["kind"]
        print(f"{id} {kind}")
        for test in tests.get(id, ()):
            print(f"    {test}")
        if id not in tests and kind in KINDS:
            missing.append(id)
    if missing:
        print("no test names " + ", ".join(missing))
    return bool(missing)


sys.exit(main())
