"""Checks around models and tools: five placements, five actions, with the guardrails that ship."""
from harness import *

PEER = {"command": sys.executable, "args": [str(pathlib.Path(__file__).with_name("peer.py"))]}
SECRET = "ghp_" + "a1B2" * 9  # shaped like a token of GitHub's


def rule(placement, action, condition="true", **more):
    return {"use": "rule", "placements": [placement], "config": {"rules": [
        {"if": f"placement == '{placement}' && ({condition})", "action": action,
         "message": f"no {placement}", **more}]}}


class Guardrails(Host):
    def peer(self, *guardrails, say="hello", turns=None, **agent):
        """A model that echoes once through the tool and then says `say`."""
        self.config(turns=turns or [{"toolCalls": [{"name": "peer_echo", "id": "c1",
                                                    "arguments": {"text": say}}]}, text("{{result}}")],
                    mcpServers={"peer": PEER},
                    agent={"mcpServers": ["peer"], "guardrails": list(guardrails), **agent})

    def run_to(self, code, prompt="x"):
        return self.run_agent("--prompt", prompt, expect=code)

    def verdicts(self, run):
        """step → action of each verdict on record, in the order of their completion."""
        return {step["name"]: step["outcome"]["value"]["action"]
                for step in self.show(run)["steps"] if step["kind"] == "guardrail"}

    def replays(self, run):
        # Without any plugin: verdicts are read, not made again.
        done = self.ok("--json", "--config", self.config_file, "replay", run,
                       environment={"FOXWEDGE_PLUGIN_PATH": ""})
        self.assertTrue(done.json()["identical"])

    # ---- input

    def test_an_input_that_is_denied_ends_the_agent_before_the_model(self):
        for action in ("deny", "stop", "require-approval"):  # nobody can be asked there
            with self.subTest(action):
                self.peer(rule("input", action))
                out = self.run_to(OTHER_STOP)
                self.assertEqual((out["value"]["stopReason"], out["value"]["final"]), ("stopped", None))
                self.assertEqual(list(self.verdicts(out["run"])), ["a:input:guardrail:0-rule"])
                self.assertNotIn("a:iter:0", self.steps(out["run"]))
                self.replays(out["run"])

    def test_an_input_is_masked_before_the_model_reads_it(self):
        self.config(turns=[text("{{user}}")], agent={"guardrails": [
            {"use": "secrets", "config": {"action": "mask"}}]})
        out = self.run_to(SUCCEEDED, f"my key is {SECRET}")
        self.assertNotIn(SECRET, out["value"]["final"])
        self.assertIn("[secret:", out["value"]["final"])
        self.replays(out["run"])

    # ---- a tool's arguments

    def test_a_call_is_denied_and_the_model_reads_why(self):
        self.peer(rule("tool-args", "deny", "args.text.size() > 3"))
        out = self.run_to(SUCCEEDED)
        self.assertEqual(out["value"]["final"], "no tool-args")
        self.assertEqual(self.verdicts(out["run"]),
                         {"a:iter:0:tool:c1:args:guardrail:0-rule": "deny"})
        self.replays(out["run"])

    def test_a_stop_ends_the_agent_with_nothing_of_the_turn_run(self):
        self.peer(rule("tool-args", "stop"))
        out = self.run_to(OTHER_STOP)
        self.assertEqual(out["value"]["stopReason"], "stopped")
        self.assertNotIn("a:iter:0:tool:c1", self.steps(out["run"]))

    def test_a_call_waits_for_a_person(self):
        self.peer(rule("tool-args", "require-approval", risk="high"))
        run = self.run_to(WAITING)["run"]
        [gate] = self.gates()
        self.assertEqual((gate["about"]["ruleSource"], gate["about"]["risk"], gate["about"]["reason"]),
                         ("guardrail", "high", "no tool-args"))
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"], "--resume")
        self.replays(run)

    def test_arguments_are_replaced_and_the_next_check_sees_the_replacement(self):
        self.peer({"use": "secrets", "config": {"action": "mask"}},
                  rule("tool-args", "deny", "args.text.contains('ghp_')"),
                  rule("tool-args", "deny", "args.text == '[secret: x]'"),
                  turns=[{"toolCalls": [{"name": "peer_reveal", "id": "c1",
                                         "arguments": {"name": "N", "text": SECRET}}]},
                         text("{{result}}")])
        out = self.run_to(SUCCEEDED)
        self.assertEqual(out["value"]["final"], "(unset)")
        self.assertEqual([action for name, action in self.verdicts(out["run"]).items()
                          if ":args:" in name], ["replace", "allow", "allow"])
        ran = self.steps(out["run"])["a:iter:0:tool:c1"]["outcome"]["value"]["arguments"]
        self.assertNotIn(SECRET, json.dumps(ran))
        self.replays(out["run"])

    def test_arguments_are_checked_against_the_servers_own_schema_with_all_violations(self):
        self.peer("schema", turns=[
            {"toolCalls": [{"name": "peer_echo", "id": "c1", "arguments": {"text": 7, "more": 1}}]},
            text("{{result}}")])
        out = self.run_to(SUCCEEDED)
        verdict = self.steps(out["run"])["a:iter:0:tool:c1:args:guardrail:0-schema"]["outcome"]["value"]
        self.assertEqual(sorted(v["instancePointer"] for v in verdict["violations"]), ["/more", "/text"])
        self.assertIn("/text", out["value"]["final"])

    def test_an_edit_is_checked_like_the_models_own_arguments(self):
        self.peer(rule("tool-args", "deny", "args.text == 'evil'"))
        host = json.loads(self.config_file.read_text())
        host["agents"]["a"]["mcpServers"] = [{"name": "peer", "requiresApproval": True}]
        self.config_file.write_text(json.dumps(host))
        run = self.run_to(WAITING)["run"]
        [gate] = self.gates()
        out = self.ok("--json", "--config", self.config_file, "approvals", "edit", gate["id"],
                      '{"text": "evil"}', "--resume").json()
        self.assertEqual(out["value"]["final"], "no tool-args")
        self.assertEqual(self.verdicts(run)["a:iter:0:tool:c1:args:guardrail:0-rule:edit:1"], "deny")
        self.replays(run)

    # ---- a tool's result

    def test_a_result_is_kept_from_the_model(self):
        self.peer(rule("tool-result", "deny", "result.content[0].text.contains('hello')"))
        out = self.run_to(SUCCEEDED)
        self.assertEqual(out["value"]["final"], "no tool-result")
        # The step keeps what the tool gave.
        self.assertIn("hello", json.dumps(self.steps(out["run"])["a:iter:0:tool:c1"]["outcome"]))
        self.replays(out["run"])

    def test_a_result_stops_the_agent(self):
        self.peer(rule("tool-result", "stop"))
        out = self.run_to(OTHER_STOP)
        self.assertEqual(out["value"]["stopReason"], "stopped")
        self.assertIn("outcome", self.steps(out["run"])["a:iter:0:tool:c1"])
        self.replays(out["run"])

    def test_a_result_waits_for_a_person_who_may_put_another_in_its_place(self):
        for word, more, final in (("approve", (), "hello"), ("reject", ("--reason", "odd"), "odd"),
                                  ("respond", ('"goodbye"',), "goodbye")):
            with self.subTest(word):
                self.peer(rule("tool-result", "require-approval"))
                run = self.run_to(WAITING)["run"]
                [gate] = self.gates()
                self.assertEqual(gate["step"], "a:iter:0:tool:c1:result:approval")
                self.assertIn("hello", json.dumps(gate["about"]["result"]))
                out = self.ok("--json", "--config", self.config_file, "approvals", word, gate["id"],
                              *more, "--resume").json()
                self.assertIn(final, out["value"]["final"])
                self.replays(run)

    def test_a_long_result_is_cut(self):
        self.peer({"use": "limits", "config": {"action": "cut", "maxTextBytes": 200},
                   "placements": ["tool-result"]}, say="long " * 400)
        out = self.run_to(SUCCEEDED)
        self.assertTrue(out["value"]["final"].startswith("long long"), out)
        self.assertLessEqual(len(out["value"]["final"]), 200)
        self.assertIn("long " * 400, json.dumps(self.steps(out["run"])["a:iter:0:tool:c1"]["outcome"]))
        self.replays(out["run"])

    # ---- the answer

    def test_an_answer_that_is_denied_is_given_anew(self):
        for action in ("deny", "require-approval"):
            with self.subTest(action):
                self.config(rules=[{"when": {"user": "no output"}, "answer": text("better")},
                                   {"answer": text("bad words")}],
                            agent={"guardrails": [rule("output", action,
                                                       "content[0].text.contains('bad')")]})
                out = self.run_to(SUCCEEDED)
                self.assertEqual((out["value"]["final"], out["value"]["iterations"]), ("better", 2))
                self.assertEqual(self.verdicts(out["run"]), {"a:iter:0:guardrail:0-rule": "deny" if
                                                             action == "deny" else action,
                                                             "a:iter:1:guardrail:0-rule": "allow"})
                self.replays(out["run"])

    def test_an_answer_that_stays_denied_ends_at_the_limit_of_turns(self):
        self.config(rules=[{"answer": text("bad words")}],
                    agent={"maxIterations": 3, "guardrails": [rule("output", "deny")]})
        out = self.run_to(OTHER_STOP)
        self.assertEqual((out["value"]["stopReason"], out["value"]["final"]), ("max-iterations", None))

    def test_an_answer_stops_the_agent_or_is_masked(self):
        self.config(turns=[text("bad words")], agent={"guardrails": [rule("output", "stop")]})
        self.assertEqual(self.run_to(OTHER_STOP)["value"]["stopReason"], "stopped")
        self.config(turns=[text(f"it is {SECRET}")], agent={"guardrails": [
            {"use": "secrets", "config": {"action": "mask"}}]})
        out = self.run_to(SUCCEEDED)
        self.assertNotIn(SECRET, out["value"]["final"])
        self.assertTrue(out["value"]["final"].startswith("it is [secret"), out)
        self.replays(out["run"])

    # ---- a server's words

    def test_a_tool_whose_words_are_denied_is_not_offered(self):
        for action in ("deny", "require-approval", "stop"):
            with self.subTest(action):
                self.peer(rule("tool-definition", action, "tool.name == 'break'"),
                          turns=[text("fine")])
                run = self.run_to(SUCCEEDED)["run"]
                record = self.steps(run)["a:tools"]["outcome"]["value"]
                self.assertNotIn("peer_break", [tool["id"] for tool in record["tools"]])
                self.assertIn("peer_echo", [tool["id"] for tool in record["tools"]])
                self.assertIn("no tool-definition", json.dumps(record["dropped"]))
                self.replays(run)

    # ---- order, failing

    def test_the_first_denial_wins_and_later_ones_are_not_asked(self):
        self.peer({**rule("tool-args", "allow"), "name": "lax"},
                  {**rule("tool-args", "deny"), "name": "strict"},
                  {**rule("tool-args", "stop"), "name": "never-asked"})
        out = self.run_to(SUCCEEDED)
        self.assertEqual(self.verdicts(out["run"]), {
            "a:iter:0:tool:c1:args:guardrail:0-lax": "allow",
            "a:iter:0:tool:c1:args:guardrail:1-strict": "deny"})

    def test_one_that_fails_denies_unless_told_otherwise(self):
        for on_error, shown in (("deny", "could not be made"), ("allow", "hello")):
            with self.subTest(on_error):
                self.peer({**rule("tool-args", "deny", "args.missing > 1.0"), "onError": on_error})
                out = self.run_to(SUCCEEDED)
                self.assertIn(shown, out["value"]["final"])
                [step] = [s for s in self.steps(out["run"]).values() if s["kind"] == "guardrail"]
                self.assertIn("missing", step["outcome"]["value"]["reason"])
                self.replays(out["run"])

    def test_one_that_cannot_be_made_fails_the_run_before_the_model(self):
        self.peer({"use": "rule", "config": {"rules": [{"if": "nonsense("}]}})
        out = self.run_to(FAILED)
        self.assertIn("nonsense", out["error"]["message"])
        self.assertNotIn("a:iter:0", self.steps(out["run"]))

    def test_placements_narrow_where_it_stands(self):
        self.config(turns=[text(f"it is {SECRET}")], agent={"guardrails": [
            {"use": "secrets", "placements": ["input"]}]})
        self.assertIn(SECRET, self.run_to(SUCCEEDED)["value"]["final"])


if __name__ == "__main__":
    main()
