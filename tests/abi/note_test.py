"""The descriptor's ELF note, made by the macro and by note.py, for every length modulo 4.

Read by a parser of the ELF specification's own words, which forgives nothing, and by readelf.
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
PLUGIN_MAP = ROOT / "abi/plugin.map"
COMPILERS = {
    "c": [[tool, "-std=c99"] for tool in ("cc", "clang") if shutil.which(tool)],
    "cpp": [[tool, "-std=c++11"] for tool in ("c++", "clang++") if shutil.which(tool)],
}


def descriptor(length):
    """A descriptor whose compact text has that many bytes."""
    shape = {"id": "x", "version": "1.0.0", "title": "", "abi": {"major": 1, "minMinor": 0},
             "components": [{"kind": "foxwedge.capability/1", "id": "x"}]}
    room = length - len(json.dumps(shape, separators=(",", ":")))
    shape["title"] = "t" * room
    return json.dumps(shape, separators=(",", ":"))


def segments_of_notes(elf):
    """The bytes of every PT_NOTE segment of a 64-bit ELF file, with its alignment."""
    (headers,) = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    for n in range(count):
        kind, _, offset, _, _, in_file, _, align = struct.unpack_from("<IIQQQQQQ", elf, headers + n * size)
        if kind == 4:
            yield elf[offset:offset + in_file], align


def notes(elf):
    """(name, type, text) of every note; a byte that belongs to none is an error."""
    found = []
    for data, align in segments_of_notes(elf):
        padded = lambda n: -(-n // align) * align
        at = 0
        while at < len(data):
            if at + 12 > len(data):
                raise ValueError(f"{len(data) - at} stray bytes behind the last note")
            name, text, kind = struct.unpack_from("<III", data, at)
            name_at, text_at = at + 12, at + 12 + padded(name)
            if text_at + text > len(data):
                raise ValueError(f"a note of {name} and {text} bytes does not fit")
            found.append((data[name_at:name_at + name], kind, data[text_at:text_at + text]))
            at = text_at + padded(text)
    return found


class Note(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="foxwedge-note-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def library(self, compiler, source):
        made = self.folder / "x.so"
        # A build id makes another note, which the linker puts into the same segment.
        subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC",
                        "-Wl,--build-id", f"-I{ROOT / 'abi'}", source, "-o", made], check=True)
        return made

    def is_well_formed(self, library, text):
        found = notes(library.read_bytes())
        self.assertEqual([note[1:] for note in found if note[0] == b"foxwedge\0"], [(1, text.encode())])
        self.assertEqual([len(note[2]) for note in found if note[0] == b"GNU\0" and note[1] == 3], [20])
        said = subprocess.run(["readelf", "-nW", library], capture_output=True, text=True, check=True)
        self.assertEqual(said.stderr, "")
        self.assertIn(f"foxwedge             0x{len(text):08x}", said.stdout)

    def test_the_macro_makes_a_well_formed_note_whatever_the_length(self):
        for language, compilers in COMPILERS.items():
            for compiler in compilers:
                for length in range(200, 208):
                    with self.subTest(compiler=compiler, length=length):
                        text = descriptor(length)
                        source = self.folder / f"x.{language}"
                        source.write_text(f"#include <foxwedge/abi.h>\n"
                                          f"FOXWEDGE_DESCRIPTOR({json.dumps(text)});\n")
                        self.is_well_formed(self.library(compiler, source), text)

    def test_note_py_makes_a_well_formed_note_whatever_the_length(self):
        for length in range(200, 204):
            with self.subTest(length=length):
                text = descriptor(length)
                (self.folder / "descriptor.json").write_text(text)
                source = self.folder / "note.c"
                subprocess.run([sys.executable, ROOT / "abi/note.py", self.folder / "descriptor.json",
                                "x", source], check=True)
                self.is_well_formed(self.library(COMPILERS["c"][0], source), text)


if __name__ == "__main__":
    os.environ.pop("CFLAGS", None)
    unittest.main()
