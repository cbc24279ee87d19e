"""Config files of strangers: every mistake is told with its place, none costs more than it should."""
from harness import *

import socket


class OddConfig(Host):
    def check(self, content, expect=USAGE, **how):
        self.config_file.write_bytes(content if isinstance(content, bytes) else content.encode())
        ended = self.foxwedge("config", "check", self.config_file, **how)
        self.assertEqual(ended.code, expect, ended)
        return ended.out + ended.err

    def small(self, **more):
        return json.dumps({"name": "h", "provider": "scripted", "agents": {"a": {}}, **more})

    def write(self, name, content):
        (self.folder / name).write_text(content)

    def test_a_byte_order_mark_is_no_mistake_and_utf_16_is_named(self):
        self.check(b"\xef\xbb\xbf" + self.small().encode(), expect=SUCCEEDED)
        self.assertIn("UTF-16", self.check(self.small().encode("utf-16")))

    def test_what_include_holds_is_checked(self):
        for wrong, where in (('"a.json"', "/include: expected a list"),
                             ("[1]", "/include/0: expected the name of a file"),
                             ("[null]", "/include/0"), ('[""]', "/include/0")):
            out = self.check(f'{{"name": "h",\n "include": {wrong}}}')
            self.assertIn(where, out)
            self.assertIn("host.json:2:", out)

    def test_a_value_of_another_kind_is_named_as_json_names_it(self):
        for wrong, told in (({"provider": ["x"]}, "expected a string, found an array"),
                            ({"agents": {"a": {"tools": "x"}}}, "expected an array, found a string"),
                            ({"agents": {"a": {"instructions": None}}}, "found null")):
            with self.subTest(wrong):
                self.assertIn(told, self.check(self.small(**wrong)))

    def problems(self, **agent):
        """What `config check` tells of an agent: pointer → message, warnings too."""
        self.config(turns=[text("x")], agents={"a": agent, "b": {}})
        ended = self.foxwedge("config", "check", self.config_file)
        told = re.findall(r"host\.json:\d+:\d+: (?:warning: )?(/\S*): (.*)", ended.out + ended.err)
        return ended.code, dict(told)

    def test_what_an_agent_names_or_says_wrongly_is_told_before_any_run(self):
        tool = {"name": "t", "workflow": "b"}
        for agent, code, pointer, words in (
                ({"tools": [tool, tool]}, USAGE, "/agents/a/tools/1", "before this one"),
                ({"tools": [{"name": "t", "workflow": "bb"}]}, SUCCEEDED,
                 "/agents/a/tools/0/workflow", 'did you mean "b"'),
                ({"prompt": [{"role": "user", "content": 5}]}, USAGE, "/agents/a/prompt", "content"),
                ({"globalMemory": True}, USAGE, "/agents/a/globalMemory", "not declared"),
                ({"context": {"strategy": "count", "keeplast": 2}}, USAGE,
                 "/agents/a/context/keeplast", ""),
                ({"context": {"strategy": "summarize", "trigger": "x"}}, USAGE,
                 "/agents/a/context/trigger", "number"),
                ({"context": {"strategy": "cuont"}}, SUCCEEDED, "/agents/a/context/strategy",
                 'did you mean "count"'),
                ({"guardrails": ["shema"]}, SUCCEEDED, "/agents/a/guardrails/0",
                 'did you mean "schema"')):
            with self.subTest(pointer):
                ended, told = self.problems(**agent)
                self.assertEqual(ended, code, told)
                self.assertIn(pointer, told)
                self.assertIn(words, told[pointer])

    def test_memory_without_a_store_is_a_mistake_of_the_config(self):
        self.environment["FOXWEDGE_PLUGIN_PATH"] = ""
        program = shutil.copy2(FOXWEDGE, self.folder)  # finds no plugins beside itself
        self.config(turns=[text("x")], agent={"globalMemory": True},
                    tools={"workflow-memory_global_memory": {}})
        done = subprocess.run([program, "config", "check", self.config_file], env=self.environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, USAGE, done.stdout + done.stderr)
        self.assertIn("/agents/a/globalMemory: no plugin on the path has workflow-memory",
                      done.stdout + done.stderr)

    def test_includes_that_double_at_each_step_end_early(self):
        for n in range(30):
            self.write(f"d{n}.json", json.dumps({"include": [f"d{n + 1}.json"] * 2}))
        self.write("d30.json", "{}")
        out = self.check(self.small(include=["d0.json"]), timeout=20)
        self.assertIn("more than 1000 files", out)

    def test_a_long_chain_of_includes_ends_early(self):
        for n in range(100):
            self.write(f"c{n}.json", json.dumps({"include": [f"c{n + 1}.json"]}))
        self.assertIn("nest more than", self.check(self.small(include=["c0.json"])))

    def test_many_members_on_one_line_cost_no_more_than_on_many(self):
        many = {f"p{i}": {"use": "scripted"} for i in range(100_000)}
        self.check(self.small(providers=many), expect=SUCCEEDED, timeout=240)

    def test_a_file_without_end_is_refused_and_its_size_named(self):
        with open(self.folder / "endless", "wb") as file:
            file.truncate(1 << 40)
        for content in (self.small(include=["endless"]),
                        self.small(agents={"a": {"prompt": "${file:endless}"}})):
            self.assertIn("larger than", self.check(content, timeout=20))
        self.assertIn("larger than", self.check(self.small(x="y" * 50_000_000)))

    def pipe(self, name):
        """One that nobody ever writes to: whoever reads it waits for ever."""
        os.mkfifo(self.folder / name)
        return str(self.folder / name)

    def test_what_a_config_names_is_a_regular_file_or_refused_at_once(self):
        pipe = self.pipe("pipe")
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(self.folder / "socket"))
        for name, what in ((pipe, "a pipe"), ("/dev/zero", "a device"), ("socket", "a socket")):
            for content in (self.small(include=[name]),
                            self.small(agents={"a": {"prompt": f"${{file:{name}}}"}}),
                            self.small(http={"caFile": name})):
                with self.subTest(content):
                    out = self.check(content, timeout=20)
                    self.assertIn("host.json:1:" if "include" not in content else name, out)
                    self.assertIn(f"it is {what}, and has to be a regular file", out)

    def test_a_secret_an_app_and_the_lock_are_regular_files_too(self):
        pipe = self.pipe("pipe")
        self.config(agent={"provider": "openai", "model": "m"}, secrets={"K": {"file": pipe}},
                    providers={"openai": {"config": {"baseUrl": "http://127.0.0.1:9",
                                                     "apiKey": {"secret": "K"}}}})
        told = self.ok("run", self.config_file, "--prompt", "x", expect=FAILED, timeout=20).err
        self.assertIn("it is a pipe", told)
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("{{result}}")},
                           {"answer": calls(("ask", {}))}],
                    apps={"shop": {"config": pipe}},
                    agent={"tools": [{"name": "ask", "workflow": "w", "app": "shop"}]})
        told = self.foxwedge("run", self.config_file, "--prompt", "x", timeout=20)
        self.assertIn("it is a pipe", told.out + told.err)
        self.pipe("foxwedge.lock")
        told = self.ok("config", "check", self.config_file, expect=USAGE, timeout=20)
        self.assertIn("it is a pipe", told.out + told.err)

    def test_a_config_may_come_through_a_pipe(self):
        ended = subprocess.run(["bash", "-c", '"$0" config check <(printf %s "$1")', str(FOXWEDGE),
                                self.small()], capture_output=True, text=True, timeout=20,
                               env=self.environment, cwd=self.folder)
        self.assertEqual(ended.returncode, SUCCEEDED, ended)

    def test_what_is_no_text_is_not_put_into_a_text(self):
        (self.folder / "bytes").write_bytes(b"\xff\xfe\x00")
        (self.folder / "bytes2").write_bytes(b"a\xff")
        for form in ("${file:bytes}", "${file:bytes2}", "${env:BAD}"):
            out = self.check(self.small(agents={"a": {"prompt": form}}),
                             environment={"BAD": "\udcff"})
            self.assertIn("/agents/a/prompt", out)
            self.assertIn("UTF-", out)

    def test_a_reason_is_given_for_a_file_that_cannot_be_read(self):
        self.assertIn("No such file", self.check(self.small(include=["gone.json"])))
        self.assertIn("is a folder", self.check(self.small(include=["."])))

    def test_a_host_name_leads_out_of_no_folder(self):
        for name in ("../../x", "a/b", "..", ".", "a\u0000b", "a\nb", "n" * 300):
            self.assertIn("/name: must be able to name a folder",
                          self.check(json.dumps({"name": name, "agents": {}})))


if __name__ == "__main__":
    main()
