"""The official TypeScript clients, both generations, against our server over both transports."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(os.environ["FOXWEDGE_SOURCE_ROOT"])
BUILD = pathlib.Path(os.environ["FOXWEDGE_BUILD_ROOT"])
sys.path.insert(0, str(SOURCE / "tests/support"))
from official_clients import NODE, need_clients
SERVER = BUILD / "tests/conformance/conformance-server"


def setUpModule():
    need_clients()


class OfficialClients(unittest.TestCase):
    def look(self, *script):
        seen = subprocess.run([NODE, BUILD / "node" / script[0], *map(str, script[1:])],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(seen.returncode, 0, seen.stderr)
        return json.loads(seen.stdout)

    def check(self, seen):
        self.assertEqual(seen["server"], "foxwedge-conformance")
        self.assertGreater(len(seen["tools"]), 20)
        self.assertEqual(seen["simple"], "This is a simple text response for testing.")
        self.assertEqual(seen["progress"], [0, 50, 100])
        self.assertTrue(seen["failed"])
        self.assertEqual(seen["unknown"], -32602)
        self.assertIn("rey", seen["elicited"])
        self.assertIn("sampled", seen["sampled"])
        self.assertIn("file:///tmp", seen["roots"])
        self.assertEqual((seen["logged_at_warning"], seen["logged_at_info"]), (0, 3))
        self.assertTrue(seen["heard_of_change"])
        self.assertIn("Rey likes", seen["rounds"])
        self.assertEqual(seen["prompt"], "Prompt with arguments: arg1='a', arg2='b'")
        self.assertIn("static text resource", seen["resource"])
        self.assertEqual(json.loads(seen["template"])["id"], "7")
        self.assertNotEqual(seen["missing"], "none")
        self.assertIn("paris", seen["completion"])

    def over_both(self, *script):
        with self.subTest(transport="stdio"):
            self.check(self.look(*script, "stdio", SERVER, "stdio"))
        with self.subTest(transport="http"):
            server = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True)
            try:
                self.check(self.look(*script, "http", server.stdout.readline().strip()))
            finally:
                server.communicate()

    def test_of_the_first_generation(self):
        self.over_both("client-v1.mjs")

    def test_of_the_second_generation_in_every_mode(self):
        for mode in ("auto", "legacy", "2026-07-28"):
            with self.subTest(mode=mode):
                self.over_both("client-v2.mjs", mode)


unittest.main(verbosity=2)
