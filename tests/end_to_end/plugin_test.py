"""Plugins as an operator meets them: what lies in a folder, what a config asks of it, what is refused."""
from harness import *

import http.server
import threading

MUSEUM = pathlib.Path(os.environ["FOXWEDGE_MUSEUM"])


class Plugins(Host):
    """A host with a plugin folder of its own, which the config names."""

    def setUp(self):
        super().setUp()
        self.plugins = self.folder / "plugins"
        self.plugins.mkdir(mode=0o755)

    def put(self, exhibit, as_id=None, folder=None):
        """Drops an exhibit of the museum in, by rename as an installer does."""
        folder = folder or self.plugins
        to = folder / f"{as_id or exhibit}.so"
        fresh = to.with_suffix(".new")
        shutil.copyfile(MUSEUM / f"{exhibit}.so", fresh)
        fresh.chmod(0o644)
        fresh.rename(to)
        return to

    def host(self, load=(), tools=("unruly_fine",), **more):
        plugins = {"path": ["plugins"], **({"load": list(load)} if load else {})}
        return self.config(turns=[text("done")], plugins=plugins,
                           tools={name: {"autoApprove": True} for name in tools}, **more)

    def call(self, tool, arguments="{}", expect=SUCCEEDED):
        return self.ok("call", self.config_file, tool, arguments, expect=expect)

    def refused(self, *parts, expect=FAILED, tool="unruly_fine"):
        """A call is refused, and the message holds all the parts."""
        ended = self.call(tool, expect=expect)
        for part in parts:
            self.assertIn(str(part), ended.err)

    def rows(self):
        rows = self.ok("--json", "--config", self.config_file, "plugins", "list").json()
        return {row["path"]: row for row in rows if row["path"].startswith(str(self.folder))}


class Replaced(Plugins):
    """A plugin that is another one when a parked run goes on."""

    def parked(self, **plugins):
        self.put("shifting-1", "shifting")
        tool = "shifting_shifting-1"
        self.config(turns=[calls((tool, {})), text("done")],
                    plugins={"path": ["plugins"], **plugins}, tools={tool: {}},
                    agent={"tools": [tool]})
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        self.put("shifting-2", "shifting")
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", "approve", gate["id"])
        return run

    def changes(self, run):
        return [step["outcome"]["value"]["changes"] for step in self.show(run)["steps"]
                if step["kind"] == "plugin_changed"]

    def test_the_run_goes_on_and_has_on_record_that_the_plugin_changed(self):
        run = self.parked()
        self.ok("--config", self.config_file, "resume", run)
        [[change]] = self.changes(run)
        self.assertEqual((change["kind"], change["component"], change["was"]["version"],
                          change["now"]["version"]), ("capability", "shifting", "1", "2"))
        self.assertNotEqual(change["was"]["sha256"], change["now"]["sha256"])
        self.assertIn("shifting 1 (", self.ok("--config", self.config_file, "show", run).out)
        self.assertTrue(self.ok("--json", "--config", self.config_file, "replay", run)
                        .json()["identical"])

    def test_the_same_plugins_leave_no_record(self):
        run = self.parked()
        self.put("shifting-1", "shifting")
        self.ok("--config", self.config_file, "resume", run)
        self.assertEqual(self.changes(run), [])

    def test_strict_plugins_refuses_until_the_plugin_is_restored(self):
        run = self.parked(strictPlugins=True)
        error = self.ok("--json", "--config", self.config_file, "resume", run,
                        expect=FAULT).json()["error"]
        self.assertEqual(error["code"], "plugin_changed")
        self.assertIn("shifting 1 (", error["message"])
        self.assertNotIn(self.show(run)["status"], ("failed", "succeeded"))
        self.put("shifting-1", "shifting")
        self.ok("--config", self.config_file, "resume", run)
        self.assertEqual(self.changes(run), [])


