"""The host bridge: a real server on loopback, and everything that may be wrong with it."""
import getpass
import http.server
import json
import threading

from harness import FAILED, SUCCEEDED, WAITING, Host, calls, main, text

TOOL = "workflow-host_host_configuration"
TOKEN = "bridge-token-0123456789"
PAIR = "STEAMHARNESS_DEVELOPER_ASSISTANT_HOST_BRIDGE"
SAVE = {"action": "manage_configurations", "storage": "local", "projectId": "p",
        "configurationId": "c", "revision": 1, "values": {"title": "Roadmap"}}


class Bridge:
    """A server that answers as it is told and remembers who came."""

    def __init__(self, test, answer):
        self.seen = []
        self.closing = threading.Event()
        bridge = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                bridge.seen.append((self.path, self.headers.get("authorization"), body))
                answer(bridge, self, body)

            do_GET = do_POST

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/bridge"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        test.addCleanup(self.close)

    def close(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()


def say(handler, status, value, headers=()):
    data = json.dumps(value).encode()
    handler.send_response(status)
    for name, word in headers:
        handler.send_header(name, word)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def good(bridge, handler, body):
    if handler.headers.get("authorization") != "Bearer " + TOKEN:
        return say(handler, 401, {"message": "who are you?"})
    say(handler, 200, {"asked": json.loads(body)["action"], "echo": TOKEN})


class HostConfiguration(Host):
    def setUp(self):
        super().setUp()
        self.config([calls((TOOL, {"action": "get_configurations"})), text("done")],
                    agent={"tools": [TOOL]}, tools={TOOL: {"autoApprove": True}})

    def call(self, arguments, url=None, token=TOKEN, pair=PAIR, expect=SUCCEEDED):
        injected = {}
        if url is not None:
            injected[pair + "_URL"] = url
        if token is not None:
            injected[pair + "_TOKEN"] = token
        ended = self.foxwedge("--json", "call", self.config_file, TOOL, json.dumps(arguments),
                              environment=injected)
        self.assertEqual(ended.code, expect, ended)
        self.assertNotIn(TOKEN, ended.out + ended.err)
        return json.loads(ended.out) if expect != WAITING else None

    def code(self, arguments, **how):
        return self.call(arguments, expect=FAILED, **how)["details"]["code"]

    def test_a_good_bridge_answers_and_its_token_is_masked(self):
        bridge = Bridge(self, good)
        for pair in (PAIR, "FOXWEDGE_HOST_BRIDGE"):
            result = self.call({"action": "get_configurations"}, url=bridge.url, pair=pair)
            self.assertEqual(result["structuredContent"]["asked"], "get_configurations")
        self.call(SAVE, url=bridge.url)
        path, authorization, body = bridge.seen[-1]
        self.assertEqual(path, "/bridge")
        self.assertEqual(authorization, "Bearer " + TOKEN)
        self.assertEqual(json.loads(body)["arguments"],
                         {k: v for k, v in SAVE.items() if k != "action"})
        self.assertEqual(json.loads(body)["context"]["project"], "h")

    def test_the_bridge_is_told_for_whom_it_is_asked(self):
        bridge = Bridge(self, good)
        injected = {PAIR + "_URL": bridge.url, PAIR + "_TOKEN": TOKEN}
        asked = json.dumps({"action": "get_configurations"})
        for options, conversation, user in ((("--conversation", "c", "--user", "ada"), "c", "ada"),
                                            ((), None, getpass.getuser())):
            self.ok("call", self.config_file, TOOL, asked, *options, environment=injected)
            context = json.loads(bridge.seen[-1][2])["context"]
            run = self.runs("--limit", "1")[0]["id"]
            self.assertEqual(context, {"project": "h", "conversation": conversation or run,
                                       "run": run, "agent": "call", "user": user})

    def test_a_proxy_never_sees_the_token(self):
        bridge, proxy = Bridge(self, good), Bridge(self, good)
        self.config([text("done")], tools={TOOL: {"autoApprove": True}},
                    http={"proxy": proxy.url.removesuffix("/bridge")})
        self.call({"action": "get_configurations"}, url=bridge.url)
        self.assertEqual(proxy.seen, [])

    def test_a_wrong_token_is_denied(self):
        bridge = Bridge(self, good)
        self.assertEqual(self.code(SAVE, url=bridge.url, token="another-token-99"), "denied")

    def test_a_missing_variable_is_named_and_nothing_is_connected(self):
        bridge = Bridge(self, good)
        for how, missing in (({"url": bridge.url, "token": None}, PAIR + "_TOKEN"),
                             ({"url": None}, PAIR + "_URL"), ({"url": None, "token": None}, PAIR)):
            result = self.call(SAVE, expect=FAILED, **how)
            self.assertEqual(result["details"]["code"], "unavailable")
            self.assertIn(missing, json.dumps(result["content"]))
        self.assertEqual(bridge.seen, [])

    def test_an_unfit_address_is_never_dialled(self):
        bridge = Bridge(self, good)
        for url in (bridge.url.replace("127.0.0.1", "localhost"), bridge.url + "?x=1",
                    bridge.url.replace("http://", "http://u:p@"), "https://127.0.0.1:1"):
            self.assertEqual(self.code(SAVE, url=url), "unavailable", url)
        self.assertEqual(bridge.seen, [])

    def test_a_redirect_is_no_answer_and_the_token_stays(self):
        other = Bridge(self, good)

        def elsewhere(bridge, handler, body):
            if handler.path == "/bridge":
                say(handler, 307, {}, [("location", target[0])])
            else:
                good(bridge, handler, body)

        bridge = Bridge(self, elsewhere)
        for target in ([other.url], [bridge.url + "/next"]):
            self.assertEqual(self.code(SAVE, url=bridge.url), "unavailable")
        self.assertEqual(other.seen, [])
        self.assertEqual({path for path, _, _ in bridge.seen}, {"/bridge"})

    def test_each_answer_has_its_code(self):
        status = [200]
        bridge = Bridge(self, lambda b, handler, body: say(handler, status[0], {"message": "no"}))
        for status[0], code in ((403, "denied"), (404, "not_found"), (409, "conflict"),
                                (422, "input_validation"), (500, "unavailable")):
            self.assertEqual(self.code({"action": "get_configurations"}, url=bridge.url), code)

    def test_a_connection_that_is_lost_leaves_a_save_in_doubt(self):
        def hang_up(bridge, handler, body):
            handler.connection.close()

        bridge = Bridge(self, hang_up)
        self.assertEqual(self.code({"action": "get_configurations"}, url=bridge.url), "unavailable")
        self.call(SAVE, url=bridge.url, expect=WAITING)  # a person is asked whether it happened
        self.assertEqual(self.gates()[0]["kind"], "unknown")

    def test_a_silent_bridge_is_given_up(self):
        bridge = Bridge(self, lambda b, handler, body: b.closing.wait(60))
        self.assertEqual(self.code({"action": "get_configurations"}, url=bridge.url), "unavailable")

    def test_an_agent_is_not_offered_what_is_not_there(self):
        ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x")
        self.assertEqual(ended.code, SUCCEEDED, ended)
        run = ended.json()["run"]
        table = self.recorded(run, "a:tools")
        self.assertEqual(table["tools"], [])
        self.assertIn(PAIR, json.dumps(table["dropped"]))


if __name__ == "__main__":
    main()
