"""What a script may use up and what it has cost: limits that who calls for it has lowered, and usage that is
counted whatever becomes of the script."""
from scripts import *

PAID = {"input": 10, "output": 1000}


def paid(n=1):
    return {"input": 10 * n, "output": 1000 * n}


class Lowered(Orchestrator):
    THREE = 'const a = []; for (let i = 0; i < 3; ++i) a.push(await agent("child " + i)); return a.length;'

    def workflow(self, source, limits, plugin=None):
        """A workflow `w` of the configuration with limits of its own."""
        self.script(source, limits=plugin,
                    workflows={"w": {"script": "${file:w.js}", "agent": "b", "limits": limits}})

    def test_a_workflow_of_the_configuration_has_lower_limits_than_the_plugin(self):
        self.workflow(self.THREE, {"agents": 2})
        error = self.run_w(expect=FAILED)["error"]
        self.assertEqual(error["code"], "AGENT_CAP")
        self.assertIn("more than 2 agents", error["message"])
        [run] = [r["id"] for r in self.runs() if r["workflow"] == "w"]
        self.assertEqual(len(self.children(run)), 2)
        ended = self.ok("--json", "resume", run, "--retry", "--set", "workflows.w.limits.agents=3").json()
        self.assertEqual(ended["value"]["final"], 3)
        self.assertEqual(len(self.children(run)), 3)

    def test_agents_that_a_limit_met_under_way_are_asked_again_once_it_is_raised(self):
        cases = {"parallel": 'return await parallel([1, 2, 3, 4, 5].map((n) => () => agent("child " + n)));',
                 "pipeline": 'return await pipeline([1, 2, 3, 4, 5], (n) => agent("child " + n), (_, n) => agent("check " + n));'}
        for name, source in cases.items():
            total = 5 if name == "parallel" else 10
            for limit in (1, 3, total - 1):
                with self.subTest(name, limit=limit):
                    self.workflow(source, {"agents": limit})
                    failed = self.run_w(expect=FAILED)
                    self.assertEqual(failed["error"]["code"], "AGENT_CAP")
                    run = failed["run"]
                    for more in (limit, total):  # raised in vain first
                        code = FAILED if more < total else SUCCEEDED
                        ended = self.ok("--json", "resume", run, "--retry", "--set",
                                        f"workflows.w.limits.agents={more}", expect=code).json()
                    self.assertEqual(len(ended["value"]["final"]), 5)
                    self.assertNotIn(None, ended["value"]["final"])
                    done = [child for child in self.children(run) if child["status"] == "succeeded"]
                    self.assertEqual(len(done), total)  # and none of them twice
                    self.assertTrue(self.ok("--json", "replay", run).json()["identical"])

    def test_who_goes_on_with_a_run_raises_no_limit_above_the_plugins(self):
        self.workflow('for (;;) await agent("child");', {"agents": 1}, plugin={"agents": 2})
        self.run_w(expect=FAILED)
        [run] = [r["id"] for r in self.runs() if r["workflow"] == "w"]
        ended = self.ok("--json", "resume", run, "--retry", "--set", "workflows.w.limits.agents=9", expect=FAILED)
        self.assertIn("more than 2 agents", ended.json()["error"]["message"])
        self.assertEqual(len(self.children(run)), 2)

    def test_every_limit_can_be_lowered(self):
        cases = [({"items": 2}, "return await parallel([1, 2, 3].map((n) => () => n));", "ITEM_CAP", "at most 2 items"),
                 ({"firstSliceMs": 300}, "for (;;);", "TIMEOUT", "more than 300 ms"),
                 ({"sliceMs": 300}, 'await agent("x"); for (;;);', "TIMEOUT", "more than 300 ms"),
                 ({"memoryMb": 32}, "const a = []; for (;;) a.push(new Uint8Array(1e6));", "MEMORY", "32 MiB"),
                 ({"requestBytes": 1024}, 'await agent("x".repeat(2000));', "INVALID_ARGUMENT", "limit is 1024"),
                 ({"resultBytes": 1024}, 'return "x".repeat(2000);', "RESULT_UNSERIALIZABLE", "limit is 1024")]
        for limits, source, code, words in cases:
            with self.subTest(limits):
                self.workflow(source, limits)
                error = self.run_w(expect=FAILED)["error"]
                self.assertEqual(error["code"], code)
                self.assertIn(words, error["message"])

    def test_every_limit_that_was_reached_is_raised_for_the_rest(self):
        cases = [("items", 2, 3, "await parallel([1, 2, 3].map((n) => () => n));", "ITEM_CAP"),
                 ("sliceMs", 50, 60000, "let x = 0; for (let i = 0; i < 2e7; ++i) x += i;", "TIMEOUT"),
                 ("memoryMb", 32, 512, "const a = []; for (let i = 0; i < 100; ++i) a.push(new Uint8Array(1e6).fill(1));", "MEMORY"),
                 ("requestBytes", 1024, 8192, 'await agent("x".repeat(2000));', "INVALID_ARGUMENT"),
                 ("resultBytes", 1024, 8192, 'return "y".repeat(2000);', "RESULT_UNSERIALIZABLE")]
        for name, low, high, source, code in cases:
            with self.subTest(name):
                self.script(f'const first = await agent("first"); {source} return first;', limits={name: low})
                failed = self.run_w(expect=FAILED)
                self.assertEqual(failed["error"]["code"], code)
                ended = self.ok("--json", "resume", failed["run"], "--retry", "--set", f"plugins.load.0.config.limits.{name}={high}").json()
                self.assertIn(ended["value"]["final"], ("did first", "y" * 2000))
                self.assertEqual(len(self.children(failed["run"])), 2 if name == "requestBytes" else 1)

    def most_at_a_time(self, run):
        now = most = 0
        for record in self.show(run)["workflows"]:
            now += {"agent-start": 1, "agent-end": -1}.get(record["type"], 0)
            most = max(most, now)
        return most

    def test_an_agent_lowers_the_limits_of_the_scripts_that_it_calls_for(self):
        use = {"use": "workflow", "limits": {"agents": 6, "concurrency": 2}}
        self.tool(self.call('return await parallel([1, 2, 3, 4, 5, 6].map((n) => () => agent("child " + n)));'),
                  text("{{result}}"), agent={"tools": [use]}, limits={"concurrency": 6})
        run = self.run_a()["run"]
        self.assertEqual(self.most_at_a_time(run), 2)

        use["limits"]["agents"] = 2
        self.tool(self.call(self.THREE), text("{{result}}"), agent={"tools": [use]})
        out = self.run_a()
        [scripts] = self.children(out["run"])
        self.assertEqual(self.result(out["run"])["details"]["code"], "AGENT_CAP")
        ended = self.ok("--json", "resume", scripts["id"], "--retry", "--set",
                        "agents.a.tools.0.limits.agents=3").json()
        self.assertEqual(ended["value"]["final"], 3)
        self.assertEqual(len(self.children(scripts["id"])), 3)

    def test_another_agents_scripts_keep_the_plugins_limits(self):
        use = {"use": "workflow", "limits": {"agents": 1}}
        self.tool(self.call(self.THREE), text("{{result}}"), agents={"z": {"tools": [use]}})
        self.assertIn("Return value:\n3", self.run_a()["value"]["final"])

    def problems(self):
        checked = self.foxwedge("--json", "config", "check", self.config_file)
        self.assertEqual(checked.code, USAGE, checked)
        return {p["pointer"]: p["message"] for p in checked.json() if p["severity"] == "error"}

    def test_nobody_raises_a_limit(self):
        self.workflow("return 1;", {"agents": 6, "items": 5000, "concurrency": 4}, plugin={"agents": 5})
        found = self.problems()
        self.assertEqual(set(found), {"/workflows/w/limits/agents", "/workflows/w/limits/items"})
        self.assertIn("the plugin's limit is 5", found["/workflows/w/limits/agents"])
        self.assertIn("the plugin's limit is 4096", found["/workflows/w/limits/items"])
        # It is no advice alone.
        self.assertEqual(self.run_w(expect=USAGE)["error"]["code"], "invalid_config")
        self.assertEqual(self.runs(), [])

    def test_a_limit_that_the_machine_decides_is_not_raised_either(self):
        source = 'return await parallel(Array.from({ length: 40 }, (_, n) => () => agent("child " + n)));'
        slow = [{"when": {"user": "child"}, "answer": text("x", delayMs=700)}]
        usual = min(16, max(4, 2 * len(os.sched_getaffinity(0))))
        for limits, most in (({}, usual), ({"concurrency": 200}, usual), ({"concurrency": 3}, 3)):
            with self.subTest(limits):
                use = {"use": "workflow", "limits": limits}
                self.tool(self.call(source), text("{{result}}"), agent={"tools": [use]}, child=slow)
                self.assertEqual(self.most_at_a_time(self.run_a()["run"]), most)

    def test_the_ceiling_has_a_ceiling(self):
        for limits in ({"concurrency": 257}, {"agents": 0}, {"memoryMb": 1}):
            with self.subTest(limits):
                self.tool(text("x"), limits=limits)
                self.assertEqual(list(self.problems()), ["/plugins/load/0/config/limits/" + list(limits)[0]])
        self.tool(text("x"), config={"maxResultChars": 0})
        self.assertEqual(list(self.problems()), ["/plugins/load/0/config/maxResultChars"])

    def test_what_is_no_limit_is_told_at_its_place(self):
        self.tool(text("x"), agent={"tools": [{"use": "workflow", "limits": {"agnets": 1, "items": 0}},
                                              {"use": "workflow-kv_kv_store", "limits": {"agents": 1}}]},
                  workflows={"v": {"agent": "a", "limits": {"agents": 1}}})
        self.assertIn("/workflows/v/limits", self.problems())
        self.tool(text("x"), agent={"tools": [{"use": "workflow", "limits": {"agnets": 1, "items": 0}},
                                              {"use": "workflow-kv_kv_store", "limits": {"agents": 1}}]},
                  tools={"workflow-kv_kv_store": {}})
        found = self.problems()
        self.assertIn("/agents/a/tools/0/limits/items", found)
        self.assertTrue([p for p in found if p.startswith("/agents/a/tools/0/limits") and "agnets" in p + found[p]], found)
        self.assertIn("only the workflow tool", found["/agents/a/tools/1/limits"])