class Strategies(Plugins):
    def test_a_plan_that_does_not_come_in_time_fails_the_run(self):
        self.put("kinds")
        self.config(turns=[text("done")], plugins={"path": ["plugins"], "load": [
            {"id": "kinds", "config": {"fault": "hangs"}}]},
                    limits={"contextPlan": "50ms", "pluginGrace": "50ms"},
                    agent={"context": {"strategy": "faulty"}})
        ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x")
        self.assertEqual(ended.code, FAILED, ended)
        error = ended.json()["error"]
        self.assertEqual(error["code"], "abandoned")
        self.assertIn("plugin kinds: plan", error["message"])


class Lock(Plugins):
    def test_with_a_lock_a_changed_and_an_added_library_are_refused_until_locked_again(self):
        shifting = self.put("shifting-1", "shifting")
        self.host(tools=("shifting_shifting-1", "shifting_shifting-2", "tame_tame-1.0.0"))
        ended = self.ok("plugins", "lock", self.config_file)
        self.assertIn("foxwedge.lock", ended.out)
        pinned = json.loads((self.folder / "foxwedge.lock").read_text())["plugins"]["shifting"]
        self.assertEqual(pinned["version"], "1")
        self.assertEqual(pinned["abi"], {"major": 1, "minMinor": 0})
        self.call("shifting_shifting-1")

        tame = self.put("tame")
        self.refused(tame, "is not in foxwedge.lock", "foxwedge plugins lock CONFIG",
                     tool="tame_tame-1.0.0")
        self.put("shifting-2", "shifting")
        self.refused(shifting, "foxwedge.lock has " + pinned["sha256"],
                     "foxwedge plugins lock CONFIG", tool="shifting_shifting-2")
        refusals = {path: row["refusal"]["code"] for path, row in self.rows().items()}
        self.assertEqual(refusals, {str(tame): "not_locked", str(shifting): "changed_since_lock"})

        self.ok("plugins", "lock", self.config_file)
        self.call("tame_tame-1.0.0")
        self.call("shifting_shifting-2")

    def test_a_damaged_lock_stops_the_host_rather_than_being_ignored(self):
        self.put("unruly")
        self.host()
        (self.folder / "foxwedge.lock").write_text('{"lockVersion": 99}')
        ended = self.foxwedge("call", self.config_file, "unruly_fine", "{}")
        self.assertNotEqual(ended.code, SUCCEEDED)
        self.assertIn("make it again: foxwedge plugins lock CONFIG", ended.err)

    def test_a_resumed_run_is_held_to_the_lock_too(self):
        self.put("unruly")
        self.host(agent={"tools": ["unruly_*"]})
        run = self.ok("--json", "run", self.config_file, "--prompt", "x", "--detach").json()["run"]
        self.ok("plugins", "lock", self.config_file)
        self.put("unruly-concurrent", "unruly")  # another library under that name
        ended = self.foxwedge("--config", self.config_file, "resume", run)
        self.assertEqual(ended.code, FAILED, ended)
        self.assertIn(str(self.plugins / "unruly.so"), ended.err)


