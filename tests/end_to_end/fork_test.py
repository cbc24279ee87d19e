"""foxwedge fork: a new run with what another one has on record before a step."""
from harness import *

LOOK = ("orders_lookup_order", {"orderId": "A-1002"})
REFUND = ("orders_refund_order", {"orderId": "A-1001", "amount": 5})


class Fork(Host):
    def two_turns(self, **agent):
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("found {{result}}")},
                           {"answer": calls(LOOK)}],
                    orders=True, agent={"mcpServers": ["orders"], **agent})
        return self.run_agent("--prompt", "x")["run"]

    def fork(self, run, *args, expect=SUCCEEDED):
        ended = self.foxwedge("--json", "fork", run, *args)
        self.assertEqual(ended.code, expect, ended)
        return ended.json()

    def identical(self, run):
        return self.ok("--json", "replay", run).json()["identical"]

    def call_of(self, run):
        [name] = [n for n, s in self.steps(run).items() if s["kind"] == "tool"]
        return name

    def test_what_stands_before_the_step_is_taken_over_and_the_rest_is_done_anew(self):
        run = self.two_turns()
        out = self.fork(run, "--at", "a:iter:1")
        self.assertNotEqual(out["run"], run)
        old, new = self.steps(run), self.steps(out["run"])
        self.assertEqual(old["a:iter:0"]["attempts"], new["a:iter:0"]["attempts"])
        self.assertNotEqual(old["a:iter:1"]["attempts"], new["a:iter:1"]["attempts"])
        self.assertEqual(new["fork:0"]["outcome"]["value"]["run"], run)
        self.assertTrue(self.identical(out["run"]))

    def test_a_step_of_a_fan_out_takes_it_back_whole(self):
        run = self.two_turns()
        call = self.call_of(run)
        out = self.fork(run, "--at", call)
        new = self.steps(out["run"])[call]
        self.assertNotEqual(new["attempts"], self.steps(run)[call]["attempts"])
        self.assertTrue(self.identical(out["run"]))

    def test_a_tool_can_be_given_another_output(self):
        run = self.two_turns()
        out = self.fork(run, "--at", self.call_of(run), "--set-output", '"nothing"')
        self.assertEqual(out["value"]["final"], "found nothing")
        self.assertTrue(self.identical(out["run"]))

    def test_a_model_can_be_given_another_answer_as_its_text(self):
        run = self.two_turns()
        out = self.fork(run, "--at", "a:iter:0", "--set-output", '"enough"')
        self.assertEqual(out["value"]["final"], "enough")
        self.assertEqual(self.steps(out["run"])["a:iter:0"]["outcome"]["value"]["stop"], "end")

    def test_instructions_may_change_from_the_step_on(self):
        run = self.two_turns()
        changed = json.loads(self.config_file.read_text())
        changed["agents"]["a"]["instructions"] = "be brief"
        changed["providers"]["scripted"]["config"]["rules"] = [{"answer": text("brief")}]
        other = self.folder / "other.json"
        other.write_text(json.dumps(changed))
        out = self.fork(run, "--at", "a:iter:1", "--config", other)
        self.assertEqual(out["value"]["final"], "brief")
        self.assertTrue(self.identical(out["run"]))
        self.assertTrue(self.identical(run))

    def test_tools_may_change_and_are_frozen_anew(self):
        kv = "workflow-kv_kv_store"
        run = self.two_turns()
        changed = json.loads(self.config_file.read_text())
        changed["agents"]["a"]["tools"] = [kv]
        changed["tools"] = {kv: {"autoApprove": True}}
        changed["providers"]["scripted"]["config"]["rules"] = [
            {"when": {"turn": 1}, "answer": calls((kv, {"action": "set", "key": "k", "value": 1}))},
            {"answer": text("kept")}]
        other = self.folder / "other.json"
        other.write_text(json.dumps(changed))
        out = self.fork(run, "--at", "a:iter:1", "--config", other)
        self.assertEqual(out["value"]["final"], "kept")
        self.assertIn(kv, json.dumps(self.steps(out["run"])["a~1:tools"]["outcome"]))
        self.assertTrue(self.identical(out["run"]))

    def test_a_call_that_the_origin_has_made_once_is_asked_about_first(self):
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("done")},
                           {"answer": calls(REFUND)}], orders=True,
                    agent={"mcpServers": ["orders"],
                           "tools": [{"use": "orders_refund_order", "effect": "once"}]})
        run = self.run_agent("--prompt", "x")["run"]
        self.assertEqual(len(self.ledger()), 1)
        forked = self.fork(run, "--at", "a:iter:0", expect=WAITING)["run"]
        [gate] = self.gates()
        self.assertEqual((gate["kind"], gate["run"]), ("unknown", forked))
        self.assertTrue(gate["step"].endswith(":unknown:0"))
        self.assertEqual(len(self.ledger()), 1)
        self.assertIn("may have happened already", self.ok("approvals").out)
        self.assertIn(f"approvals again {gate['id']} --resume   (or use, giveUp)",
                      self.ok("show", forked).out)
        with self.subTest("again"):
            self.ok("--config", self.config_file, "approvals", "again", gate["id"], "--resume")
            self.assertEqual(len(self.ledger()), 2)
            self.assertTrue(self.identical(forked))
        with self.subTest("use"):
            forked = self.fork(run, "--at", "a:iter:0", expect=WAITING)["run"]
            [gate] = self.gates()
            self.ok("--config", self.config_file, "approvals", "use", gate["id"],
                    '"as before"', "--resume")
            self.assertEqual(len(self.ledger()), 2)
            self.assertTrue(self.identical(forked))

    def test_new_keys_for_what_runs_anew(self):
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("done")},
                           {"answer": calls(REFUND)}], orders=True,
                    agent={"mcpServers": ["orders"]})
        run = self.run_agent("--prompt", "x")["run"]
        self.fork(run, "--at", "a:iter:0", expect=WAITING)  # a refund is not repeated unasked
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", "again", gate["id"], "--resume")
        self.assertEqual(len({json.dumps(line) for line in self.ledger()}), 2)

    def test_a_step_that_is_not_there_is_named_with_what_was_meant(self):
        run = self.two_turns()
        ended = self.ok("--json", "fork", run, "--at", "a:itr:1", expect=USAGE)
        self.assertIn("a:iter:1", ended.json()["error"]["message"])

    def test_a_failed_run_can_be_forked_before_its_failure(self):
        self.config(turns=[calls(LOOK), {"error": {"code": "unauthorized", "message": "no"}}],
                    orders=True, agent={"mcpServers": ["orders"]})
        run = self.run_agent("--prompt", "x", expect=FAILED)["run"]
        out = self.fork(run, "--at", "a:iter:1", "--set-output", '"by hand"')
        self.assertEqual(out["value"]["final"], "by hand")

    def test_a_fork_that_is_killed_goes_on(self):
        run = self.two_turns()
        forked = self.fork(run, "--at", "a:iter:1", "--detach")["run"]
        self.assertEqual(self.show(forked)["status"], "ready")
        self.ok("resume", forked)
        self.assertTrue(self.identical(forked))


if __name__ == "__main__":
    main()
