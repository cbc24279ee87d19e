"""An MCP server with faults, over both transports: hostile_peer.py stdio|json|sse LEDGER [FAULT…]

Each tool is one thing that goes wrong in a call; a FAULT is one that goes wrong before any call.
`echo` does what it should, `mark` too, but reports progress (over stdio) and waits for a file
LEDGER.<text>. What is asked is noted in LEDGER. json and sse serve HTTP, each answer as a body or as an event stream, and print their URL.
"""
import http.server
import json
import os
import pathlib
import sys
import threading
import time

HOW, LEDGER, FAULTS = sys.argv[1], pathlib.Path(sys.argv[2]), set(sys.argv[3:])
lock = threading.Lock()
server = None


def note(what):
    with lock, LEDGER.open("a") as file:
        file.write(json.dumps(what) + "\n")


def message(id_, **more):
    return json.dumps({"jsonrpc": "2.0", "id": id_, **more}).encode()


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def good(id_, words="fine"):
    return message(id_, result=text(words))


def notification(method, **params):
    return json.dumps({"jsonrpc": "2.0", "method": "notifications/" + method, "params": params}).encode()


def raw(id_, result):
    return b'{"jsonrpc":"2.0","id":' + json.dumps(id_).encode() + b',"result":' + result + b"}"


def content(words):
    return b'{"content":[{"type":"text","text":"' + words + b'"}]}'


# What is sent in answer to a call, message by message. Over JSON bodies the last one is the body.
ANSWERS = {
    "large": lambda i: [good(i, "a" * 5_000_000)],
    "too_large": lambda i: [good(i, "a" * (64 << 20))],
    "deep": lambda i: [raw(i, b"[" * 100_000 + b"]" * 100_000)],
    "bad_utf8": lambda i: [raw(i, content(b"\xc3\x28"))],
    "text_id": lambda i: [good("0%s" % i, "wrong"), good(" %s" % i, "wrong"), good(str(i))],
    "null_id": lambda i: [message(None, error={"code": -32603, "message": "boom"})],
    "twice": lambda i: [good(i), good(i, "again")],
    "strange_ids": lambda i: [good(10 ** 9, "of nobody"), good(-1, "of nobody"), good("x", "of nobody"),
                              good([i], "of nobody"), good(i)],
    # Not the next id: the call beside this one may have it by now.
    "ahead": lambda i: [good(i + 2, "before it was asked"), good(i)],
    "stray_notes": lambda i: [notification("progress", progressToken="zz", progress=1),
                              notification("message", level="info", data="hello"),
                              notification("nobody/knows"), good(i)],
    "own_ping": lambda i: [json.dumps({"jsonrpc": "2.0", "id": "7", "method": "ping"}).encode(), good(i)],
    "structured_only": lambda i: [message(i, result={"structuredContent": {"total": 36}})],
    "structured_array": lambda i: [message(i, result={"content": [], "structuredContent": [1, 2]})],
    "empty": lambda i: [message(i, result={})],
    "null": lambda i: [message(i, result=None)],
    "result_and_error": lambda i: [message(i, result=text("x"), error={"code": 1, "message": "y"})],
    "no_jsonrpc": lambda i: [json.dumps({"id": i, "result": text("x")}).encode()],
    "wrong_content": lambda i: [message(i, result={"content": "no list"})],
    "unknown_block": lambda i: [message(i, result={"content": [{"type": "hologram"}]})],
    "error": lambda i: [message(i, error={"code": -32000, "message": "broken"})],
    "bad_error": lambda i: [message(i, error="broken")],
    "echo": lambda i: [good(i)],
}
# Where the answer is not a matter of messages alone.
SPECIAL = ("bytewise", "noise", "flood", "silent", "die", "die_once", "half", "mark", "late")
OVER_HTTP = ("forgotten", "unauthorised", "elsewhere", "resumed")
NAMES = [*ANSWERS, *SPECIAL, *OVER_HTTP]
cut_off = {}  # id of a call → how often its stream was taken up again