class Loading(Plugins):
    def test_a_digest_in_the_config_is_the_only_one_accepted(self):
        self.put("unruly")
        self.host(load=[{"id": "unruly", "sha256": "0" * 64}])
        ended = self.foxwedge("run", self.config_file, "--prompt", "x")
        self.assertEqual(ended.code, USAGE, ended)
        self.assertRegex(ended.err, r"host\.json:1:\d+: /plugins/load/0/sha256: .*unruly\.so: its SHA-256 is")

    def test_a_file_that_others_may_write_is_refused_with_the_mend(self):
        path = self.put("unruly")
        self.host()
        path.chmod(0o666)
        self.refused(path, "everybody may write to the file", "chmod o-w")
        path.chmod(0o644)
        self.plugins.chmod(0o777)
        self.refused(self.plugins, "everybody may write to the folder")
        self.plugins.chmod(0o755)
        self.call("unruly_fine")

    def test_the_first_folder_wins_and_the_rest_is_listed_as_shadowed(self):
        first = self.put("shifting-1", "shifting")
        other = self.folder / "other"
        other.mkdir(mode=0o755)
        second = self.put("shifting-2", "shifting", folder=other)
        self.host(tools=("shifting_shifting-1",))
        self.environment["FOXWEDGE_PLUGIN_PATH"] = str(other)
        self.assertEqual(self.rows()[str(second)]["shadowedBy"], str(first))
        self.call("shifting_shifting-1")

    def test_a_plugin_is_inspected_by_its_file_and_by_its_id(self):
        file = self.put("unruly")
        (self.folder / "unruly").mkdir()  # as the folder of its project is called
        self.host()
        by_file = self.ok("--json", "plugins", "inspect", file).json()
        by_id = self.ok("--json", "--config", self.config_file, "plugins", "inspect", "unruly").json()
        self.assertEqual(by_id, by_file)
        shipped = self.ok("--json", "plugins", "inspect", "provider-openai").json()
        self.assertIn("baseUrl", json.dumps(shipped))
        ended = self.foxwedge("plugins", "inspect", "unruly")  # the folder alone is no plugin
        self.assertEqual(ended.code, USAGE, ended)
        self.assertIn("no plugin of that id", ended.err)

    def test_what_the_config_loads_must_be_there(self):
        self.put("unruly")
        self.host(load=["unrulli"])
        ended = self.foxwedge("config", "check", self.config_file)
        self.assertEqual(ended.code, USAGE, ended)
        self.assertRegex(ended.out, r"host\.json:1:\d+: /plugins/load/0: .*did you mean unruly\?")

    def test_what_no_plugin_has_is_told_with_the_folders_that_were_searched(self):
        elsewhere = self.folder / "elsewhere"
        self.host(provider="gone")
        ended = self.foxwedge("run", self.config_file, "--prompt", "x",
                              environment={"FOXWEDGE_PLUGIN_PATH": str(elsewhere)})
        self.assertEqual(ended.code, FAILED, ended)
        self.assertRegex(ended.err, f"called gone; searched: {self.plugins}, {elsewhere}, .*"
                                    "FOXWEDGE_PLUGIN_PATH")

    def test_what_the_config_loads_is_opened_before_the_first_run(self):
        path = self.put("open-fails")
        self.host(load=["open-fails"])
        ended = self.foxwedge("run", self.config_file, "--prompt", "x")
        self.assertEqual(ended.code, FAULT, ended)
        self.assertIn(f"{path}: the licence has run out", ended.err)


