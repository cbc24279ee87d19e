"""The workflow capabilities through the program: actions, catalogue, store, cards."""
import json
import subprocess
import threading
import unittest

from harness import FAILED, FOXWEDGE, SUCCEEDED, USAGE, WAITING, Host, calls, main, text

KV = "workflow-kv_kv_store"
KNOWLEDGE = "workflow-knowledge_knowledge_documents"
MEMORY = "workflow-memory_global_memory"
CARD = "workflow-ui_present_card"
EVERYTHING = {tool: {"autoApprove": True} for tool in (KV, KNOWLEDGE, MEMORY, CARD)}


class Capabilities(Host):
    def call(self, tool, arguments, *options, expect=SUCCEEDED):
        """The result of `foxwedge call`; where it waits, nothing."""
        ended = self.foxwedge("--json", "call", self.config_file, tool, json.dumps(arguments),
                              *options)
        self.assertEqual(ended.code, expect, ended)
        return json.loads(ended.out) if expect != WAITING else None

    def done(self, tool, *options, **arguments):
        return self.call(tool, arguments, *options)["structuredContent"]

    def refused(self, tool, *options, **arguments):
        result = self.call(tool, arguments, *options, expect=FAILED)
        self.assertTrue(result["isError"])
        self.assertNotIn("resourceCard", result["details"])
        return result["details"]["code"]


