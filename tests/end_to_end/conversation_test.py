"""A conversation: whose data it is, and that it is no more than that."""
from capability_test import EVERYTHING, KV, Capabilities
from harness import calls, main, text


class Conversation(Capabilities):
    def test_the_roots_conversation_is_its_childrens(self):
        keep = {"action": "set", "scope": "conversation", "key": "k", "value": "the child's"}
        self.config(rules=[{"when": {"model": "child", "afterTool": True}, "answer": text("kept")},
                           {"when": {"model": "child"}, "answer": calls((KV, keep))},
                           {"when": {"afterTool": True}, "answer": text("done")},
                           {"answer": calls(("helper", {"prompt": "x"}))}],
                    agents={"a": {"tools": [{"name": "helper", "workflow": "b"}]},
                            "b": {"model": "child", "tools": [KV]}}, tools=EVERYTHING)
        run = self.run_agent("a", "--prompt", "x")["run"]
        get = {"action": "get", "scope": "conversation", "key": "k"}
        self.assertEqual(self.done(KV, "--conversation", run, **get)["value"], "the child's")
        [child] = [r["id"] for r in self.runs() if r.get("parent") == run]
        for other in (("--conversation", child), ()):
            self.assertFalse(self.done(KV, *other, **get)["found"])

    def test_runs_of_one_conversation_share_data_and_no_messages(self):
        here = ("--conversation", "c")
        turns = [calls((KV, {"action": "set", "scope": "conversation", "key": "k", "value": 7})),
                 text("the first run's words")]
        self.config(turns, agent={"tools": [KV]}, tools=EVERYTHING)
        self.run_agent("--prompt", "the first prompt", *here)
        turns = [calls((KV, {"action": "get", "scope": "conversation", "key": "k"})),
                 text("{{result:/value}}")]
        self.config(turns, agent={"tools": [KV]}, tools=EVERYTHING)
        out = self.run_agent("--prompt", "the second prompt", *here)
        self.assertEqual(out["value"]["final"], "7")
        seen = self.ok("--config", self.config_file, "journal", "export").out
        asked = [line for line in seen.splitlines() if out["run"] in line]
        self.assertIn("the second prompt", "".join(asked))
        self.assertNotIn("the first", "".join(asked))


if __name__ == "__main__":
    main()
