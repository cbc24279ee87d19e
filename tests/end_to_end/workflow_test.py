"""Scripts as workflows: of the configuration, and written by a model through the workflow tool."""
from scripts import *


class FromTheConfiguration(Scripts):
    def test_a_script_asks_an_agent_and_returns_its_answer(self):
        self.script('return { answer: await agent("go " + args.where) };')
        out = self.run_w({"where": "home"})
        self.assertEqual(out["value"]["final"], {"answer": "did go home"})
        self.assertEqual(out["value"]["agentsStarted"], 1)
        self.assertEqual(len(self.children(out["run"])), 1)
        self.assertTrue(self.ok("--json", "replay", out["run"]).json()["identical"])

    def test_values_come_in_the_order_of_the_items(self):
        source = """
            phase("Fan out");
            const first = await parallel([3, 2, 1].map((n) => () => agent("p" + n, { label: "n" + n })));
            const second = await pipeline(["x", "y"],
                (item) => agent(item), (previous, item, i) => `${previous}/${item}/${i}`);
            log("all in");
            return [first, second];"""
        self.assertEqual(self.value(source), [["did p3", "did p2", "did p1"],
                                              ["did x/x/0", "did y/y/1"]])

    def test_people_who_watch_read_what_the_script_tells_them(self):
        self.script('phase("Looking"); log("hello \\u001b[31mpeople"); log("two\\nlines"); return await agent("x");')
        watched = self.ok("run", self.config_file, "w").err
        self.assertIn("    Looking\n    hello  [31mpeople\n    two lines\n", watched)
        self.assertNotIn("Looking", self.ok("--quiet", "run", self.config_file, "w").err)

    def test_an_agent_that_fails_gives_null_and_one_with_a_schema_its_object(self):
        rules = [{"when": {"model": "child", "user": "bad"},
                  "answer": {"error": {"status": "invalid", "code": "refusal", "message": "no"}}},
                 {"when": {"model": "child", "output": True}, "answer": {"output": {"n": 7}}},
                 *self.CHILD]
        source = """
            const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
            return [await agent("bad"), await agent("count", { schema }), await agent("good")];"""
        self.assertEqual(self.value(source, rules=rules), [None, {"n": 7}, "did good"])

    def test_the_plugin_works_in_a_process_of_its_own_too(self):
        load = {"id": "capability-workflow", "isolation": "process"}
        self.assertEqual(self.value('return await parallel([1, 2].map((n) => () => agent("p" + n)));', load=load),
                         ["did p1", "did p2"])
        self.fails('await agent("x", { colour: 1 });', "UNSUPPORTED_OPTION", load=load)

    def test_without_the_engine_a_script_says_what_is_missing(self):
        (self.folder / "bin").mkdir()
        (self.folder / "libexec/foxwedge").mkdir(parents=True)
        bare = shutil.copy(FOXWEDGE, self.folder / "bin/foxwedge")
        shutil.copy(BUILD / "hosts/launcher/launcher", self.folder / "libexec/foxwedge/launcher")
        self.script("return 1;")
        folders = [str(f) for f in (BUILD / "plugins").iterdir() if f.is_dir()]
        done = subprocess.run([bare, "--json", "run", self.config_file, "w"], capture_output=True, text=True,
                              cwd=self.folder, env={**self.environment, "FOXWEDGE_PLUGIN_PATH": ":".join(folders)})
        error = json.loads(done.stdout)["error"]
        self.assertEqual((done.returncode, error["code"]), (FAILED, "script_box_missing"), done)
        self.assertIn("libjavascriptcoregtk", error["message"])

    def test_what_is_left_of_the_budget_goes_down(self):
        self.assertEqual(self.value("return budget.left;"), None)

    def test_a_mistake_in_the_script_is_told_with_its_line(self):
        error = self.fails("const a = 1;\nlet b = ;\nreturn a;", "SCRIPT_PARSE", "SyntaxError")
        self.assertIn("line 2", error["message"])
        error = self.fails("const a = 1;\nreturn a.b.c;", "SCRIPT_ERROR", "TypeError")
        self.assertIn("line 2, column", error["message"])

    def test_misuse_ends_the_script_whatever_it_catches(self):
        source = 'await parallel([async () => { try { await agent("x", { colour: 1 }); } catch {} }]); return 1;'
        self.fails(source, "UNSUPPORTED_OPTION", 'no option "colour"')



