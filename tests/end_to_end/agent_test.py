"""The agent loop through the program: tools, checks, guardrails, context, output."""
from harness import *

PEER = {"command": sys.executable, "args": [str(pathlib.Path(__file__).with_name("peer.py"))]}


class Agent(Host):
    def peer(self, turns=None, rules=None, server=None, **agent):
        self.config(turns=turns, rules=rules, mcpServers={"peer": {**PEER, **(server or {})}},
                    agent={"mcpServers": ["peer"], **agent})

    def tool_steps(self, run):
        return {name: step for name, step in self.steps(run).items() if step["kind"] == "tool"}

    def test_arguments_that_break_the_schema_go_back_to_the_model(self):
        self.peer(rules=[{"when": {"isError": True}, "answer": text("{{result}}")},
                         {"answer": calls(("peer_echo", {"txt": 1}))}], guardrails=["schema"])
        out = self.run_agent("--prompt", "x")
        self.assertIn("text", out["value"]["final"])

    def test_broken_argument_json_goes_back_to_the_model_unrepaired(self):
        self.peer(rules=[{"when": {"isError": True}, "answer": text("{{result}}")},
                         {"answer": {"toolCalls": [{"name": "peer_echo", "arguments": "{\"text\": "}]}}])
        out = self.run_agent("--prompt", "x")
        self.assertIn("JSON", out["value"]["final"])

    def test_an_unknown_tool_goes_back_to_the_model(self):
        self.peer(rules=[{"when": {"isError": True}, "answer": text("{{result}}")},
                         {"answer": calls(("peer_nope", {}))}])
        self.assertIn("peer_nope", self.run_agent("--prompt", "x")["value"]["final"])

    def test_a_pattern_that_cannot_be_checked_is_told_and_dropped_where_schemas_are_strict(self):
        tool = {"name": "odd", "workflow": "b", "inputSchema": {
            "type": "object", "properties": {"x": {"type": "string", "pattern": "(?=a)b"}}}}
        for strict in (False, True):
            with self.subTest(strict=strict):
                self.config(turns=[text("done")], agents={
                    "a": {"tools": [tool], "strictSchemas": strict}, "b": {}})
                tools = self.recorded(self.run_agent("a", "--prompt", "x")["run"], "a:tools")
                offered = [one["id"] for one in tools["tools"]]
                told = json.dumps(tools["dropped"] if strict else tools["warnings"])
                self.assertEqual(offered, [] if strict else ["odd"])
                self.assertIn("pattern", told)
                self.assertIn("odd", told)

    def test_empty_arguments_mean_an_empty_object(self):  # B28
        self.peer(rules=[{"when": {"afterTool": True}, "answer": text("{{result}}")},
                         {"answer": {"toolCalls": [{"name": "peer_reveal", "arguments": "  "}]}}])
        self.assertEqual(self.run_agent("--prompt", "x")["value"]["final"], "(unset)")

    def test_a_name_that_models_may_not_use_is_mapped_and_called_by_its_own(self):  # B10
        self.peer(rules=[{"when": {"afterTool": True}, "answer": text("{{result}}")},
                         {"answer": text("none")}])
        run = self.run_agent("--prompt", "x")["run"]
        listed = json.dumps(self.steps(run)["a:tools"]["outcome"]["value"])
        [mapped] = set(re.findall(r'"(peer_odd_name_x[A-Za-z0-9_-]*)"', listed))
        self.assertRegex(mapped, r"^[A-Za-z0-9_-]{1,64}$")
        self.peer(rules=[{"when": {"afterTool": True}, "answer": text("{{result}}")},
                         {"answer": calls((mapped, {}))}])
        self.assertEqual(self.run_agent("--prompt", "x")["value"]["final"], "odd.name/x")

    def test_an_error_result_of_a_server_fails_the_step_and_says_why(self):
        self.peer(rules=[{"answer": calls(("peer_break", {}))}])
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertIn("it broke", out["error"]["message"])
        [step] = self.tool_steps(out["run"]).values()
        self.assertGreater(len(step["attempts"]), 1)

    def test_or_goes_to_the_model_where_the_config_says_so(self):
        self.peer(rules=[{"when": {"isError": True}, "answer": text("{{result}}")},
                         {"answer": calls(("peer_break", {}))}], server={"onToolError": "return"})
        self.assertIn("it broke", self.run_agent("--prompt", "x")["value"]["final"])

    def limited(self, **limits):
        """A call that never ends, to a server whose entry names no timeout of its own."""
        self.config(rules=[{"when": {"isError": True}, "answer": text("{{result}}")},
                           {"answer": calls(("peer_slow", {"file": "/nowhere/at/all"}))}],
                    mcpServers={"peer": {**PEER, "onToolError": "return"}}, limits=limits,
                    retry={"maxAttempts": 1}, agent={"mcpServers": ["peer"]})

    def test_limits_of_the_host_hold_for_servers_that_name_none(self):
        self.limited(mcpCall="100ms")
        out = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "x")
        self.assertIn("did not answer within", out.out + out.err)
        self.limited(mcpCallLongest="100ms")
        out = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "x")
        self.assertNotEqual(out.code, SUCCEEDED)
        self.limited(mcpTools=2)
        run = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "x").json()["run"]
        self.assertIn("too_many_items", json.dumps(self.steps(run)["a:mcp:peer:tools"]))

    def test_repeated_call_ids_across_turns_are_two_calls(self):  # B30
        again = {"toolCalls": [{"name": "peer_echo", "arguments": {"text": "a"}, "id": "same"}]}
        self.peer(turns=[again, again, text("done")])
        run = self.run_agent("--prompt", "x")["run"]
        self.assertEqual(sorted(self.tool_steps(run)),
                         ["a:iter:0:tool:same", "a:iter:1:tool:same"])

    def test_calls_of_one_turn_run_side_by_side_and_answer_in_order(self):
        self.peer(rules=[{"when": {"afterTool": True}, "answer": text("{{result}}")},
                         {"answer": calls(*[("peer_echo", {"text": str(n)}) for n in range(8)])}])
        out = self.run_agent("--prompt", "x")
        self.assertEqual(out["value"]["final"], "7")
        self.assertEqual(len(self.tool_steps(out["run"])), 8)

    def test_an_optional_server_that_cannot_start_adds_no_tools(self):  # B06
        self.config(turns=[text("fine")], agent={"mcpServers": ["gone"]},
                    mcpServers={"gone": {"command": "/nonexistent/server", "optional": True}})
        out = self.run_agent("--prompt", "x")
        self.assertEqual(out["value"]["final"], "fine")

    def test_a_needed_server_that_cannot_start_fails_naming_command_and_place(self):  # B06, B18
        self.config(turns=[text("fine")], agent={"mcpServers": ["gone"]},
                    mcpServers={"gone": {"command": "no-such-server"}})
        out = self.run_agent("--prompt", "x", expect=FAILED)
        for part in ("no-such-server", "PATH", str(self.folder)):
            self.assertIn(part, out["error"]["message"])

    def test_one_server_process_serves_all_calls_of_a_run(self):
        starts = self.folder / "starts"
        self.peer(turns=[calls(("peer_echo", {"text": "a"}), ("peer_echo", {"text": "b"})),
                         calls(("peer_echo", {"text": "c"})), text("done")],
                  server={"env": {"PEER_STARTS": str(starts)}})
        self.run_agent("--prompt", "x")
        self.assertEqual(starts.read_text(), "started\n")

    def test_the_environment_of_a_server_is_a_small_base_and_what_the_config_adds(self):  # B18
        self.peer(rules=[{"when": {"afterTool": True}, "answer": text("{{result}}")},
                         {"answer": calls(("peer_reveal", {"name": "ANTHROPIC_API_KEY"}))}])
        self.environment["ANTHROPIC_API_KEY"] = "sk-of-the-host"
        self.assertEqual(self.run_agent("--prompt", "x")["value"]["final"], "(unset)")

    def test_a_secret_reaches_the_server_and_nothing_that_is_written(self):  # B71
        secret = "hunter2-hunter2-hunter2"
        self.peer(rules=[{"when": {"afterTool": True}, "answer": text("got {{result}}")},
                         {"answer": calls(("peer_reveal", {"name": "TOKEN"}))}],
                  server={"env": {"TOKEN": "${secret:DEMO}"}})
        self.environment["DEMO"] = secret
        ended = self.ok("--json", "-v", "run", self.config_file, "--prompt", "x")
        final = ended.json()["value"]["final"]
        self.assertEqual(final, "got [redacted:DEMO]")
        exported = self.ok("--config", self.config_file, "journal", "export").out
        journal = (self.folder / "state/foxwedge/h/data.mdb").read_bytes()
        for where in (ended.out, ended.err, exported, journal.decode("latin-1")):
            self.assertNotIn(secret, where)

    def test_a_guardrails_verdict_is_recorded_and_replayed(self):
        self.peer(rules=[{"when": {"isError": True}, "answer": text("{{result}}")},
                         {"answer": calls(("peer_echo", {"text": "much too long for this tool"}))}],
                  guardrails=["schema"])
        out = self.run_agent("--prompt", "x")
        verdicts = {n: s for n, s in self.steps(out["run"]).items() if ":args:guardrail:0-schema" in n}
        [verdict] = verdicts.values()
        self.assertEqual(verdict["outcome"]["value"]["action"], "deny")
        again = self.ok("--json", "--config", self.config_file, "replay", out["run"]).json()
        self.assertTrue(again["identical"])

    def test_count_context_shows_the_model_only_the_last_groups(self):
        self.peer(rules=[{"when": {"user": "x", "turn": {"from": 9}}, "answer": text("never")},
                         {"answer": calls(("peer_echo", {"text": "a"}))}],
                  context={"strategy": "count", "keepLast": 2}, maxIterations=6)
        out = self.run_agent("--prompt", "x", expect=OTHER_STOP)
        self.assertEqual(out["value"]["iterations"], 6)

    def test_an_answer_in_a_shape_comes_back_parsed(self):
        self.config(turns=[{"output": {"total": 12.5, "currency": "EUR"}}], agent={"output": {
            "type": "object", "properties": {"total": {"type": "number"}}, "required": ["total"]}})
        self.assertEqual(self.run_agent("--prompt", "x")["value"]["final"],
                         {"total": 12.5, "currency": "EUR"})

    def test_a_cut_answer_is_never_final(self):
        self.config(turns=[text("and so", stop="length")])
        self.assertEqual(self.run_agent("--prompt", "x", expect=FAILED)["error"]["code"],
                         "output_truncated")

    def test_a_refusal_fails_with_its_own_code(self):
        self.config(turns=[text("no", stop="refusal")])
        self.assertEqual(self.run_agent("--prompt", "x", expect=FAILED)["error"]["code"], "refusal")

    def test_a_provider_without_tool_calls_gets_them_as_text(self):
        fence = "```tool_call\n%s\n```"
        one = fence % '{"name": "peer_echo", "arguments": {"text": "a"}}'
        two = fence % '{"name": "peer_echo", "arguments": {"text": "b"}}'
        broken = fence % '{"name": '
        self.peer()
        host = json.loads(self.config_file.read_text())
        host["providers"]["scripted"]["config"] = {
            "traits": {"nativeTranscript": False, "tools": False},
            "turns": [text(f"Let me look.\n{one}\n{two}\n{broken}"), text("{{user}}")]}
        self.config_file.write_text(json.dumps(host))
        out = self.run_agent("--prompt", "x")
        final = out["value"]["final"]
        self.assertEqual(final.count("```tool_result"), 3)
        for part in ('"content":"a"', '"content":"b"', '"isError":true'):
            self.assertIn(part, final)
        self.assertEqual(sorted(self.tool_steps(out["run"])),
                         ["a:iter:0:tool:~0", "a:iter:0:tool:~1", "a:iter:0:tool:~2"])
        self.assertTrue(self.ok("--json", "--config", self.config_file, "replay", out["run"])
                        .json()["identical"])

    def test_a_tools_own_timeout_ends_the_call(self):
        self.peer(turns=[calls(("peer_slow", {"file": str(self.folder / "never")}))],
                  tools=[{"use": "peer_slow", "timeout": "200ms", "retry": {"maxAttempts": 2}}])
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertEqual(out["error"]["code"], "timeout")
        [step] = self.tool_steps(out["run"]).values()
        self.assertEqual(len(step["attempts"]), 2)

    def test_a_projection_shows_less_than_is_recorded(self):
        self.peer(turns=[calls(("peer_echo", {"text": "a long text"})), text("{{result}}")],
                  tools=[{"use": "peer_echo", "toModelOutput": "{'size': output.size()}"}])
        out = self.run_agent("--prompt", "x")
        self.assertEqual(out["value"]["final"], '{"size":11}')
        [step] = self.tool_steps(out["run"]).values()
        self.assertIn("a long text", json.dumps(step["outcome"]))

    def test_a_disabled_tool_is_not_offered_and_an_undeclared_one_is_an_error(self):
        kv = "workflow-kv_kv_store"
        self.config(turns=[text("x")], agent={"tools": [kv]}, tools={kv: {"enabled": False}})
        run = self.run_agent("--prompt", "x")["run"]
        self.assertNotIn(kv, json.dumps(self.steps(run)["a:tools"]["outcome"]["value"].get("tools", [])))
        self.config(turns=[text("x")], agent={"tools": [kv]})
        refused = self.foxwedge("run", self.config_file, "--prompt", "x")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn(kv, refused.err)

    def test_a_tool_that_is_not_auto_approved_asks(self):
        kv = "workflow-kv_kv_store"
        self.config(turns=[calls((kv, {"action": "set", "key": "k", "value": 1})), text("done")],
                    agent={"tools": [kv]}, tools={kv: {}})
        self.run_agent("--prompt", "x", expect=WAITING)
        [gate] = self.gates()
        self.assertEqual(gate["about"]["tool"], kv)

    def test_token_usage_is_kept_under_the_reserved_keys(self):
        kv = "workflow-kv_kv_store"
        self.config(turns=[text("x", usage={"input": 100, "output": 7})],
                    tools={kv: {"autoApprove": True}})
        self.run_agent("--prompt", "x")
        out = self.ok("call", self.config_file, kv, '{"action": "get", "key": "tokenUsage.total"}').out
        self.assertIn('"input":100', out)
        refused = self.foxwedge("--json", "call", self.config_file, kv,
                                '{"action": "set", "key": "tokenUsage.total", "value": 0}')
        self.assertEqual(refused.code, FAILED)
        self.assertEqual(refused.json()["details"]["code"], "input_validation")


