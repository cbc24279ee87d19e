"""foxwedge as an MCP server: the catalogue over pipes and over HTTP, with its gates."""
import http.server
import socket
import threading

from mcp_wire import *

KNOWLEDGE = "workflow-knowledge_knowledge_documents"


class OverPipes(Server):
    def test_the_catalogue_is_listed_by_tool_id_and_calls_are_runs(self):
        wire = Wire(self.serve())
        self.assertEqual(wire.shake_hands()["serverInfo"]["name"], "h")
        [tool] = wire.ask("tools/list")["result"]["tools"]
        self.assertEqual(tool["name"], KV)
        self.assertNotIn("requiresApproval", json.dumps(tool))
        result = wire.ask("tools/call", self.put())["result"]
        self.assertNotIn("isError", result)
        [run] = self.runs()
        self.assertEqual((run["workflow"], run["status"]), ("tool:" + KV, "succeeded"))

    def test_one_capability_announces_itself_and_lists_bare_names(self):
        for id_ in (KV, "workflow-kv"):
            wire = Wire(self.serve("--capability", id_))
            self.assertEqual(wire.shake_hands()["serverInfo"]["name"], "workflow-kv")
            [tool] = wire.ask("tools/list")["result"]["tools"]
            self.assertEqual(tool["name"], "kv_store")

    def test_what_the_catalogue_does_not_declare_is_not_served(self):
        process = self.serve("--capability", "workflow-memory")
        self.assertEqual(process.wait(timeout=60), USAGE)
        self.assertIn("catalogue", process.stderr.read())

    def test_bad_arguments_are_a_result_and_an_unknown_tool_an_error(self):
        wire = Wire(self.serve())
        wire.shake_hands()
        bad = wire.ask("tools/call", {"name": KV, "arguments": {"action": "fly"}})["result"]
        self.assertTrue(bad["isError"])
        unknown = wire.ask("tools/call", {"name": "nope"})
        self.assertEqual(unknown["error"]["code"], -32602)

    def test_runs_are_resources_of_their_user(self):
        wire = Wire(self.serve("--user", "ann"))
        wire.shake_hands()
        wire.ask("tools/call", self.put())
        [listed] = wire.ask("resources/list")["result"]["resources"]
        [template] = wire.ask("resources/templates/list")["result"]["resourceTemplates"]
        self.assertEqual(template["uriTemplate"], "foxwedge://runs/{id}")
        [content] = wire.ask("resources/read", {"uri": listed["uri"]})["result"]["contents"]
        run = json.loads(content["text"])
        self.assertEqual(run["status"], "succeeded")
        self.assertEqual(run["input"]["key"], "k")
        completion = wire.ask("completion/complete", {
            "ref": {"type": "ref/resource", "uri": template["uriTemplate"]},
            "argument": {"name": "id", "value": run["id"][:6]}})["result"]["completion"]
        self.assertEqual(completion["values"], [run["id"]])
        other = Wire(self.serve("--user", "bob"))
        other.shake_hands()
        self.assertEqual(other.ask("resources/list")["result"]["resources"], [])
        hidden = other.ask("resources/read", {"uri": listed["uri"]})
        self.assertEqual(hidden["error"]["code"], -32602)

    def test_documents_are_resources_page_by_page(self):
        wire = Wire(self.serve(tools={KNOWLEDGE: {"autoApprove": True}}))
        wire.shake_hands()

        def document(action, id_, **more):
            return wire.ask("tools/call", {"name": KNOWLEDGE, "arguments": {
                "action": action, "documentId": id_, **more}})

        ids = ["caf\u00e9 / 100%", *(f"d{n}" for n in range(204))]
        for id_ in ids:
            document("create", id_, title="T " + id_, markdown="# " + id_)
        uris, cursor, pages = {}, {}, 0
        while True:
            page = wire.ask("resources/list", cursor)["result"]
            pages += 1
            uris |= {r["uri"]: r for r in page["resources"]
                     if r["uri"].startswith("foxwedge://documents/")}
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        self.assertEqual((len(uris), pages), (len(ids), 2))
        self.assertEqual([r["name"] for r in uris.values()], ids)
        odd = "foxwedge://documents/caf%C3%A9%20%2F%20100%25"
        self.assertEqual(uris[odd]["title"], "T " + ids[0])
        [content] = wire.ask("resources/read", {"uri": odd})["result"]["contents"]
        self.assertEqual((content["mimeType"], content["text"]), ("text/markdown", "# " + ids[0]))
        for missing in ("none", "%zz", "%", "assistant-memory-m", "x" * 300):
            gone = wire.ask("resources/read", {"uri": "foxwedge://documents/" + missing})
            self.assertEqual(gone["error"]["code"], -32602, missing)
        for cursor in ("page:x", "pages", "-1"):
            wrong = wire.ask("resources/list", {"cursor": cursor})
            self.assertEqual(wrong.get("error", {}).get("code"), -32602, cursor)
        completion = wire.ask("completion/complete", {
            "ref": {"type": "ref/resource", "uri": "foxwedge://documents/{id}"},
            "argument": {"name": "id", "value": "d20"}})["result"]["completion"]
        self.assertEqual(completion["values"], ["d20", "d200", "d201", "d202", "d203"])

    def test_a_client_hears_of_documents_that_come_change_and_go(self):
        wire = Wire(self.serve("--capability", "workflow-knowledge",
                               tools={KNOWLEDGE: {"autoApprove": True}}))
        wire.shake_hands()
        uri = "foxwedge://documents/d"
        wire.ask("resources/subscribe", {"uri": uri})
        updated = ("notifications/resources/updated", uri)
        anew = ("notifications/resources/list_changed", None)
        for action, more, heard in (("create", {"title": "T", "markdown": "x"}, [updated, anew]),
                                    ("update", {"markdown": "y"}, [updated]),
                                    ("read", {}, []), ("delete", {}, [updated, anew])):
            wire.heard.clear()
            wire.ask("tools/call", {"name": "knowledge_documents",
                                    "arguments": {"action": action, "documentId": "d", **more}})
            self.assertEqual([(note["method"], note["params"].get("uri") if "params" in note
                               else None) for note in wire.heard], heard, action)

    def test_a_gated_tool_gives_no_resources(self):
        for entry in ({}, {"approval": {"if": "args.action != 'read'"}}):
            wire = Wire(self.serve(tools={KNOWLEDGE: entry}))
            wire.shake_hands()
            self.assertEqual(wire.ask("resources/list")["result"]["resources"], [])
            read = wire.ask("resources/read", {"uri": "foxwedge://documents/d"})
            self.assertEqual(read["error"]["code"], -32602)

    def test_the_tasks_of_agents_are_prompts(self):
        wire = Wire(self.serve(agents={
            "a": {"prompt": "Look at ${input.order.id} for ${input.who}; $${input.x} stays"},
            "b": {"instructions": "has no task of its own"}}))
        wire.shake_hands()
        [prompt] = wire.ask("prompts/list")["result"]["prompts"]
        self.assertEqual([a["name"] for a in prompt["arguments"]], ["order.id", "who"])
        got = wire.ask("prompts/get", {"name": "a", "arguments": {"order.id": "7", "who": "Rey"}})
        self.assertEqual(got["result"]["messages"][0]["content"]["text"],
                         "Look at 7 for Rey; ${input.x} stays")
        self.assertEqual(wire.ask("prompts/get", {"name": "a"})["error"]["code"], -32602)

    def test_a_gate_is_put_to_a_handshake_client_that_can_be_asked(self):
        wire = Wire(self.serve(approve=True))
        wire.shake_hands({"elicitation": {}})
        asked = []

        def approve(request):
            asked.append(request)
            return {"action": "accept", "content": {"decision": "approve"}}

        result = wire.ask("tools/call", self.put(), approve)["result"]
        self.assertNotIn("isError", result)
        [request] = asked
        self.assertEqual(request["method"], "elicitation/create")
        self.assertIn(KV, request["params"]["message"])
        [run] = self.runs()
        decision = self.ok("--config", self.config_file, "show", run["id"], "--request",
                           "call:approval").out
        self.assertIn("user:" + self.os_user(), decision)

    def os_user(self):
        return subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()

    def test_a_gate_that_is_decided_elsewhere_takes_the_question_back_from_the_client(self):
        for resume in ([], ["--resume"]):
            with self.subTest(resume=resume):
                wire = Wire(self.serve(approve=True))
                wire.shake_hands({"elicitation": {}})
                wire.send({"id": "mine", "method": "tools/call", "params": self.put()})
                question = wire.next()
                self.assertEqual(question["method"], "elicitation/create")
                [gate] = self.gates()
                self.foxwedge("--config", self.config_file, "approvals", "approve", gate["id"],
                              *resume)
                note = wire.next()
                self.assertEqual(note["method"], "notifications/cancelled")
                self.assertEqual(note["params"]["requestId"], question["id"])
                ended = wire.next()
                self.assertEqual(ended["id"], "mine")
                self.assertNotIn("isError", ended["result"])
                # The answer that was under way then is of no use, and does no harm.
                wire.send({"id": question["id"], "result": {"action": "decline"}})
                self.assertEqual(wire.ask("ping")["result"], {})

    def test_a_cancelled_call_takes_its_question_back(self):
        wire = Wire(self.serve(approve=True))
        wire.shake_hands({"elicitation": {}})
        wire.send({"id": "mine", "method": "tools/call", "params": self.put()})
        question = wire.next()
        wire.send({"method": "notifications/cancelled", "params": {"requestId": "mine"}})
        note = wire.next()
        self.assertEqual((note["method"], note["params"]["requestId"]),
                         ("notifications/cancelled", question["id"]))

    def test_a_declined_gate_is_a_denial(self):
        wire = Wire(self.serve(approve=True))
        wire.shake_hands({"elicitation": {}})
        result = wire.ask("tools/call", self.put(), lambda _: {"action": "decline"})["result"]
        self.assertTrue(result["isError"])
        self.assertIn("Not approved", result["content"][0]["text"])

    def test_a_gate_ends_the_round_of_a_modern_client(self):
        wire = Wire(self.serve(approve=True))
        meta = modern({"elicitation": {}})
        first = wire.ask("tools/call", self.put(**meta))["result"]
        self.assertEqual(first["resultType"], "input_required")
        [key] = first["inputRequests"]
        again = {**self.put(**meta), "requestState": first["requestState"],
                 "inputResponses": {key: {"action": "accept", "content": {"decision": "approve"}}}}
        second = wire.ask("tools/call", again)["result"]
        self.assertEqual(second["resultType"], "complete")
        self.assertNotIn("isError", second)
        self.assertEqual(len(self.runs()), 1)
        forged = wire.ask("tools/call", {**again, "requestState": first["requestState"] + "0"})
        self.assertEqual(forged["error"]["code"], -32602)

    def test_a_second_round_may_come_to_another_process(self):
        for how in ([], ["--capability", "workflow-kv"]):
            first = self.serve(*how, approve=True)
            call = {**self.put(**modern({"elicitation": {}})), "name": how and "kv_store" or KV}
            asked = Wire(first).ask("tools/call", call)["result"]
            self.end(first)
            [key] = asked["inputRequests"]
            done = Wire(self.serve(*how, approve=True)).ask("tools/call", {
                **call, "requestState": asked["requestState"], "inputResponses": {
                    key: {"action": "accept", "content": {"decision": "approve"}}}})["result"]
            self.assertTrue(done["structuredContent"]["written"])
        key_file = self.folder / "state/foxwedge/h/mcp-seal.key"
        self.assertEqual(key_file.stat().st_mode & 0o777, 0o600)
        key_file.write_bytes(b"short")
        refused = self.serve(approve=True)
        self.assertEqual(refused.wait(timeout=60), FAULT)
        self.assertIn(str(key_file), refused.stderr.read())

    def test_a_client_that_cannot_be_asked_hears_that_the_call_waits(self):
        wire = Wire(self.serve(approve=True))
        wire.shake_hands()
        call = self.put(**{"foxwedge/idempotencyKey": "k-1"})
        waits = wire.ask("tools/call", call)["result"]
        [gate] = self.gates()
        self.assertIn(gate["id"], waits["content"][0]["text"])
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"])
        done = wire.ask("tools/call", call)["result"]
        self.assertTrue(done["structuredContent"]["written"])
        self.assertEqual(len(self.runs()), 1)

    def test_a_gated_call_outlives_its_client(self):
        process = self.serve(approve=True)
        wire = Wire(process)
        wire.shake_hands({"elicitation": {}})
        call = self.put(**{"foxwedge/idempotencyKey": "k-1"})
        wire.send({"id": 7, "method": "tools/call", "params": call})
        self.assertEqual(wire.next()["method"], "elicitation/create")
        self.end(process)
        [gate] = self.gates()
        self.assertEqual(self.runs()[0]["status"], "waiting")
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"], "--resume")
        self.assertEqual(self.runs()[0]["status"], "succeeded")
        # Whoever sends it again by its key gets the result, of whatever era he is by now.
        old = Wire(self.serve(approve=True))
        old.shake_hands({"elicitation": {}})
        for again in (old.ask("tools/call", call),
                      old.ask("tools/call", {**call, "_meta": modern(**call["_meta"])})):
            self.assertTrue(again["result"]["structuredContent"]["written"])
        self.assertEqual(len(self.runs()), 1)

    def test_what_has_neither_effect_nor_gate_leaves_no_row(self):
        plugins = self.folder / "plugins"
        plugins.mkdir()
        shutil.copy(BUILD / "tests/abi/capability-celsius.so", plugins)
        id_ = "celsius_celsius"
        call = {"name": id_, "arguments": {"fahrenheit": 212}}
        gate = {"if": "args.fahrenheit > 1000.0"}
        for flags, entry, rows in (((), {"autoApprove": True}, 0),
                                   (("--record", "all"), {"autoApprove": True}, 1),
                                   ((), {"approval": gate}, 2)):
            wire = Wire(self.serve(*flags, tools={id_: entry}, plugins={"path": [str(plugins)]}))
            wire.shake_hands()
            result = wire.ask("tools/call", call)["result"]
            self.assertEqual(result["structuredContent"], {"celsius": 100})
            self.assertEqual(len(self.runs()), rows, (flags, entry))


