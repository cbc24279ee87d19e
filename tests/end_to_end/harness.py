"""Drives the real foxwedge program: a host of its own per test, in a folder of its own."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(os.environ["FOXWEDGE_SOURCE_ROOT"])
BUILD = pathlib.Path(os.environ["FOXWEDGE_BUILD_ROOT"])
FOXWEDGE = BUILD / "hosts/foxwedge/foxwedge"
ORDERS = BUILD / "docs/examples/support/orders-server/orders-server"

SUCCEEDED, FAILED, USAGE, WAITING, CANCELLED, OTHER_STOP, MISMATCH, FAULT, HELD = range(9)


class Ended:
    """What a command left behind."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        return json.loads(self.out)

    def __repr__(self):
        return f"exit {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


def install(test_class):
    """What `meson install` gives, in a folder that goes with the class: (its root, its program)."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="foxwedge-installed-"))
    test_class.addClassCleanup(shutil.rmtree, root, ignore_errors=True)
    subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", root],
                   check=True, capture_output=True)
    [program] = root.rglob("bin/foxwedge")
    return root, program


class Host(unittest.TestCase):
    """A test's own host: config, state and ledger in a temporary folder."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="foxwedge-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.ledger_file = self.folder / "ledger.jsonl"
        self.environment = {
            "HOME": str(self.folder),
            "PATH": os.environ["PATH"],
            "USER": "tester",
            "XDG_STATE_HOME": str(self.folder / "state"),
            "LANG": "C.UTF-8",
        }
        self.config_file = self.folder / "host.json"

    # ---- what a test says

    def config(self, turns=None, rules=None, agent=None, agents=None, orders=False, **more):
        """Writes host.json around one scripted agent called `a`."""
        script = {k: v for k, v in (("turns", turns), ("rules", rules)) if v is not None}
        host = {
            "name": "h",
            "provider": "scripted",
            "providers": {"scripted": {"config": script}},
            "retry": {"initialDelay": "1ms", "maxDelay": "5ms"},
            "agents": agents or {"a": dict(agent or {})},
        }
        if orders:
            host["mcpServers"] = {
                "orders": {"command": str(ORDERS), "args": ["--ledger", str(self.ledger_file)]}
            }
        host.update(more)
        self.config_file.write_text(json.dumps(host))
        return self.config_file

    def foxwedge(self, *args, input=None, timeout=60, prefix=(), environment=None):
        command = [*prefix, str(FOXWEDGE), *map(str, args)]
        done = subprocess.run(command, input=input if input is not None else "",
                              capture_output=True, text=True, timeout=timeout, cwd=self.folder,
                              env={**self.environment, **(environment or {})})
        return Ended(done.returncode, done.stdout, done.stderr)

    def start(self, *args, environment=None):
        """The program in the background, for tests that kill it."""
        return subprocess.Popen([str(FOXWEDGE), *map(str, args)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                cwd=self.folder, env={**self.environment, **(environment or {})})

    def run_agent(self, *args, expect=SUCCEEDED):
        ended = self.foxwedge("--json", "run", self.config_file, *args)
        self.assertEqual(ended.code, expect, ended)
        return ended.json()

    def ok(self, *args, expect=SUCCEEDED, **how):
        ended = self.foxwedge(*args, **how)
        self.assertEqual(ended.code, expect, ended)
        return ended

    def show(self, run):
        return self.ok("--json", "--config", self.config_file, "show", run).json()

    def steps(self, run):
        """name → the newest generation of that step."""
        found = {}
        for step in self.show(run)["steps"]:
            if step["name"] not in found or found[step["name"]]["generation"] <= step["generation"]:
                found[step["name"]] = step
        return found

    def recorded(self, run, step):
        """The recorded value of a step."""
        return self.ok("--config", self.config_file, "show", run, "--request",
                       step).json()["outcome"]["value"]

    def gates(self):
        return self.rows_of("approvals")

    def runs(self, *args):
        return self.rows_of("runs", *args)

    def rows_of(self, *args):
        """The rows of a list; none while the process that is to make the journal has not got so far."""
        ended = self.foxwedge("--json", "--config", self.config_file, *args)
        if ended.code == USAGE and ended.json()["error"]["code"] == "not_found":
            return []
        self.assertEqual(ended.code, SUCCEEDED, ended)
        return ended.json()

    def ledger(self):
        if not self.ledger_file.exists():
            return []
        return [json.loads(line) for line in self.ledger_file.read_text().splitlines()]

    def until(self, what, condition, seconds=30):
        """Waits for an event that another process brings about."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.01)
        self.fail(f"did not happen in {seconds} s: {what}")

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()


def text(words, **more):
    return {"text": words, **more}


def calls(*named, **more):
    """An answer that calls tools: calls(("orders_lookup_order", {...}))."""
    return {"toolCalls": [{"name": name, "arguments": arguments} for name, arguments in named],
            **more}


def main():
    unittest.main(verbosity=2)