class Configuration(Plugins):
    def test_mistakes_are_told_at_their_place_in_the_file_all_at_once(self):
        self.config_file.write_text("""{
  "name": "h", "provider": "openai",
  "providers": {
    "openai": {"config": {
      "api": "chatty",
      "colour": 1
    }}
  },
  "agents": {"a": {"guardrails": [
    {"use": "limits", "config": {"maxDepth": "deep"}}
  ]}}
}""")
        for command in (["config", "check"], ["run"]):
            ended = self.foxwedge(*command, self.config_file)
            self.assertEqual(ended.code, USAGE, ended)
            told = ended.out + ended.err
            for place in ("host.json:5:7: /providers/openai/config/api: ",
                          "host.json:6:7: /providers/openai/config/colour: ",
                          "host.json:10:34: /agents/a/guardrails/0/config/maxDepth: "):
                self.assertIn(place, told)

    def test_what_no_plugin_has_is_a_warning_of_config_check(self):
        self.config(tools={"workflow-kv_kv_store": {}, "nothing_tool": {}},
                    agents={"a": {"provider": "scriptd"}, "b": {}})
        told = self.ok("config", "check", self.config_file).out
        self.assertRegex(told, r'warning: /agents/a/provider: .*did you mean "scripted"')
        self.assertRegex(told, r"warning: /tools/nothing_tool: ")
        for line in told.splitlines():
            self.assertRegex(line, f"searched: .*{BUILD}/plugins .*FOXWEDGE_PLUGIN_PATH")
        self.assertNotIn("kv_store", told)
        self.config_file.write_text('{"name": "h", "agents": {"a": {}}}')
        self.assertIn("names no provider", self.ok("config", "check", self.config_file).out)

    def test_a_file_that_a_plugin_is_given_as_text_is_looked_into(self):
        def told(script):
            self.config(providers={"scripted": {"config": {"script": script}}})
            checked = self.ok("config", "check", self.config_file, expect=USAGE).out
            self.assertRegex(checked, r"host\.json:1:\d+: /providers/scripted/config/script")
            return checked

        self.assertIn("No such file", told("${file:gone.json}"))
        answers = self.folder / "answers.json"
        for content, wrong in (('{"turns": [', "/script: must be a JSON text: line 1"),
                               ('{"turns": [{"text": "x"}, {"txt": "x"}]}', "/script/turns/1/txt: "),
                               ('{"script": "{}"}', "/script/script: ")):
            answers.write_text(content)
            self.assertIn(wrong, told("${file:answers.json}"))
        answers.write_text('{"turns": [{"text": "from a file"}]}')
        self.config(providers={"scripted": {"config": {"script": "${file:answers.json}"}}})
        self.ok("config", "check", self.config_file)
        self.assertEqual(self.ok("run", self.config_file, "--prompt", "x").out, "from a file\n")

    def test_a_config_for_a_loaded_plugin_is_checked_too(self):
        self.config(turns=[text("x")],
                    plugins={"load": [{"id": "guardrail-limits", "config": {"maxBytes": 0}}]})
        told = self.ok("config", "check", self.config_file, expect=USAGE).out
        self.assertRegex(told, r"host\.json:1:\d+: /plugins/load/0/config/maxBytes: ")

    def test_a_guardrail_is_never_isolated(self):
        self.config(turns=[text("x")],
                    plugins={"load": [{"id": "guardrail-limits", "isolation": "process"}]})
        told = self.ok("config", "check", self.config_file, expect=USAGE).out
        self.assertIn("/plugins/load/0/isolation: the plugin guardrail-limits has a "
                      "foxwedge.guardrail/1; only capabilities and providers", told)

    def test_a_secret_is_a_structured_value_and_never_text(self):
        self.config(turns=[text("x")],
                    providers={"openai": {"config": {"apiKey": "sk-as-text"}}}, provider="openai")
        told = self.ok("config", "check", self.config_file, expect=USAGE).out
        self.assertIn("/providers/openai/config/apiKey", told)
        self.assertNotIn("sk-as-text", told)
        self.config(turns=[text("x")], secrets={"K": {"env": "K", "origins": ["api.example.com"]}})
        told = self.ok("config", "check", self.config_file, expect=USAGE).out
        self.assertIn("/secrets/K/origins/0: expected scheme://host[:port]", told)
        self.config(turns=[text("x")], providers={"openai": {"config": {"query": "${secret:K}"}}})
        told = self.ok("config", "check", self.config_file, expect=USAGE).out
        self.assertIn("/providers/openai/config/query", told)

    def test_the_environment_is_named_as_the_mend_only_where_it_is_one(self):
        self.put("unruly")
        asked = {"method": "GET", "url": "http://127.0.0.1:1/", "headers": {"x-key": {"secret": "NOWHERE"}}}
        self.host(load=[{"id": "unruly", "config": {"key": {"secret": "NOWHERE"}, "at": asked["url"]}}],
                  tools=("unruly_http",))
        ended = self.foxwedge("call", self.config_file, "unruly_http", json.dumps(asked),
                              environment={"NOWHERE": "set, and of no use"})
        told = ended.out + ended.err
        self.assertIn('the secret NOWHERE is not defined: define it under "secrets"', told)