class Documents(Capabilities):
    def setUp(self):
        super().setUp()
        self.config(tools=EVERYTHING)

    def found(self, query):
        page = self.done(KNOWLEDGE, action="search", query=query)
        return [hit["documentId"] for hit in page["documents"]]

    def test_a_document_lives_in_every_process(self):
        self.done(KNOWLEDGE, action="create", documentId="refunds", title="Refunds",
                  markdown="Within thirty days.")
        self.assertEqual(self.found("thirty"), ["refunds"])
        read = self.done(KNOWLEDGE, action="read", documentId="refunds")
        self.done(KNOWLEDGE, action="update", documentId="refunds", markdown="Within sixty days.",
                  revision=read["revision"])
        self.assertEqual(self.refused(KNOWLEDGE, action="update", documentId="refunds",
                                      title="x", revision=read["revision"]), "conflict")
        self.assertEqual(self.found("thirty"), [])
        self.assertEqual(self.found("sixty"), ["refunds"])
        self.done(KNOWLEDGE, action="delete", documentId="refunds")
        self.assertEqual(self.refused(KNOWLEDGE, action="read", documentId="refunds"), "not_found")
        self.assertEqual(self.done(KNOWLEDGE, action="list")["documents"], [])

    def test_it_works_in_a_process_of_its_own(self):
        self.config(tools=EVERYTHING,
                    plugins={"load": [{"id": "capability-knowledge", "isolation": "process"}]})
        self.done(KNOWLEDGE, action="create", documentId="d", title="Refunds", markdown="thirty days")
        self.assertEqual(self.found("thirty"), ["d"])
        read = self.done(KNOWLEDGE, action="read", documentId="d")
        self.assertEqual(self.refused(KNOWLEDGE, action="update", documentId="d", title="x",
                                      revision=read["revision"] + 1), "conflict")
        self.done(KNOWLEDGE, action="delete", documentId="d")
        self.assertEqual(self.found("thirty"), [])

    def test_an_index_that_is_lost_or_damaged_is_made_again(self):
        self.done(KNOWLEDGE, action="create", documentId="d", title="退款", markdown="三十天内退款")
        self.assertEqual(self.found("退款"), ["d"])
        [index] = (self.folder / "state").rglob("*.sqlite")
        index.write_bytes(b"not a database")
        self.assertEqual(self.found("退款"), ["d"])
        index.unlink()
        self.assertEqual(self.found("退款"), ["d"])

    def test_an_index_whose_maker_is_killed_shows_everything_after(self):
        ids = [f"d{n}" for n in range(6)]
        for name in ids:
            self.done(KNOWLEDGE, action="create", documentId=name, title="T", markdown="alpha")
        folder = self.folder / "state" / "foxwedge" / "h" / "folders" / "capability-knowledge"
        search = json.dumps({"action": "search", "query": "alpha"})
        for _ in range(8):
            for file in folder.glob("*"):
                file.unlink()
            process = self.start("call", self.config_file, KNOWLEDGE, search)
            self.until("an index begins", lambda: process.poll() is not None
                       or any(folder.glob("*.sqlite")))
            self.kill(process)
            self.assertEqual(sorted(self.found("alpha")), ids)

    def test_an_export_carries_documents_and_values_to_another_journal(self):
        self.done(KNOWLEDGE, action="create", documentId="d", title="T", markdown="alpha")
        self.done(KV, action="set", key="k", value={"a": [1, None]})
        revision = self.done(KV, action="get", key="k")["revision"]
        lines = self.folder / "export.jsonl"
        self.ok("--config", self.config_file, "journal", "export", "--file", lines)
        self.config(tools=EVERYTHING, journal={"path": str(self.folder / "other")})
        self.ok("--journal", self.folder / "other", "journal", "import", "--file", lines)
        self.assertEqual(self.found("alpha"), ["d"])
        got = self.done(KV, action="get", key="k")
        self.assertEqual(got, {"found": True, "value": {"a": [1, None]}, "revision": revision})

    def test_memory_needs_its_switch_and_takes_no_secret(self):
        self.done(MEMORY, action="remember", memoryId="m", markdown="The customer likes green.")
        self.assertEqual(self.done(MEMORY, action="search", query="green")["memories"][0]["memoryId"],
                         "m")
        secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
        result = self.call(MEMORY, {"action": "remember", "markdown": "token: " + secret},
                           expect=FAILED)
        self.assertEqual(result["details"]["code"], "input_validation")
        self.assertNotIn(secret, json.dumps(result))
        self.assertEqual(len(self.done(MEMORY, action="list")["memories"]), 1)
        turns = [text("done")]
        self.config(turns, agent={"tools": [MEMORY]}, tools=EVERYTHING)
        self.assertNotIn(MEMORY, self.offered())
        self.config(turns, agent={"globalMemory": True}, tools=EVERYTHING)
        self.assertIn(MEMORY, self.offered())

    def offered(self):
        run = self.run_agent("--prompt", "x")["run"]
        return [tool["id"] for tool in self.recorded(run, "a:tools")["tools"]]

    def test_what_is_over_a_limit_is_told_with_its_place_and_the_limit(self):
        for tool, arguments, place, limit in (
                (KNOWLEDGE, {"action": "create", "title": "t" * 201, "markdown": ""}, "/title", 200),
                (KNOWLEDGE, {"action": "create", "title": "t", "markdown": "m" * 200_001},
                 "/markdown", 200_000),
                (KNOWLEDGE, {"action": "read", "documentId": "d" * 201}, "/documentId", 200),
                (KNOWLEDGE, {"action": "read", "documentId": "d" * 801}, "/documentId", 800),
                (KNOWLEDGE, {"action": "search", "query": "q" * 501}, "/query", 500),
                (KNOWLEDGE, {"action": "list", "cursor": "c" * 81}, "/cursor", 80),
                (MEMORY, {"action": "remember", "markdown": "m" * 100_001}, "/markdown", 100_000),
                (MEMORY, {"action": "read", "memoryId": "m" * 184}, "/memoryId", 183),
                (KV, {"action": "get", "key": "k" * 501}, "/key", 500),
                (KV, {"action": "list", "limit": 201}, "/limit", 200),
                (CARD, {"action": "upsert", "cardId": "c", "kind": "kv", "title": "t" * 201,
                        "target": {"source": "local", "key": "k"}}, "/title", 200)):
            with self.subTest(place=place, limit=limit):
                file = self.folder / "arguments.json"
                file.write_text(json.dumps(arguments))
                ended = self.foxwedge("--json", "call", self.config_file, tool, f"@{file}")
                details = ended.json()["details"]
                self.assertEqual(details, {"code": "input_validation", "pointer": place,
                                           "limit": limit})

    def test_arguments_are_checked_whoever_calls(self):
        for tool, arguments in ((KV, {"action": "drop"}), (KV, {"action": "get"}),
                                (KNOWLEDGE, {"action": "read", "documentId": "assistant-memory-x"}),
                                (KNOWLEDGE, {"action": "create", "title": "t" * 201, "markdown": ""}),
                                (KNOWLEDGE, {"action": "list", "cursor": "search:a0.0"}),
                                (MEMORY, {"action": "list", "cursor": "search:a0.0"}),
                                (CARD, {"action": "remove", "cardId": "c", "pinned": True})):
            with self.subTest(tool=tool, arguments=arguments):
                self.assertEqual(self.refused(tool, **arguments), "input_validation")