def schema_of_its_own():
    """The address of a schema at this very server: fetching it would be noted."""
    return "http://127.0.0.1:%d/schema.json" % (server.server_address[1] if server else 1)


def tools():
    listed = [{"name": name, "description": "d", "inputSchema": {"type": "object"},
               "annotations": {"readOnlyHint": True}} for name in NAMES]
    if "odd_tools" in FAULTS:
        listed += [{"name": "t1", "inputSchema": {"anyOf": [{"type": "object"}]}},
                   {"name": "t2", "inputSchema": {"type": "string"}}, {"name": "t3"},
                   {"name": "mail.send", "inputSchema": {"type": "object"}},
                   {"name": "n" * 140, "inputSchema": {"type": "object"}},
                   {"name": "remote", "inputSchema": {"$ref": schema_of_its_own()}}, 7, None,
                   {"inputSchema": {"type": "object"}}]
    return listed


def prepared(method, params):
    """The result of what comes before calls; None where it is no such thing."""
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "hostile", "version": "1"}}
    if method == "tools/list":
        page = {"tools": tools()}
        if "same_page" in FAULTS:
            page["nextCursor"] = "p1"
        if "empty_cursor" in FAULTS:
            page["nextCursor"] = ""
        return page
    return None


def first_time(words):
    """True for the first call with these words, whichever process of this server gets it."""
    try:
        pathlib.Path(f"{LEDGER}.{words}").touch(exist_ok=False)
        return True
    except FileExistsError:
        return False


def wait_for(words):
    while not pathlib.Path(f"{LEDGER}.{words}").exists():
        time.sleep(0.01)


class Stdio:
    def __init__(self):
        self.late = {}

    def put(self, data):
        with lock:
            while data:
                data = data[os.write(1, data):]

    def call(self, id_, name, arguments):
        if name in ANSWERS:
            for each in ANSWERS[name](id_):
                self.put(each + b"\n")
        elif name == "bytewise":
            for byte in good(id_, "é\u2028x") + b"\r\n":
                self.put(bytes([byte]))
        elif name == "noise":
            self.put(b"[cache] warm\nnull\n42\n[]\n{}\n\xff\xfe\n\n" + good(id_) + b"\n")
        elif name == "flood":
            for _ in range(64):
                os.write(2, b"\r" * 65536)
            self.put(good(id_) + b"\n")
        elif name == "die_once" and not first_time(arguments["text"]):
            self.put(good(id_) + b"\n")
        elif name in ("die", "die_once"):
            os.write(2, b"out of luck\n")
            os._exit(5)
        elif name == "half":
            self.put(good(id_)[:20])
            os._exit(0)
        elif name == "late":
            self.late[id_] = True
        elif name == "mark":
            threading.Thread(target=self.mark, args=(id_, arguments["text"]), daemon=True).start()

    def mark(self, id_, words):
        wait_for(words)
        self.put(good(id_) + b"\n")

    def serve(self):
        if "banner" in FAULTS:
            self.put(b"Palette tools ready (pid 4711)\n\xff\xfe\n")
        if "no_start" in FAULTS:
            os.write(2, b"cannot open store\n")
            os._exit(3)
        for line in sys.stdin.buffer:
            asked = json.loads(line)
            method, id_ = asked.get("method"), asked.get("id")
            params = asked.get("params", {})
            note(asked)
            if method and "die_at_" + method.replace("/", "_") in FAULTS:
                os._exit(4)
            if method and "silent_at_" + method.replace("/", "_") in FAULTS:
                continue
            if method == "notifications/cancelled" and self.late.pop(params.get("requestId"), False):
                self.put(good(params["requestId"], "too late") + b"\n")
            if id_ is None or method is None:
                continue
            if method == "tools/call":
                if params["name"] == "mark":
                    self.put(notification("progress", progress=1,
                                          progressToken=params["_meta"]["progressToken"]) + b"\n")
                self.call(id_, params["name"], params.get("arguments", {}))
                continue
            result = prepared(method, params)
            self.put((message(id_, result=result) if result is not None else
                      message(id_, error={"code": -32601, "message": "Method not found"})) + b"\n")