class ByAModel(Orchestrator):
    def test_the_value_of_a_script_is_the_tools_result(self):
        script = 'const [a, b] = await parallel(args.who.map((w) => () => agent("child " + w))); return { a, b };'
        shown, result, run = self.answer_to(script, args={"who": ["x", "y"]})
        self.assertEqual(shown, 'workflow "greet-all" completed (2 agents).\nReturn value:\n'
                                '{\n  "a": "did child x",\n  "b": "did child y"\n}')
        [scripts] = self.children(run)
        self.assertEqual(result["structuredContent"],
                         {"runId": scripts["id"], "agentsStarted": 2,
                          "result": {"a": "did child x", "b": "did child y"}})
        self.assertEqual(len(self.children(scripts["id"])), 2)
        self.assertTrue(self.ok("--json", "replay", run, scripts["id"]).out)

    def test_one_agent_is_no_agents_and_a_long_value_is_cut_for_the_model_alone(self):
        shown, result, _ = self.answer_to('await agent("child"); return "é".repeat(30);',
                                          config={"maxResultChars": 11})
        self.assertEqual(shown, 'workflow "greet-all" completed (1 agent).\nReturn value:\n"' + "é" * 10 +
                                "\n… [truncated: 21 more characters]")
        self.assertEqual(result["structuredContent"]["result"], "é" * 30)

    def test_a_value_is_cut_between_code_points(self):
        # Four bytes in UTF-8, two units of a JavaScript text, one code point.
        shown, _, _ = self.answer_to('return "\U0001F600".repeat(10);', config={"maxResultChars": 5})
        self.assertTrue(shown.endswith('Return value:\n"' + "\U0001F600" * 4 + "\n… [truncated: 7 more characters]"), shown)
        shown, _, _ = self.answer_to('return "\U0001F600".repeat(3);', config={"maxResultChars": 5})
        self.assertTrue(shown.endswith('Return value:\n"' + "\U0001F600" * 3 + '"'), shown)

    def test_a_failure_without_a_word_is_an_unknown_error(self):
        shown, result, _ = self.answer_to('throw "";')
        self.assertEqual(shown, "Error: workflow run failed: unknown error")
        self.assertEqual((result["isError"], result["details"]["code"]), (True, "SCRIPT_ERROR"))

    def test_an_agent_that_cannot_be_started_is_no_ordinary_failure(self):
        shown, result, _ = self.answer_to('return [await agent("child", { provider: "nobody" })];')
        self.assertEqual(result["details"]["code"], "AGENT_START")
        self.assertIn("nobody", shown)
        self.assertTrue(shown.startswith("Error: workflow run failed: "), shown)

    def test_a_schema_that_cannot_be_used_is_told_before_anything_is_asked(self):
        for schema, words in (('{ type: "array" }', '"type": "object"'), ('{ type: "object", properties: 5 }', "/properties"),
                              ('{ type: "object", $ref: "http://x/y" }', "never fetched"), ("7", "a JSON Schema, an object")):
            with self.subTest(schema):
                shown, result, run = self.answer_to(f'return await agent("child", {{ schema: {schema} }});')
                self.assertEqual(result["details"]["code"], "UNSUPPORTED_SCHEMA")
                self.assertIn(words, shown)
                self.assertEqual([r["type"] for r in self.show(run)["workflows"]], ["run-start", "run-end"])

    def test_agents_that_are_under_way_when_a_script_fails_are_closed_before_its_end(self):
        shown, result, run = self.answer_to(
            'await parallel([1, 2, 3, 4].map((n) => () => agent("child " + n)));', limits={"agents": 3})
        self.assertEqual(result["details"]["code"], "AGENT_CAP")
        records = self.show(run)["workflows"]
        begun = [r["seq"] for r in records if r["type"] == "agent-start"]
        ended = [r["seq"] for r in records if r["type"] == "agent-end"]
        self.assertEqual((begun, sorted(ended)), ([1, 2, 3], [1, 2, 3]))
        self.assertEqual((records[0]["type"], records[-1]["type"], records[-1]["stopReason"]),
                         ("run-start", "run-end", "error"))
        [scripts] = [r["id"] for r in self.runs() if r["id"] == result["details"]["run"]]
        self.assertNotIn("running", [child["status"] for child in self.children(scripts)])

    def test_endless_titles_and_names_leave_records_small(self):
        script = 'phase("p".repeat(3e6)); await agent("child 1", { label: "l".repeat(1e6) }); return 1;'
        meta = {"name": "n" * 500000, "description": "d"}
        shown, _, run = self.answer_to(script, meta=meta)
        self.assertTrue(shown.startswith('workflow "nnn'), shown[:50])
        records = self.show(run)["workflows"]
        self.assertEqual([r["type"] for r in records], ["run-start", "agent-start", "agent-end", "run-end"])
        self.assertEqual((records[0]["name"], records[1]["phase"]), ("n" * 200, "p" * 200))
        self.assertLess(len(json.dumps(records)), 2000)

    def test_what_children_say_stays_out_of_the_callers_history(self):
        child = [{"when": {"user": "child"}, "answer": text("a secret of the child")}]
        self.tool(self.call('await agent("child, tell"); return 1;'), text("{{result}}"), child=child)
        run = self.run_a()["run"]
        self.assertNotIn("a secret of the child", json.dumps(self.show(run)["steps"]))

    def test_only_a_call_of_an_agents_own_turn_is_recorded(self):
        self.tool(text("x"), config={"agent": "a"})
        arguments = json.dumps({"meta": self.META, "script": "return await agent('child');"})
        self.ok("--json", "call", self.config_file, "workflow", arguments)
        for run in self.runs():
            self.assertNotIn("workflows", self.show(run["id"]))
        self.assertEqual(len(self.runs()), 3)  # the call, the script, its agent

    def test_all_mistakes_in_meta_are_told_at_once(self):
        shown, result, run = self.answer_to("return 1;", meta={"name": " ", "colour": 1, "phases": [{"detail": 2}]})
        self.assertEqual(result["details"]["code"], "META_INVALID")
        self.assertTrue(result["isError"])
        for words in ("Error: ", 'no field "colour"', "meta.name must", "meta.description must",
                      "meta.phases[0].title must", "meta.phases[0].detail must"):
            self.assertIn(words, shown)
        self.assertEqual(self.children(run), [])

    def test_a_model_reads_the_error_of_a_broken_script_and_repairs_it(self):
        self.tool(self.call("const a = await agent('child';\nreturn a;"),
                  self.call("const a = await agent('child');\nreturn a;"), text("{{result}}"))
        out = self.run_a()
        broken = self.result(out["run"], 0)
        self.assertEqual(broken["details"]["code"], "SCRIPT_PARSE")
        self.assertRegex(broken["content"][0]["text"], r"^Error: SyntaxError: .* \(line 1\)$")
        self.assertIn('"did child"', out["value"]["final"])

    def test_a_script_that_fails_fails_neither_its_call_nor_its_run(self):
        shown, result, run = self.answer_to('throw new Error("no luck");')
        self.assertEqual(shown, "Error: workflow run failed: Error: no luck (line 1, column 16)")
        self.assertEqual(result["details"]["code"], "SCRIPT_ERROR")
        [scripts] = self.children(run)
        self.assertEqual((scripts["status"], result["details"]["run"]), ("failed", scripts["id"]))
        [step] = [s for s in self.show(run)["steps"] if s["kind"] == "tool"]
        self.assertEqual((len(step["attempts"]), step["generation"]), (1, 0))

    def test_without_an_agent_there_is_none_to_ask(self):
        self.tool(text("x"))
        arguments = json.dumps({"meta": self.META, "script": "return 1;"})
        out = self.ok("--json", "call", self.config_file, "workflow", arguments, expect=FAILED).json()
        self.assertIn("Error: workflow tool requires a calling agent (exec.agent was undefined)", json.dumps(out))

    def test_a_configured_agent_serves_where_none_calls(self):
        self.tool(text("x"), config={"agent": "a"})
        arguments = json.dumps({"meta": self.META, "script": "return await agent('child');"})
        out = self.ok("--json", "call", self.config_file, "workflow", arguments).json()
        self.assertIn("did child", json.dumps(out))

    def test_the_model_sees_the_configured_name_and_the_catalogue_keeps_its_own(self):
        self.tool(self.call("return 1;", name="orchestrate"), text("{{result}}"), config={"toolName": "orchestrate"})
        out = self.run_a()
        self.assertIn("completed (0 agents)", out["value"]["final"])
        tools = self.recorded(out["run"], "a:tools")
        self.assertEqual([t["id"] for t in tools["tools"]], ["orchestrate"])
        self.assertEqual([s["id"] for s in tools["sections"]], ["tool:orchestrate"])

    def test_people_and_settings_go_by_the_tools_own_name_whatever_the_model_calls_it(self):
        use = {"use": "workflow", "requiresApproval": True, "toModelOutput": "output.result",
               "approval": {"if": "tool == 'workflow'", "summary": "run ${tool}?"}}
        self.tool(self.call("return 7;", name="orchestrate"), text("{{result}}"),
                  config={"toolName": "orchestrate"}, agent={"tools": [use]})
        self.run_a(expect=WAITING)
        [gate] = self.gates()
        self.assertEqual((gate["about"]["tool"], gate["about"]["summary"]), ("workflow", "run workflow?"))
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"])
        self.assertEqual(self.ok("--json", "resume", gate["run"]).json()["value"]["final"], "7")

    def test_a_card_shows_the_call_whatever_comes_of_it(self):
        for script in ("return 1;", "return nothing;", "no script at all", 'throw "";'):
            _, result, _ = self.answer_to(script)
            self.assertEqual(result["details"]["card"],
                             {"kind": "generic", "title": "workflow: greet-all", "rawInput": script})
        _, result, _ = self.answer_to("return 1;", meta={"name": "odd", "colour": 1})
        self.assertEqual(result["details"]["card"], {"kind": "generic", "title": "workflow: odd", "rawInput": "return 1;"})

    def test_what_the_model_reads_of_the_tool_is_the_whole_contract(self):
        self.tool(text("x"), limits={"agents": 77, "items": 88})
        run = self.run_a()["run"]
        [tool] = self.recorded(run, "a:tools")["tools"]
        schema = tool["inputSchema"]
        self.assertEqual((sorted(schema["properties"]), sorted(schema["required"])), (["args", "meta", "script"], ["meta", "script"]))
        self.assertFalse(schema["additionalProperties"])
        self.assertIn("kebab-case", json.dumps(schema["properties"]["meta"]))
        self.assertIn("wrap a bare list in a field", schema["properties"]["args"]["description"])
        for words in ("await agent(prompt, {label, phase, schema, provider, model})", "await parallel([", "await pipeline(items",
                      "(previous, item, index)", "phase(title)", "log(message)", "`args`", "await workflow(name, args)",
                      "budget.left", "`return VALUE`", "At most 77 agents", "88 items", "export const meta"):
            self.assertIn(words, tool["description"])
        [section] = self.recorded(run, "a:tools")["sections"]
        self.assertEqual(section["id"], "tool:workflow")
        for words in ("only when the user explicitly asks for a workflow", "One or two delegations"):
            self.assertIn(words, section["text"])

    def test_phases_of_meta_choose_nothing(self):
        meta = {**self.META, "whenToUse": "always", "phases": [{"title": "One", "detail": "d", "provider": "nobody", "model": "m"}]}
        shown, _, run = self.answer_to('phase("One"); return await agent("child");', meta=meta)
        self.assertIn("did child", shown)
        [start] = [r for r in self.show(run)["workflows"] if r["type"] == "agent-start"]
        self.assertEqual(start["phase"], "One")

    def test_one_stage_waits_for_no_other_item(self):
        rules = [{"when": {"user": "child first slow"}, "answer": text("slow", delayMs=1500)},
                 {"when": {"user": "child"}, "answer": text("fast")}]
        script = ('return await pipeline(["slow", "fast"], (x) => agent("child first " + x, { label: "first " + x }),'
                  ' (p, x) => agent("child second " + x, { label: "second " + x }));')
        _, _, run = self.answer_to(script, child=rules)
        records = self.show(run)["workflows"]
        order = [r["label"] for r in records if r["type"] == "agent-start"]
        self.assertEqual(order, ["first slow", "first fast", "second fast", "second slow"])

    def test_children_have_their_callers_tools_but_for_this_one(self):
        _, _, run = self.answer_to('return await agent("child");')
        [scripts] = self.children(run)
        [child] = self.children(scripts["id"])
        self.assertEqual(self.recorded(child["id"], "a:tools")["tools"], [])

    def test_children_have_their_callers_instructions_and_guardrails(self):
        stop = {"use": "rule", "name": "stop", "placements": ["output"],
                "config": {"rules": [{"if": "content[0].text == 'rude'", "action": "stop"}]}}
        child = [{"when": {"user": "child rude"}, "answer": text("rude")},
                 {"when": {"user": "child", "system": "Obey."}, "answer": text("obeyed")}]
        _, result, _ = self.answer_to('return [await agent("child"), await agent("child rude")];', child=child,
                                      agent={"instructions": "Obey.", "guardrails": [stop]})
        self.assertEqual(result["structuredContent"]["result"], ["obeyed", None])

    def test_the_calling_run_keeps_records_of_what_the_script_does(self):
        rules = [{"when": {"user": "child bad"}, "answer": {"error": {"status": "invalid", "code": "refusal", "message": "no"}}},
                 {"when": {"user": "child"}, "answer": text("did {{user}}")}]
        script = 'phase("One"); await agent("child good", { label: "L" }); await agent("child bad"); return 1;'
        _, _, run = self.answer_to(script, child=rules)
        [scripts] = self.children(run)
        records = self.show(run)["workflows"]
        self.assertEqual({r.pop("runId") for r in records}, {scripts["id"]})
        ids = [r.pop("childId") for r in records if r["type"] == "agent-start"]
        self.assertEqual(set(ids), {c["id"] for c in self.children(scripts["id"])})
        self.assertEqual(records, [
            {"type": "run-start", "name": "greet-all"},
            {"type": "agent-start", "seq": 1, "label": "L", "phase": "One"},
            {"type": "agent-end", "seq": 1, "outcome": "completed"},
            {"type": "agent-start", "seq": 2, "label": "child bad", "phase": "One"},
            {"type": "agent-end", "seq": 2, "outcome": "failed"},
            {"type": "run-end", "stopReason": "completed"}])

    def test_who_follows_a_script_sees_each_agent_below_its_phase(self):
        script = ('phase("One"); await parallel([1, 2].map((n) => () => agent("child " + n)));'
                  'phase("Two"); await agent("child 3"); return 1;')
        self.script(script, rules=[{"when": {"user": "child"}, "answer": text("ok", delayMs=1500)}])
        process = self.start("--json", "run", self.config_file, "w")
        self.until("the run", lambda: [r for r in self.runs() if r["workflow"] == "w"])
        [run] = [r["id"] for r in self.runs() if r["workflow"] == "w"]
        followed = self.ok("show", run, "--follow").out
        process.communicate(timeout=30)
        self.assertNotIn("child-end", followed)
        # Once as it happens, once in the whole run at its end.
        words = re.findall(r"One|Two|child \d", followed)
        self.assertEqual(sorted(words[:5]), ["One", "Two", "child 1", "child 2", "child 3"])
        self.assertEqual((words[0], words[3:5]), ("One", ["Two", "child 3"]))


if __name__ == "__main__":
    main()
