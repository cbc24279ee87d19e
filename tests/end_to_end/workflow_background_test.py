"""Scripts in the background: started by one call of a model, asked about and ended by others."""
from scripts import *

SLOW = {"when": {"user": "child slow"}, "answer": text("late", delayMs=60000)}
CHILD = {"when": {"user": "child"}, "answer": text("did {{user}}", delayMs=700)}
RUN = {"runId": "{{result:/runId}}"}


class Background(Orchestrator):
    """The model sees structured content alone, so that its script can say which run it asks about."""

    TOOLS = ("workflow", "workflow_poll", "workflow_cancel")

    def tool(self, *answers, config=None, child=None, agent=None, **more):
        bare = [{"use": name, "toModelOutput": "output"} for name in self.TOOLS]
        super().tool(*answers, config={"background": True, **(config or {})}, child=child or [CHILD],
                     agent={"tools": bare, **(agent or {})}, tools={name: {"autoApprove": True} for name in self.TOOLS}, **more)

    def begin(self, script):
        name, arguments = "workflow", {"meta": self.META, "script": script, "background": True}
        return calls((name, arguments))

    def poll(self, after=0):
        return calls(("workflow_poll", RUN), delayMs=after)

    def shown(self, run, turn):
        return self.result(run, turn)["content"][0]["text"]

    def records(self, run):
        return [(r["type"], r.get("seq"), r.get("outcome", r.get("stopReason"))) for r in self.show(run)["workflows"]]

    def test_without_the_switch_there_is_one_tool_of_three_parameters(self):
        Orchestrator.tool(self, text("x"))
        [tool] = self.recorded(self.run_a()["run"], "a:tools")["tools"]
        self.assertEqual(sorted(tool["inputSchema"]["properties"]), ["args", "meta", "script"])

    def test_with_the_switch_there_are_three_and_a_fourth_parameter(self):
        self.tool(text("x"), config={"toolName": "orchestrate"})
        tools = self.recorded(self.run_a()["run"], "a:tools")["tools"]
        self.assertEqual([t["id"] for t in tools], ["orchestrate", "orchestrate_cancel", "orchestrate_poll"])
        self.assertEqual(sorted(tools[0]["inputSchema"]["properties"]), ["args", "background", "meta", "script"])

    def test_a_script_goes_on_while_its_caller_does_and_its_value_is_fetched(self):
        self.tool(self.begin('return [await agent("child 1"), await agent("child 2")];'), self.poll(),
                  self.poll(after=4000), text("done"))
        run = self.run_a()["run"]
        [scripts] = self.children(run)
        started = self.result(run, 0)
        self.assertEqual(started["structuredContent"], {"runId": scripts["id"], "status": "running"})
        self.assertIn(scripts["id"], self.shown(run, 0))
        self.assertEqual(self.result(run, 1)["structuredContent"], {"runId": scripts["id"], "status": "running"})
        self.assertEqual(self.shown(run, 1), 'workflow "greet-all" is running.')
        self.assertEqual(self.shown(run, 2), 'workflow "greet-all" completed (2 agents).\nReturn value:\n'
                                             '[\n  "did child 1",\n  "did child 2"\n]')
        self.assertEqual(self.result(run, 2)["structuredContent"],
                         {"runId": scripts["id"], "agentsStarted": 2, "result": ["did child 1", "did child 2"]})
        self.assertEqual(self.records(run), [("run-start", None, None), ("agent-start", 1, None),
                                             ("agent-end", 1, "completed"), ("agent-start", 2, None),
                                             ("agent-end", 2, "completed"), ("run-end", None, "completed")])
        [child, _] = self.children(scripts["id"])
        self.assertEqual(self.recorded(child["id"], "a:tools")["tools"], [])
        self.assertTrue(self.ok("--json", "replay", run).json()["identical"])
        self.assertTrue(self.ok("--json", "replay", scripts["id"]).json()["identical"])

    def test_one_that_fails_says_so_to_who_asks(self):
        self.tool(self.begin('throw new Error("no luck");'), self.poll(after=3000), text("done"))
        run = self.run_a()["run"]
        result = self.result(run, 1)
        self.assertEqual(self.shown(run, 1), "Error: workflow run failed: Error: no luck (line 1, column 16)")
        self.assertEqual((result["isError"], result["details"]["code"]), (True, "SCRIPT_ERROR"))
        self.assertEqual(self.records(run), [("run-start", None, None), ("run-end", None, "error")])

    def test_its_agents_spend_of_the_callers_budget(self):
        dear = {"when": {"user": "child"}, "answer": text("did {{user}}", usage={"input": 10, "output": 4000})}
        self.tool(self.begin("for (let i = 0; i < 9; ++i) await agent('child ' + i); return 1;"), self.poll(after=3000),
                  text("done"), child=[dear], agent={"budget": {"outputTokens": 10000}})
        run = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "please").json()["run"]
        [scripts] = self.children(run)
        self.assertEqual((scripts["status"], scripts["result"]["error"]["code"]), ("failed", "BUDGET"))
        self.assertLess(len(self.children(scripts["id"])), 5)

    def test_while_people_are_waited_for_it_is_under_way(self):
        refund = calls(("orders_refund_order", {"orderId": "A-1001", "amount": 5}))
        self.tool(self.begin("return await agent('child');"), self.poll(after=3000), text("done", delayMs=500),
                  child=[{"when": {"user": "child"}, "answer": refund}], orders=True,
                  agent={"mcpServers": ["orders"], "approval": {}})
        process = self.start("--json", "run", self.config_file, "a", "--prompt", "please")
        self.until("a question", self.gates)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, SUCCEEDED)
        [run] = [r["id"] for r in self.runs() if not r.get("parent")]
        self.assertEqual(self.shown(run, 1), 'workflow "greet-all" is running.')
        self.assertEqual({r["status"] for r in self.runs()}, {"succeeded", "cancelled"})
        self.assertEqual((self.gates(), self.ledger()), ([], []))

    def cancel(self):
        script = 'return await parallel([1, 2].map((n) => () => agent("child slow " + n)));'
        self.tool(self.begin(script), calls(("workflow_cancel", RUN), delayMs=2000), self.poll(), text("done"),
                  child=[SLOW])

    def check_cancelled(self):
        run = self.run_a()["run"]
        [scripts] = self.children(run)
        self.assertEqual(self.result(run, 1)["structuredContent"], {"runId": scripts["id"], "status": "cancelled"})
        self.assertEqual(self.shown(run, 2), "Error: workflow run was cancelled (cancelled by parent)")
        self.assertEqual(self.result(run, 2)["details"]["code"], "CANCELLED")
        self.assertEqual([c["status"] for c in [scripts, *self.children(scripts["id"])]], ["cancelled"] * 3)
        self.assertEqual(self.records(run), [("run-start", None, None), ("agent-start", 1, None),
                                             ("agent-start", 2, None), ("agent-end", 1, "cancelled"),
                                             ("agent-end", 2, "cancelled"), ("run-end", None, "cancelled")])

    def test_cancelling_one_takes_its_agents_with_it(self):
        self.cancel()
        self.check_cancelled()

    def test_the_plugin_may_be_in_a_process_of_its_own(self):
        self.cancel()
        config = json.loads(self.config_file.read_text())
        config["plugins"]["load"][0]["isolation"] = "process"
        self.config_file.write_text(json.dumps(config))
        self.check_cancelled()

    def test_it_ends_with_its_callers_run_at_the_latest(self):
        self.tool(self.begin('return await agent("child slow");'), text("done", delayMs=2000), child=[SLOW])
        run = self.run_a()["run"]
        [scripts] = self.children(run)
        [child] = self.children(scripts["id"])
        self.assertEqual((scripts["status"], child["status"]), ("cancelled", "cancelled"))
        self.assertEqual(self.records(run), [("run-start", None, None), ("agent-start", 1, None),
                                             ("agent-end", 1, "cancelled"), ("run-end", None, "cancelled")])

    def test_what_it_has_spent_is_counted_once_for_its_caller(self):
        self.tool(self.begin('return await agent("child");'), self.poll(after=4000), self.poll(), text("done"))
        run = self.run_a()["run"]
        [scripts] = self.children(run)
        spent = scripts["result"]["value"]["usage"]
        self.assertGreater(spent["output"], 0)
        self.assertEqual([step.get("usage") for step in self.show(run)["steps"] if step["kind"] == "tool"],
                         [None, spent, None])

    def test_one_that_will_not_end_has_ended_abnormally(self):
        """A script's own run is stuck only where it ends its host again and again: a journal is made to say so."""
        refund = calls(("orders_refund_order", {"orderId": "A-1001", "amount": 5}))
        bare = [{"use": name, "toModelOutput": "output", "requiresApproval": name == "workflow_poll"} for name in self.TOOLS]
        self.tool(self.begin("return await agent('child');"), self.poll(), text("done"),
                  child=[{"when": {"user": "child"}, "answer": refund}], orders=True,
                  agent={"tools": bare, "mcpServers": ["orders"], "approval": {}})
        run = self.run_a(expect=WAITING)["run"]
        [scripts] = self.children(run)
        lines = []
        for line in self.ok("--config", self.config_file, "journal", "export").out.splitlines():
            entry = json.loads(line)
            if entry["type"] == "run" and entry["id"] == scripts["id"]:
                entry.update(status="stuck", reason="it kills its host")
            lines.append(json.dumps(entry))
        other = self.folder / "other"
        self.ok("--journal", other, "journal", "import", input="\n".join(lines) + "\n")
        config = json.loads(self.config_file.read_text())
        self.config_file.write_text(json.dumps({**config, "journal": {"path": str(other)}}))
        [gate] = [gate for gate in self.gates() if gate["run"] == run]
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"])
        self.ok("--json", "--journal", other, "resume", run)
        self.assertEqual(self.shown(run, 1), "Error: workflow run ended abnormally (stuck)")
        self.assertEqual(self.result(run, 1)["isError"], True)

    def test_only_the_run_that_started_it_is_told_of_it(self):
        self.tool(calls(("workflow_poll", {"runId": "01JDXY0000000000000000000A"})),
                  calls(("workflow_cancel", {"runId": "nonsense"})), text("done"))
        run = self.run_a()["run"]
        for turn in (0, 1):
            self.assertEqual(self.result(run, turn)["details"]["code"], "INVALID_ARGUMENT")
            self.assertIn("Error: no workflow was started in the background here", self.shown(run, turn))

    def test_where_no_turn_goes_on_there_is_no_background(self):
        self.tool(text("x"), config={"agent": "a"})
        arguments = {"meta": self.META, "script": "return 1;", "background": True}
        out = self.ok("--json", "call", self.config_file, "workflow", json.dumps(arguments), expect=FAILED).json()
        self.assertIn("leave `background` out", json.dumps(out))
        self.assertEqual([r for r in self.runs() if r["workflow"].startswith("script:")], [])

    def test_killed_in_the_middle_it_goes_on_and_no_agent_runs_twice(self):
        script = "const a = []; for (let i = 0; i < 4; ++i) a.push(await agent('child ' + i)); return a;"
        self.tool(self.begin(script), self.poll(after=6000), text("{{result}}"))
        process = self.start("--json", "run", self.config_file, "a", "--prompt", "please")
        self.until("two agents", lambda: len([r for r in self.runs() if r["status"] == "succeeded"]) >= 2)
        self.kill(process)
        [run] = [r["id"] for r in self.runs() if not r.get("parent")]
        ended = self.ok("--json", "resume", run).json()
        [scripts] = self.children(run)
        self.assertEqual(json.loads(ended["value"]["final"])["result"], [f"did child {i}" for i in range(4)])
        self.assertEqual(len(self.children(scripts["id"])), 4)
        self.assertEqual(self.records(run)[-1], ("run-end", None, "completed"))


if __name__ == "__main__":
    main()