class HangUps(HttpServer):
    """What becomes of a call under way whose client goes: an agent that waits for a server."""

    def serve_agent(self, *flags):
        self.asked = self.folder / "asked.jsonl"
        peer = pathlib.Path(__file__).parent / "hostile_peer.py"
        return self.serve(*flags, "--workflows", agent={"mcpServers": ["peer"]},
                          turns=[calls(("peer_mark", {"text": "go"})), text("went on")],
                          mcpServers={"peer": {"command": sys.executable,
                                               "args": [str(peer), "stdio", str(self.asked)]}})

    CALL = {"name": "a", "arguments": {}, "_meta": {"progressToken": 1}}

    def under_way(self):
        self.until("the agent's call", lambda: self.asked.exists() and
                   '"tools/call"' in self.asked.read_text())

    def status(self, expected):
        self.until(f"the run is {expected}", lambda: self.runs()[0]["status"] == expected)

    def post_and_keep(self, url, message, **headers):
        return urllib.request.urlopen(urllib.request.Request(
            url, json.dumps({"jsonrpc": "2.0", **message}).encode(),
            {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
             **{name.replace("_", "-"): value for name, value in headers.items()}}), timeout=60)

    def test_over_stdio_it_is_cancelled(self):
        process = self.serve_agent()
        wire = Wire(process)
        wire.shake_hands()
        wire.send({"id": 7, "method": "tools/call", "params": self.CALL})
        self.under_way()
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), SUCCEEDED)
        self.assertEqual(self.runs()[0]["status"], "cancelled")

    def test_over_http_since_2026_07_28_it_is_cancelled(self):
        url = self.url_of(self.serve_agent("--http", "127.0.0.1:0"))
        # The answer's head comes with its first event: the client goes before that.
        host, port = url.split("/")[2].split(":")
        body = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
                           "params": {**self.CALL, "_meta": modern(progressToken=1)}})
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(
                (f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
                 "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n"
                 f"Mcp-Method: tools/call\r\nMcp-Name: a\r\nContent-Length: {len(body)}\r\n\r\n"
                 + body).encode())
            self.under_way()
        self.status("cancelled")

    def test_in_a_session_it_goes_on_and_its_answer_is_kept(self):
        url = self.url_of(self.serve_agent("--http", "127.0.0.1:0"))
        _, headers, _ = self.post(url, {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}}})
        session = {"Mcp_Session_Id": headers["Mcp-Session-Id"], "MCP_Protocol_Version": "2025-11-25"}
        self.post(url, {"method": "notifications/initialized"}, **session)
        stream = self.post_and_keep(url, {"id": 7, "method": "tools/call", "params": self.CALL},
                                    **session)
        last = ""
        for line in stream:
            if line.startswith(b"id:"):  # of the progress
                last = line[3:].strip().decode()
                break
        self.under_way()
        stream.close()
        pathlib.Path(f"{self.asked}.go").touch()
        self.status("succeeded")
        again = urllib.request.urlopen(urllib.request.Request(url, headers={
            "Accept": "text/event-stream", "Last-Event-ID": last,
            **{name.replace("_", "-"): value for name, value in session.items()}}), timeout=60)
        with again:
            for line in again:
                if line.startswith(b"data: {"):
                    answer = json.loads(line[6:])
                    if "id" in answer:
                        break
        self.assertEqual(answer["id"], 7)
        self.assertIn("went on", json.dumps(answer["result"]))


