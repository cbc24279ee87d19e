"""Tools that start agents and wait: workflow-backed ones, and a plugin's through the services."""
from harness import *

DELEGATE = os.environ["FOXWEDGE_DELEGATE"]


class Children(Host):
    def delegate(self, rules, requests=None, tool="ask", arguments=None, **more):
        arguments = arguments if arguments is not None else {"requests": requests}
        self.config(rules=[*rules, {"when": {"afterTool": True}, "answer": text("{{result}}")},
                           {"answer": calls((f"delegate_{tool}", arguments))}],
                    agents={"a": {"tools": ["delegate_*"], "model": "parent"},
                            "b": {"model": "child", **more.pop("child", {})}},
                    tools={f"delegate_{t}": {"autoApprove": True}
                           for t in ("ask", "nap", "listen", "drop", "loaf")},
                    plugins={"path": [DELEGATE]}, **more)

    def run_a(self, expect=SUCCEEDED):
        ended = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "x")
        self.assertEqual(ended.code, expect, ended)
        return ended.json()

    def children(self, run):
        return [r for r in self.runs() if r.get("parent") == run]

    CHILD = [{"when": {"model": "child"}, "answer": text("did {{user}}")}]

    def test_a_plugin_starts_agents_and_gets_their_ends(self):
        self.delegate(self.CHILD, [{"key": k, "agent": "b", "prompt": k} for k in ("p", "q")])
        out = self.run_a()
        for word in ("p", "q"):
            self.assertIn(f'succeeded "did {word}"', out["value"]["final"])
        self.assertNotIn("two tickets", out["value"]["final"])
        self.assertEqual(len(self.children(out["run"])), 2)
        self.assertTrue(self.ok("--json", "replay", out["run"]).json()["identical"])

    def test_the_calling_agent_itself_with_other_options_and_a_shape(self):
        rules = [{"when": {"model": "other"}, "answer": {"output": {"n": 7}}}]
        self.delegate(rules, [{"key": "k", "options": {"model": "other"}, "prompt": "go",
                               "output": {"type": "object", "required": ["n"]}}])
        self.assertIn('{"n":7}', self.run_a()["value"]["final"])

    def test_mistakes_are_told_to_the_plugin(self):
        for request, word in (({"agent": "b"}, "key"), ({"key": "k", "agent": "b", "workflow": "b"}, "either"),
                              ({"key": "k", "agent": "nobody", "options": {"model": "x"}}, "nobody")):
            with self.subTest(word):
                self.delegate(self.CHILD, [request])
                self.assertIn(word, self.run_a()["value"]["final"])

    def test_an_agent_that_is_not_there_fails_as_a_child(self):
        self.delegate(self.CHILD, [{"key": "k", "agent": "nobody", "prompt": "x"}])
        self.assertIn("failed unknown_name", self.run_a()["value"]["final"])

    def test_a_cancelled_child_ends_as_cancelled(self):
        slow = [{"when": {"model": "child"}, "answer": text("late", delayMs=60000)}]
        self.delegate(slow, [{"key": "k", "agent": "b", "prompt": "x"}], tool="drop")
        self.assertIn("cancelled", self.run_a()["value"]["final"])

    def test_a_gate_of_a_child_is_listed_under_the_root_and_parks_both(self):
        refund = ("orders_refund_order", {"orderId": "A-1001", "amount": 5})
        rules = [{"when": {"model": "child", "afterTool": True}, "answer": text("paid")},
                 {"when": {"model": "child"}, "answer": calls(refund)}]
        self.delegate(rules, [{"key": "k", "agent": "b", "prompt": "x"}], orders=True,
                      child={"mcpServers": ["orders"], "approval": {}})
        run = self.run_a(expect=WAITING)["run"]
        [gate] = self.gates()
        [child] = self.children(run)
        self.assertEqual((gate["root"], gate["run"], gate["path"]), (run, child["id"], ["a", "b"]))
        ended = self.ok("--json", "--config", self.config_file, "approvals", "approve", gate["id"],
                        "--resume")
        self.assertIn('succeeded "paid"', ended.json()["value"]["final"])
        self.assertEqual(len(self.ledger()), 1)
        attempts = [s["attempts"] for s in self.show(run)["steps"] if s["kind"] == "tool"]
        self.assertEqual([len(a) for a in attempts], [1])  # waiting is no attempt

    def test_a_child_keeps_its_own_options_under_another_configuration(self):
        refund = ("orders_refund_order", {"orderId": "A-1001", "amount": 5})
        mine = {"model": "other"}
        rules = [{"when": {**mine, "afterTool": True}, "answer": {"output": {"n": 7}}},
                 {"when": mine, "answer": calls(refund)}]
        self.delegate(rules, [{"key": "k", "options": mine, "prompt": "go",
                               "output": {"type": "object", "required": ["n"]}}], orders=True)
        host = json.loads(self.config_file.read_text())
        host["agents"]["a"].update(mcpServers=["orders"], approval={})
        self.config_file.write_text(json.dumps(host))
        run = self.run_a(expect=WAITING)["run"]
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"])
        host["agents"]["a"].update(model="newer", maxIterations=20)
        self.config_file.write_text(json.dumps(host))
        out = self.ok("--json", "resume", run, "--config", self.config_file).json()
        self.assertIn('{"n":7}', out["value"]["final"])
        [child] = self.children(run)
        self.assertEqual(self.steps(child["id"])["config:0"]["outcome"]["value"]["changes"],
                         ["/agents/a/maxIterations"])
        for one in (run, child["id"]):
            self.assertTrue(self.ok("--json", "replay", one).json()["identical"])

    def test_a_tool_that_waits_parks_and_is_called_again(self):
        until = int(time.time() * 1000) + 1500
        self.delegate([], tool="nap", arguments={"until": until})
        out = self.run_a()
        self.assertIn("awake", out["value"]["final"])
        attempts = [s["attempts"] for s in self.show(out["run"])["steps"] if s["kind"] == "tool"]
        self.assertEqual([len(a) for a in attempts], [1])

    def test_parked_without_a_wait_is_a_broken_promise(self):
        self.delegate([], tool="loaf", arguments={})
        out = self.run_a(expect=FAILED)
        self.assertIn("without having registered a wait", out["error"]["message"])

    def test_a_killed_parent_goes_on_with_its_children(self):
        slow = [{"when": {"model": "child"}, "answer": text("did it", delayMs=1500)}]
        self.delegate(slow, [{"key": k, "agent": "b", "prompt": k} for k in ("p", "q")])
        run = self.ok("--json", "run", self.config_file, "a", "--prompt", "x", "--detach").json()["run"]
        process = self.start("--json", "resume", run)
        self.until("two children", lambda: len(self.children(run)) == 2)
        self.kill(process)
        ended = self.ok("--json", "resume", run)
        self.assertEqual(ended.json()["value"]["final"].count("did it"), 2)
        self.assertEqual(len(self.children(run)), 2)

    def test_a_child_that_is_younger_than_since_is_listed_though_its_root_is_older(self):
        refund = ("orders_refund_order", {"orderId": "A-1001", "amount": 5})
        child = {"name": "go", "workflow": "b", "inputSchema": {"type": "object"}}
        self.config(rules=[{"when": {"model": "child"}, "answer": text("young")},
                           {"when": {"turn": 0}, "answer": calls(refund)},
                           {"when": {"turn": 1}, "answer": calls(("go", {}))},
                           {"answer": text("done")}], orders=True,
                    agents={"a": {"mcpServers": ["orders"], "tools": [child], "model": "parent",
                                  "approval": {"allow": ["approve"]}},
                            "b": {"model": "child", "prompt": "x"}})
        run = self.run_a(expect=WAITING)["run"]
        self.until("the root is older than --since reaches",
                   lambda: run not in self.ids("--since", "2s"))
        began = time.monotonic()
        gates = self.gates()
        self.foxwedge("--config", self.config_file, "approvals", "approve", gates[0]["id"], "--resume")
        for gate in self.gates():
            self.foxwedge("--config", self.config_file, "approvals", "approve", gate["id"], "--resume")
        young = self.children(run)
        self.assertEqual(len(young), 1)
        since_it_began = f"{int(time.monotonic() - began) + 1}s"  # less than the root's age
        listed = self.ids("--since", since_it_began)
        self.assertIn(young[0]["id"], listed)
        self.assertNotIn(run, listed)

    def ids(self, *args):
        return [row["id"] for row in self.runs(*args)]


class OwnServers(Host):
    def starts(self, scope):
        """How often a server is started that a run and its child use."""
        log = self.folder / f"starts-{scope}"
        peer = pathlib.Path(__file__).with_name("peer.py")
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("done")},
                           {"when": {"user": "child"}, "answer": calls(("peer_echo", {"text": "c"}))},
                           {"answer": calls(("peer_echo", {"text": "p"}), ("ask", {"for": "x"}))}],
                    mcpServers={"peer": {"command": "sh", "scope": scope, "args": [
                        "-c", f'echo started >> "{log}"; exec "{sys.executable}" "{peer}"']}},
                    agents={"a": {"mcpServers": ["peer"], "prompt": "parent", "tools": [
                        {"name": "ask", "workflow": "b"}]},
                            "b": {"mcpServers": ["peer"], "prompt": "child"}})
        self.run_agent("a")
        return len(log.read_text().splitlines())

    def test_runs_share_a_servers_process_unless_it_is_one_for_each(self):
        self.assertEqual(self.starts("host"), 1)
        self.assertEqual(self.starts("run"), 2)


if __name__ == "__main__":
    main()
