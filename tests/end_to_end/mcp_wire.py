"""Clients of `foxwedge mcp` that speak JSON over its pipes or by HTTP."""
import urllib.error
import urllib.request

from harness import *

KV = "workflow-kv_kv_store"
PREFIX = "io.modelcontextprotocol/"


def modern(capabilities=None, **more):
    return {PREFIX + "protocolVersion": "2026-07-28",
            PREFIX + "clientCapabilities": capabilities or {}, **more}


class Wire:
    """A client that speaks JSON over the pipes of `foxwedge mcp`."""

    def __init__(self, process):
        self.process, self.heard, self.ids = process, [], 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def next(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(self.process.stderr.read())
        return json.loads(line)

    def ask(self, method, params=None, on_request=None):
        self.ids += 1
        mine = self.ids
        self.send({"id": mine, "method": method, "params": params or {}})
        while True:
            message = self.next()
            if message.get("id") == mine and "method" not in message:
                return message
            if "id" in message:
                self.send({"id": message["id"], "result": on_request(message)})
            else:
                self.heard.append(message)

    def shake_hands(self, capabilities=None):
        answer = self.ask("initialize", {"protocolVersion": "2025-06-18",
                                         "capabilities": capabilities or {},
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.send({"method": "notifications/initialized"})
        return answer["result"]


class Server(Host):
    def serve(self, *args, approve=False, tools=None, turns=(), **more):
        self.config(turns=list(turns), tools=tools or {KV: {"autoApprove": not approve}}, **more)
        process = subprocess.Popen(
            [str(FOXWEDGE), "mcp", str(self.config_file), *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder,
            env=self.environment)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        for pipe in (process.stdin, process.stdout, process.stderr):
            pipe.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def put(self, **meta):
        return {"name": KV, "arguments": {"action": "set", "key": "k", "value": 1}, "_meta": meta}


class HttpServer(Server):
    def url_of(self, process):
        line = process.stderr.readline()
        self.assertIn("serving MCP at http://", line)
        return line.split()[-1]

    def post(self, url, message, **headers):
        request = urllib.request.Request(
            url, json.dumps({"jsonrpc": "2.0", **message}).encode(),
            {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
             **{name.replace("_", "-"): value for name, value in headers.items()}})
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, response.headers, response.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.headers, refused.read().decode()

    def end(self, process):
        """A server over HTTP serves until it is told to end, and then ends well."""
        try:
            if process.poll() is None:
                process.terminate()
                self.assertEqual(process.wait(timeout=30), SUCCEEDED)
        finally:
            super().end(process)


class HttpWire:
    """A client of 2026-07-28, each of whose requests is a POST of its own."""

    def __init__(self, test, url):
        self.test, self.url, self.ids = test, url, 0

    def fields(self, method, params):
        name = params.get("taskId", params.get("name"))
        return {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": method,
                **({"Mcp_Name": name} if name else {})}

    def ask(self, method, params, **fields):
        self.ids += 1
        body = self.test.post(self.url, {"id": self.ids, "method": method, "params": params},
                              **{**self.fields(method, params), **fields})[2]
        return json.loads(body)

    def listen(self, params):
        """The messages of a stream that stays open, as they come."""
        request = urllib.request.Request(
            self.url, json.dumps({"jsonrpc": "2.0", "id": "listening", "params": params,
                                  "method": "subscriptions/listen"}).encode(),
            {"Content-Type": "application/json", "Accept": "text/event-stream",
             "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"})
        try:
            stream = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as refused:
            with refused:
                yield json.loads(refused.read())
                return
        self.test.addCleanup(stream.close)
        for line in stream:
            if line.startswith(b"data: "):
                yield json.loads(line[6:])
