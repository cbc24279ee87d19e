"""Killed with SIGKILL at every commit of its journal, in every command, an agent's run ends the same."""
from harness import *

KILL_AT = os.environ["FOXWEDGE_KILL_AT"]
KV = "workflow-kv_kv_store"
TALLY = "words_tally"
KILLED = -signal.SIGKILL


def counted(word="n"):
    return (TALLY, {"word": word})


def rule(placement, action, condition="true", **more):
    return {"use": "rule", "name": f"{placement}-{action}", "placements": [placement],
            "config": {"rules": [{"if": condition, "action": action, **more}]}}


class KillMatrix(Host):
    """A scenario is a run with a start key and what people answer; it is driven by commands to its
    end. The matrix drives it again for each commit of each of these commands, dying there."""

    def host(self, gated=False, **config):
        folder = self.folder / "plugins"
        folder.mkdir(exist_ok=True)
        shutil.copy(BUILD / "tests/abi/capability-words.so", folder)
        self.config(plugins={"path": [str(folder)]}, tools={TALLY: {"autoApprove": not gated}},
                    **config)

    def command(self, *args):
        """One command; it may be the one that dies."""
        dying = {}
        if len(self.commands) == self.dying[0]:
            dying = {"LD_PRELOAD": KILL_AT, "KILL_AT": str(self.dying[1])}
        self.commands.append(args)
        ended = self.foxwedge("--json", "--config", self.config_file, *args, environment=dying)
        self.died = self.died or ended.code == KILLED
        return ended

    def drive(self, begin, ends, answers):
        """Runs commands until the run has ended; its id."""
        ended = self.command(*begin)
        while True:
            run = self.newest_run()
            if run is None or run["id"] == self.origin:
                self.assertEqual(ended.code, KILLED, ended)
                ended = self.command(*begin)
                continue
            if ended.code in ends:
                return run["id"]
            self.assertIn(ended.code, (KILLED, WAITING), ended)
            gates = self.gates()
            if gates:
                word, *more = answers(gates[0])
                self.command("approvals", word, gates[0]["id"], *more)
            ended = self.command("resume", run["id"])

    def newest_run(self):
        rows = self.runs()
        return rows[0] if rows else None

    def outcome(self, run):
        """What must be the same: the result, and each step's value, once."""
        shown = self.show(run)
        steps = {}
        for step in shown["steps"]:
            self.assertEqual(step["generation"], 0, step["name"])
            self.assertNotIn(step["name"], steps)
            # Who decided and when differs.
            steps[step["name"]] = None if step["kind"] == "gate" else step.get("outcome")
        return {"status": shown["status"], "result": shown.get("result"), "steps": steps}

    def matrix(self, shows, begin=None, ends=(SUCCEEDED, OTHER_STOP), answers=None, before=None,
               least=10):
        """Every commit of every command. `shows`: what the name of some step ends in, so that the
        scenario is the one that is meant. `before` prepares what it starts from."""
        begin = begin or ("run", str(self.config_file), "--prompt", "x", "--key", "k")
        answers = answers or (lambda gate: ("approve",))
        reference = self.once((-1, 0), begin, ends, answers, before)
        self.assertTrue([name for name in reference["steps"] if name.endswith(shows)], reference)
        commands = len(self.commands)
        kills = 0
        for nth in range(commands):
            for point in range(1, 200):
                with self.subTest(command=" ".join(self.commands[min(nth, len(self.commands) - 1)]),
                                  point=point):
                    self.assertEqual(self.once((nth, point), begin, ends, answers, before),
                                     reference)
                if not self.died:
                    break
                kills += 1
        self.assertGreaterEqual(kills, least)

    def once(self, dying, begin, ends, answers, before):
        shutil.rmtree(self.folder / "state", ignore_errors=True)
        self.dying, self.commands, self.died = (-1, 0), [], False
        self.origin = None
        if before:
            begin = before(begin)
        self.dying, self.commands, self.died = dying, [], False
        run = self.drive(begin, ends, answers)
        outcome = self.outcome(run)
        replay = self.ok("--json", "--config", self.config_file, "replay", run).json()
        self.assertTrue(replay["identical"], replay)
        outcome["tally"] = self.ok("--json", "call", self.config_file, TALLY, '{"word": "n"}').json() \
            if json.loads(self.config_file.read_text())["tools"][TALLY]["autoApprove"] else None
        text = json.dumps(outcome).replace(run, "RUN")
        return json.loads(text.replace(self.origin, "ORIGIN") if self.origin else text)

    # ---- the scenarios

    def test_a_gate_that_is_edited(self):
        self.host(gated=True, turns=[calls(counted("n"), counted("m")), text("{{result}}")],
                  agent={"tools": [TALLY]})
        self.matrix(":approval", answers=lambda gate: ("edit", '{"word": "edited"}')
                    if gate["about"]["arguments"]["word"] == "n" else ("reject",))

    def test_the_gate_of_a_result(self):
        self.host(turns=[calls(counted()), text("{{result}}")],
                  agent={"tools": [TALLY], "guardrails": [rule("tool-result", "require-approval")]})
        self.matrix(":result:approval", answers=lambda gate: ("respond", '"another"'))

    def test_verdicts_of_guardrails_at_every_placement(self):
        self.host(turns=[calls(counted("bad"), counted()), text("rude"), text("kind")],
                  agent={"tools": [TALLY], "guardrails": [
                      rule("input", "allow"), rule("tool-args", "deny", "args.word == 'bad'"),
                      {"use": "limits", "placements": ["tool-result"],
                       "config": {"action": "cut", "maxTextBytes": 8}},
                      rule("output", "deny", "content[0].text == 'rude'", message="be kind")]})
        self.matrix(":result:guardrail:2-limits")

    def test_a_budget_that_runs_out(self):
        self.host(turns=[calls(counted()), calls(counted()), calls(counted()), text("done")],
                  agent={"tools": [TALLY], "budget": {"toolCalls": 2}})
        self.matrix("a:iter:2:tool:call_2_0")

    def test_a_summary(self):
        self.host(rules=[{"when": {"system": "Summarise"}, "answer": text("short notes")},
                         {"when": {"user": "short notes"}, "answer": text("done")},
                         {"answer": calls(counted(), text="many words " * 800)}],
                  agent={"tools": [TALLY], "context": {
                      "strategy": "summarize", "trigger": 500, "keepLast": 1}})
        self.matrix("a:iter:2:context")

    def test_an_answer_that_is_repaired(self):
        self.host(turns=[calls(counted()), {"output": {"n": "one"}}, {"output": {"n": 1}}],
                  agent={"tools": [TALLY], "output": {
                      "type": "object", "properties": {"n": {"type": "integer"}},
                      "required": ["n"]}})
        self.matrix("a:iter:1:repair:0")

    def test_a_fork(self):
        self.host(turns=[calls(counted()), calls(counted()), text("{{result}}")],
                  agent={"tools": [TALLY]})

        def forked(begin):
            self.command(*begin)
            self.origin = self.newest_run()["id"]
            return "fork", self.origin, "--at", "a:iter:1"

        self.matrix("fork:0", before=forked)


if __name__ == "__main__":
    main()
