"""An MCP server that needs something of its client: asking_peer.py modern|handshake|http LEDGER

`ask` wants a form filled in, `draw` the client's model, `all` both and the roots, `toil` goes on as a task, `show` sends odd
content. `retract`, `forestall` and `expire` ask like `ask` and wait for a file beside LEDGER with their name (`expire`
for it once): then the question is cancelled, or the call answered without it, or the server dies.
It has one resource and one prompt. Each request is noted in LEDGER, which is also all that it
remembers; so is each answer that it does not wait for. http is a handshake server that prints its URL.
"""
import http.server
import json
import os
import pathlib
import queue
import sys
import threading
import time

ERA, LEDGER = sys.argv[1], pathlib.Path(sys.argv[2])
META = "io.modelcontextprotocol/"
FORM = {"mode": "form", "message": "Who are you?",
        "requestedSchema": {"type": "object", "required": ["name"],
                            "properties": {"name": {"type": "string", "minLength": 2},
                                           "kind": {"type": "string", "default": "fox"}}}}
PROMPT = {"messages": [{"role": "user", "content": {"type": "text", "text": "Draw a line"}}],
          "maxTokens": 50}
ASKS = {"ask": ("elicitation/create", FORM), "draw": ("sampling/createMessage", PROMPT)}
WAVERS = ("retract", "forestall", "expire")
TOOLS = [{"name": name, "description": "d", "inputSchema": {"type": "object"},
          "annotations": {"readOnlyHint": True}} for name in ("ask", "draw", "all", "toil", "show", *WAVERS)]
# What no model can be shown: an unknown block, half a picture, a call, a note of a provider's own.
ODD = [{"type": "hologram", "title": "fox", "data": "QUJD" * 1000},
       {"type": "image", "mimeType": "image/png"},
       {"type": "tool_call", "id": "1", "name": "peer_ask", "arguments": "{}"},
       {"type": "text", "text": "words", "opaque": {"format": "scripted", "model": "m"}}]
next_id = 900


def note(method, params):
    with LEDGER.open("a") as file:
        file.write(json.dumps({"method": method, "params": params}) + "\n")


def noted(method):
    rows = [json.loads(line) for line in LEDGER.read_text().splitlines()] if LEDGER.exists() else []
    return sum(row["method"] == method for row in rows)


def text(what):
    return {"content": [{"type": "text", "text": what}]}


class Pipes:
    """Over standard input and output."""

    def send(self, message):
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    def heard(self):
        for line in sys.stdin:
            yield json.loads(line)


def ask_in_the_call(channel, method, params):
    """The handshake revisions' way: a request of our own, answered over the same connection."""
    global next_id
    next_id += 1
    channel.send({"id": next_id, "method": method, "params": params})
    for message in channel.heard():
        if message.get("method") == "notifications/cancelled":
            note("cancelled", message.get("params", {}))
            return None
        if message.get("id") == next_id:
            return message.get("result", message.get("error"))
    return None


def waver(channel, name):
    global next_id
    next_id += 1
    asked = next_id
    sign = LEDGER.with_suffix("." + name)
    if name == "expire" and sign.exists():  # the process after the one that died
        return text(json.dumps(ask_in_the_call(channel, "elicitation/create", FORM)))
    channel.send({"id": asked, "method": "elicitation/create", "params": FORM})
    while not sign.exists():
        time.sleep(0.01)
    if name == "expire":
        os._exit(5)
    if name == "retract":
        channel.send({"method": "notifications/cancelled", "params": {"requestId": asked}})
        # Only an answer to the next question shows that this one is not answered any more.
        answer = ask_in_the_call(channel, "roots/list", {})
        return text("retracted " + json.dumps(answer))
    return text("forestalled")


