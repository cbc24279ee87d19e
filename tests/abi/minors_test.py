"""Minors crossed both ways: a plugin of the next minor in today's host, today's plugins in a host of the
next minor. The next minor is made here, by what the contract allows: members at the end of structs, an
event, a service.

    minors_test.py SOURCE_ROOT FOXWEDGE DEFINES...
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, FOXWEDGE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
DEFINES = [argument for argument in sys.argv[3:] if argument.startswith("-D")]
sys.argv[1:] = [argument for argument in sys.argv[3:] if not argument.startswith("-D")]

ADDED = {
    "abi.h": {"foxwedge_host": "uint64_t started_ms;",
              "foxwedge_call": "void (*note)(const foxwedge_call* call, foxwedge_str text);",
              "foxwedge_factory": "uint64_t hints;",
              "foxwedge_entry": "void (*tick)(void);"},
    "capability.h": {"foxwedge_capability": "void (*forget)(foxwedge_instance* self);"},
    "provider.h": {"foxwedge_provider": "void (*warm_up)(foxwedge_instance* self);"},
    "services.h": {"foxwedge_store": "void (*compact)(const foxwedge_store* self);",
                   "foxwedge_http": "void (*forget)(const foxwedge_http* self);"},
}


def next_minor(folder):
    """A copy of the headers, one minor further on."""
    include = folder / "include"
    shutil.copytree(ROOT / "abi/foxwedge", include / "foxwedge")
    for name, structs in ADDED.items():
        header = include / "foxwedge" / name
        text = header.read_text()
        for struct, member in structs.items():
            text, count = re.subn(rf"(struct {struct} {{\n.*?)(\n}})", rf"\1\n    {member}\2", text, 1, re.S)
            assert count == 1, struct
        header.write_text(text)
    header = include / "foxwedge/abi.h"
    text, count = re.subn(r"(#define FOXWEDGE_ABI_MINOR )(\d+)u",
                          lambda found: f"{found[1]}{int(found[2]) + 1}u", header.read_text())
    assert count == 1
    header.write_text(text.replace("#define FOXWEDGE_CONCURRENT", "#define FOXWEDGE_EVENT_OF_LATER 7u\n"
                                   "#define FOXWEDGE_CONCURRENT"))
    return include


class Minors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="foxwedge-minors-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.include = next_minor(cls.folder)
        (cls.folder / "plugins").mkdir(mode=0o755)
        cls.later = cls.folder / "plugins/capability-later.so"
        cls.build("cc", "-std=c99", "-shared", "-fPIC", "-fvisibility=hidden",
                  f"-Wl,--version-script={ROOT / 'abi/plugin.map'}", ROOT / "tests/abi/later.c", "-o", cls.later)

    @classmethod
    def build(cls, *command):
        done = subprocess.run([*map(str, command), f"-I{cls.include}", "-Wall", "-Wextra"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def foxwedge(self, *args):
        environment = {"HOME": str(self.folder), "PATH": os.environ["PATH"],
                       "XDG_STATE_HOME": str(self.folder / "state"),
                       "FOXWEDGE_PLUGIN_PATH": str(self.folder / "plugins")}
        return subprocess.run([FOXWEDGE, *map(str, args)], capture_output=True, text=True, cwd=self.folder,
                              env=environment)

    def test_a_later_plugin_works_in_this_host(self):
        (self.folder / "host.json").write_text(json.dumps(
            {"name": "h", "tools": {"later_look": {"autoApprove": True}}}))
        done = self.foxwedge("call", "host.json", "later_look", "{}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("an older host", done.stdout)

    def test_a_later_plugin_conforms_here(self):
        done = self.foxwedge("plugins", "check", self.later)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_layout_of_this_minor_holds_in_the_next(self):
        self.build("c++", "-std=c++17", "-c", ROOT / "tests/abi/layout_1_0.cpp", "-o", self.folder / "layout.o")

    def test_this_minors_plugins_work_in_a_later_host(self):
        host = self.folder / "later-host"
        sources = sorted((ROOT / "tests/support/plugin_host").glob("*.cpp"))
        self.build("c++", "-std=c++20", "-O0", "-DBOOST_TEST_DYN_LINK", *DEFINES, f"-I{ROOT / 'tests/support'}",
                   ROOT / "tests/abi/sample_test.cpp", *sources, "-o", host, "-lboost_unit_test_framework", "-ldl")
        done = subprocess.run([host], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
