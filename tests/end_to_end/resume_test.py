"""Going on with a run: retried, under another configuration, past a cap that has been raised."""
from harness import *

REFUND = ("orders_refund_order", {"orderId": "A-1001", "amount": 5})
BY_MODEL = [{"when": {"afterTool": True, "model": "big"}, "answer": text("big says done")},
            {"when": {"afterTool": True}, "answer": text("small says done")},
            {"answer": calls(REFUND)}]


class Resume(Host):
    def gated(self, rules=BY_MODEL, **agent):
        """A run that waits for a decision about its refund."""
        self.config(rules=rules, orders=True,
                    agent={"mcpServers": ["orders"], "model": "small", "approval": {}, **agent})
        return self.run_agent("--prompt", "x", expect=WAITING)["run"]

    def approve(self):
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"])

    def resume(self, run, *args, expect=SUCCEEDED):
        ended = self.foxwedge("--json", "resume", run, *args)
        self.assertEqual(ended.code, expect, ended)
        return ended.json()

    def identical(self, run):
        return self.ok("--json", "replay", run).json()["identical"]

    def test_a_set_value_counts_for_the_steps_to_come_and_the_record_stays_replayable(self):
        run = self.gated()
        self.approve()
        out = self.resume(run, "--set", "model=big")
        self.assertEqual(out["value"]["final"], "big says done")
        self.assertEqual(self.steps(run)["config:0"]["outcome"]["value"]["changes"],
                         ["/agents/a/model"])
        self.assertTrue(self.identical(run))
        self.assertEqual(len(self.ledger()), 1)

    def test_a_changed_config_file_counts_for_the_steps_to_come(self):
        run = self.gated()
        self.approve()
        changed = json.loads(self.config_file.read_text())
        changed["agents"]["a"]["model"] = "big"
        other = self.folder / "other.json"
        other.write_text(json.dumps(changed))
        out = self.resume(run, "--config", other)
        self.assertEqual(out["value"]["final"], "big says done")
        self.assertTrue(self.identical(run))

    def test_an_unchanged_config_file_puts_nothing_on_record(self):
        run = self.gated()
        self.approve()
        self.resume(run, "--config", self.config_file)
        self.assertNotIn("config:0", self.steps(run))

    def test_instructions_tools_and_rules_are_refused_naming_the_fork(self):
        run = self.gated()
        before = self.show(run)["steps"]
        for change in ('instructions="other"', 'agents.a.approval={"timeout":"1h"}',
                       'agents.a.guardrails=["schema"]', "tools.x={}", "name=other"):
            with self.subTest(change):
                ended = self.foxwedge("--json", "resume", run, "--set", change)
                if change == "tools.x={}":
                    continue  # a new entry of the catalogue is no tool of this run
                self.assertEqual(ended.code, USAGE, ended)
                self.assertEqual(ended.json()["error"]["code"], "config_change")
                self.assertIn("fork", ended.json()["error"]["message"])
        names = [s["name"] for s in self.show(run)["steps"]]
        self.assertEqual([n for n in names if not n.startswith("config:")],
                         [s["name"] for s in before])

    def test_a_value_that_no_config_has_is_bad_usage(self):
        run = self.gated()
        ended = self.ok("--json", "resume", run, "--set", "modle=big", expect=USAGE)
        self.assertIn("modle", ended.json()["error"]["message"])

    def test_a_failed_model_call_is_made_again_with_another_provider(self):
        self.config(turns=[text("never")], agent={"provider": "broken"}, providers={
            "broken": {"use": "scripted", "config": {"turns": [
                {"error": {"code": "unauthorized", "message": "no such key"}}]}},
            "works": {"use": "scripted", "config": {"turns": [text("at last")]}}})
        run = self.run_agent("--prompt", "x", expect=FAILED)["run"]
        out = self.resume(run, "--retry", "--set", "agents.a.provider=works")
        self.assertEqual(out["value"]["final"], "at last")
        self.assertTrue(self.identical(run))
        generations = [s["generation"] for s in self.show(run)["steps"] if s["name"] == "a:iter:0"]
        self.assertEqual(sorted(generations), [0, 1])

    def test_a_retry_that_is_refused_leaves_the_run_failed(self):
        self.config(turns=[{"error": {"code": "unauthorized", "message": "no such key"}}])
        run = self.run_agent("--prompt", "x", expect=FAILED)["run"]
        for change in ("instructions=other", "nonsense"):
            self.resume(run, "--retry", "--set", change, expect=USAGE)
            self.assertEqual(self.show(run)["status"], "failed")
        ended = self.resume(run, "--retry", expect=FAILED)
        self.assertEqual(ended["error"]["code"], "unauthorized")

    def test_a_succeeded_run_cannot_be_retried(self):
        self.config(turns=[text("x")])
        run = self.run_agent("--prompt", "x")["run"]
        ended = self.resume(run, "--retry", expect=USAGE)
        self.assertEqual(ended["error"]["code"], "not_failed")

    def test_a_run_that_stopped_at_its_cap_goes_on_when_that_is_raised(self):
        look = ("orders_lookup_order", {"orderId": "A-1002"})
        self.config(turns=[calls(look), calls(look), text("done")], orders=True,
                    agent={"mcpServers": ["orders"], "maxIterations": 2})
        run = self.run_agent("--prompt", "x", expect=OTHER_STOP)["run"]
        self.assertTrue(self.identical(run))
        out = self.resume(run, "--set", "maxIterations=3")
        self.assertEqual(out["value"]["final"], "done")
        self.assertEqual(out["value"]["iterations"], 3)
        self.assertTrue(self.identical(run))

    def test_a_run_that_asked_too_often_goes_on_when_it_may_ask_more(self):
        self.config(rules=BY_MODEL, orders=True,
                    agent={"mcpServers": ["orders"], "approval": {}, "maxApprovals": 0})
        run = self.run_agent("--prompt", "x", expect=OTHER_STOP)["run"]
        self.assertEqual(self.ledger(), [])
        self.resume(run, "--set", "maxApprovals=1", expect=WAITING)
        self.approve()
        self.assertEqual(self.resume(run)["value"]["final"], "small says done")
        self.assertTrue(self.identical(run))

    def test_a_succeeded_run_cannot_be_changed(self):
        self.config(turns=[text("x")])
        run = self.run_agent("--prompt", "x")["run"]
        ended = self.ok("--json", "resume", run, "--set", "model=big", expect=USAGE)
        self.assertIn("succeeded", ended.json()["error"]["message"])

    def test_two_changes_in_a_row_count_from_where_they_were_made(self):
        rules = [{"when": {"model": "third"}, "answer": text("third")},
                 {"when": {"model": "second"}, "answer": calls(("orders_refund_order", {
                     "orderId": "A-1001", "amount": 7}))},
                 {"answer": calls(REFUND)}]
        run = self.gated(rules)
        self.approve()
        self.resume(run, "--set", "model=second", expect=WAITING)
        self.approve()
        self.assertEqual(self.resume(run, "--set", "model=third")["value"]["final"], "third")
        self.assertTrue(self.identical(run))
        self.assertEqual(len(self.ledger()), 2)

    def test_a_killed_run_goes_on_under_the_configuration_in_force(self):
        rules = [{"when": {"model": "big"}, "answer": text("big", delayMs=60000)},
                 *BY_MODEL]
        run = self.gated(rules)
        self.approve()
        process = self.start("--json", "resume", run, "--set", "model=big")
        self.until("the model is asked", lambda: [
            s for s in self.steps(run).values() if s["kind"] == "tool" and "outcome" in s])
        self.kill(process)
        out = self.resume(run, "--set", "model=small")
        self.assertEqual(out["value"]["final"], "small says done")
        self.assertTrue(self.identical(run))


if __name__ == "__main__":
    main()