class Catalogue(Capabilities):
    SET = {"action": "set", "key": "k", "value": 1}

    def gated(self):
        self.config([calls((KV, self.SET)), text("done")], agent={"tools": [KV]}, tools={KV: {}})

    def test_what_is_not_declared_or_disabled_is_not_offered(self):
        self.config([text("done")], agent={"tools": [KV]})
        checked = self.foxwedge("config", "check", self.config_file)
        self.assertEqual(checked.code, USAGE, checked)
        self.assertIn("/agents/a/tools/0", checked.out + checked.err)
        self.config([text("done")])
        ended = self.foxwedge("call", self.config_file, KV, json.dumps(self.SET))
        self.assertEqual(ended.code, FAILED, ended)
        self.assertIn("not in the catalogue", ended.err)
        self.config([text("done")], tools={KV: {}})
        for command in (("call", self.config_file, KV[:-1]),
                        ("mcp", self.config_file, "--capability", KV[:-1])):
            self.assertIn(f'did you mean "{KV}"?', self.foxwedge(*command).err)
        self.config([text("done")], agent={"tools": [KV]}, tools={KV: {"enabled": False}})
        self.assertEqual(self.refused(KV, **self.SET), "denied")
        self.run_agent("--prompt", "x")

    def test_an_approved_call_is_resumed_by_its_tool_id_once(self):
        self.gated()
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]  # its process is gone
        [gate] = self.gates()
        here = ("--conversation", run)
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"])
        # Other arguments, or another conversation, were not approved.
        self.call(KV, {**self.SET, "value": 2}, *here, expect=WAITING)
        self.call(KV, self.SET, "--conversation", "elsewhere", expect=WAITING)
        self.assertEqual(self.call(KV, self.SET, *here)["structuredContent"]["written"], True)
        # It is used up, for a second one and for the run itself.
        self.call(KV, self.SET, *here, expect=WAITING)
        self.ok("--config", self.config_file, "resume", run)
        step = next(s for name, s in self.steps(run).items() if ":tool:" in name
                    and name.count(":") == 4)
        self.assertIn("already run", json.dumps(step))
        self.assertEqual(self.ok("--config", self.config_file, "replay", run).code, SUCCEEDED)

    def test_of_two_resumers_one_wins(self):
        self.gated()
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"])
        both = [self.start("--json", "call", self.config_file, KV, json.dumps(self.SET),
                           "--conversation", run) for _ in range(2)]
        ends = []
        for process in both:
            process.communicate(timeout=60)
            ends.append(process.returncode)
        self.assertEqual(sorted(ends), [SUCCEEDED, WAITING])

    def test_a_gated_call_waits_for_its_decision_in_another_process(self):
        self.gated()
        self.call(KV, self.SET, expect=WAITING)
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"], "--resume")
        self.config(tools={KV: {"autoApprove": True}})
        self.assertEqual(self.done(KV, action="get", key="k")["value"], 1)


class Lanes(threading.Thread):
    """A process that serves the values to a client which writes 1,000 keys on each of 8 lanes."""

    def __init__(self, test, name):
        super().__init__(daemon=True)
        self.me, self.written, self.failed, self.next_id = name, 0, [], 0
        self.process = subprocess.Popen(
            [str(FOXWEDGE), "mcp", str(test.config_file), "--capability", KV],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=test.folder,
            env=test.environment)
        test.addCleanup(self.end)
        self.send("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                 "clientInfo": {"name": name, "version": "1"}})
        self.receive()

    def send(self, method, params):
        self.next_id += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.next_id,
                                             "method": method, "params": params}) + "\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())["result"]

    def ask(self, arguments):
        self.send("tools/call", {"name": "kv_store", "arguments": arguments})
        return self.receive()

    def run(self):
        keys = [f"key-{self.me}-{lane}-{n}" for n in range(1000) for lane in range(8)]
        for n, key in enumerate(keys):
            self.send("tools/call", {"name": "kv_store", "arguments": {
                "action": "set", "key": key, "value": n}})
            if n >= 7:
                self.take()
        for _ in range(7):
            self.take()

    def take(self):
        result = self.receive()
        if result.get("isError"):
            self.failed.append(result)
        self.written += 1

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=60)


