"""MCP servers with faults, over both transports: the call in question fails, the rest goes on, and
nothing is left behind."""
from harness import *

PEER = pathlib.Path(__file__).parent / "hostile_peer.py"
TRANSPORTS = ("stdio", "json", "sse")

# What becomes of a call: the text that the model reads, or part of it, or {"error": code}.
OUTCOMES = {
    "large": "a" * 100,
    "deep": "too deeply",
    "bad_utf8": "\ufffd(",  # B05
    "text_id": "fine",  # B04
    "twice": "fine",  # B07
    "strange_ids": "fine",
    "ahead": "fine",
    "stray_notes": "fine",  # B07
    "own_ping": "fine",
    "structured_only": '{"total":36}',  # B15
    "structured_array": "[1,2]",
    "empty": "The tool returned nothing",
    "null": "The tool returned nothing",
    "result_and_error": "error 1: y",
    "wrong_content": "content is no array",
    "error": "error -32000: broken",
    "bad_error": "error -32603",
    "bytewise": "é\u2028x",
    "noise": "fine",  # B01
    "flood": "fine",  # B03
}
# As a body there is one message, the last.
OUTCOMES_OF_BODIES = {**OUTCOMES, "twice": "again"}
LOST = {"silent": "timeout", "late": "timeout", "die": "connection_lost", "half": "connection_lost"}


class Peer(Host):
    def attach(self, how, turns, *faults, agent=None, **server):
        """A host with one turn of calls after the other, [(tool, arguments), …]."""
        self.asked = self.folder / "asked.jsonl"
        self.asked.unlink(missing_ok=True)
        command = [sys.executable, str(PEER), how, str(self.asked), *faults]
        if how == "stdio":
            server.update(command=command[0], args=command[1:])
        else:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       text=True)
            self.addCleanup(self.end, process)
            server["url"] = process.stdout.readline().strip()
        named = [calls(*(("peer_" + tool, arguments) for tool, arguments in turn)) for turn in turns]
        self.config([*named, text("done")],
                    mcpServers={"peer": {"timeout": "20s", "onToolError": "return", **server}},
                    agent={"mcpServers": ["peer"], "maxIterations": len(turns) + 5,
                           **(agent or {})},
                    http={"allowPrivate": True}, retry={"maxAttempts": 1})

    def end(self, process):
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=30)

    def notes(self):
        if not self.asked.exists():
            return []
        return [json.loads(line) for line in self.asked.read_text().splitlines()]

    def told(self, run):
        """Call id → what the model was told, or the code with which the step failed."""
        out = {}
        for name, step in self.steps(run).items():
            if not re.search(r":tool:\w+$", name):
                continue
            outcome = self.ok("--config", self.config_file, "show", run, "--request",
                              name).json()["outcome"]
            value = outcome.get("value") or {}
            if "error" in outcome:
                told = {"error": outcome["error"]["code"]}
            elif "toolResult" in value:
                told = value["toolResult"]["content"][0]["text"]
            else:
                told = value["model"][0]["text"]
            out[name.rsplit(":", 1)[1]] = told
        return out

    def check(self, told, call, expected):
        if isinstance(expected, dict):
            self.assertEqual(told.get(call), expected, call)
        else:
            self.assertIn(expected, told.get(call, "(nothing)"), call)