class Usage(Orchestrator):
    """Each answer to a child costs 10 tokens in and 1000 out; the caller's own cost less than that."""

    DID = {"when": {"user": "child"}, "answer": text("did {{user}}", usage=PAID)}

    def paid_by(self, run):
        """What the caller's tool step says of its children."""
        [step] = [s for s in self.show(run)["steps"] if s["kind"] == "tool"]
        usage = step.get("usage") or {}
        return {name: usage.get(name, 0) for name in PAID}

    def check(self, out, n):
        self.assertEqual(self.paid_by(out["run"]), paid(n))
        self.assertGreaterEqual(out["value"]["usage"]["output"], 1000 * n)
        [scripts] = self.children(out["run"])
        self.assertEqual(self.show(scripts["id"])["usage"]["output"], 1000 * n)
        self.assertIn(f"{n},000 out tokens", self.ok("show", scripts["id"]).out)
        return scripts

    def test_a_script_that_throws_is_paid_by_its_caller(self):
        self.tool(self.call('await agent("child 1"); await agent("child 2"); throw new Error("no");'), text("x"),
                  child=[self.DID])
        scripts = self.check(self.run_a(), 2)
        self.assertEqual(scripts["status"], "failed")

    def test_so_is_one_that_reaches_a_limit(self):
        self.tool(self.call('for (;;) await agent("child");'), text("x"), child=[self.DID], limits={"agents": 3})
        self.check(self.run_a(), 3)

    def test_so_is_one_that_runs_out_of_budget(self):
        self.tool(self.call('for (;;) await agent("child");'), text("x"), child=[self.DID],
                  agent={"budget": {"outputTokens": 2500}})
        out = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "please").json()
        self.assertEqual(self.paid_by(out["run"]), paid(3))

    def test_an_agent_that_fails_in_its_middle_is_paid_too(self):
        child = [{"when": {"user": "child bad", "turn": 0}, "answer": calls(("no_such_tool", {}), usage=PAID)},
                 {"when": {"user": "child bad"},
                  "answer": {"error": {"status": "invalid", "code": "refusal", "message": "no"}}}, self.DID]
        self.tool(self.call('return [await agent("child bad"), await agent("child good")];'), text("x"), child=child)
        out = self.run_a()
        self.assertEqual(self.result(out["run"])["structuredContent"]["result"], [None, "did child good"])
        self.check(out, 2)

    def test_a_script_sees_that_a_failed_agent_has_spent_of_the_budget_and_again_after_a_crash(self):
        child = [{"when": {"user": "child bad", "turn": 0}, "answer": calls(("no_such_tool", {}), usage=PAID)},
                 {"when": {"user": "child bad"},
                  "answer": {"error": {"status": "invalid", "code": "refusal", "message": "no"}}},
                 {"when": {"user": "child slow"}, "answer": text("late", delayMs=1500)}, self.DID]
        # The second request says what was left: another number would be another request than on record.
        script = ('const before = budget.left.outputTokens; await agent("child bad"); const spent = before - '
                  'budget.left.outputTokens; await agent("child slow " + spent); return spent;')
        self.tool(self.call(script), text("{{result}}"), child=child, agent={"budget": {"outputTokens": 100000}})
        process = self.start("--json", "run", self.config_file, "a", "--prompt", "please")
        self.until("the slow one", lambda: len([r for r in self.runs() if r["workflow"] == "a"]) == 3)
        self.kill(process)
        [run] = [r["id"] for r in self.runs() if not r.get("parent")]
        self.ok("--json", "resume", run)
        self.assertEqual(self.result(run)["structuredContent"]["result"], 1000)

    def test_a_script_that_somebody_cancels_is_paid_and_says_by_whom(self):
        slow = {"when": {"user": "child slow"}, "answer": text("late", delayMs=60000)}
        self.tool(self.call('await agent("child 1"); await agent("child slow");'), text("{{result}}"),
                  child=[slow, self.DID])
        process = self.start("--json", "run", self.config_file, "a", "--prompt", "please")
        self.until("the slow one", lambda: len([r for r in self.runs() if r["workflow"] == "a"]) == 3)
        [scripts] = [r["id"] for r in self.runs() if r["workflow"] == "script:a"]
        self.ok("--config", self.config_file, "cancel", scripts)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, SUCCEEDED, err)
        out = json.loads(out)
        result = self.result(out["run"])
        self.assertEqual(result["content"][0]["text"], out["value"]["final"])
        self.assertRegex(out["value"]["final"], r"^Error: workflow run was cancelled \(cancelled by user:\w+\)$")
        self.assertEqual((result["isError"], result["details"]["code"]), (True, "CANCELLED"))
        self.check(out, 1)

    def test_what_agents_call_as_a_tool_and_fails_is_paid_too(self):
        tool = {"name": "look", "description": "d", "workflow": "w", "inputSchema": {"type": "object"}}
        self.script('await agent("child"); throw new Error("no");',
                    rules=[self.DID, {"when": {"turn": 0}, "answer": calls(("look", {}))}, {"answer": text("x")}],
                    agents={"a": {"tools": [tool]}})
        out = self.ok("--json", "run", self.config_file, "a", "--prompt", "go").json()
        self.assertEqual(self.paid_by(out["run"]), paid())

    def test_a_run_that_is_under_way_shows_what_it_has_cost_so_far(self):
        slow = {"when": {"user": "child slow"}, "answer": text("late", delayMs=60000)}
        self.script('await agent("child 1"); await agent("child slow");', rules=[slow, self.DID])
        process = self.start("--json", "run", self.config_file, "w")
        self.until("the slow one", lambda: len([r for r in self.runs() if r["workflow"] == "b"]) == 2)
        [run] = [r["id"] for r in self.runs() if r["workflow"] == "w"]
        self.assertEqual(self.show(run)["usage"]["output"], 1000)
        self.ok("--config", self.config_file, "cancel", run)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, CANCELLED)
        self.assertEqual(self.show(run)["usage"]["output"], 1000)


if __name__ == "__main__":
    main()