class Isolation(Plugins):
    def isolated(self, plugin, tools=(), **more):
        self.put(plugin)
        self.host(load=[{"id": plugin, "isolation": "process", **more}], tools=tools,
                  retry={"maxAttempts": 1}, limits={"pluginGrace": "20ms"})

    def tokens(self, count):
        """So many deaths does the exhibit `fragile` die."""
        for n in range(1, count + 1):
            (self.folder / f"token{n}").touch()
        return str(self.folder / "token")

    def pids(self):
        """Of the host, and of the process that ran the tool."""
        host = self.start("call", self.config_file, "unruly_pid", "{}")
        out, err = host.communicate(timeout=60)
        self.assertEqual(host.returncode, SUCCEEDED, err)
        return host.pid, int(out)

    def test_a_plugin_runs_in_a_process_of_its_own_only_where_the_config_says_so(self):
        self.isolated("unruly", tools=["unruly_pid"])
        host, tool = self.pids()
        self.assertNotEqual(host, tool)
        self.host(tools=["unruly_pid"])
        host, tool = self.pids()
        self.assertEqual(host, tool)

    def test_a_tool_whose_box_dies_is_run_again_without_being_counted(self):
        self.isolated("fragile", tools=["fragile-tools_touch"],
                      config={"dieIn": "run_tool", "tokens": self.tokens(2)})
        self.assertEqual(self.call("fragile-tools_touch").out, "whole\n")
        self.assertEqual(list(self.folder.glob("token*")), [])

    def test_a_model_whose_box_dies_is_asked_again(self):
        self.put("fragile")
        self.config(plugins={"path": ["plugins"], "load": [
            {"id": "fragile", "isolation": "process",
             "config": {"dieIn": "generate", "tokens": self.tokens(1)}}]},
            provider="fragile-model", agent={"model": "m"}, retry={"maxAttempts": 1})
        self.assertEqual(self.run_agent("--prompt", "x")["value"]["final"], "whole")

    def test_a_call_that_keeps_killing_its_box_fails_with_the_last_words(self):
        self.isolated("fragile", tools=["fragile-tools_touch"], config={"dieIn": "run_tool"})
        ended = self.call("fragile-tools_touch", expect=FAILED)
        for part in ("box_crashed", "signal 9", "dying in run_tool"):
            self.assertIn(part, ended.err)

    def test_the_store_commits_what_an_isolated_tool_wrote(self):
        self.isolated("unruly", tools=["unruly_store"])
        put = {"ops": [{"op": "put", "scope": "project", "key": "k", "value": 7}]}
        get = {"ops": [{"op": "get", "scope": "project", "key": "k"}]}
        self.call("unruly_store", json.dumps(put))
        ended = self.ok("--json", "call", self.config_file, "unruly_store", json.dumps(get))
        self.assertEqual(ended.json()["structuredContent"]["results"][0]["value"], 7)

    def test_a_call_that_never_ends_is_left_behind_and_the_host_ends_all_the_same(self):
        for load in ([], [{"id": "unruly", "isolation": "process"}]):
            self.put("unruly")
            self.host(load=load, tools=["unruly_hangs"], retry={"maxAttempts": 1},
                      limits={"pluginGrace": "20ms"})
            ended = self.call("unruly_hangs", expect=FAILED)
            self.assertIn("did not return after it was cancelled and was left behind", ended.err)


