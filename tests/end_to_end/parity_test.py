"""The capabilities' two renderings: what `foxwedge call` gives, and what the official clients of both
generations get over MCP, compared byte by byte over both transports, action by action and error by
error."""
import copy
import http.server
import re
import shutil
import threading

from harness import *

sys.path.insert(0, str(SOURCE / "tests/support"))
from official_clients import NODE, need_clients

KV = "workflow-kv_kv_store"
KNOWLEDGE = "workflow-knowledge_knowledge_documents"
MEMORY = "workflow-memory_global_memory"
CARD = "workflow-ui_present_card"
BRIDGE = "workflow-host_host_configuration"
EVERYTHING = {tool: {"autoApprove": True} for tool in (KV, KNOWLEDGE, MEMORY, CARD, BRIDGE)}
PAIR = "FOXWEDGE_HOST_BRIDGE"
CLIENTS = [(mode, transport) for transport in ("stdio", "http")
           for mode in ("v1", "legacy", "auto", "2026-07-28")]


def setUpModule():
    need_clients()


def fine(tool, action, **arguments):
    return tool, {"action": action, **arguments}, None


def refused(code, tool, action=None, **arguments):
    return tool, {**({"action": action} if action else {}), **arguments}, code


def invalid(tool, action=None, **arguments):
    return refused("input_validation", tool, action, **arguments)