class Http(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sessions = 0

    def log_message(self, *_):
        pass

    def head(self, status, kind, size=None, **more):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        if size is None:
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(size))
        self.end_headers()

    def say(self, status, value, **more):
        body = json.dumps(value).encode()
        self.head(status, "application/json", len(body), **more)
        self.wfile.write(body)

    def do_GET(self):
        if self.path != "/mcp":
            note({"get_path": self.path})
            return self.say(200, {"type": "object"})
        note({"get": self.headers.get("Last-Event-ID")})
        if self.headers.get("Last-Event-ID") != "e1" or not cut_off:
            return self.say(405, {})
        [id_] = cut_off
        cut_off[id_] += 1
        self.head(200, "text/event-stream")
        if cut_off[id_] > 2:
            self.wfile.write((b"data: " + good(id_) + b"\n\n") * 2)
        return None

    def do_DELETE(self):
        self.say(405, {})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method, id_ = asked.get("method"), asked.get("id")
        note(asked)
        if method and "die_at_" + method.replace("/", "_") in FAULTS:
            return self.connection.close()
        if method and "silent_at_" + method.replace("/", "_") in FAULTS:
            return time.sleep(30)
        if id_ is None or method is None:
            return self.head(202, "text/plain", 0)
        if method == "tools/call":
            return self.call(id_, asked["params"]["name"], asked["params"].get("arguments", {}))
        if method == "server/discover":
            return self.say(400, {"no": "such thing"})
        result = prepared(method, asked.get("params", {}))
        self.say(200, json.loads(message(id_, result=result)),
                 **({"Mcp_Session_Id": "s1"} if method == "initialize" else {}))

    def answer(self, messages):
        if HOW == "json":
            self.head(200, "application/json", len(messages[-1]))
            return self.wfile.write(messages[-1])
        self.head(200, "Text/Event-Stream; charset=utf-8")
        for each in messages:
            self.wfile.write(b"event: message\ndata: " + each + b"\n\n")

    def call(self, id_, name, arguments):
        if name in ANSWERS:
            return self.answer(ANSWERS[name](id_))
        if name == "mark":
            wait_for(arguments["text"])
            return self.answer([good(id_)])
        if name == "die_once" and not first_time(arguments["text"]):
            return self.answer([good(id_)])
        if name == "forgotten":
            return self.say(404, {}) if first_time("forgotten") else self.answer([good(id_)])
        if name == "unauthorised":
            return self.say(401, {}, WWW_Authenticate='Bearer error="invalid_token"')
        if name == "elsewhere":
            return self.say(307, {}, Location=f"http://localhost:{self.server.server_address[1]}/mcp")
        if name == "resumed":
            cut_off[id_] = 0
            self.head(200, "text/event-stream")
            return self.wfile.write(b"retry: 100\nid: e1\ndata:\n\n")
        if name == "bytewise":
            body = good(id_, "é\u2028x")
            self.head(200, "application/json", len(body))
            for byte in body:
                self.wfile.write(bytes([byte]))
            return None
        if name == "noise":
            self.head(200, "text/event-stream")
            return self.wfile.write(b": warm\n\nevent: other\ndata: {\n\ndata: null\n\ndata: 42\n\ndata:\n\n"
                                    b"id\nretry: soon\ndata: " + good(id_) + b"\n\n")
        if name == "flood":
            self.head(200, "text/event-stream")
            for _ in range(64):
                self.wfile.write(b": " + b"x" * 65536 + b"\n")
            return self.wfile.write(b"data: " + good(id_) + b"\n\n")
        if name == "half":
            self.head(200, "application/json", 1000)
            self.wfile.write(good(id_)[:20])
        if name in ("silent", "late"):
            time.sleep(2)
        self.close_connection = True  # and "die"
        return self.connection.close()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # clients that hang up are no news


note({"pid": os.getpid()})
if HOW == "stdio":
    Stdio().serve()
else:
    server = Server(("127.0.0.1", 0), Http)
    print("http://127.0.0.1:%d/mcp" % server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()  # ends with whoever started it