def call(channel, name, params):
    if name in WAVERS:
        return waver(channel, name)
    if name == "show":
        return {"content": ODD}
    if name == "toil":
        return {"resultType": "task", "taskId": "t1", "status": "working", "ttlMs": 60000,
                "createdAt": "2026-07-28T00:00:00Z", "lastUpdatedAt": "2026-07-28T00:00:00Z",
                "pollIntervalMs": 100}
    if name == "all":  # since 2026-07-28
        return text(json.dumps(params["inputResponses"])) if "inputResponses" in params else {
            "resultType": "input_required", "inputRequests": {
                "form": {"method": "elicitation/create", "params": FORM},
                "model": {"method": "sampling/createMessage", "params": PROMPT},
                "roots": {"method": "roots/list"}}}
    method, question = ASKS[name]
    if ERA != "modern":
        answer = ask_in_the_call(channel, method, question)
        return None if answer is None else text(json.dumps(answer))
    answers = params.get("inputResponses")
    if not answers:
        return {"resultType": "input_required", "requestState": "round-1",
                "inputRequests": {"q": {"method": method, "params": question}}}
    once = LEDGER.with_suffix(".forgotten-once")
    if once.exists():
        once.unlink()
        return {"error": {"code": -32602, "message": "requestState is not known"}}
    if params.get("requestState") != "round-1" or LEDGER.with_suffix(".forgotten").exists():
        return {"error": {"code": -32602, "message": "requestState is not known"}}
    return text(json.dumps(answers["q"]))


def task(params):
    if params.get("taskId") != "t1":
        return {"error": {"code": -32602, "message": "no such task"}}
    done = noted("tasks/get") > 3
    state = {"resultType": "complete", "taskId": "t1", "ttlMs": 60000, "pollIntervalMs": 100,
             "createdAt": "2026-07-28T00:00:00Z", "lastUpdatedAt": "2026-07-28T00:00:00Z",
             "status": "completed" if done else "working"}
    return {**state, "result": text("toiled")} if done else state


def answer(channel, method, params):
    if method == "server/discover" and ERA == "modern":
        return {"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
                "cacheScope": "private",
                "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "logging": {},
                                 "extensions": {META + "tasks": {}}}}
    if method == "initialize" and ERA != "modern":
        return {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "p", "version": "1"},
                "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "logging": {}}}
    if method == "logging/setLevel" and ERA != "modern":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(channel, params["name"], params)
    if method == "tasks/get":
        return task(params)
    if method == "resources/list":
        return {"resources": [{"uri": "note://a", "name": "a"}]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "text": "a note"}]}
    if method == "prompts/get":
        return {"messages": [{"role": "user", "content": {"type": "text", "text": params["name"]}}]}
    return {"error": {"code": -32601, "message": "Method not found"}}


def take(channel, message):
    """Answers a request; True if it was one."""
    if "method" not in message:
        note("answer", message)
    if "id" not in message or "method" not in message:
        return False
    params = message.get("params", {})
    note(message["method"], params)
    result = answer(channel, message["method"], params)
    if result is not None:
        channel.send({"id": message["id"], **(result if "error" in result else {"result": result})})
    return True


class Stream(http.server.BaseHTTPRequestHandler):
    """Each answer is a stream of events; what is answered to its questions comes as other requests."""
    protocol_version = "HTTP/1.1"
    others = queue.Queue()

    def log_message(self, *_):
        pass

    def head(self, status, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def send(self, message):
        self.wfile.write(b"data: " + json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n\n")
        self.wfile.flush()

    def heard(self):
        while True:
            yield self.others.get()

    def do_GET(self):
        self.head(405, Content_Length="0")

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if message.get("method") == "server/discover":
            return self.head(400, Content_Length="0")
        if "id" not in message or "method" not in message:
            if "method" not in message:
                note("answer", message)
            self.others.put(message)
            return self.head(202, Content_Length="0")
        self.close_connection = True
        self.head(200, Content_Type="text/event-stream", Connection="close", Mcp_Session_Id="s")
        return take(self, message)


if ERA == "http":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stream)
    server.daemon_threads = True
    print("http://127.0.0.1:%d/mcp" % server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()  # ends with whoever started it
else:
    pipes = Pipes()
    for line in sys.stdin:
        take(pipes, json.loads(line))