class InACall(Peer):
    def test_what_goes_wrong_in_a_call_is_that_calls_alone(self):
        for how in TRANSPORTS:
            expected = OUTCOMES_OF_BODIES if how == "json" else OUTCOMES
            self.attach(how, [[(name, {}), ("echo", {})] for name in expected])
            run = self.run_agent("--prompt", "x")["run"]
            told = self.told(run)
            for n, (name, outcome) in enumerate(expected.items()):
                with self.subTest(transport=how, fault=name):
                    self.check(told, f"call_{n}_0", outcome)
                    self.check(told, f"call_{n}_1", "fine")

    def test_what_a_server_logs_is_in_our_log(self):
        for how in ("stdio", "sse"):
            self.attach(how, [[("stray_notes", {})]])
            ran = self.ok("-v", "run", self.config_file, "--prompt", "x")
            self.assertIn("mcp: server log server=peer level=info text=hello", ran.err, how)

    def test_repaired_text_says_so_and_is_the_same_in_a_replay(self):  # B05
        for how in TRANSPORTS:
            self.attach(how, [[("bad_utf8", {})]])
            run = self.run_agent("--prompt", "x")["run"]
            [step] = [name for name in self.steps(run) if name.endswith(":tool:call_0_0")]
            result = self.recorded(run, step)["toolResult"]
            self.assertEqual(result["details"], {"repairedUtf8": True}, how)
            self.assertTrue(self.ok("--json", "--config", self.config_file, "replay",
                                    run).json()["identical"])

    def test_an_answer_that_is_too_large_fails_its_call_alone(self):  # B02
        for how in TRANSPORTS:
            self.attach(how, [[("too_large", {}), ("echo", {})], [("echo", {})]])
            run = self.run_agent("--prompt", "x")["run"]
            told = self.told(run)
            self.check(told, "call_0_0", {"stdio": "more than", "json": "too large", "sse": "is over"}[how])
            self.check(told, "call_0_1", "fine")
            self.check(told, "call_1_0", "fine")

    def test_an_error_that_names_no_request_fails_the_only_one(self):  # B04
        for how in TRANSPORTS:
            self.attach(how, [[("null_id", {})]])
            self.foxwedge("run", self.config_file, "--prompt", "x")
            told = self.told(self.runs()[0]["id"])
            self.check(told, "call_0_0",
                       {"error": "uncorrelated_error"} if how == "stdio" else "boom")

    def test_a_call_that_is_lost_leaves_its_neighbour_and_the_run_to_go_on(self):  # B06, B07
        for how in TRANSPORTS:
            for name, code in LOST.items():
                with self.subTest(transport=how, fault=name):
                    self.attach(how, [[(name, {}), ("echo", {})]], timeout="700ms")
                    ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x")
                    self.assertEqual(ended.code, FAILED, ended)
                    run = self.runs()[0]["id"]
                    told = self.told(run)
                    self.check(told, "call_0_0", {"error": code})
                    asked = sum(note.get("method") == "tools/call" for note in self.notes())
                    if how == "stdio" and told["call_0_1"] == {"error": "connection_lost"}:
                        # It was on its way already to the process that died, and is lost with it.
                        self.assertEqual((code, asked), ("connection_lost", 1))
                        continue
                    self.check(told, "call_0_1", "fine")
                    self.assertEqual(asked, 2)

    def test_a_late_answer_never_ends_the_session(self):  # B07
        self.attach("stdio", [[("late", {}), ("echo", {})]], timeout="300ms")
        self.foxwedge("run", self.config_file, "--prompt", "x")
        self.assertTrue(any(note.get("method") == "notifications/cancelled"
                            for note in self.notes()))
        self.assertEqual(sum("pid" in note for note in self.notes()), 1)


class OverHttp(Peer):
    def test_a_session_that_was_forgotten_is_begun_anew_once(self):  # B19
        self.attach("json", [[("forgotten", {})], [("echo", {})]])
        told = self.told(self.run_agent("--prompt", "x")["run"])
        self.assertEqual(told, {"call_0_0": "fine", "call_1_0": "fine"})
        begun = sum(note.get("method") == "initialize" for note in self.notes())
        self.assertEqual((begun, self.calls()), (2, 3))

    def test_a_stream_that_breaks_off_is_taken_up_and_the_call_never_sent_again(self):  # B21
        self.attach("sse", [[("resumed", {})]])
        told = self.told(self.run_agent("--prompt", "x")["run"])
        self.assertEqual(told, {"call_0_0": "fine"})
        taken_up = [note["get"] for note in self.notes() if note.get("get")]
        self.assertEqual((taken_up, self.calls()), (["e1"] * 3, 1))

    def test_a_server_without_a_stream_of_its_own_is_asked_for_one_once_at_most(self):  # B22
        self.attach("json", [[("echo", {})]] * 5)
        self.run_agent("--prompt", "x")
        self.assertLessEqual(sum("get" in note for note in self.notes()), 1)

    def test_refusals_and_redirects_fail_their_call_without_another_request(self):  # B24, B72
        for name, why in (("unauthorised", "it wants credentials"),
                          ("elsewhere", "redirects to another origin")):
            with self.subTest(fault=name):
                self.attach("json", [[(name, {}), ("echo", {})]])
                self.foxwedge("run", self.config_file, "--prompt", "x")
                told = self.told(self.runs()[0]["id"])
                self.check(told, "call_0_0", why)
                self.check(told, "call_0_1", "fine")
                self.assertEqual(self.calls(), 2)

    def calls(self):
        return sum(note.get("method") == "tools/call" for note in self.notes())


