"""foxwedge replay --config NEW: recorded conversations under a changed prompt or model."""
from harness import *

LOOK = ("orders_lookup_order", {"orderId": "A-1002"})
REFUND = ("orders_refund_order", {"orderId": "A-1001", "amount": 5})


class Rehearsal(Host):
    def recorded(self, call=REFUND, **agent):
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("done: {{result}}")},
                           {"answer": calls(call)}], orders=True,
                    agent={"mcpServers": ["orders"], **agent})
        return self.run_agent("--prompt", "x")

    def changed(self, rules, **agent):
        """A config of the same host with other answers, whose server cannot even be started."""
        host = json.loads(self.config_file.read_text())
        host["providers"]["scripted"]["config"] = {"rules": rules}
        host["agents"]["a"].update(agent)
        host["mcpServers"]["orders"] = {"command": "/nonexistent/server"}
        other = self.folder / "new.json"
        other.write_text(json.dumps(host))
        return other

    def rehearse(self, config, *runs, expect):
        ended = self.foxwedge("--json", "replay", "--config", config, *runs)
        self.assertEqual(ended.code, expect, ended)
        return [json.loads(line) for line in ended.out.splitlines()]

    SAME = [{"when": {"afterTool": True}, "answer": text("done: {{result}}")},
            {"answer": calls(REFUND)}]

    def test_the_same_answers_are_no_difference_and_no_tool_runs(self):
        run = self.recorded()["run"]
        self.assertEqual(len(self.ledger()), 1)
        before = (self.show(run), self.runs())
        [out] = self.rehearse(self.changed(self.SAME, instructions="be kind"), run,
                              expect=SUCCEEDED)
        self.assertTrue(out["same"], out)
        self.assertEqual(len(self.ledger()), 1)  # the refund was not made again
        self.assertEqual((self.show(run), self.runs()), before)

    def test_another_answer_is_shown_with_both(self):
        run = self.recorded()
        rules = [{"when": {"afterTool": True}, "answer": text("sorry")}, self.SAME[1]]
        [out] = self.rehearse(self.changed(rules), run["run"], expect=MISMATCH)
        self.assertEqual(out["differences"], [{"what": "answer", "before": run["value"]["final"],
                                               "after": "sorry"}])

    def test_a_call_that_has_no_record_is_not_run_and_listed(self):
        run = self.recorded()["run"]
        dearer = ("orders_refund_order", {"orderId": "A-1001", "amount": 999})
        rules = [self.SAME[0], {"answer": calls(dearer)}]
        [out] = self.rehearse(self.changed(rules), run, expect=MISMATCH)
        self.assertEqual(len(self.ledger()), 1)
        missing = [d["after"] for d in out["differences"] if d["what"] == "not recorded"]
        self.assertEqual([m["arguments"]["amount"] for m in missing], [999])
        [answer] = [d["after"] for d in out["differences"] if d["what"] == "answer"]
        self.assertIn("not recorded", answer)

    def test_gates_are_answered_as_they_were(self):
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("done: {{result}}")},
                           {"answer": calls(REFUND)}], orders=True,
                    agent={"mcpServers": ["orders"], "approval": {}})
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", "reject", gate["id"], "--reason", "no",
                "--resume")
        [out] = self.rehearse(self.changed(self.SAME), run, expect=SUCCEEDED)
        self.assertTrue(out["same"], out)
        self.assertEqual((self.ledger(), self.gates()), ([], []))

    def test_several_runs_are_shown_one_by_one(self):
        runs = [self.recorded()["run"], self.recorded(call=LOOK)["run"]]
        out = self.rehearse(self.changed(self.SAME), *runs, expect=MISMATCH)
        self.assertEqual([(r["run"], r["same"]) for r in out],
                         [(runs[0], True), (runs[1], False)])

    def test_children_are_answered_from_the_record_too(self):
        child = {"name": "go", "workflow": "b", "inputSchema": {"type": "object"}}
        rules = [{"when": {"model": "child"}, "answer": text("from below")},
                 {"when": {"afterTool": True}, "answer": text("{{result}}")},
                 {"answer": calls(("go", {}))}]
        self.config(rules=rules, agents={"a": {"model": "parent", "tools": [child]},
                                         "b": {"model": "child", "prompt": "x"}}, orders=True)
        ended = self.ok("--json", "run", self.config_file, "a", "--prompt", "x")
        rules = [{"when": {"model": "child"}, "answer": text("never asked")}, *rules[1:]]
        [out] = self.rehearse(self.changed(rules), ended.json()["run"], expect=SUCCEEDED)
        self.assertTrue(out["same"], out)

    def test_people_read_what_differs(self):
        run = self.recorded()["run"]
        rules = [{"when": {"afterTool": True}, "answer": text("sorry")}, self.SAME[1]]
        ended = self.ok("replay", "--config", self.changed(rules), run, expect=MISMATCH)
        self.assertIn("differs", ended.out)
        self.assertIn("sorry", ended.out)


if __name__ == "__main__":
    main()