class Contended(Host):
    def test_eight_processes_resume_one_run_and_one_of_them_executes_it(self):
        self.config(turns=[calls(("orders_refund_order", {"orderId": "A-1001", "amount": 5})),
                           text("done", delayMs=300)], orders=True, agent={"mcpServers": ["orders"]})
        run = self.run_agent("--prompt", "x", "--detach")["run"]
        all_ = [self.start("--json", "--config", self.config_file, "resume", run) for _ in range(8)]
        codes = []
        for process in all_:
            process.communicate(timeout=60)
            codes.append(process.returncode)
        self.assertEqual(set(codes) - {SUCCEEDED, HELD}, set(), codes)
        self.assertIn(SUCCEEDED, codes)
        self.assertEqual(len(self.ledger()), 1)

    def test_eight_processes_run_side_by_side_in_one_journal(self):
        self.config(turns=[calls(("orders_lookup_order", {"orderId": "A-1001"})), text("{{user}}")],
                    orders=True, agent={"mcpServers": ["orders"]})
        all_ = [self.start("--json", "run", self.config_file, "--prompt", f"p{n}") for n in range(8)]
        for n, process in enumerate(all_):
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, SUCCEEDED, err)
            self.assertEqual(json.loads(out)["value"]["final"], f"p{n}")
        self.assertEqual(len(self.runs()), 8)
        self.ok("journal", "check", "--journal", self.folder / "state/foxwedge/h")


if __name__ == "__main__":
    main()
