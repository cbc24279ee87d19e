#!/usr/bin/env python3
"""Compares the contract's types with those of a minor that is out: baseline.py SOURCE_ROOT [--write]

abidw writes down what the compiler's debug information says of tests/abi/surface.c; abidiff tells what
differs from tests/abi/baseline_<minor>.abi. In the same minor nothing may. A higher minor may add, at
the end of structs that begin with struct_size, and the layout test of each minor says that nothing else
happened. --write makes the baseline of a minor that has none. Exit 77: there is no abidiff here.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

INCOMPATIBLE = 8


def minor_of(root):
    return int(re.search(r"^#define FOXWEDGE_ABI_MINOR (\d+)u", (root / "abi/foxwedge/abi.h").read_text(), re.M)[1])


def build(root, folder):
    library = folder / "surface.so"
    subprocess.run(["cc", "-std=c99", "-g", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{root / 'abi'}",
                    root / "tests/abi/surface.c", "-o", library], check=True)
    return library


def write(library, target):
    subprocess.run(["abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-architecture",
                    "--out-file", target, library], check=True)
    # Where it was built says nothing.
    text = re.sub(r" path='[^']*'", "", target.read_text())
    target.write_text(re.sub(r"<abi-instr ([^>]*)>", lambda tag: re.sub(r" comp-dir-path='[^']*'", "", tag[0]), text))


def main():
    root = pathlib.Path(sys.argv[1])
    minor = minor_of(root)
    if not shutil.which("abidiff"):
        print("skipped: there is no abidiff here (Debian: abigail-tools)")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        library = build(root, pathlib.Path(folder))
        own = root / f"tests/abi/baseline_1_{minor}.abi"
        if "--write" in sys.argv:
            if own.exists():
                sys.exit(f"{own} is frozen: what is added needs a higher minor")
            write(library, own)
            return
        for older in range(minor + 1):
            baseline = root / f"tests/abi/baseline_1_{older}.abi"
            done = subprocess.run(["abidiff", "--no-show-locs", "--no-architecture", baseline,
                                   library], capture_output=True, text=True)
            if older == minor and done.returncode != 0:
                sys.exit(f"{done.stdout}{done.stderr}ABI 1.{minor} is out: this needs a higher minor")
            if done.returncode & 3:
                sys.exit(done.stdout + done.stderr)  # abidiff itself failed
            if done.returncode & INCOMPATIBLE:
                sys.exit(f"{done.stdout}ABI 1.{minor} breaks what was built for 1.{older}")


main()
