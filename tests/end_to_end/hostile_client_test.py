"""Clients that misbehave towards `foxwedge mcp`, over both transports: they get what is theirs, others
are served on, and nothing is left behind."""
import socket
import threading
import urllib.error
import urllib.request

from harness import *

KV = "workflow-kv_kv_store"
DEEP = b"[" * 100_000 + b"]" * 100_000
HANDSHAKE = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
             "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                        "clientInfo": {"name": "t", "version": "1"}}}


def call(id_, **arguments):
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call",
            "params": {"name": KV, "arguments": arguments or {"action": "get", "key": "k"}}}


def line(message):
    return json.dumps(message).encode() + b"\n"


class Server(Host):
    def serve(self, *args):
        self.config(tools={KV: {"autoApprove": True}})
        process = subprocess.Popen([str(FOXWEDGE), "mcp", str(self.config_file), *args],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, cwd=self.folder, env=self.environment)
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        for pipe in (process.stdin, process.stdout, process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        if process.poll() is None:
            process.terminate()
        process.wait(timeout=30)

    def files(self, process):
        return len(os.listdir(f"/proc/{process.pid}/fd"))

    def memory(self, process):
        for row in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if row.startswith("VmRSS:"):
                return int(row.split()[1]) << 10
        return 0


class OverPipes(Server):
    def setUp(self):
        super().setUp()
        self.process = self.serve()
        self.put(line(HANDSHAKE))
        self.assertEqual(self.next()["id"], 1)
        self.id = 1

    def put(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def next(self):
        return json.loads(self.process.stdout.readline())

    def is_served(self):
        self.id += 1
        self.put(line(call(self.id)))
        answer = self.next()
        self.assertEqual((answer["id"], answer["result"]["structuredContent"]),
                         (self.id, {"found": False}))

    def test_bytes_may_come_one_by_one(self):
        for byte in line(call(7)):
            self.put(bytes([byte]))
        self.assertEqual(self.next()["id"], 7)

    def test_what_is_no_message_gets_an_error_and_the_next_one_its_answer(self):
        for data, code in ((b"hello\n", -32700), (b'{"jsonrpc":"2.0","id":3,\n', -32700),
                           (DEEP + b"\n", -32700), (b'{"id":3}\n', -32600), (b"7\n", -32600),
                           (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}\n', -32600),
                           (b'{"jsonrpc":"2.0","id":3,"method":7}\n', -32600),
                           (line({"jsonrpc": "2.0", "id": 3, "method": "no/such"}), -32601),
                           (line({**call(3), "params": {"name": "nope"}}), -32602)):
            with self.subTest(data=data[:40]):
                self.put(data)
                self.assertEqual(self.next()["error"]["code"], code)
                self.is_served()

    def test_a_line_of_64_mebibytes_costs_neither_the_session_nor_the_memory(self):
        before = self.memory(self.process)
        for _ in range(3):
            self.put(b'{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"')
            for _ in range(64):
                self.put(b"a" * (1 << 20))
            self.put(b'"}}\n')
            self.assertIn("error", self.next())
            self.is_served()
        self.assertLess(self.memory(self.process) - before, 40 << 20)

    def test_answers_to_nothing_and_notes_about_nothing_are_passed_over(self):
        for message in ({"id": 99, "result": {}}, {"id": "x", "error": {"code": 1, "message": "m"}},
                        {"method": "notifications/cancelled", "params": {"requestId": 12345}},
                        {"method": "notifications/nobody/knows"},
                        {"method": "notifications/progress", "params": {"progressToken": "z"}}):
            self.put(line({"jsonrpc": "2.0", **message}))
        self.is_served()

    def test_an_id_may_be_used_twice(self):
        self.put(line(call(5)) + line(call(5)))
        self.assertEqual([self.next()["id"], self.next()["id"]], [5, 5])

    def test_of_a_flood_each_request_is_answered(self):
        requests = b"".join(line(call(n)) for n in range(1000, 4000))
        writer = threading.Thread(target=self.put, args=(requests,), daemon=True)
        writer.start()
        answers = [self.next() for _ in range(3000)]
        writer.join()
        self.assertEqual(sorted(answer["id"] for answer in answers), list(range(1000, 4000)))
        self.is_served()

    def test_a_client_that_dies_anywhere_leaves_no_process_and_no_run_behind(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        spoken = line(HANDSHAKE) + line(call(2, action="set", key="k", value=1))
        for cut in (0, 1, len(line(HANDSHAKE)) - 1, len(line(HANDSHAKE)), len(spoken) - 1,
                    len(spoken)):
            process = self.serve()
            process.stdin.write(spoken[:cut])
            process.stdin.close()
            process.stdout.close()
            self.assertEqual(process.wait(timeout=30), SUCCEEDED, cut)
        self.assertEqual({run["status"] for run in self.runs()} - {"succeeded", "cancelled"}, set())


class OverHttp(Server):
    def setUp(self):
        super().setUp()
        self.process = self.serve("--http", "127.0.0.1:0")
        self.url = self.process.stderr.readline().decode().split()[-1]
        self.port = int(self.url.split(":")[2].split("/")[0])

    def is_served(self):
        began = time.monotonic()
        request = urllib.request.Request(
            self.url, line(HANDSHAKE), {"Content-Type": "application/json",
                                        "Accept": "application/json, text/event-stream"})
        with urllib.request.urlopen(request, timeout=30) as response:
            self.assertEqual(response.status, 200)
            response.read()
        self.assertLess(time.monotonic() - began, 10)

    def dial(self, data=b""):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.addCleanup(connection.close)
        connection.sendall(data)
        return connection

    def head(self, length, **more):
        fields = {"Host": f"127.0.0.1:{self.port}", "Content-Type": "application/json",
                  "Accept": "application/json, text/event-stream", "Content-Length": length, **more}
        return ("POST /mcp HTTP/1.1\r\n" + "".join(f"{name.replace('_', '-')}: {value}\r\n"
                for name, value in fields.items()) + "\r\n").encode()

    def status(self, data):
        connection = self.dial()
        try:
            connection.sendall(data)
        except OSError:
            pass  # refused before it was whole
        try:
            answer = connection.recv(65536)
        except OSError:
            answer = b""
        connection.close()
        return int(answer.split()[1]) if answer else 0

    def test_what_is_no_request_gets_a_status_or_the_door(self):
        for data, statuses in (
                (b"hello\r\n\r\n", (0, 400)), (b"\x16\x03\x01\x02\x00\x01\x00\x01", (0, 400)),
                (self.head(len(DEEP)) + DEEP, (400,)), (self.head(5) + b"hello", (400,)),
                (self.head(64 << 20) + b"a" * (1 << 20), (0, 400, 413)),
                (self.head("many") + b"{}", (0, 400)), (self.head(-1), (0, 400)),
                (self.head(2, X="y" * (1 << 20)) + b"{}", (0, 400, 431)),
                (self.head(7, Mcp_Session_Id="none-such") + b'{"a":1}', (400, 404)),
                (b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", (400, 405, 406)),
                (b"DELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: x\r\n\r\n", (404, 405)),
                (b"POST /elsewhere HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n", (404,))):
            with self.subTest(data=data[:60]):
                self.assertIn(self.status(data), statuses)
                self.is_served()

    def test_silent_and_slow_clients_hold_up_nobody(self):
        whole = self.head(len(line(HANDSHAKE))) + line(HANDSHAKE)
        for cut in (0, 1, 20, len(whole) - 40, len(whole) - 1):
            for _ in range(20):
                self.dial(whole[:cut])
        self.is_served()

    def test_a_request_may_come_byte_by_byte(self):
        connection = self.dial()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in self.head(len(line(HANDSHAKE))) + line(HANDSHAKE):
            connection.sendall(bytes([byte]))
        self.assertTrue(connection.recv(65536).startswith(b"HTTP/1.1 200"))

    def test_nothing_is_left_of_clients_that_break_off(self):
        self.is_served()
        before, memory = self.files(self.process), self.memory(self.process)
        put = line(call(2, action="set", key="k", value=1))
        meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}
        modern = json.loads(put)
        modern["params"]["_meta"] = meta
        modern = line(modern)
        head = self.head(len(modern), MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call",
                         Mcp_Name=KV)
        for n in range(200):
            whole = head + modern
            connection = self.dial(whole[:n * len(whole) // 199])
            if n % 3 == 0:  # at once, without a good-bye
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            connection.close()
        self.is_served()
        self.until("its files are closed", lambda: self.files(self.process) <= before + 2)
        self.assertLess(self.memory(self.process) - memory, 24 << 20)
        self.until("its runs are over", lambda: {run["status"] for run in self.runs()}
                   <= {"succeeded", "cancelled"})


if __name__ == "__main__":
    main()