# A cursor in a call stands for the one that the last page of that tool gave.
CURSOR = "(the cursor of the page before)"
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
CALLS = {
    "documents": [
        fine(KNOWLEDGE, "create", documentId="refunds", title="Refunds", markdown="Within 30 days."),
        fine(KNOWLEDGE, "create", documentId="cafe\u0301/退款", title="退款 ☕", markdown="三十天内退款"),
        fine(KNOWLEDGE, "create", title="Unnamed", markdown=""),
        fine(KNOWLEDGE, "list"),
        fine(KNOWLEDGE, "list", limit=2),
        fine(KNOWLEDGE, "list", limit=2, cursor=CURSOR),
        fine(KNOWLEDGE, "search", query="days"),
        fine(KNOWLEDGE, "search", query="退款"),
        fine(KNOWLEDGE, "search", query="nothing has this"),
        fine(KNOWLEDGE, "update", documentId="refunds", title="All refunds", revision=1),
        fine(KNOWLEDGE, "update", documentId="refunds", markdown="Within 60 days."),
        fine(KNOWLEDGE, "read", documentId="refunds"),
        fine(KNOWLEDGE, "read", documentId="caf\u00e9/退款"),
        fine(KNOWLEDGE, "search", query="days refunds", limit=1),
        refused("conflict", KNOWLEDGE, "create", documentId="refunds", title="x", markdown="x"),
        refused("conflict", KNOWLEDGE, "update", documentId="refunds", title="x", revision=1),
        refused("conflict", KNOWLEDGE, "delete", documentId="refunds", revision=1),
        fine(KNOWLEDGE, "delete", documentId="refunds", revision=5),
        refused("not_found", KNOWLEDGE, "read", documentId="refunds"),
        refused("not_found", KNOWLEDGE, "update", documentId="refunds", title="x"),
        refused("not_found", KNOWLEDGE, "delete", documentId="refunds"),
        invalid(KNOWLEDGE),
        invalid(KNOWLEDGE, "drop"),
        invalid(KNOWLEDGE, "read"),
        invalid(KNOWLEDGE, "read", documentId=7),
        invalid(KNOWLEDGE, "read", documentId=""),
        invalid(KNOWLEDGE, "read", documentId="d" * 201),
        invalid(KNOWLEDGE, "read", documentId="assistant-memory-m"),
        invalid(KNOWLEDGE, "read", documentId="d", title="of another action"),
        invalid(KNOWLEDGE, "list", colour="red"),
        invalid(KNOWLEDGE, "create", title="t" * 201, markdown=""),
        invalid(KNOWLEDGE, "create", title="", markdown=""),
        invalid(KNOWLEDGE, "create", title="t", markdown="m" * 200_001),
        invalid(KNOWLEDGE, "create", markdown="m"),
        invalid(KNOWLEDGE, "update", documentId="d"),
        invalid(KNOWLEDGE, "update", documentId="d", title="t", revision=-1),
        invalid(KNOWLEDGE, "search", query="q" * 501),
        invalid(KNOWLEDGE, "search", query="?!"),
        invalid(KNOWLEDGE, "search", query="x", cursor="list:1"),
        invalid(KNOWLEDGE, "list", cursor="search:a0.0"),
        invalid(KNOWLEDGE, "list", cursor="c" * 81),
        invalid(KNOWLEDGE, "list", limit=0),
        invalid(KNOWLEDGE, "list", limit=201),
    ],
    "memory": [
        fine(MEMORY, "remember", memoryId="m", title="Colours", markdown="The customer likes green."),
        fine(MEMORY, "remember", markdown="# A heading\nand a note"),
        fine(MEMORY, "remember", memoryId="m", markdown="The customer likes blue."),
        fine(MEMORY, "list"),
        fine(MEMORY, "list", limit=1),
        fine(MEMORY, "list", limit=1, cursor=CURSOR),
        fine(MEMORY, "search", query="customer"),
        fine(MEMORY, "read", memoryId="m"),
        fine(MEMORY, "forget", memoryId="m"),
        refused("not_found", MEMORY, "read", memoryId="m"),
        refused("not_found", MEMORY, "forget", memoryId="m"),
        invalid(MEMORY, "remember", markdown="token: " + SECRET),
        invalid(MEMORY, "remember", markdown="x", title=SECRET),
        invalid(MEMORY, "remember", markdown=""),
        invalid(MEMORY, "remember", markdown="m" * 100_001),
        invalid(MEMORY, "remember", markdown="m", memoryId="m" * 184),
        invalid(MEMORY, "remember", markdown="m", title="t" * 201),
        invalid(MEMORY, "list", cursor="search:a0.0"),
        invalid(MEMORY, "search", query="x", cursor="list:1"),
        invalid(MEMORY, "recall"),
    ],
    "values": [
        fine(KV, "set", key="k", value={"z": 1, "a": [1, None, 2.5, "ü"], "": True}),
        fine(KV, "set", key="k", value="again", revision=1),
        fine(KV, "get", key="k"),
        fine(KV, "get", key="none"),
        fine(KV, "set", key="e\u0301" + "\U0001f98a" * 498, value=2),
        fine(KV, "set", key="k", scope="conversation", value=1234567890123),
        fine(KV, "get", key="k", scope="conversation"),
        fine(KV, "list"),
        fine(KV, "list", limit=1),
        fine(KV, "list", limit=1, cursor=CURSOR),
        fine(KV, "list", prefix="\u00e9"),
        fine(KV, "list", scope="conversation"),
        refused("conflict", KV, "set", key="k", value=3, revision=1),
        refused("conflict", KV, "set", key="k", value=3, revision=0),
        fine(KV, "delete", key="k"),
        fine(KV, "delete", key="k"),
        fine(KV, "set", key="k", value=4, revision=0),
        invalid(KV, "set", key="tokenUsage.total", value=1),
        invalid(KV, "delete", key="tokenUsage.entry.x"),
        invalid(KV, "set", key="agent.pendingPlanApproval", scope="conversation", value=1),
        invalid(KV, "set", key="conversation.state", scope="conversation", value=1),
        invalid(KV, "set", key="x" * 501, value=1),
        invalid(KV, "set", key="", value=1),
        invalid(KV, "set", key="k"),
        invalid(KV, "get", key="k", scope="user"),
        invalid(KV, "get", key="k", value=1),
        invalid(KV, "list", cursor="nonsense"),
        invalid(KV, "fly"),
    ],
    "cards": [
        fine(CARD, "upsert", cardId="c", kind="knowledge", operation="read", title="Refunds",
             target={"source": "current", "documentId": "refunds"}),
        fine(CARD, "upsert", cardId="c", kind="kv", pinned=True,
             target={"source": "local", "scope": "conversation", "key": "k", "conversationId": "c"}),
        fine(CARD, "upsert", cardId="p", kind="project",
             target={"source": "server", "projectId": "p", "configurationId": "x"}),
        fine(CARD, "upsert", cardId="b", kind="kanban", target={"source": "current"},
             kanban={"mode": "preview", "values": {"title": "Roadmap"}}),
        fine(CARD, "upsert", cardId="w", kind="browser", preview=False,
             target={"url": "https://example.com/?q=1"}),
        fine(CARD, "upsert", cardId="f", kind="file", target={"source": "local", "filePath": "a/b.md"}),
        fine(CARD, "remove", cardId="c"),
        invalid(CARD, "remove", cardId="c", pinned=True),
        invalid(CARD, "upsert", cardId="c", kind="kv", preview=True,
                target={"source": "local", "key": "k"}),
        invalid(CARD, "upsert", cardId="c", kind="file",
                target={"source": "local", "filePath": "../x"}),
        invalid(CARD, "upsert", cardId="c", kind="browser", target={"url": "https://u:p@example.com"}),
        invalid(CARD, "upsert", cardId="c", kind="chart", target={"source": "local"}),
        invalid(CARD, "upsert", cardId="c", kind="kv", title="t" * 201,
                target={"source": "local", "key": "k"}),
        invalid(CARD, "show", cardId="c"),
    ],
    "host configuration": [
        fine(BRIDGE, "get_configurations", configurationId="200"),
        fine(BRIDGE, "manage_configurations", storage="local", projectId="p", configurationId="200",
             revision=1, values={"title": "Roadmap"}),
        *(refused(code, BRIDGE, "get_configurations", configurationId=str(status))
          for status, code in ((401, "denied"), (403, "denied"), (404, "not_found"),
                               (409, "conflict"), (400, "input_validation"),
                               (422, "input_validation"), (500, "unavailable"),
                               (307, "unavailable"))),
        refused("conflict", BRIDGE, "manage_configurations", storage="local", projectId="p",
                configurationId="409", revision=1, values={}),
        invalid(BRIDGE, "manage_configurations", storage="local"),
        invalid(BRIDGE, "get_configurations", storage=""),
        invalid(BRIDGE, "get_configurations", revision=1),
        invalid(BRIDGE, "fly"),
    ],
}


