"""What MCP servers need in the middle of a call: people, models, time."""
from harness import *

PEER = pathlib.Path(__file__).parent / "asking_peer.py"


class AskingServers(Host):
    def attach(self, era, tool, arguments=None, then="{{result}}", **server):
        self.asked = self.folder / "asked.jsonl"
        for old in self.folder.glob("asked.*"):
            old.unlink()
        if era == "http":
            peer = subprocess.Popen([sys.executable, str(PEER), era, str(self.asked)], text=True,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self.addCleanup(self.end, peer)
            server["url"] = peer.stdout.readline().strip()
        else:
            server.update(command=sys.executable, args=[str(PEER), era, str(self.asked)])
        self.config(rules=[{"when": {"tool": "peer_" + tool}, "answer": text(then)},
                           {"when": {"user": "Draw a line"}, "answer": text("a straight one")},
                           {"answer": calls(("peer_" + tool, arguments or {}))}],
                    mcpServers={"peer": server}, agent={"mcpServers": ["peer"]},
                    http={"allowPrivate": True})

    def end(self, peer):
        peer.stdin.close()
        peer.stdout.close()
        peer.wait(timeout=30)

    def asking(self):
        """A run in the background that stands at a question."""
        running = self.start("--json", "run", self.config_file, "--prompt", "go")
        return running, self.next_gate()

    def next_gate(self, *besides):
        old = [gate["id"] for gate in besides]
        [gate] = self.until("the question", lambda: [gate for gate in self.gates()
                                                     if gate["id"] not in old])
        return gate

    def ended(self, running, expect=SUCCEEDED):
        out, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, expect, out + err)
        return json.loads(out)

    def answer_too_late(self, gate):
        late = self.foxwedge("--json", "--config", self.config_file, "approvals", "respond",
                             gate["id"], '{"name": "Rey"}')
        self.assertNotEqual(late.code, SUCCEEDED, late)
        return late.json()["error"]

    def requests(self, method):
        rows = [json.loads(line) for line in self.asked.read_text().splitlines()]
        return [row["params"] for row in rows if row["method"] == method]

    def decide(self, word, gate, *more, expect=SUCCEEDED):
        return self.ok("--json", "--config", self.config_file, "approvals", word, gate["id"], *more,
                       "--resume", expect=expect)

    def test_a_question_parks_the_run_and_is_answered_like_an_approval(self):
        self.attach("modern", "ask")
        out = self.run_agent("--prompt", "go", expect=WAITING)
        [gate] = self.gates()
        self.assertEqual(gate["kind"], "input")
        self.assertEqual(gate["run"], out["run"])
        self.assertTrue(gate["step"].endswith(":input:0"), gate["step"])
        self.assertEqual(gate["about"]["summary"], "Who are you?")
        ended = self.decide("respond", gate, '{"name": "Rey"}').json()
        said = json.loads(ended["value"]["final"])
        self.assertEqual(said, {"action": "accept", "content": {"name": "Rey", "kind": "fox"}})
        first, second = self.requests("tools/call")
        self.assertNotIn("inputResponses", first)
        self.assertEqual(second["requestState"], "round-1")
        self.assertEqual(first["_meta"]["foxwedge/idempotencyKey"],
                         second["_meta"]["foxwedge/idempotencyKey"])

    def test_an_answer_that_does_not_fit_the_form_is_asked_for_again(self):
        self.attach("modern", "ask")
        self.run_agent("--prompt", "go", expect=WAITING)
        [gate] = self.gates()
        self.decide("respond", gate, '{"name": "R"}', expect=WAITING)
        [again] = self.gates()
        self.assertTrue(again["step"].endswith(":input:1"), again["step"])
        self.assertIn("name", again["about"]["reason"])
        self.decide("respond", again, '{"name": "Rey"}')
        self.assertEqual(len(self.requests("tools/call")), 2)

    def test_a_rejection_declines(self):
        self.attach("modern", "ask")
        self.run_agent("--prompt", "go", expect=WAITING)
        [gate] = self.gates()
        ended = self.decide("reject", gate).json()
        self.assertEqual(json.loads(ended["value"]["final"]), {"action": "decline"})

    def test_a_server_that_forgot_its_state_leaves_an_unknown_outcome(self):
        self.attach("modern", "ask")
        self.run_agent("--prompt", "go", expect=WAITING)
        self.asked.with_suffix(".forgotten").touch()
        [gate] = self.gates()
        ended = self.foxwedge("--json", "--config", self.config_file, "approvals", "respond",
                              gate["id"], '{"name": "Rey"}', "--resume")
        self.assertEqual(ended.code, FAILED, ended)
        self.assertIn("no longer takes the state", ended.out + ended.err)
        self.asked.with_suffix(".forgotten").unlink()
        [row] = self.runs()
        again = self.ok("--json", "--config", self.config_file, "resume", row["id"], "--retry")
        said = json.loads(again.json()["value"]["final"])
        self.assertEqual(said["content"]["name"], "Rey")

    def test_a_call_that_fails_after_its_question_is_repeated_with_the_answer_at_hand(self):
        self.attach("modern", "ask")
        run = self.run_agent("--prompt", "go", expect=WAITING)["run"]
        self.asked.with_suffix(".forgotten-once").touch()
        [gate] = self.gates()
        ended = self.decide("respond", gate, '{"name": "Rey"}').json()
        self.assertEqual(json.loads(ended["value"]["final"])["content"]["name"], "Rey")
        [step] = [s for s in self.steps(run).values() if s["kind"] == "tool"]
        self.assertEqual((step["generation"], len(step["attempts"])), (0, 2))
        questions = [name for name in self.steps(run) if ":input:" in name]
        self.assertEqual(len(questions), 1)
        self.assertTrue(self.ok("--json", "--config", self.config_file, "replay", run)
                        .json()["identical"])

    def test_a_replay_of_an_answered_question_contacts_nobody(self):
        self.attach("modern", "ask")
        run = self.run_agent("--prompt", "go", expect=WAITING)["run"]
        [gate] = self.gates()
        self.decide("respond", gate, '{"name": "Rey"}')
        before = self.asked.read_text()
        out = self.ok("--json", "--config", self.config_file, "replay", run).json()
        self.assertTrue(out["identical"])
        self.assertEqual(self.asked.read_text(), before)

    def test_a_handshake_server_waits_with_its_call_open(self):
        self.attach("handshake", "ask")
        running = self.start("--json", "run", self.config_file, "--prompt", "go")
        [gate] = self.until("the question", self.gates)
        self.ok("--config", self.config_file, "approvals", "respond", gate["id"],
                '{"name": "Rey"}')
        out, err = running.communicate(timeout=60)
        self.assertEqual(running.returncode, SUCCEEDED, err)
        self.assertEqual(json.loads(json.loads(out)["value"]["final"])["content"]["name"], "Rey")
        self.assertEqual(len(self.requests("tools/call")), 1)

    def test_a_question_that_nobody_answers_in_time_ends_the_call(self):
        for era in ("handshake", "http"):
            with self.subTest(era=era):
                self.attach(era, "ask", elicitationHold="3s")
                running, gate = self.asking()
                self.assertIn("nobody answered in time", self.ended(running)["value"]["final"])
                self.assertEqual(self.gates(), [])
                self.assertEqual(self.answer_too_late(gate)["code"], "expired")

    def test_a_question_that_its_server_wants_no_answer_to_is_withdrawn(self):
        for era in ("handshake", "http"):
            for tool in ("retract", "forestall"):
                with self.subTest(era=era, tool=tool):
                    self.attach(era, tool)
                    running, gate = self.asking()
                    self.asked.with_suffix("." + tool).touch()
                    out = self.ended(running)
                    self.assertIn(tool, out["value"]["final"])
                    self.assertEqual(self.gates(), [])
                    refused = self.answer_too_late(gate)
                    self.assertEqual(refused["code"], "conflict")
                    self.assertIn("nobody waits for its answer any more", refused["message"])
                    # The first request of the server's own is not answered, the next one is.
                    self.assertNotIn(901, [message["id"] for message in self.requests("answer")])
                    self.assertTrue(self.ok("--json", "--config", self.config_file, "replay",
                                            out["run"]).json()["identical"])

    def test_a_question_goes_with_the_server_that_asked_it(self):
        self.attach("handshake", "expire")
        running, first = self.asking()
        self.asked.with_suffix(".expire").touch()
        second = self.next_gate(first)
        self.assertEqual([gate["id"] for gate in self.gates()], [second["id"]])
        self.assertEqual(self.answer_too_late(first)["code"], "conflict")
        self.ok("--config", self.config_file, "approvals", "respond", second["id"], '{"name": "Rey"}')
        said = json.loads(self.ended(running)["value"]["final"])
        self.assertEqual(said["content"]["name"], "Rey")
        self.assertEqual(len(self.requests("tools/call")), 2)

    def test_a_question_goes_with_the_connection_over_which_it_came(self):
        self.attach("http", "expire")
        running, gate = self.asking()
        self.asked.with_suffix(".expire").touch()
        self.ended(running, expect=FAILED)
        self.assertEqual(self.gates(), [])
        self.assertEqual(self.answer_too_late(gate)["code"], "conflict")

    def test_a_question_is_held_no_longer_than_its_call_may_take(self):
        for era in ("handshake", "http"):
            with self.subTest(era=era):
                self.attach(era, "ask")
                host = json.loads(self.config_file.read_text())
                host["agents"]["a"].update(tools=[{"use": "peer_ask", "timeout": "3s"}],
                                           retry={"maxAttempts": 1})
                self.config_file.write_text(json.dumps(host))
                running, gate = self.asking()
                ended = self.ended(running, expect=FAILED)
                self.assertEqual(ended["error"]["code"], "timeout")
                self.assertEqual(self.gates(), [])
                self.assertIn(self.answer_too_late(gate)["code"], ("expired", "conflict"))

    def test_a_question_is_withdrawn_with_its_run(self):
        self.attach("handshake", "ask")
        running, gate = self.asking()
        self.ok("--config", self.config_file, "cancel", gate["run"])
        self.ended(running, expect=CANCELLED)
        self.assertEqual(self.answer_too_late(gate)["code"], "conflict")

    def test_a_server_is_asked_for_its_log_in_the_way_of_its_era(self):
        level = "io.modelcontextprotocol/logLevel"
        for given, asked in (({}, "info"), ({"logLevel": "warning"}, "warning"), ({"logLevel": "off"}, None)):
            with self.subTest(asked=asked):
                self.attach("handshake", "show", **given)
                self.run_agent("--prompt", "go")
                self.assertEqual(self.requests("logging/setLevel"),
                                 [{"level": asked}] if asked else [])
                self.attach("modern", "show", **given)
                self.run_agent("--prompt", "go")
                [call] = self.requests("tools/call")
                self.assertEqual(call["_meta"].get(level), asked)

    def test_sampling_is_answered_by_the_named_provider(self):
        for era in ("modern", "handshake"):
            self.attach(era, "draw", sampling="scripted")
            out = self.run_agent("--prompt", "go")
            self.assertIn("a straight one", out["value"]["final"])
            self.assertTrue(any(name.endswith(":sampling:0") for name in self.steps(out["run"])))

    def test_one_round_may_ask_a_person_a_model_and_for_the_roots(self):
        self.attach("modern", "all", sampling="scripted", roots=["notes"])
        run = self.run_agent("--prompt", "go", expect=WAITING)["run"]
        [gate] = self.gates()
        ended = self.decide("respond", gate, '{"name": "Rey"}').json()
        said = json.loads(ended["value"]["final"])
        self.assertEqual(said["form"]["content"]["name"], "Rey")
        self.assertEqual(said["model"]["content"]["text"], "a straight one")
        self.assertEqual(said["roots"]["roots"], [{"uri": f"file://{self.folder}/notes"}])
        kinds = {name.rsplit(":", 2)[1]: step["kind"] for name, step in self.steps(run).items()
                 if re.search(r":(input|sampling):0$", name)}
        self.assertEqual(kinds, {"input": "gate", "sampling": "model"})
        self.assertEqual(len(self.requests("tools/call")), 2)

    def test_without_a_provider_nobody_samples(self):
        self.attach("handshake", "draw")
        out = self.run_agent("--prompt", "go")
        self.assertIn("-32601", out["value"]["final"])

    def test_a_task_is_one_step_however_often_it_is_asked_for(self):
        self.attach("modern", "toil")
        out = self.run_agent("--prompt", "go")
        self.assertEqual(out["value"]["final"], "toiled")
        self.assertEqual(len(self.requests("tools/call")), 1)
        self.assertGreater(len(self.requests("tasks/get")), 2)
        tools = [name for name in self.steps(out["run"]) if ":tool:" in name]
        self.assertEqual(len(tools), 1)

    def test_a_task_outlives_its_host(self):
        self.attach("modern", "toil")
        running = self.start("--json", "run", self.config_file, "--prompt", "go")
        self.until("a poll", lambda: self.asked.exists() and self.requests("tasks/get"))
        self.kill(running)
        [row] = self.runs()
        out = self.ok("--json", "--config", self.config_file, "resume", row["id"]).json()
        self.assertEqual(out["value"]["final"], "toiled")
        self.assertEqual(len(self.requests("tools/call")), 1)

    def test_what_cannot_be_shown_is_told_of_and_kept(self):
        self.attach("modern", "show")
        out = self.run_agent("--prompt", "go")
        final = out["value"]["final"]
        self.assertIn('cannot be shown: {"type":"hologram","title":"fox","data":"(4000 bytes)"}', final)
        self.assertIn('cannot be shown: {"type":"image","mimeType":"image/png"}', final)
        self.assertIn('cannot be shown: {"type":"tool_call"', final)
        self.assertIn("words", final)
        [step] = [name for name in self.steps(out["run"]) if ":tool:" in name]
        kept = json.dumps(self.recorded(out["run"], step))
        self.assertIn("QUJD" * 1000, kept)
        self.assertNotIn("opaque", kept)

    def test_an_agents_retry_bounds_the_discovery_of_its_servers(self):
        for attempts in (1, 2):
            self.config(turns=[], mcpServers={"gone": {"command": "/nonexistent/server"}},
                        agent={"mcpServers": ["gone"], "retry": {"maxAttempts": attempts,
                                                                 "initialDelay": "1ms"}})
            out = self.run_agent("--prompt", "go", expect=FAILED)
            self.assertEqual(len(self.steps(out["run"])["a:mcp:gone:tools"]["attempts"]), attempts)

    def test_resources_and_prompts_are_tools_where_they_are_allowed(self):
        self.attach("modern", "read_resource", {"uri": "note://a"}, resources=True, prompts=True)
        self.assertEqual(self.run_agent("--prompt", "go")["value"]["final"], "a note")
        self.attach("handshake", "get_prompt", {"name": "greet"}, prompts=True)
        self.assertIn("greet", self.run_agent("--prompt", "go")["value"]["final"])

    def test_they_are_not_offered_unasked(self):
        self.attach("modern", "read_resource", {"uri": "note://a"})
        out = self.run_agent("--prompt", "go")
        self.assertEqual(self.requests("resources/read"), [])


if __name__ == "__main__":
    main()
