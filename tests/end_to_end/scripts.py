"""Hosts with workflow scripts, for the tests of them."""
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


class Orchestrator(Scripts):
    """An agent `a` that has the workflow tool; its scripts' agents are `a` again, another model."""

    META = {"name": "greet-all", "description": "Greets everybody."}

    def tool(self, *answers, limits=None, config=None, child=None, catalogue=None, **more):
        """The model's answers in order; children of scripts are told by their prompt, "child …"."""
        rules = [*(child or [{"when": {"user": "child"}, "answer": text("did {{user}}")}]),
                 *[{"when": {"turn": i}, "answer": one} for i, one in enumerate(answers)]]
        self.config(rules=rules, agents={"a": {"tools": ["workflow"], **more.pop("agent", {})},
                                         **more.pop("agents", {})},
                    tools={"workflow": {"autoApprove": True, **(catalogue or {})}, **more.pop("tools", {})},
                    plugins={"load": [{"id": "capability-workflow",
                                       "config": {"limits": limits or {}, **(config or {})}}]}, **more)

    def call(self, script, args=None, meta=None, name="workflow"):
        return calls((name, {"meta": meta or self.META, "script": script,
                             **({"args": args} if args is not None else {})}))

    def run_a(self, expect=SUCCEEDED):
        ended = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "please")
        self.assertEqual(ended.code, expect, ended)
        return ended.json()

    def result(self, run, turn=0):
        """The tool's recorded result in that turn."""
        [step] = [s["name"] for s in self.show(run)["steps"]
                  if s["kind"] == "tool" and f":iter:{turn}:" in s["name"]]
        value = self.recorded(run, step)
        return value.get("toolResult", value)

    def answer_to(self, script, **how):
        self.tool(self.call(script, how.pop("args", None), how.pop("meta", None)), text("{{result}}"), **how)
        out = self.run_a()
        return out["value"]["final"], self.result(out["run"]), out["run"]
