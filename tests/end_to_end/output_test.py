"""Answers in a shape: asked for natively or through a tool, checked, repaired once, or failed loudly."""
from harness import *

SHAPE = {"type": "object", "properties": {"total": {"type": "number"}, "currency": {"type": "string"}},
         "required": ["total", "currency"], "additionalProperties": False}
GOOD = {"total": 12.5, "currency": "EUR"}
PEER = {"command": sys.executable, "args": [str(pathlib.Path(__file__).with_name("peer.py"))]}


class Output(Host):
    def model(self, *turns, can="always", rules=None, servers=(), **agent):
        script = {"turns": list(turns)} if rules is None else {"rules": rules}
        self.config(agent={"output": SHAPE, "mcpServers": list(servers), **agent},
                    providers={"scripted": {"config": {**script, "traits": {"structuredOutput": can}}}},
                    mcpServers={"peer": PEER})

    def replays(self, run):
        self.assertTrue(self.ok("--json", "--config", self.config_file, "replay", run).json()["identical"])

    def test_the_value_comes_back_parsed_and_whole(self):
        self.model({"output": GOOD})
        out = self.run_agent("--prompt", "x")
        self.assertEqual((out["value"]["final"], out["value"]["stopReason"]), (GOOD, "final"))

    def test_a_provider_that_cannot_constrain_is_refused_before_the_first_model_call(self):
        self.model({"output": GOOD}, can="none")
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertEqual(out["error"]["code"], "output_unsupported")
        self.assertIn("outputMode", out["error"]["message"])
        self.assertNotIn("a:iter:0", self.steps(out["run"]))

    def test_through_a_forced_tool_it_needs_no_such_provider(self):
        self.model(calls(("peer_echo", {"text": "a"})), calls(("structured_output", GOOD)), can="none",
                   servers=["peer"], outputMode="tool")
        out = self.run_agent("--prompt", "x")
        self.assertEqual((out["value"]["final"], out["value"]["iterations"]), (GOOD, 2))
        self.replays(out["run"])

    def test_one_that_constrains_only_at_the_end_is_asked_anew_without_tools(self):
        self.model(can="final", servers=["peer"], rules=[
            {"when": {"output": True}, "answer": {"output": GOOD}},
            {"when": {"afterTool": True}, "answer": text("it is 12.5 EUR")},
            {"answer": calls(("peer_echo", {"text": "a"}))}])
        out = self.run_agent("--prompt", "x")
        self.assertEqual(out["value"]["final"], GOOD)
        self.replays(out["run"])

    def test_a_value_that_breaks_the_shape_is_repaired_once_and_counted(self):
        self.model({"output": {"total": "much"}, "usage": {"input": 10, "output": 1}},
                   {"output": GOOD, "usage": {"input": 20, "output": 2}})
        out = self.run_agent("--prompt", "x")
        self.assertEqual((out["value"]["final"], out["value"]["iterations"]), (GOOD, 2))
        self.assertEqual(out["value"]["usage"]["input"], 30)
        self.assertIn("a:iter:0:repair:0", self.steps(out["run"]))
        self.replays(out["run"])

    def test_a_value_that_stays_broken_fails_and_names_the_violation(self):
        self.model({"output": {"total": "much"}}, {"output": {"total": "more"}})
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertEqual(out["error"]["code"], "output_invalid")
        self.assertIn("/total", out["error"]["message"])
        self.replays(out["run"])

    def test_unless_it_is_not_to_be_checked(self):
        self.model({"output": {"total": "much"}}, validateOutput=False)
        self.assertEqual(self.run_agent("--prompt", "x")["value"]["final"], {"total": "much"})

    def test_an_answer_that_is_no_json_is_sampled_anew_and_then_fails(self):
        self.model(text("12.5 EUR"))
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertEqual(out["error"]["code"], "output_not_json")
        self.assertEqual(len(self.steps(out["run"])["a:iter:0"]["attempts"]), 5)

    def test_a_cut_or_refused_answer_is_neither_final_nor_repaired(self):
        for stop, code in (("length", "output_truncated"), ("refusal", "refusal"),
                           ("content_filter", "refusal")):
            with self.subTest(stop):
                self.model({"output": GOOD, "stop": stop})
                out = self.run_agent("--prompt", "x", expect=FAILED)
                self.assertEqual(out["error"]["code"], code)
                self.assertEqual(len(self.steps(out["run"])["a:iter:0"]["attempts"]), 1)

    def test_a_call_that_was_cut_is_never_run(self):
        self.model(calls(("peer_echo", {"text": "a"}), stop="length"), servers=["peer"])
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertEqual(out["error"]["code"], "output_truncated")
        self.assertEqual([s for s in self.steps(out["run"]).values() if s["kind"] == "tool"], [])

    def test_too_many_turns_give_no_value(self):
        self.model(rules=[{"answer": calls(("peer_echo", {"text": "a"}))}], servers=["peer"],
                   maxIterations=2)
        out = self.run_agent("--prompt", "x", expect=OTHER_STOP)
        self.assertEqual((out["value"]["final"], out["value"]["stopReason"]), (None, "max-iterations"))


if __name__ == "__main__":
    main()