class OverHttp(HttpServer):
    def test_both_eras_on_one_endpoint(self):
        url = self.url_of(self.serve("--http", "127.0.0.1:0"))
        status, headers, body = self.post(
            url, {"id": 1, "method": "initialize",
                  "params": {"protocolVersion": "2025-11-25", "capabilities": {}}})
        self.assertEqual(status, 200)
        session = {"Mcp_Session_Id": headers["Mcp-Session-Id"]}
        self.post(url, {"method": "notifications/initialized"}, **session)
        old = json.loads(self.post(url, {"id": 2, "method": "tools/call", "params": self.put()},
                                   **session)[2])
        self.assertNotIn("isError", old["result"])
        new = self.post(url, {"id": 3, "method": "tools/call", "params": self.put(**modern())},
                        MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call", Mcp_Name=KV)
        self.assertEqual(json.loads(new[2])["result"]["resultType"], "complete")
        self.assertEqual(len(self.runs()), 2)

    def test_strangers_are_turned_away(self):
        url = self.url_of(self.serve("--http", "127.0.0.1:0", "--token", "DESK",
                                     secrets={"DESK": {"env": "DESK_TOKEN"}}))
        ping = {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
        self.assertEqual(self.post(url, ping)[0], 401)
        self.assertEqual(self.post(url, ping, Authorization="Bearer wrong")[0], 401)
        self.assertEqual(self.post(url, ping, Authorization="Bearer s3cret-of-the-desk")[0], 200)
        self.assertEqual(self.post(url, ping, Host="evil.example",
                                   Authorization="Bearer s3cret-of-the-desk")[0], 403)
        self.assertEqual(self.post(url, ping, Origin="http://evil.example",
                                   Authorization="Bearer s3cret-of-the-desk")[0], 403)

    def setUp(self):
        super().setUp()
        self.environment["DESK_TOKEN"] = "s3cret-of-the-desk"

    def test_another_address_than_loopback_needs_a_token(self):
        process = self.serve("--http", "0.0.0.0:0")
        self.assertEqual(process.wait(timeout=60), USAGE)


class Inspect(Host):
    """A server that gives away what it was told."""

    def setUp(self):
        super().setUp()

        class Talkative(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                told = self.headers["Authorization"]
                result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                          "serverInfo": {"name": "talkative", "version": told}}
                if message["method"] == "tools/list":
                    result = {"tools": [{"name": "t", "description": told,
                                         "inputSchema": {"type": "object"}}]}
                body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result})
                status = 400 if message["method"] == "server/discover" else 200
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(body.encode() if status == 200 else b"no")

            def do_GET(self):
                self.send_response(405)
                self.end_headers()

            do_DELETE = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Talkative)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.environment["DESK_TOKEN"] = "s3cret-of-the-desk"
        url = "http://127.0.0.1:%d" % self.server.server_address[1]
        self.config(turns=[], secrets={"DESK": {"env": "DESK_TOKEN", "origins": [url]}},
                    http={"allowPrivate": True},
                    mcpServers={"desk": {"url": url + "/mcp",
                                         "headers": {"Authorization": "Bearer ${secret:DESK}"}}})

    def test_a_server_is_shown_with_every_message_and_no_secret(self):
        out = self.ok("--json", "mcp", self.config_file, "--inspect", "desk").json()
        self.assertEqual(out["protocolVersion"], "2025-11-25")
        self.assertEqual([tool["name"] for tool in out["tools"]], ["t"])
        sent = [line["message"].get("method") for line in out["wire"] if line["to"] == "server"]
        self.assertEqual(sent[:2], ["server/discover", "initialize"])
        shown = self.ok("mcp", self.config_file, "--inspect", "desk")
        for text_ in (json.dumps(out["wire"]), shown.out.split("wire")[1]):
            self.assertNotIn("s3cret", text_)
        self.assertIn("handshake  2025-11-25", shown.out)

    def test_an_unknown_server_is_named(self):
        ended = self.foxwedge("mcp", self.config_file, "--inspect", "nope")
        self.assertNotEqual(ended.code, SUCCEEDED)
        self.assertIn("nope", ended.err)


if __name__ == "__main__":
    main()