class OtherBoost(Plugins):
    """A plugin brings its own Boost, of another version than the host's."""

    def build(self):
        boost = BUILD / "boost-1.74"
        if not (boost / "complete").exists():
            why = "Boost 1.74 is not there: tests/support/boost-setup.sh BUILD"
            self.fail(why) if os.environ.get("CI") else self.skipTest(why)
        done = subprocess.run(
            ["c++", "-std=c++17", "-O0", "-shared", "-fPIC", "-fvisibility=hidden",
             "-fno-gnu-unique", "-Wl,-z,defs", f"-Wl,--version-script={SOURCE / 'abi/plugin.map'}",
             "-I", boost / "usr/include", "-I", SOURCE / "abi",
             "-pthread", SOURCE / "tests/support/museum/other_boost.cpp", "-o", self.plugins / "other-boost.so"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_works_in_process_and_isolated(self):
        self.build()
        for load in ([], [{"id": "other-boost", "isolation": "process"}]):
            self.host(load=load, tools=["other-boost_post"])
            self.assertEqual(self.call("other-boost_post").out, "1_74: 100\n")


class Model(http.server.BaseHTTPRequestHandler):
    """Answers one turn of a chat; as a proxy, too."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.server.asked.append((self.path, self.headers.get("authorization")))
        chunk = {"id": "c", "object": "chat.completion.chunk", "model": "m", "created": 1,
                 "choices": [{"index": 0, "delta": {"content": "hello"}, "finish_reason": "stop"}]}
        body = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Egress(Plugins):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
        self.server.asked = []
        self.addCleanup(self.server.server_close)
        self.port = self.server.server_port
        self.environment["MODEL_KEY"] = "sk-model-0123456789"

    def serve(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.shutdown)

    def ask(self, base, expect=SUCCEEDED, origins=None, **http_config):
        self.config(agent={"provider": "openai", "model": "m"},
                    providers={"openai": {"config": {"baseUrl": base,
                                                     "apiKey": {"secret": "MODEL"}}}},
                    secrets={"MODEL": {"env": "MODEL_KEY", "origins": origins or [base]}},
                    http=http_config)
        ended = self.ok("run", self.config_file, "--prompt", "x", expect=expect)
        self.assertNotIn("sk-model", ended.out + ended.err)
        return ended

    def test_a_secret_leaves_this_machine_over_plain_http_only_where_the_config_says_so(self):
        self.serve()
        proxy = f"http://127.0.0.1:{self.port}"
        ended = self.ask("http://models.test/v1", expect=FAILED, proxy=proxy)
        self.assertIn("set http.secretsOverHttp", ended.err)
        self.assertEqual(self.server.asked, [])
        self.assertIn("hello", self.ask("http://models.test/v1", proxy=proxy, secretsOverHttp=True).out)
        self.assertEqual(self.server.asked, [("http://models.test/v1/chat/completions",
                                              "Bearer sk-model-0123456789")])

    def test_a_secret_goes_to_the_origins_that_it_lists_however_they_are_written(self):
        self.serve()
        base = f"http://127.0.0.1:{self.port}"
        ended = self.ask(base, expect=FAILED, origins=["https://models.test"])
        self.assertIn("add that origin to the secret's", ended.err)
        self.assertEqual(self.server.asked, [])
        self.assertIn("hello", self.ask(base, origins=[f"HTTP://127.0.0.1:{self.port}/"]).out)

    def test_what_goes_round_the_proxy_is_still_judged(self):
        self.serve()
        base = f"http://127.0.0.1:{self.port}"
        nowhere = "http://127.0.0.1:1"
        self.assertIn("hello", self.ask(base, proxy=nowhere, noProxy=["127.0.0.1"]).out)
        self.assertEqual(len(self.server.asked), 1)
        # A tool's own request, to an address that no configuration opened to it.
        self.put("unruly")
        self.host(tools=("unruly_http",), http={"proxy": nowhere, "noProxy": ["localtest.test"]})
        for url in ("http://127.0.0.1:1/", "http://2130706433/", "http://169.254.169.254/"):
            ended = self.call("unruly_http", json.dumps({"url": url}), expect=FAILED)
            self.assertRegex(ended.out, "is refused: .* is (this machine|a cloud's credential service)")

    def test_the_allow_list_closes_everything_else(self):
        self.put("unruly")
        self.host(tools=("unruly_http",), http={"allow": ["api.example.com"]})
        ended = self.call("unruly_http", '{"url": "https://other.example.com/"}', expect=FAILED)
        self.assertIn("http.allow does not name it", ended.out + ended.err)

    def test_a_certificate_authority_of_ones_own_is_trusted_where_the_config_names_it(self):
        if not shutil.which("openssl"):
            self.skipTest("no openssl program to make a certificate with")
        import ssl
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem", "-out",
                        "ca.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost"], cwd=self.folder, check=True,
                       capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "ca.pem", self.folder / "key.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.serve()
        base = f"https://localhost:{self.port}"
        self.assertIn("tls_failed", self.ask(base, expect=FAILED).err)
        self.assertIn("hello", self.ask(base, caFile="ca.pem").out)


if __name__ == "__main__":
    main()