class Store(Capabilities):
    def setUp(self):
        super().setUp()
        self.config(tools=EVERYTHING)

    def listed(self, page_size):
        """All keys of the project, page by page."""
        keys, cursor = [], {}
        while True:
            page = self.done(KV, action="list", limit=page_size, **cursor)
            keys += [item["key"] for item in page["keys"]]
            if "cursor" not in page:
                return keys
            cursor = {"cursor": page["cursor"]}

    def test_keys_of_any_kind_are_found_again(self):  # B76
        keys = ["\U0001f98a" * 500, "a" * 511, "a" * 512, "é" * 256, "with\0null", "cafe\u0301", " "]
        keys = [k[:500] for k in keys]
        for n, key in enumerate(keys):
            self.done(KV, action="set", key=key, value=n)
        for n, key in enumerate(keys):
            got = self.done(KV, action="get", key=key)
            self.assertEqual(got["value"], 2 if key == "a" * 500 else n, key)
        self.assertEqual(self.done(KV, action="get", key="caf\u00e9")["value"], 5)
        listed = self.listed(2)
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual(len(listed), 6)
        self.assertEqual(listed, sorted(listed, key=lambda key: key.encode()))
        self.assertEqual(self.refused(KV, action="set", key="x" * 501, value=1), "input_validation")

    def test_a_key_is_as_long_as_its_normal_form_however_it_is_written(self):
        written = "cafe\u0301" + "x" * 496  # 501 characters, 500 in normal form
        self.done(KV, action="set", key=written, value=1)
        self.assertTrue(self.done(KV, action="get", key="caf\u00e9" + "x" * 496)["found"])
        most = "\u03b1\u0313\u0300\u0345" * 500  # four characters for each
        self.done(KV, action="set", key=most, value=2)
        self.assertEqual(self.done(KV, action="get", key="\u1f82" * 500)["value"], 2)
        document = {"action": "create", "title": "T", "markdown": "x"}
        self.done(KNOWLEDGE, **document, documentId="e\u0301" * 200)
        self.done(MEMORY, action="remember", markdown="x", memoryId="e\u0301" * 183)
        self.call(CARD, {"action": "upsert", "cardId": "e\u0301" * 200, "kind": "kv",
                         "target": {"source": "current", "key": most}})
        for tool, arguments in (
                (KV, {"action": "set", "key": written + "x", "value": 1}),
                (KV, {"action": "list", "prefix": written + "x"}),
                (KNOWLEDGE, {**document, "documentId": "e\u0301" * 201}),
                (MEMORY, {"action": "remember", "markdown": "x", "memoryId": "e\u0301" * 184})):
            with self.subTest(tool=tool):
                self.assertEqual(self.refused(tool, **arguments), "input_validation")

    def test_a_scan_goes_on_where_its_last_key_was_deleted(self):
        for n in range(5):
            self.done(KV, action="set", key=f"k{n}", value=n)
        page = self.done(KV, action="list", limit=2)
        self.done(KV, action="delete", key="k1")
        self.done(KV, action="delete", key="k2")
        rest = self.done(KV, action="list", cursor=page["cursor"])
        self.assertEqual([item["key"] for item in rest["keys"]], ["k3", "k4"])

    def test_the_largest_value_fits_and_a_larger_one_is_refused(self):
        file = self.folder / "arguments.json"
        for size, expect in ((4 * 1024 * 1024 - 2, SUCCEEDED), (4 * 1024 * 1024, FAILED)):
            file.write_text(json.dumps({"action": "set", "key": "k", "value": "x" * size}))
            ended = self.foxwedge("call", self.config_file, KV, f"@{file}")
            self.assertEqual(ended.code, expect, ended.err[-500:])

    def test_writers_in_several_processes_lose_nothing(self):
        writers = [self.writer(n) for n in range(4)]
        for writer in writers:
            self.assertEqual(writer.wait(timeout=120), 0)
        page = self.done(KV, action="list", limit=200)
        self.assertEqual(len(page["keys"]), 4 * 5 + 1)
        # Each raised the counter five times over the revision that it had read.
        self.assertEqual(self.done(KV, action="get", key="counter")["value"], 20)

    def writer(self, n):
        """A process that writes five keys of its own and raises a shared counter with each."""
        program = r"""
import json, subprocess, sys
foxwedge, config, tool, me = sys.argv[1:]
def call(**arguments):
    done = subprocess.run([foxwedge, "--json", "call", config, tool, json.dumps(arguments)],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return json.loads(done.stdout)
for n in range(5):
    assert not call(action="set", key=f"own-{me}-{n}", value=n).get("isError")
    while True:
        now = call(action="get", key="counter")["structuredContent"]
        done = call(action="set", key="counter", value=now.get("value", 0) + 1,
                    revision=now.get("revision", 0))
        if not done.get("isError"):
            break
        assert done["details"]["code"] == "conflict", done
"""
        return subprocess.Popen(["python3", "-c", program, str(FOXWEDGE), str(self.config_file), KV,
                                 str(n)], env=self.environment, stdin=subprocess.DEVNULL)

    def test_many_lanes_of_two_processes_lose_no_key(self):
        def turns(me):
            return [calls(*((KV, {"action": "set", "key": f"{me}-{turn}-{n}", "value": n})
                            for n in range(100))) for turn in range(3)] + [text("done")]

        config = json.loads(self.config_file.read_text())
        config["agents"] = {"a": {"tools": [KV], "parallelToolCalls": 8}}
        writers = []
        for me in ("one", "two"):
            config["providers"] = {"scripted": {"config": {"turns": turns(me)}}}
            file = self.folder / f"{me}.json"
            file.write_text(json.dumps(config))
            writers.append(self.start("run", file, "--prompt", "x"))
        for writer in writers:
            out, err = writer.communicate(timeout=240)
            self.assertEqual(writer.returncode, SUCCEEDED, out + err)
        written = [f"{me}-{turn}-{n}" for me in ("one", "two") for turn in range(3)
                   for n in range(100)]
        self.assertEqual(self.listed(200), sorted(written + ["tokenUsage.total"]))

    def test_two_processes_lose_none_of_their_keys_and_a_stale_merge_is_told(self):  # B74
        self.done(KV, action="set", key="summary", value=["old"])
        read = self.done(KV, action="get", key="summary")
        servers = [Lanes(self, f"p{n}") for n in range(2)]
        for server in servers:
            server.start()
        # The consolidation that was begun before them ends in their midst.
        self.until("half of the keys", lambda: sum(s.written for s in servers) >= 8_000, 200)
        self.done(KV, action="set", key="summary", value=["new"])
        merge = {"action": "set", "key": "summary", "value": read["value"] + ["merged"]}
        stale = self.call(KV, {**merge, "revision": read["revision"]}, expect=FAILED)
        self.assertEqual(stale["details"]["code"], "conflict")
        now = self.done(KV, action="get", key="summary")
        self.assertEqual((now["value"], now["revision"]), (["new"], stale["details"]["revision"]))
        self.done(KV, **{**merge, "value": now["value"] + ["merged"], "revision": now["revision"]})
        for server in servers:
            server.join()
            self.assertEqual(server.failed, [])
        self.assertEqual(self.done(KV, action="get", key="summary")["value"], ["new", "merged"])
        wire = Lanes(self, "reader")
        keys, cursor = set(), {}
        while True:
            page = wire.ask({"action": "list", "prefix": "key-", "limit": 200, **cursor})
            keys |= {item["key"] for item in page["structuredContent"]["keys"]}
            if "cursor" not in page["structuredContent"]:
                break
            cursor = {"cursor": page["structuredContent"]["cursor"]}
        self.assertEqual(len(keys), 16_000)

    def test_a_write_happens_once_wherever_its_process_is_killed(self):
        create = {"action": "create", "title": "T", "markdown": "alpha"}
        turns = [calls((KNOWLEDGE, create)) for _ in range(4)] + [text("done")]
        self.config(turns, agent={"tools": [KNOWLEDGE]}, tools=EVERYTHING)
        for kill_after in range(6):
            key = f"run-{kill_after}"
            process = self.start("run", self.config_file, "--prompt", "x", "--key", key)
            self.until(f"step {kill_after} of {key}",
                       lambda: process.poll() is not None or self.steps_of(key) >= kill_after)
            self.kill(process)
            self.run_agent("--prompt", "x", "--key", key)
        listed = self.done(KNOWLEDGE, action="list", limit=200)["documents"]
        self.assertEqual(len(listed), 6 * 4)
        # A write that happened twice would have used up a revision.
        self.assertEqual([item["revision"] for item in listed], list(range(1, 6 * 4 + 1)))
        self.assertEqual(len(self.done(KNOWLEDGE, action="search", query="alpha")["documents"]), 24)

    def steps_of(self, key):
        for run in self.runs():
            if run.get("key") == key:
                return len(self.show(run["id"])["steps"])
        return 0

    def test_the_runtime_keeps_its_accounts_where_tools_can_only_read(self):
        turns = [calls((KV, {"action": "set", "key": "k", "value": 1}),
                       usage={"input": 5, "output": 2}), text("done")]
        self.config(turns, agent={"tools": [KV]}, tools={KV: {}})
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        self.config(turns, agent={"tools": [KV]}, tools=EVERYTHING)
        [gate] = self.gates()
        here = ("--conversation", run)
        pending = self.done(KV, *here, action="get", scope="conversation",
                            key="agent.pendingApproval." + gate["id"])
        self.assertEqual(pending["value"]["arguments"]["key"], "k")
        for scope, key in (("conversation", "agent.pendingApproval." + gate["id"]),
                           ("conversation", "tokenUsage.total"), ("project", "tokenUsage.total")):
            for action in ({"action": "set", "value": 0}, {"action": "delete"}):
                self.assertEqual(self.refused(KV, *here, scope=scope, key=key, **action),
                                 "input_validation")
        total = self.done(KV, *here, action="get", scope="conversation", key="tokenUsage.total")
        self.assertGreater(total["value"]["input"], 0)
        entries = self.done(KV, *here, action="list", scope="conversation",
                            prefix="tokenUsage.entry." + run)
        self.assertEqual(len(entries["keys"]), 1)
        self.ok("--config", self.config_file, "approvals", "reject", gate["id"])
        self.assertFalse(self.done(KV, *here, action="get", scope="conversation",
                                   key="agent.pendingApproval." + gate["id"])["found"])


