"""Calls over MCP that are durable runs: one commit each, and whole or not at all wherever the
server dies."""
import threading

from bridge_test import PAIR, SAVE, TOKEN, TOOL, Bridge
from mcp_wire import *

KILL_AT = os.environ["FOXWEDGE_KILL_AT"]
KILLED = -signal.SIGKILL


class ServedCalls(Server):
    def call_and_die(self, at, arguments):
        """Serves one call, dying at that point of its commits: what was answered, and whether it
        died."""
        self.environment.update(LD_PRELOAD=KILL_AT, KILL_AT=str(at))
        try:
            process = self.serve()
        finally:
            del self.environment["LD_PRELOAD"], self.environment["KILL_AT"]
        wire, answer = Wire(process), None
        try:
            wire.shake_hands()
            if arguments:
                answer = wire.ask("tools/call", {"name": KV, "arguments": arguments})["result"]
        except (EOFError, BrokenPipeError):
            pass
        try:
            process.stdin.close()
        except BrokenPipeError:
            pass
        return answer, process.wait(timeout=60) == KILLED

    def points(self, arguments):
        """At how many points of its commits a server that gets this call can die."""
        at = 1
        while self.call_and_die(at, arguments)[1]:
            at += 1
        return at - 1

    def test_a_call_is_one_commit(self):
        self.call_and_die(10_000, {"action": "set", "key": "k", "value": 0})  # makes the journal
        idle = self.points(None)
        self.assertEqual(self.points({"action": "set", "key": "k", "value": 1}) - idle, 2)

    def test_it_is_there_with_its_run_or_not_at_all(self):
        self.call_and_die(10_000, {"action": "set", "key": "first", "value": 0})
        at, died = 1, True
        while died:
            key = f"k{at}"
            answer, died = self.call_and_die(at, {"action": "set", "key": key, "value": at})
            [*runs] = [run for run in self.runs() if self.input_of(run).get("key") == key]
            found = self.has(key)
            self.assertEqual([run["status"] for run in runs], ["succeeded"] if found else [])
            if answer:
                self.assertNotIn("isError", answer)
                self.assertTrue(found)  # what a client was told lasts
            at += 1
        self.assertTrue(found)

    def input_of(self, run):
        shown = self.foxwedge("--json", "--config", self.config_file, "show", run["id"]).json()
        return shown["input"]

    def has(self, key):
        said = self.foxwedge("--json", "call", self.config_file, KV,
                             json.dumps({"action": "get", "key": key}))
        self.assertEqual(said.code, SUCCEEDED, said)
        return '"found":true' in said.out.replace(" ", "").replace("\\", "")

    def test_what_must_not_be_repeated_is_asked_about_after_a_death(self):
        reached, go_on = threading.Event(), threading.Event()
        self.addCleanup(go_on.set)

        def slow(bridge, handler, body):
            reached.set()
            go_on.wait(60)

        bridge = Bridge(self, slow)
        self.environment.update({PAIR + "_URL": bridge.url, PAIR + "_TOKEN": TOKEN})
        process = self.serve(tools={TOOL: {"autoApprove": True}})
        wire = Wire(process)
        wire.shake_hands()
        wire.send({"id": 9, "method": "tools/call", "params": {"name": TOOL, "arguments": SAVE}})
        self.assertTrue(reached.wait(60))
        [run] = self.runs()  # another process sees it while it goes on
        self.assertEqual(run["status"], "running")
        process.kill()
        process.wait()
        self.assertEqual(self.foxwedge("--config", self.config_file, "resume", run["id"]).code,
                         WAITING)
        [gate] = self.gates()
        self.assertEqual(gate["kind"], "unknown")
        self.assertEqual(len(bridge.seen), 1)


if __name__ == "__main__":
    main()
