"""What a rule makes of a call: who is asked, what they are shown, what their answer or silence means."""
from harness import *

ORDER = "A-1001"


LOOK = ("orders_lookup_order", {"orderId": "A-1001"})


def refund(amount, id="c1"):
    return {"name": "orders_refund_order", "arguments": {"orderId": ORDER, "amount": amount}, "id": id}


class Rules(Host):
    def agent(self, rule, *amounts, then="done", **agent):
        """One refund a turn, then `then`."""
        self.config(turns=[*({"toolCalls": [refund(amount)]} for amount in amounts), text(then)],
                    orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval":
                                           {"refund_order": rule, "*": False}}], **agent})

    def paid(self):
        return [row["amount"] for row in self.ledger()]

    def parked(self, **expected):
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        [gate] = self.gates()
        for member, value in expected.items():
            self.assertEqual(gate["about"].get(member), value, member)
        return run, gate

    def answer(self, word, gate, *more, expect=SUCCEEDED):
        return self.ok("--json", "--config", self.config_file, "approvals", word, gate["id"], *more,
                       expect=expect)

    def resume(self, run, expect=SUCCEEDED):
        return self.ok("--json", "--config", self.config_file, "resume", run, expect=expect).json()

    def decision(self, run, call="a:iter:0:tool:c1", edit=""):
        return self.steps(run)[call + ":approval" + edit]["outcome"]["value"]

    def replays(self, run):
        self.assertTrue(self.ok("--json", "--config", self.config_file, "replay", run).json()["identical"])

    # ---- who is asked

    def test_a_condition_lets_small_amounts_pass_and_asks_about_large_ones(self):
        rule = {"risk": "high", "if": "args.amount > 1000.0 || iteration > 3"}
        self.agent(rule, 5)
        run = self.run_agent("--prompt", "x")["run"]
        self.assertEqual(self.decision(run), {"answer": "approve", "decidedBy": "system:rule"})
        self.assertEqual(self.paid(), [5])
        self.agent(rule, 1200)
        self.parked(risk="high", ruleSource="mcp-predicate")
        self.assertEqual(self.paid(), [5])

    def test_a_condition_counts_turns_from_one(self):
        self.agent({"if": "args.amount > 1000.0 || iteration > 3"}, 1, 2, 3, 4)
        self.parked(iteration=4)
        self.assertEqual(self.paid(), [1, 2, 3])

    def test_the_least_risk_that_gates(self):
        levels = [{"if": "args.amount > 1000.0", "level": "high"},
                  {"if": "args.amount > 100.0", "level": "medium"}]
        for amount, asks, risk in ((150, False, "medium"), (1200, True, "high"), (20, True, "")):
            with self.subTest(amount=amount):
                self.agent({"risk": levels, "minRisk": "high"}, amount)
                ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x")
                self.assertEqual(ended.code, WAITING if asks else SUCCEEDED, ended)
                [verdict] = self.steps(ended.json()["run"])["a:iter:0:gates"]["outcome"]["value"]
                self.assertEqual((verdict["gates"], verdict["risk"]), (asks, risk))

    def test_a_condition_or_the_risk_is_enough(self):
        self.agent({"risk": "critical", "minRisk": "high", "if": "args.amount > 1000.0"}, 5)
        self.parked(risk="critical")

    def test_what_cannot_be_evaluated_asks_and_says_why(self):
        self.agent({"if": "args.sum > 1.0"}, 5)
        run, gate = self.parked()
        self.assertIn("sum", gate["about"]["reason"])
        self.agent({"risk": [{"if": "args.sum > 1.0", "level": "low"}], "minRisk": "critical"}, 5)
        out = self.run_agent("--prompt", "x", expect=WAITING)
        self.assertEqual([g["about"]["risk"] for g in self.gates() if g["run"] == out["run"]],
                         ["critical"])

    def test_what_cannot_be_parsed_or_names_something_else_is_refused_before_any_model_call(self):
        for condition in ("args.amount >", "amount > 1.0", "env.HOME == ''"):
            with self.subTest(condition):
                self.agent({"if": condition}, 5)
                ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x")
                self.assertIn(ended.code, (FAILED, USAGE), ended)
                self.assertIn(condition, ended.out + ended.err)
                self.assertEqual(self.ledger(), [])

    def test_the_default_covers_a_servers_silent_tools(self):
        self.config(turns=[{"toolCalls": [refund(5)]}, text("done")], orders=True,
                    agent={"mcpServers": ["orders"],
                           "approval": {"risk": "high", "summary": "nobody told ${tool}"}})
        self.parked(ruleSource="agent-default", summary="nobody told orders_refund_order")

    def test_a_predicate_over_the_servers_own_names(self):
        self.config(turns=[{"toolCalls": [{"name": "orders_lookup_order", "id": "c0",
                                           "arguments": {"orderId": ORDER}}, refund(5)]}, text("done")],
                    orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval":
                                           "tool.name == 'refund_order' ? {'risk': 'high'} : false"}]})
        run, gate = self.parked(ruleSource="mcp-predicate", risk="high")
        self.assertIn("outcome", self.steps(run)["a:iter:0:tool:c0"])

    def test_a_predicate_that_fails_asks(self):
        self.config(turns=[{"toolCalls": [refund(5)]}, text("done")], orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval": "tool.owner == 'us'"}]})
        self.parked(ruleSource="predicate-failed")

    def test_a_guardrail_asks_even_where_the_table_says_never(self):
        self.agent(False, 5, guardrails=[{"use": "rule", "config": {"rules": [
            {"if": "placement == 'tool-args' && args.amount > 1.0", "action": "require-approval",
             "risk": "high"}]}}])
        run, gate = self.parked(ruleSource="guardrail", risk="high")
        self.answer("approve", gate, "--resume")
        self.assertEqual(self.paid(), [5])

    def test_a_shadow_rule_asks_nobody_and_is_on_record(self):
        self.agent({"shadow": True, "risk": "high"}, 5)
        run = self.run_agent("--prompt", "x")["run"]
        self.assertEqual(self.paid(), [5])
        [verdict] = self.steps(run)["a:iter:0:gates"]["outcome"]["value"]
        self.assertEqual(verdict["shadow"], {"gates": True, "risk": "high",
                                             "ruleSource": "mcp-predicate"})
        self.replays(run)

    # ---- what a person is shown, and what they may say

    def test_a_gate_holds_all_that_a_reviewer_needs(self):
        self.agent({"risk": "high", "timeout": "1d", "allow": ["approve", "respond"],
                    "summary": "${tool}: ${args.amount} for ${args.orderId}, ${risk}, turn ${iteration}"},
                   12.5)
        run, gate = self.parked(tool="orders_refund_order", callId="c1", iteration=1, risk="high",
                                arguments={"orderId": ORDER, "amount": 12.5},
                                summary="orders_refund_order: 12.5 for A-1001, high, turn 1")
        self.assertEqual((gate["run"], gate["root"], gate["path"]), (run, run, ["a"]))
        self.assertEqual(gate["allow"], ["approve", "respond"])
        self.assertEqual(gate["about"]["schema"]["required"], ["orderId", "amount"])
        self.assertRegex(gate["digest"], "^[0-9a-f]{64}$")
        self.assertGreater(gate["deadline"], gate["asked"])

    def test_who_decided_is_recorded(self):
        self.agent(True, 5)
        run, gate = self.parked()
        self.answer("approve", gate, "--user", "ann", "--resume")
        self.assertEqual(self.decision(run)["decidedBy"], "user:ann")
        self.replays(run)

    def test_a_person_may_answer_in_the_tools_place(self):
        self.agent({"allow": ["approve", "respond"]}, 5, then="{{result}}")
        run, gate = self.parked()
        out = self.answer("respond", gate, '"paid by hand"', "--resume").json()
        self.assertEqual(out["value"]["final"], "paid by hand")
        self.assertEqual(self.paid(), [])
        self.replays(run)

    def test_an_edit_into_a_schema_violation_is_asked_about_again(self):
        self.agent(True, 5, then="{{result}}")
        run, gate = self.parked()
        self.answer("edit", gate, '{"orderId": "A-1001", "amount": "much"}', "--resume", expect=WAITING)
        [again] = self.gates()
        self.assertEqual(again["step"], "a:iter:0:tool:c1:approval:edit:1")
        self.assertIn("/amount", again["about"]["reason"])
        self.answer("edit", again, '{"orderId": "A-1001", "amount": 7}', "--resume")
        self.assertEqual(self.paid(), [7])
        # Both versions stay: what the model wrote, and what ran.
        steps = self.steps(run)
        self.assertIn('"amount":5', steps["a:iter:0"]["outcome"]["value"]["content"][0]["arguments"])
        self.assertEqual(steps["a:iter:0:tool:c1"]["outcome"]["value"]["arguments"]["amount"], 7)
        self.replays(run)

    def test_three_edits_that_do_not_fit_end_in_a_denial(self):
        self.agent(True, 5, then="{{result}}")
        run, gate = self.parked()
        for n in range(3):
            out = self.answer("edit", gate, '{"amount": "x"}', "--resume",
                              expect=WAITING if n < 2 else SUCCEEDED)
            [gate] = self.gates() or [None]
        self.assertIn("3 times", out.json()["value"]["final"])
        self.assertEqual(self.paid(), [])

    # ---- silence

    def expired(self, on_timeout):
        """A parked run whose gate ran out while no process looked; longer where the machine is slow."""
        for seconds in (2, 10, 60):
            self.agent({"timeout": f"{seconds}s", "onTimeout": on_timeout}, 5, then="{{result}}")
            ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x")
            if ended.code == WAITING:
                run = ended.json()["run"]
                [gate] = [g for g in self.gates() if g["run"] == run] or [None]
                if gate:
                    deadline = self.instant(gate["deadline"])
                    self.until("the deadline has passed", lambda: time.time() > deadline, seconds * 2)
                    return run, gate
        self.fail("no run parked before its gate ran out")

    @staticmethod
    def instant(text):
        from datetime import datetime
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()

    def test_a_gate_that_ran_out_while_no_process_ran_takes_no_answer_any_more(self):
        run, gate = self.expired("reject")
        error = self.answer("approve", gate, expect=FAILED).json()["error"]
        self.assertEqual(error["code"], "expired")
        self.assertIn("in time", self.resume(run)["value"]["final"])
        self.assertEqual(self.decision(run)["decidedBy"], "system:timeout")
        self.assertEqual(self.paid(), [])
        self.replays(run)

    def test_silence_may_approve(self):
        run, gate = self.expired("approve")
        self.resume(run)
        self.assertEqual(self.decision(run)["decidedBy"], "system:timeout")
        self.assertEqual(self.paid(), [5])

    def test_silence_may_fail_the_run(self):
        run, gate = self.expired("fail")
        self.assertEqual(self.resume(run, expect=FAILED)["error"]["code"], "gate_timeout")
        self.assertEqual(self.paid(), [])

    # ---- decisions that stand

    def test_a_decision_may_stand_for_later_calls_until_it_is_revoked(self):
        self.config(turns=[{"toolCalls": [refund(5)]}, text("done")], orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval": {"refund_order": True}}]})
        run, gate = self.parked(ruleSource="bare")
        self.answer("approve", gate, "--always", "project", "--when", "args.amount < 50.0", "--resume")
        later = self.run_agent("--prompt", "x")["run"]
        [rule] = self.ok("--json", "--config", self.config_file, "approvals", "rules").json()
        self.assertEqual((rule["tool"], rule["if"]), ("orders_refund_order", "args.amount < 50.0"))
        self.assertEqual(self.decision(later)["decidedBy"], "rule:" + rule["id"])
        self.ok("--config", self.config_file, "approvals", "rules", "--revoke", rule["id"])
        self.run_agent("--prompt", "x", expect=WAITING)
        self.replays(later)

    def test_a_decision_may_stand_for_its_run_alone(self):
        self.config(turns=[calls(LOOK), calls(LOOK), text("done")], orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval": True}]})
        run, gate = self.parked(ruleSource="bare")
        self.answer("approve", gate, "--always", "run", "--resume")
        [rule] = self.ok("--json", "--config", self.config_file, "approvals", "rules").json()
        self.assertEqual(rule["run"], run)
        second = [step for name, step in self.steps(run).items()
                  if name.startswith("a:iter:1:tool:") and name.endswith(":approval")]
        self.assertEqual([step["outcome"]["value"]["decidedBy"] for step in second],
                         ["rule:" + rule["id"]])
        self.run_agent("--prompt", "x", expect=WAITING)  # the next run is asked again
        self.replays(run)

    def test_a_standing_decision_outranks_no_rule_that_a_server_or_agent_states(self):
        self.agent(True, 5)
        run, gate = self.parked()
        self.answer("approve", gate, "--always", "project", "--resume")
        self.agent({"risk": "high"}, 5)
        asked = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        [stated] = [gate for gate in self.gates() if gate["run"] == asked]
        # One that could never count is refused before anything is decided.
        refused = self.answer("approve", stated, "--always", "project", expect=USAGE).json()["error"]
        self.assertIn("mcp-predicate", refused["message"])
        self.assertIn(stated["id"], [gate["id"] for gate in self.gates()])

    # ---- how many

    def test_a_turn_past_the_limit_runs_none_of_its_calls(self):
        self.config(turns=[{"toolCalls": [refund(1)]},
                           {"toolCalls": [{"name": "orders_lookup_order", "id": "look",
                                           "arguments": {"orderId": ORDER}}, refund(2)]}, text("done")],
                    orders=True, agent={"maxApprovals": 1, "mcpServers": [
                        {"name": "orders", "requiresApproval": {"refund_order": True, "*": False}}]})
        run, gate = self.parked()
        out = self.answer("approve", gate, "--resume", expect=OTHER_STOP).json()
        self.assertEqual((out["value"]["stopReason"], out["value"]["final"]), ("approval-budget", None))
        self.assertEqual(self.paid(), [1])
        self.assertEqual([n for n in self.steps(run) if n.startswith("a:iter:1:")], [])
        self.assertEqual(self.gates(), [])
        self.replays(run)

    def test_two_gates_of_one_turn_are_two_decisions(self):
        self.config(turns=[{"toolCalls": [refund(1, "c1"), refund(2, "c2")]}, text("done")], orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval": True}]})
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        by_call = {gate["about"]["callId"]: gate for gate in self.gates()}
        self.answer("reject", by_call["c2"], "--resume", expect=WAITING)
        self.answer("approve", by_call["c1"], "--resume")
        self.assertEqual(self.paid(), [1])
        self.replays(run)

    # ---- a host that is down

    def test_a_gate_answered_while_its_host_is_dead_counts_when_the_run_is_resumed(self):
        gate_opened = self.folder / "go"
        self.config(turns=[{"toolCalls": [refund(5), {"name": "peer_slow", "id": "c2", "arguments":
                                                      {"file": str(gate_opened)}}]}, text("done")],
                    orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval": {"refund_order": True}},
                                          "peer"]})
        host = json.loads(self.config_file.read_text())
        host["mcpServers"]["peer"] = {
            "command": sys.executable, "args": [str(pathlib.Path(__file__).with_name("peer.py"))]}
        self.config_file.write_text(json.dumps(host))
        process = self.start("--json", "run", self.config_file, "--prompt", "x")
        journal = self.folder / "state/foxwedge/h/data.mdb"
        [gate] = self.until("the gate is open", lambda: journal.exists() and self.gates())
        self.kill(process)
        self.answer("approve", gate)
        gate_opened.write_text("")
        self.resume(gate["run"])
        self.assertEqual(self.paid(), [5])
        self.replays(gate["run"])


if __name__ == "__main__":
    main()
