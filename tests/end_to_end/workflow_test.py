"""Scripts as workflows: of the configuration, and written by a model through the workflow tool."""
from harness import *


class Scripts(Host):
    """A host with one workflow `w` that is a script; its agents are called `b`."""

    CHILD = [{"when": {"model": "child"}, "answer": text("did {{user}}")}]

    def script(self, source, rules=None, limits=None, load=None, workflows=None, child=None, **more):
        (self.folder / "w.js").write_text(source)
        self.config(rules=[*(rules if rules is not None else self.CHILD)],
                    agents={"b": {"model": "child", **(child or {})}, **more.pop("agents", {})},
                    workflows={"w": {"script": "${file:w.js}", "agent": "b"}, **(workflows or {})},
                    plugins={"load": [load or {"id": "capability-workflow",
                                               "config": {"limits": limits or {}}}]}, **more)

    def run_w(self, input=None, expect=SUCCEEDED):
        more = ["--input", json.dumps(input)] if input is not None else []
        ended = self.foxwedge("--json", "run", self.config_file, "w", *more)
        self.assertEqual(ended.code, expect, ended)
        return ended.json()

    def value(self, source, input=None, **how):
        self.script(source, **how)
        return self.run_w(input)["value"]["final"]

    def fails(self, source, code, words="", **how):
        self.script(source, **how)
        error = self.run_w(expect=FAILED)["error"]
        self.assertEqual(error["code"], code, error)
        self.assertIn(words, error["message"])
        return error

    def children(self, run):
        return [r for r in self.runs() if r.get("parent") == run]


class FromTheConfiguration(Scripts):
    def test_a_script_asks_an_agent_and_returns_its_answer(self):
        self.script('return { answer: await agent("go " + args.where) };')
        out = self.run_w({"where": "home"})
        self.assertEqual(out["value"]["final"], {"answer": "did go home"})
        self.assertEqual(out["value"]["agentsStarted"], 1)
        self.assertEqual(len(self.children(out["run"])), 1)
        self.assertTrue(self.ok("--json", "replay", out["run"]).json()["identical"])

    def test_values_come_in_the_order_of_the_items(self):
        source = """
            phase("Fan out");
            const first = await parallel([3, 2, 1].map((n) => () => agent("p" + n, { label: "n" + n })));
            const second = await pipeline(["x", "y"],
                (item) => agent(item), (previous, item, i) => `${previous}/${item}/${i}`);
            log("all in");
            return [first, second];"""
        self.assertEqual(self.value(source), [["did p3", "did p2", "did p1"],
                                              ["did x/x/0", "did y/y/1"]])

    def test_an_agent_that_fails_gives_null_and_one_with_a_schema_its_object(self):
        rules = [{"when": {"model": "child", "user": "bad"},
                  "answer": {"error": {"status": "invalid", "code": "refusal", "message": "no"}}},
                 {"when": {"model": "child", "output": True}, "answer": {"output": {"n": 7}}},
                 *self.CHILD]
        source = """
            const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
            return [await agent("bad"), await agent("count", { schema }), await agent("good")];"""
        self.assertEqual(self.value(source, rules=rules), [None, {"n": 7}, "did good"])

    def test_a_mistake_in_the_script_is_told_with_its_line(self):
        error = self.fails("const a = 1;\nlet b = ;\nreturn a;", "SCRIPT_PARSE", "SyntaxError")
        self.assertIn("line 2", error["message"])
        error = self.fails("const a = 1;\nreturn a.b.c;", "SCRIPT_ERROR", "TypeError")
        self.assertIn("line 2, column", error["message"])

    def test_misuse_ends_the_script_whatever_it_catches(self):
        source = 'await parallel([async () => { try { await agent("x", { colour: 1 }); } catch {} }]); return 1;'
        self.fails(source, "UNSUPPORTED_OPTION", 'no option "colour"')


if __name__ == "__main__":
    main()
