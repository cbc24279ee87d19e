"""An MCP server that needs something of its client: asking_peer.py modern|handshake LEDGER

`ask` wants a form filled in, `draw` the client's model, `toil` goes on as a task, `show` sends odd
content. It has one resource and one prompt. Each request is noted in LEDGER, which is also all that it remembers.
"""
import json
import pathlib
import sys

ERA, LEDGER = sys.argv[1], pathlib.Path(sys.argv[2])
META = "io.modelcontextprotocol/"
FORM = {"mode": "form", "message": "Who are you?",
        "requestedSchema": {"type": "object", "required": ["name"],
                            "properties": {"name": {"type": "string", "minLength": 2},
                                           "kind": {"type": "string", "default": "fox"}}}}
PROMPT = {"messages": [{"role": "user", "content": {"type": "text", "text": "Draw a line"}}],
          "maxTokens": 50}
ASKS = {"ask": ("elicitation/create", FORM), "draw": ("sampling/createMessage", PROMPT)}
TOOLS = [{"name": name, "description": "d", "inputSchema": {"type": "object"},
          "annotations": {"readOnlyHint": True}} for name in ("ask", "draw", "toil", "show")]
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


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def ask_in_the_call(method, params):
    """The handshake revisions' way: a request of our own, answered on standard input."""
    global next_id
    next_id += 1
    send({"id": next_id, "method": method, "params": params})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            note("cancelled", message.get("params", {}))
            return None
        if message.get("id") == next_id:
            return message.get("result", message.get("error"))
    return None


def call(name, params):
    if name == "show":
        return {"content": ODD}
    if name == "toil":
        return {"resultType": "task", "taskId": "t1", "status": "working", "ttlMs": 60000,
                "createdAt": "2026-07-28T00:00:00Z", "lastUpdatedAt": "2026-07-28T00:00:00Z",
                "pollIntervalMs": 100}
    method, question = ASKS[name]
    if ERA == "handshake":
        answer = ask_in_the_call(method, question)
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


def answer(method, params):
    if method == "server/discover" and ERA == "modern":
        return {"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
                "cacheScope": "private",
                "capabilities": {"tools": {}, "resources": {}, "prompts": {},
                                 "extensions": {META + "tasks": {}}}}
    if method == "initialize" and ERA == "handshake":
        return {"protocolVersion": params["protocolVersion"], "serverInfo": {"name": "p", "version": "1"},
                "capabilities": {"tools": {}, "resources": {}, "prompts": {}}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return call(params["name"], params)
    if method == "tasks/get":
        return task(params)
    if method == "resources/list":
        return {"resources": [{"uri": "note://a", "name": "a"}]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "text": "a note"}]}
    if method == "prompts/get":
        return {"messages": [{"role": "user", "content": {"type": "text", "text": params["name"]}}]}
    return {"error": {"code": -32601, "message": "Method not found"}}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "method" not in message:
        continue
    params = message.get("params", {})
    note(message["method"], params)
    result = answer(message["method"], params)
    if result is None:
        continue
    send({"id": message["id"], **(result if "error" in result else {"result": result})})
