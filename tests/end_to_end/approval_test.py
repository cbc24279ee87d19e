"""Questions to a person: parked, listed, answered from other processes."""
import threading

from harness import *

REFUND = ("orders_refund_order", {"orderId": "A-1001", "amount": 100})


class Approval(Host):
    def refund_agent(self, rule=True, then="done", **agent):
        self.config(rules=[{"when": {"tool": "orders_refund_order"}, "answer": text(then)},
                           {"answer": calls(REFUND)}],
                    orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval": rule}], **agent})

    def parked(self):
        out = self.run_agent("--prompt", "refund", expect=WAITING)
        self.assertEqual(out["status"], "waiting")
        [gate] = self.gates()
        return out["run"], gate

    def answer(self, word, gate, *more, expect=SUCCEEDED):
        return self.ok("--json", "--config", self.config_file, "approvals", word, gate["id"], *more,
                       expect=expect)

    def test_a_gated_call_parks_the_run_and_shows_exactly_what_would_run(self):
        self.refund_agent({"risk": "high", "summary": "Refund ${args.amount} for ${args.orderId}"})
        run, gate = self.parked()
        self.assertEqual(gate["run"], run)
        self.assertEqual(gate["kind"], "approval")
        self.assertEqual(gate["about"]["tool"], "orders_refund_order")
        self.assertEqual(gate["about"]["arguments"], REFUND[1])
        self.assertEqual(gate["about"]["risk"], "high")
        self.assertEqual(gate["about"]["summary"], "Refund 100 for A-1001")
        self.assertEqual(self.ledger(), [])
        shown = self.ok("--config", self.config_file, "show", run).out
        self.assertIn("waiting", shown)
        self.assertIn("not started", shown)

    def test_approved_from_another_process_it_runs_once(self):
        self.refund_agent()
        run, gate = self.parked()
        out = self.answer("approve", gate, "--resume").json()
        self.assertEqual(out["value"]["final"], "done")
        self.assertEqual([row["amount"] for row in self.ledger()], [100])
        self.assertEqual(self.gates(), [])

    def test_decided_first_and_resumed_later(self):
        self.refund_agent()
        run, gate = self.parked()
        self.answer("approve", gate)
        out = self.ok("--json", "--config", self.config_file, "resume", run).json()
        self.assertEqual(out["value"]["final"], "done")

    def test_a_rejection_is_the_tools_result_with_the_reason(self):
        self.refund_agent(then="{{result}}")
        run, gate = self.parked()
        out = self.answer("reject", gate, "--reason", "too much", "--resume").json()
        self.assertIn("too much", out["value"]["final"])
        self.assertEqual(self.ledger(), [])

    def test_an_edit_runs_with_the_persons_arguments(self):
        self.refund_agent()
        run, gate = self.parked()
        self.answer("edit", gate, '{"orderId": "A-1001", "amount": 7}', "--resume")
        self.assertEqual([row["amount"] for row in self.ledger()], [7])

    def test_an_edit_into_a_schema_violation_is_not_run(self):
        self.refund_agent(then="{{result}}")
        run, gate = self.parked()
        ended = self.foxwedge("--json", "--config", self.config_file, "approvals", "edit",
                              gate["id"], '{"orderId": "A-1001", "amount": "much"}', "--resume")
        self.assertNotEqual(ended.code, FAULT, ended)
        self.assertEqual(self.ledger(), [])
        listed = self.ok("--config", self.config_file, "approvals").out
        self.assertIn("/amount: must be a number", listed)

    def test_the_second_answer_gets_a_conflict_and_the_first_decision(self):
        self.refund_agent()
        run, gate = self.parked()
        self.answer("approve", gate, "--user", "ann")
        error = self.answer("reject", gate, expect=FAILED).json()["error"]
        self.assertEqual(error["code"], "conflict")
        self.assertIn("approve by user:ann", error["message"])

    def test_a_question_that_is_not_there_is_an_error_that_names_the_list(self):
        self.refund_agent()
        self.parked()
        ended = self.ok("approvals", "approve", "ZZZ", expect=USAGE)
        self.assertIn("foxwedge approvals lists", ended.err)

    def test_two_reviewers_at_once_one_wins(self):
        self.refund_agent()
        run, gate = self.parked()
        codes = []

        def review(word):
            codes.append(self.foxwedge("--config", self.config_file, "approvals", word,
                                       gate["id"]).code)

        both = [threading.Thread(target=review, args=(word,)) for word in ("approve", "reject")]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        self.assertEqual(sorted(codes), [SUCCEEDED, FAILED])

    def test_an_answer_that_is_not_offered_is_refused(self):
        self.refund_agent({"allow": ["approve", "reject"]})
        run, gate = self.parked()
        error = self.answer("edit", gate, "{}", expect=USAGE).json()["error"]
        self.assertEqual(error["code"], "not_allowed")

    def test_an_expired_gate_is_rejected_though_no_process_ran(self):
        self.refund_agent({"timeout": "50ms"}, then="{{result}}")
        asked = time.time() + 1
        ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x")
        if ended.code == WAITING:
            run = ended.json()["run"]
            self.until("the deadline has passed", lambda: time.time() > asked + 0.1)
            ended = self.ok("--json", "--config", self.config_file, "resume", run)
        self.assertEqual(ended.code, SUCCEEDED, ended)
        self.assertEqual(self.ledger(), [])
        self.assertIn("time", ended.json()["value"]["final"])

    def test_max_approvals_stops_with_nothing_of_that_turn_run(self):
        self.refund_agent(maxApprovals=0)
        out = self.run_agent("--prompt", "x", expect=OTHER_STOP)
        self.assertEqual(out["value"]["stopReason"], "approval-budget")
        self.assertEqual((self.ledger(), self.gates()), ([], []))

    def stopped_by_approvals(self, run):
        out = self.ok("--json", "--config", self.config_file, "resume", run, expect=OTHER_STOP).json()
        self.assertEqual(out["value"]["stopReason"], "approval-budget")
        self.assertEqual(self.gates(), [])
        self.assertTrue(self.ok("--json", "--config", self.config_file, "replay", run)
                        .json()["identical"])

    def test_the_gate_of_a_result_counts_to_max_approvals(self):
        self.refund_agent(then="done {{result}}", maxApprovals=1, guardrails=[
            {"use": "rule", "placements": ["tool-result"],
             "config": {"rules": [{"if": "true", "action": "require-approval"}]}}])
        run, gate = self.parked()
        self.answer("approve", gate)
        self.stopped_by_approvals(run)
        self.assertEqual([row["amount"] for row in self.ledger()], [100])
        # With room for one more it goes on where it stopped: the call is not made again.
        self.ok("--json", "--config", self.config_file, "resume", run, "--set", "maxApprovals=2",
                expect=WAITING)
        [gate] = self.gates()
        self.assertTrue(gate["step"].endswith(":result:approval"), gate)
        out = self.answer("approve", gate, "--resume").json()
        self.assertEqual(out["value"]["stopReason"], "final")
        self.assertEqual(len(self.ledger()), 1)
        self.assertTrue(self.ok("--json", "--config", self.config_file, "replay", run)
                        .json()["identical"])

    def test_a_gate_that_comes_again_after_an_edit_counts_to_max_approvals(self):
        self.refund_agent(maxApprovals=1)
        run, gate = self.parked()
        self.answer("edit", gate, '{"orderId": "A-1001", "amount": "much"}')
        self.stopped_by_approvals(run)
        self.ok("--json", "--config", self.config_file, "resume", run, "--set", "maxApprovals=2",
                expect=WAITING)
        [gate] = self.gates()
        self.assertTrue(gate["step"].endswith(":approval:edit:1"), gate)
        self.answer("edit", gate, '{"orderId": "A-1001", "amount": 7}', "--resume")
        self.assertEqual([row["amount"] for row in self.ledger()], [7])

    def test_of_several_results_only_so_many_are_asked_about(self):
        self.config(rules=[{"when": {"tool": "orders_lookup_order"}, "answer": text("done")},
                           {"answer": calls(*(("orders_lookup_order", {"orderId": f"A-100{n}"})
                                              for n in (1, 2, 3)))}],
                    orders=True, agent={
                        "mcpServers": ["orders"], "maxApprovals": 2, "guardrails": [
                            {"use": "rule", "placements": ["tool-result"], "config": {
                                "rules": [{"if": "true", "action": "require-approval"}]}}]})
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        gates = self.gates()
        self.assertEqual(len(gates), 2)
        self.ok("--config", self.config_file, "resume", run, expect=WAITING)
        self.assertEqual([g["id"] for g in self.gates()], [g["id"] for g in gates])
        for gate in gates:
            self.answer("approve", gate)
        self.stopped_by_approvals(run)

    def test_an_ungated_sibling_does_not_wait(self):
        self.config(rules=[{"when": {"tool": "orders_refund_order"}, "answer": text("done")},
                           {"answer": calls(("orders_lookup_order", {"orderId": "A-1002"}), REFUND)}],
                    orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval":
                                           {"refund_order": True, "*": False}}]})
        run, gate = self.parked()
        done = [s for s in self.steps(run).values() if s["kind"] == "tool" and "outcome" in s]
        self.assertEqual(len(done), 1)

    def test_cancelling_a_parked_run_closes_its_gate(self):
        self.refund_agent()
        run, gate = self.parked()
        self.ok("--config", self.config_file, "cancel", run)
        self.assertEqual(self.gates(), [])
        self.assertEqual(self.show(run)["status"], "cancelled")
        self.ok("--config", self.config_file, "resume", run, expect=CANCELLED)


    def test_an_answer_that_cannot_be_one_leaves_the_question_open(self):
        self.refund_agent()
        run, gate = self.parked()
        (self.folder / "large.json").write_text(json.dumps({"orderId": "x" * 9_000_000}))
        for payload in ("null", "[]", '"x"', "", "@large.json"):
            self.answer("edit", gate, payload, expect=USAGE)
        self.answer("reject", gate, "--resume")
        self.assertEqual(self.ledger(), [])
        self.assertEqual(self.show(run)["status"], "succeeded")


if __name__ == "__main__":
    main()