class Application:
    """The application around the host: answers a request with the status that it names."""

    def __init__(self, test):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status = int(asked["arguments"]["configurationId"])
                body = json.dumps({"asked": asked["action"], "message": f"status {status}"}).encode()
                self.send_response(status)
                if status == 307:
                    self.send_header("location", "http://127.0.0.1:9/")
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/bridge"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        test.addCleanup(self.server.server_close)
        test.addCleanup(self.server.shutdown)


def text_bytes(value):
    """JSON as it is, order and all."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def comparable(result):
    """What a model or a host sees of a result, without the ids that each run makes anew."""
    meta = result.get("_meta", {})
    details = result.get("details") or {}
    seen = {"content": result["content"], "structured": result.get("structuredContent"),
            "isError": result.get("isError", False),
            "resourceCard": meta.get("foxwedge/resourceCard", details.get("resourceCard")),
            "card": meta.get("foxwedge/card", details.get("card"))}
    made = re.findall(r'"documentId":"(doc-[0-9a-f]+)"|"memoryId":"([0-9a-f]{26,32})"', text_bytes(seen))
    seen = text_bytes(seen)
    for id_ in {id_ for pair in made for id_ in pair if id_}:
        seen = seen.replace(id_, "(made anew)")
    return seen


class Capabilities(Host):
    def setUp(self):
        super().setUp()
        self.environment[PAIR + "_URL"] = Application(self).url
        self.environment[PAIR + "_TOKEN"] = "bridge-token-0123456789"
        self.config(tools=EVERYTHING)

    def natively(self, calls_):
        """Results of `foxwedge call`, and the calls with their cursors filled in."""
        results, filled, cursors = [], [], {}
        for tool, arguments, code in calls_:
            arguments = copy.deepcopy(arguments)
            if arguments.get("cursor") == CURSOR:
                arguments["cursor"] = cursors[tool]
            file = self.folder / "arguments.json"
            file.write_text(json.dumps(arguments))
            ended = self.foxwedge("--json", "call", self.config_file, tool, f"@{file}",
                                  "--conversation", "c")
            self.assertEqual(ended.code, FAILED if code else SUCCEEDED, (tool, arguments, ended))
            result = json.loads(ended.out)
            self.assertEqual((result.get("details") or {}).get("code"), code, result)
            if "cursor" in (result.get("structuredContent") or {}):
                cursors[tool] = result["structuredContent"]["cursor"]
            results.append(result)
            filled.append({"name": tool, "arguments": arguments})
        return results, filled

    def over_mcp(self, mode, transport, calls_, *more):
        """What an official client gets of a fresh host."""
        shutil.rmtree(self.folder / "state", ignore_errors=True)
        serve = [str(FOXWEDGE), "mcp", str(self.config_file), "--conversation", "c", *more]
        if transport == "stdio":
            return self.client(mode, "stdio", *serve, calls_=calls_)
        server = subprocess.Popen([*serve, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE,
                                  text=True, cwd=self.folder, env=self.environment)
        try:
            return self.client(mode, "http", server.stderr.readline().split()[-1], calls_=calls_)
        finally:
            server.terminate()
            server.communicate()

    def client(self, mode, *target, calls_):
        seen = subprocess.run([NODE, BUILD / "node/client-calls.mjs", mode, *target],
                              input=json.dumps(calls_), capture_output=True, text=True, timeout=120,
                              cwd=self.folder, env=self.environment)
        self.assertEqual(seen.returncode, 0, seen.stderr)
        return json.loads(seen.stdout)

    def check(self, calls_, *clients):
        native, filled = self.natively(calls_)
        for mode, transport in clients:
            wired = self.over_mcp(mode, transport, filled)["results"]
            for asked, here, there in zip(filled, native, wired, strict=True):
                with self.subTest(client=mode, transport=transport, call=text_bytes(asked)[:300]):
                    self.assertIn("result", there)
                    self.assertEqual(comparable(there["result"]), comparable(here))


class Parity(Capabilities):
    pass


def add_test(of, calls_):
    def test(self):
        self.check(calls_, *CLIENTS)
    setattr(Parity, "test_every_action_and_error_of_" + of.replace(" ", "_"), test)


for of_, calls_of in CALLS.items():
    add_test(of_, calls_of)


class Descriptions(Capabilities):
    def described(self):
        catalogue = self.ok("--json", "tools", self.config_file).json()["catalogue"]
        return {tool: catalogue[tool]["definition"] for tool in EVERYTHING}

    def seen(self, tool):
        return text_bytes([tool.get("description"), tool.get("inputSchema")])

    def test_what_a_model_sees_of_a_tool_is_the_same(self):
        native = self.described()
        for mode, transport in CLIENTS:
            listed = {tool["name"]: tool for tool in self.over_mcp(mode, transport, [])["tools"]}
            self.assertEqual(sorted(listed), sorted(native))
            for name, tool in listed.items():
                self.assertEqual(self.seen(tool), self.seen(native[name]))

    def test_a_capability_of_its_own_lists_what_a_prefix_turns_into_the_id(self):
        native = self.described()
        for id_, tool in native.items():
            component = id_.removesuffix("_" + tool["name"])
            for mode, transport in CLIENTS[::3]:
                [listed] = self.over_mcp(mode, transport, [], "--capability", component)["tools"]
                self.assertEqual(component + "_" + listed["name"], id_)
                self.assertEqual(self.seen(listed), self.seen(tool))

    def test_an_agent_of_ours_is_told_the_same(self):
        self.config([text("done")], agent={"tools": list(EVERYTHING), "globalMemory": True},
                    tools=EVERYTHING)
        run = self.run_agent("--prompt", "x")["run"]
        native = self.described()
        told = {tool["id"]: tool for tool in self.recorded(run, "a:tools")["tools"]}
        self.assertEqual(sorted(told), sorted(native))
        for id_, tool in told.items():
            self.assertEqual(self.seen(tool), self.seen(native[id_]))

    def test_what_is_not_offered_is_unknown_to_clients(self):
        del self.environment[PAIR + "_TOKEN"]
        self.config(tools={**EVERYTHING, KV: {"enabled": False}})
        self.natively([refused("denied", KV, "get", key="k"),
                       refused("unavailable", BRIDGE, "get_configurations")])
        for mode, transport in CLIENTS[::3]:
            seen = self.over_mcp(mode, transport, [{"name": tool, "arguments": {}}
                                                   for tool in (KV, BRIDGE)])
            self.assertEqual(sorted(tool["name"] for tool in seen["tools"]),
                             sorted((KNOWLEDGE, MEMORY, CARD)))
            self.assertEqual([each["error"]["code"] for each in seen["results"]], [-32602, -32602])


if __name__ == "__main__":
    main()