class Cards(Capabilities):
    def test_cards_travel_in_results_and_a_replay_changes_nothing(self):
        card = {"action": "upsert", "cardId": "c", "kind": "browser",
                "target": {"url": "https://example.com"}}
        turns = [calls((CARD, card), (KNOWLEDGE, {"action": "list"})), text("done")]
        self.config(turns, agent={"tools": [CARD, KNOWLEDGE]}, tools=EVERYTHING)
        run = self.run_agent("--prompt", "x")["run"]
        results = [self.recorded(run, name)["toolResult"] for name in self.steps(run)
                   if ":tool:" in name]
        cards = [r["details"]["card"] for r in results if "card" in r["details"]]
        self.assertEqual(cards[0]["preview"], True)
        summaries = [r["details"]["resourceCard"] for r in results
                     if "resourceCard" in r["details"]]
        self.assertEqual(summaries[0]["kind"], "knowledge")
        lines = self.folder / "before.jsonl"
        self.ok("--config", self.config_file, "journal", "export", "--file", lines)
        self.ok("--config", self.config_file, "replay", run)
        again = self.folder / "after.jsonl"
        self.ok("--config", self.config_file, "journal", "export", "--file", again)
        self.assertEqual(lines.read_text(), again.read_text())


if __name__ == "__main__":
    main()