class BeforeAnyCall(Peer):
    def test_a_server_that_dies_or_is_silent_on_the_way_fails_the_run_in_time(self):  # B06
        for how in TRANSPORTS[:2]:
            faults = ["die_at_initialize", "silent_at_initialize", "die_at_tools_list",
                      "silent_at_tools_list", *(["no_start"] if how == "stdio" else [])]
            for fault in faults:
                with self.subTest(transport=how, fault=fault):
                    self.attach(how, [], fault, startTimeout="1s", timeout="1s")
                    began = time.monotonic()
                    ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x")
                    self.assertEqual(ended.code, FAILED, ended)
                    self.assertIn("peer", json.dumps(ended.json().get("error", ended.json())))
                    self.assertLess(time.monotonic() - began, 15)

    def test_an_optional_one_is_left_out(self):
        for how in TRANSPORTS[:2]:
            for fault in ("die_at_initialize", "die_at_tools_list"):
                self.attach(how, [], fault, optional=True, startTimeout="1s", timeout="1s")
                self.run_agent("--prompt", "x")

    def test_banners_odd_tools_and_lists_without_end_leave_the_good_tools(self):  # B01, B09, B12
        for how in TRANSPORTS[:2]:
            for fault in ("banner", "same_page", "empty_cursor", "odd_tools"):
                with self.subTest(transport=how, fault=fault):
                    self.attach(how, [[("echo", {})]], fault)
                    run = self.run_agent("--prompt", "x")["run"]
                    self.check(self.told(run), "call_0_0", "fine")
                    lists = sum(note.get("method") == "tools/list" for note in self.notes())
                    self.assertLessEqual(lists, 2)
                    table = self.recorded(run, "a:tools")
                    names = [tool["id"] for tool in table["tools"]]
                    self.assertEqual(len(names), len(set(names)))
                    for name in names:
                        self.assertRegex(name, r"^[A-Za-z0-9_-]{1,64}$")
                    self.assertNotIn("peer_t2", names)
                    if fault != "odd_tools":
                        continue
                    listed = self.recorded(run, "a:mcp:peer:tools")
                    dropped = {tool["name"]: tool["reason"] for tool in listed["dropped"]}
                    self.assertIn("t2", dropped)
                    self.assertIn("never fetched", dropped["remote"])
                    self.assertIn("peer_t1", names)
                    self.assertIn("peer_t3", names)
                    self.assertFalse(any(note.get("get_path") for note in self.notes()))


class InTheLongRun(Peer):
    ROUNDS = 24
    QUIET = [name for name in OUTCOMES if name != "large"]

    def turns(self):
        for n in range(self.ROUNDS):
            yield [("mark", {"text": f"m{n}"})]
            yield [(name, {}) for name in self.QUIET]
            yield [("die_once", {"text": f"d{n}"}), ("too_large" if n % 8 == 0 else "echo", {})]

    def test_nothing_is_left_behind_however_often_things_go_wrong(self):
        for how in TRANSPORTS:
            with self.subTest(transport=how):
                self.attach(how, list(self.turns()), agent={"parallelToolCalls": 4})
                host = json.loads(self.config_file.read_text())
                host["retry"] = {"maxAttempts": 3, "initialDelay": "1ms", "maxDelay": "5ms"}
                self.config_file.write_text(json.dumps(host))
                process = self.run_aside()
                seen = []
                for n in range(self.ROUNDS):
                    mark = {"text": f"m{n}"}
                    self.until(f"mark {n}", lambda: process.poll() is not None or any(
                        note.get("params", {}).get("arguments") == mark for note in self.notes()),
                        seconds=120)
                    if process.poll() is None:
                        seen.append(self.look(process.pid))
                    pathlib.Path(f"{self.asked}.m{n}").touch()
                self.assertEqual(process.wait(timeout=120), SUCCEEDED, self.said.read_text())
                self.assertEqual(len(seen), self.ROUNDS)
                # A connection may be opening or closing when one looks; what leaks with each round
                # is there whenever one looks, and after so many rounds above the most of before.
                first = {what: max(look[what] for look in seen[4:10]) for what in seen[0]}
                last = {what: min(look[what] for look in seen[-6:]) for what in seen[0]}
                self.assertLessEqual(last["files"], first["files"], seen)
                self.assertLessEqual(last["processes"], first["processes"], seen)
                # What the run itself remembers of its turns is below this.
                self.assertLess(last["memory"] - first["memory"], 12 << 20, seen)
                if how == "stdio":
                    pids = [note["pid"] for note in self.notes() if "pid" in note]
                    self.assertEqual(len(pids), self.ROUNDS + 1)
                    self.assertEqual([pid for pid in pids if alive(pid)], [])

    def run_aside(self):
        """A run whose progress goes to a file: nobody reads it meanwhile."""
        self.said = self.folder / "said.txt"
        with self.said.open("w") as said:
            return subprocess.Popen([str(FOXWEDGE), "run", str(self.config_file), "--prompt", "x"],
                                    stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                    cwd=self.folder, env=self.environment)

    def look(self, pid):
        family, memory = [pid], 0
        for one in family:
            for task in pathlib.Path(f"/proc/{one}/task").glob("*/children"):
                try:
                    family += map(int, task.read_text().split())
                except OSError:
                    pass  # that thread has just ended
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                memory = int(line.split()[1]) << 10
        return {"files": len(os.listdir(f"/proc/{pid}/fd")), "processes": len(family),
                "memory": memory}

    def test_a_host_that_is_killed_takes_its_servers_along(self):  # B08
        self.attach("stdio", [[("mark", {"text": "never"})]])
        process = self.start("run", self.config_file, "--prompt", "x")
        self.until("the call", lambda: any(note.get("method") == "tools/call"
                                           for note in self.notes()))
        [pid] = [note["pid"] for note in self.notes() if "pid" in note]
        self.kill(process)
        self.until("the server's end", lambda: not alive(pid), seconds=5)


def alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    main()
