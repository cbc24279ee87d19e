"""Scripts and crashes: whatever is killed, and when, the same value comes out and nothing is paid
twice."""
from scripts import *

KILL_AT = os.environ["FOXWEDGE_KILL_AT"]
KILLED = -signal.SIGKILL
REFUND = ("orders_refund_order", {"orderId": "A-1001", "amount": 5})


class Durable(Scripts):
    # 120 agents side by side, 40 items through two stages, four of which need a person.
    SOURCE = """
        phase("Wide");
        const wide = await parallel(Array.from({ length: 120 }, (_, i) => () => agent("wide " + i)));
        phase("Deep");
        const deep = await pipeline(Array.from({ length: 40 }, (_, i) => i),
          (n) => agent((n % 10 === 3 ? "pay " : "one ") + n),
          (previous, n) => agent(previous + "; two " + n));
        return { wide: wide.filter((w, i) => w === "did wide " + i).length, deep };"""
    CHILDREN = 200
    unknown = 0

    def expected(self):
        first = lambda n: "paid" if n % 10 == 3 else f"did one {n}"
        return {"wide": 120, "deep": [f"did {first(n)}; two {n}" for n in range(40)]}

    def write(self):
        rules = [{"when": {"user": "pay", "afterTool": True, "turn": 1}, "answer": text("paid")},
                 {"when": {"user": "pay", "turn": 0}, "answer": calls(REFUND)},
                 {"when": {"model": "child"}, "answer": text("did {{user}}")}]
        # A prompt of a second stage holds the first one's words: it must not look like "pay".
        rules[0]["when"]["user"] = rules[1]["when"]["user"] = "pay "
        self.script(self.SOURCE, rules=rules, orders=True, limits={"concurrency": 16},
                    child={"mcpServers": ["orders"], "approval": {}})

    def answer(self, gate):
        """Approves; where a kill left open whether a refund was made, the ledger tells."""
        words = ["approve", gate["id"]]
        if gate["kind"] == "unknown":
            order = gate["about"]["arguments"]["orderId"]
            done = [entry for entry in self.ledger() if order in json.dumps(entry)]
            words = ["use", gate["id"], '"refunded"'] if done else ["again", gate["id"]]
            self.unknown += 1
        self.foxwedge("--config", self.config_file, "approvals", *words)

    def finish(self, run):
        """Resumes and answers what is asked until the run has ended."""
        for _ in range(40):
            for gate in self.gates():
                self.answer(gate)
            ended = self.foxwedge("--json", "resume", run, timeout=120)
            if ended.code == SUCCEEDED:
                return ended.json()["value"]["final"]
            self.assertEqual(ended.code, WAITING, ended)
        self.fail("the run does not end")

    def all_runs(self):
        rows, more = [], []
        while more or not rows:
            rows += more
            after = ["--after", rows[-1]["id"]] if rows else []
            more = self.rows_of("runs", "--limit", "200", *after)
            if not more:
                break
        return rows

    def all_children(self, run):
        return [r for r in self.all_runs() if r.get("parent") == run]

    def check(self, run, value):
        self.assertEqual(value, self.expected())
        children = self.all_children(run)
        self.assertEqual(len(children), self.CHILDREN)
        self.assertEqual({c["status"] for c in children}, {"succeeded"})
        self.assertEqual(len(self.ledger()), 4)  # no refund was made twice
        names = [s["name"] for s in self.show(run)["steps"]]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(sum(n.startswith("script:ended:") for n in names), self.CHILDREN)
        self.assertTrue(self.ok("--json", "replay", run).json()["identical"])


class AtTimes(Durable):
    def test_killed_at_many_points_no_agent_runs_twice(self):
        self.write()
        run = self.ok("--json", "run", self.config_file, "w", "--detach").json()["run"]
        for n in range(14):
            process = self.start("--json", "resume", run)
            self.until("it is at work", lambda: process.poll() is not None or self.show(run)["status"] == "running")
            try:
                process.wait(0.15 + 0.11 * n)
            except subprocess.TimeoutExpired:
                pass
            self.kill(process)
            if n % 3 == 2:
                for gate in self.gates():
                    self.foxwedge("--config", self.config_file, "approvals", "approve", gate["id"])
        self.check(run, self.finish(run))

    def test_without_a_crash_it_comes_to_the_same(self):
        self.write()
        run = self.ok("--json", "run", self.config_file, "w", "--detach").json()["run"]
        self.check(run, self.finish(run))


class AtCommits(Durable):
    """Killed just before or just after a commit of its journal, by the number of that: nothing depends on time."""

    # All that a script can wait for: agents side by side and in stages, a person, another script.
    SMALL = """
        const wide = await parallel([0, 1, 2].map((n) => () => agent("wide " + n)));
        const deep = await pipeline([0, 1], (n) => agent((n ? "pay " : "one ") + n),
          (previous, n) => agent(previous + "; two " + n));
        return { wide, deep, inner: await workflow("inner", { n: 4 }) };"""
    VALUE = {"wide": ["did wide 0", "did wide 1", "did wide 2"], "deep": ["did did one 0; two 0", "did paid; two 1"],
             "inner": "did in 4"}

    def dying(self, point, *args):
        return self.foxwedge("--json", *args, timeout=120, environment={"LD_PRELOAD": KILL_AT, "KILL_AT": str(point)})

    def approve(self):
        for gate in self.gates():
            self.answer(gate)

    def begin(self, point):
        """A new journal; the first command on it, which dies at `point`. The run, and whether it died."""
        shutil.rmtree(self.folder / "state", ignore_errors=True)
        self.ledger_file.unlink(missing_ok=True)
        ended = self.dying(point, "run", self.config_file, "w", "--key", "k")
        mine = lambda: [r["id"] for r in self.all_runs() if r["workflow"] == "w"]
        if not mine():
            self.assertEqual(ended.code, KILLED, ended)
            self.ok("--json", "run", self.config_file, "w", "--key", "k", expect=WAITING)
        [run] = mine()
        return run, ended.code == KILLED

    def check_once(self, value, expected, runs):
        """Of all runs and their steps there is one each, done once."""
        self.assertEqual(value, expected)
        lines = map(json.loads, self.ok("--config", self.config_file, "journal", "export").out.splitlines())
        lines = list(lines)
        self.assertEqual(len([line for line in lines if line["type"] == "run"]), runs)
        records = [line for line in lines if line["type"] == "record"]
        names = [(r["run"], r["name"]) for r in records]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual({r["generation"] for r in records}, {0})

    def small(self):
        (self.folder / "inner.js").write_text('return await agent("in " + args.n);')
        rules = [{"when": {"user": "pay ", "afterTool": True, "turn": 1}, "answer": text("paid")},
                 {"when": {"user": "pay ", "turn": 0}, "answer": calls(REFUND)},
                 {"when": {"model": "child"}, "answer": text("did {{user}}")}]
        self.script(self.SMALL, rules=rules, orders=True, child={"mcpServers": ["orders"], "approval": {}},
                    workflows={"inner": {"script": "${file:inner.js}", "agent": "b"}})

    def finished_small(self, run):
        self.check_once(self.finish(run), self.VALUE, 10)  # eight agents and two scripts
        self.assertEqual(len(self.ledger()), 1)

    def test_at_every_commit_of_its_beginning(self):
        self.small()
        for point in range(1, 400):
            with self.subTest(point=point):
                run, died = self.begin(point)
                self.finished_small(run)
                if not died:
                    break
        self.assertGreater(point, 15)

    def test_at_every_commit_after_a_person_has_answered(self):
        self.small()
        for point in range(1, 400):
            with self.subTest(point=point):
                run, _ = self.begin(10000)
                self.approve()
                died = self.dying(point, "resume", run).code == KILLED
                self.finished_small(run)
                if not died:
                    break
        self.assertGreater(point, 10)
        self.assertGreater(self.unknown, 0)  # it was killed while the refund was made, too

    def test_of_two_hundred_agents_none_runs_twice(self):
        self.write()
        deaths = 0
        for first, second in ((9, 33), (40, 21), (81, 6), (120, 13)):
            with self.subTest(first=first, second=second):
                run, died = self.begin(first)
                self.approve()
                died_again = self.dying(second, "resume", run).code == KILLED
                deaths += died + died_again
                self.check_once(self.finish(run), self.expected(), 1 + self.CHILDREN)
                self.assertEqual(len(self.ledger()), 4)
        self.assertGreater(deaths, 5)


class Races(Scripts):
    def test_who_won_a_race_has_won_it_after_a_crash_too(self):  # B81
        rules = [{"when": {"user": "slow"}, "answer": text("slow", delayMs=1200)},
                 {"when": {"user": "last"}, "answer": text("done", delayMs=1500)},
                 {"when": {"model": "child"}, "answer": text("fast", delayMs=100)}]
        self.script('const won = await Promise.race([agent("slow"), agent("quick")]);'
                    'const all = [won]; all.push(await agent("last, as won by " + won)); return all;', rules=rules)
        run = self.ok("--json", "run", self.config_file, "w", "--detach").json()["run"]
        process = self.start("--json", "resume", run)
        self.until("the last one", lambda: len(self.children(run)) == 3)
        self.kill(process)
        # Both have ended now, the slow one before anybody asks: what is on record still decides.
        for child in self.children(run):
            self.foxwedge("--json", "resume", child["id"])
        self.assertEqual(self.ok("--json", "resume", run).json()["value"]["final"], ["fast", "done"])
        self.assertEqual(len(self.children(run)), 3)


class Deadly(Scripts):
    """Of a script's agents one kills its host, whenever it is tried. B46"""

    SERVER = {"deadly": {"command": sys.executable, "args": [str(SOURCE / "tests/end_to_end/deadly_peer.py")]}}
    BOOM = {"when": {"user": "child boom"}, "answer": calls(("deadly_boom", {}))}

    def test_the_agent_that_kills_its_host_is_stuck_and_not_who_waits_for_it(self):
        self.script('return [await agent("child ok"), await agent("child boom")];', rules=[self.BOOM, *self.CHILD],
                    mcpServers=self.SERVER, child={"mcpServers": ["deadly"]})
        run = self.ok("--json", "run", self.config_file, "w", "--detach").json()["run"]
        deaths = 0
        while deaths < 20 and (ended := self.foxwedge("--json", "resume", run)).code == KILLED:
            deaths += 1
        self.assertEqual(deaths, 6)  # one with something new on record, five without
        stuck = [r for r in self.children(run) if r["status"] == "stuck"]
        self.assertEqual((len(stuck), ended.code), (1, WAITING), ended)
        self.assertEqual(ended.json()["stuck"], [stuck[0]["id"]])
        self.assertIn(f"foxwedge resume {stuck[0]['id']} --retry", self.foxwedge("resume", run).err)
        self.assertIn("again and again after the step b:iter:0", self.show(stuck[0]["id"])["reason"])
        self.assertEqual(self.show(run)["status"], "waiting")
        self.ok("--config", self.config_file, "cancel", stuck[0]["id"])
        self.assertEqual(self.ok("--json", "resume", run).json()["value"]["final"], ["did child ok", None])


class Limits(Orchestrator):
    def test_a_cap_keeps_what_is_done_and_is_raised_for_the_rest(self):
        self.tool(self.call('const a = []; for (let i = 0; i < 5; ++i) a.push(await agent("child " + i)); return a;'),
                  text("{{result}}"), limits={"agents": 3})
        out = self.run_a()
        result = self.result(out["run"])
        [scripts] = self.children(out["run"])
        self.assertEqual(result["details"]["code"], "AGENT_CAP")
        self.assertIn(scripts["id"], out["value"]["final"])
        self.assertEqual(scripts["status"], "failed")
        self.assertEqual(len(self.children(scripts["id"])), 3)
        ended = self.ok("--json", "resume", scripts["id"], "--retry", "--set",
                        "plugins.load.0.config.limits.agents=10").json()
        self.assertEqual(ended["value"]["final"], [f"did child {i}" for i in range(5)])
        self.assertEqual(len(self.children(scripts["id"])), 5)

    def test_a_budget_stops_a_script_and_more_of_it_finishes_it(self):
        child = [{"when": {"user": "child"}, "answer": text("did {{user}}", usage={"input": 10, "output": 1000})}]
        self.tool(self.call('const a = []; for (let i = 0; i < 5; ++i) a.push(await agent("child " + i)); return a;'),
                  text("{{result}}"), child=child, agent={"budget": {"outputTokens": 100000}})
        out = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "please").json()
        [scripts] = self.children(out["run"])
        self.assertEqual(scripts["status"], "succeeded")
        self.tool(self.call('const a = []; for (let i = 0; i < 9; ++i) a.push(await agent("child " + i)); return a;'),
                  text("{{result}}"), child=child, agent={"budget": {"outputTokens": 4500}})
        out = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "please").json()
        [scripts] = self.children(out["run"])
        self.assertEqual((scripts["status"], scripts["result"]["error"]["code"]), ("failed", "BUDGET"))
        before = len(self.children(scripts["id"]))
        ended = self.ok("--json", "resume", scripts["id"], "--retry", "--set",
                        "agents.a.budget.outputTokens=100000").json()
        self.assertEqual(ended["value"]["final"], [f"did child {i}" for i in range(9)])
        # What the budget stopped was asked again; nothing that was done was.
        self.assertEqual(len([c for c in self.children(scripts["id"])
                              if c["result"]["value"]["stopReason"] == "final"]), 9)
        self.assertGreater(before, 0)

    def test_a_script_sees_what_is_left_of_the_budget(self):
        child = [{"when": {"user": "child"}, "answer": text("x", usage={"input": 10, "output": 100})}]
        script = "const a = budget.left; await agent('child'); const b = budget.left; a.x = 1; return [a.outputTokens - b.outputTokens, Object.keys(b)];"
        self.tool(self.call(script), text("{{result}}"), child=child, agent={"budget": {"outputTokens": 100000}})
        out = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "please").json()
        self.assertEqual(self.result(out["run"])["structuredContent"]["result"], [100, ["outputTokens"]])

    def test_a_cancelled_run_takes_script_and_agents_with_it(self):
        slow = [{"when": {"user": "child"}, "answer": text("late", delayMs=60000)}]
        self.tool(self.call('return await parallel([1, 2, 3].map((n) => () => agent("child " + n)));'),
                  text("x"), child=slow)
        process = self.start("--json", "run", self.config_file, "a", "--prompt", "please")
        self.until("three agents", lambda: len([r for r in self.runs() if r["workflow"] == "a"]) == 4)
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close(), process.stderr.close()
        self.assertEqual(process.returncode, CANCELLED)
        self.assertEqual({r["status"] for r in self.runs()}, {"cancelled"})
        self.check_closed([r["id"] for r in self.runs() if not r.get("parent")][0], 3)

    def check_closed(self, run, agents):
        records = [(r["type"], r.get("outcome", r.get("stopReason"))) for r in self.show(run)["workflows"]]
        self.assertEqual(records, [("run-start", None), *[("agent-start", None)] * agents,
                                   *[("agent-end", "cancelled")] * agents, ("run-end", "cancelled")])

    def test_agents_that_wait_for_their_turn_are_never_started_after_a_cancel(self):
        slow = [{"when": {"user": "child"}, "answer": text("late", delayMs=60000)}]
        self.tool(self.call('return await parallel([1, 2, 3].map((n) => () => agent("child " + n)));'),
                  text("x"), child=slow, limits={"concurrency": 1})
        process = self.start("--json", "run", self.config_file, "a", "--prompt", "please")
        self.until("an agent", lambda: len([r for r in self.runs() if r["workflow"] == "a"]) == 2)
        self.ok("--config", self.config_file, "cancel", [r["id"] for r in self.runs() if not r.get("parent")][0])
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, CANCELLED)
        self.assertEqual([r["status"] for r in self.runs()], ["cancelled"] * 3)
        self.check_closed([r["id"] for r in self.runs() if not r.get("parent")][0], 1)

    def test_cancelled_while_people_are_waited_for_its_records_are_closed_too(self):
        self.tool(self.call('return await agent("child");'), text("x"),
                  child=[{"when": {"user": "child"}, "answer": calls(REFUND)}], orders=True,
                  agent={"mcpServers": ["orders"], "approval": {}})
        run = self.run_a(expect=WAITING)["run"]
        self.ok("cancel", run)
        self.assertEqual({r["status"] for r in self.runs()}, {"cancelled"})
        self.check_closed(run, 1)

    def test_agents_that_a_script_does_not_wait_for_end_with_it(self):
        rules = [{"when": {"user": "child slow"}, "answer": text("late", delayMs=60000)},
                 {"when": {"user": "child"}, "answer": text("did {{user}}")}]
        self.tool(self.call('agent("child slow"); await agent("child fast"); return 1;'), text("{{result}}"), child=rules)
        out = self.run_a()
        [scripts] = self.children(out["run"])
        self.assertEqual(scripts["status"], "succeeded")
        self.assertEqual(sorted(c["status"] for c in self.children(scripts["id"])), ["cancelled", "succeeded"])
        ends = {r["seq"]: r["outcome"] for r in self.show(out["run"])["workflows"] if r["type"] == "agent-end"}
        self.assertEqual(ends, {1: "cancelled", 2: "completed"})

    def test_another_script_over_the_same_record_is_told_with_both_requests(self):
        """Nothing lets a run under way have another script; a journal that was tampered with does."""
        was, now = 'await agent("pay me");', 'await agent("thank me");'
        rules = [{"when": {"user": "pay"}, "answer": calls(REFUND)}, *self.CHILD]
        Scripts.script(self, 'await agent("first"); ' + was + " return 1;", rules=rules, orders=True,
                       child={"mcpServers": ["orders"], "approval": {}})
        run = self.run_w(expect=WAITING)["run"]
        refused = self.foxwedge("--json", "resume", run, "--set", "workflows.w.script=return 2;")
        self.assertEqual(refused.json()["error"]["code"], "config_change", refused)

        lines = self.ok("--config", self.config_file, "journal", "export").out
        changed = lines.replace(json.dumps(json.dumps(was)[1:-1])[1:-1], json.dumps(json.dumps(now)[1:-1])[1:-1])
        self.assertNotEqual(lines, changed)
        other = self.folder / "other"
        self.ok("--journal", other, "journal", "import", input=changed)
        ended = self.foxwedge("--json", "--journal", other, "resume", run)
        self.assertEqual(ended.code, FAILED, ended)
        error = ended.json()["error"]
        self.assertEqual(error["code"], "NONDETERMINISM")
        self.assertIn("pay me", error["message"])
        self.assertIn("thank me", error["message"])


class OnRecord(Scripts):
    """Many answers on record: the script is sent them in bundles, ahead of what it asks."""
    RECORDED = 150

    def recorded(self, source, rules=None, agents=RECORDED, concurrency=16):
        """A run of `source` that failed at its cap, which it meets after `agents` agents."""
        self.script(source, rules=rules, limits={"agents": agents, "concurrency": concurrency})
        failed = self.run_w(expect=FAILED)
        self.assertEqual(failed["error"]["code"], "AGENT_CAP", failed)
        return failed["run"]

    def again(self, run, *more):
        return self.foxwedge("--json", "resume", run, "--retry", *more)

    def records(self, run, *where):
        shown = self.ok("--json", *(where or ("--config", self.config_file)), "show", run).json()
        return [(s["name"], s.get("status")) for s in shown["steps"] if s["name"].startswith("script:")]

    def test_sixty_four_agents_are_in_flight_at_a_time_in_one_box(self):
        # Each waits for a person: nothing but the bound on them holds the others back.
        self.script('return (await parallel(Array.from({ length: 80 }, (_, i) => () => agent("pay " + i)))).length;',
                    rules=[{"when": {"user": "pay", "turn": 0}, "answer": calls(REFUND)}, {"answer": text("paid")}],
                    orders=True, child={"mcpServers": ["orders"], "approval": {}}, limits={"concurrency": 64})
        run = self.run_w(expect=WAITING)["run"]
        for begun, code in ((64, WAITING), (80, SUCCEEDED)):
            children = [r for r in self.rows_of("runs", "--limit", "200") if r.get("parent") == run]
            self.assertEqual(len(children), begun)
            while gates := self.gates(): # a page of them
                for gate in gates:
                    self.ok("--config", self.config_file, "approvals", "reject", gate["id"])
            ended = self.foxwedge("--json", "resume", run)
            self.assertEqual(ended.code, code, ended)
        self.assertEqual(ended.json()["value"]["final"], 80)

    def test_the_script_sees_the_order_of_its_first_execution(self):
        # The order is a part of a request: another one would be another request than on record.
        run = self.recorded("""
            const order = [];
            await parallel(Array.from({ length: 140 }, (_, i) => async () => {
              const said = await agent((i % 7 === 3 ? "slow " : i % 5 === 2 ? "bad " : "child ") + i);
              order.push(i + (said === null ? "!" : ""));
              if (i % 20 === 0) order.push(await agent("more " + i));
            }));
            await agent("order " + order);
            await agent("then"); await agent("last"); await agent("too many");
            return order.length;""",
            [{"when": {"user": "slow"}, "answer": text("s", delayMs=30)},
             {"when": {"user": "bad"}, "answer": {"error": {"code": "unauthorized", "message": "no"}}}, *self.CHILD])
        before = self.records(run)
        for _ in range(2):
            ended = self.again(run)
            self.assertEqual(ended.json()["error"]["code"], "AGENT_CAP", ended)
            self.assertEqual(self.records(run), before)
        ended = self.again(run, "--set", "plugins.load.0.config.limits.agents=1000")
        self.assertEqual((ended.code, ended.json()["value"]["final"]), (SUCCEEDED, 147), ended)
        self.assertEqual(self.records(run)[:len(before)], before)

    def test_a_script_that_turns_aside_in_the_middle_is_told_where(self):
        """Nothing lets a run under way have another script; a journal that was tampered with does."""
        line = 'out.push(await agent("n" + i)); /*..............................*/'
        self.script(f"const out = []; for (let i = 0; i < 150; ++i) {{ {line} }} await agent('pay'); return out;",
                    rules=[{"when": {"user": "pay"}, "answer": calls(REFUND)}, *self.CHILD], orders=True,
                    child={"mcpServers": ["orders"], "approval": {}})
        run = self.run_w(expect=WAITING)["run"]
        before = self.records(run)
        lines = self.ok("--config", self.config_file, "journal", "export").out
        for at, (change, code, words) in enumerate([
            ('out.push(await agent("n" + i + (i === 100 ? "x" : "")));', "NONDETERMINISM", ["n100x", "n100"]),
            ('if (i === 100) agent("x"); out.push(await agent("n" + i));', "NONDETERMINISM", ["101-", "-x", "-n100"]),
            ('if (i === 100) return i; out.push(await agent("n" + i));', "NONDETERMINISM", ["n100"]),
            ('if (i === 100) await i.x.y; out.push(await agent("n" + i));', "SCRIPT_ERROR", ["undefined"]),
            ('if (i === 100) await {then(){}}; out.push(await agent("n" + i));', "SCRIPT_ERROR", ["never comes"])]):
            with self.subTest(change):
                # The script's text is of the same length, so nothing else in the journal changes.
                quoted = lambda t: json.dumps(json.dumps(t)[1:-1])[1:-1]
                was, now = quoted(line), quoted(change.ljust(len(line)))
                self.assertIn(was, lines)
                other = self.folder / f"other{at}"
                self.ok("--journal", other, "journal", "import", input=lines.replace(was, now))
                ended = self.foxwedge("--json", "--journal", other, "resume", run)
                self.assertEqual((ended.code, ended.json()["error"]["code"]), (FAILED, code), ended)
                for word in words:
                    self.assertIn(word, ended.json()["error"]["message"])
                self.assertEqual(self.records(run, "--journal", other), before)

    def test_a_run_can_be_cancelled_among_its_recorded_answers(self):
        # Each answer is a slice that computes a while: there is time to come in between.
        run = self.recorded("""
            for (let i = 0; i < 200; ++i) { await agent("n" + i); for (let k = 0, x = 0; k < 1e6; ++k) x += k; }
            return 1;""", concurrency=4)
        before = self.records(run)
        process = self.start("--json", "resume", run, "--retry")
        self.until("it is at work", lambda: self.show(run)["status"] == "running")
        process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close(), process.stderr.close()
        self.assertEqual(process.returncode, CANCELLED)
        self.assertEqual(self.show(run)["status"], "cancelled")
        self.assertEqual(self.records(run)[:len(before)], before)


class Nested(Scripts):
    def test_a_script_calls_another_and_agents_share_its_order(self):
        (self.folder / "inner.js").write_text('return "inner " + (await agent("in " + args.n));')
        self.script('return [await workflow("inner", { n: 4 }), await agent("out")];',
                    workflows={"inner": {"script": "${file:inner.js}", "agent": "b"}})
        self.assertEqual(self.run_w()["value"]["final"], ["inner did in 4", "did out"])

    def test_scripts_find_nothing_of_one_another(self):
        (self.folder / "inner.js").write_text(
            "const found = [typeof globalThis.x, typeof [].y]; globalThis.x = Array.prototype.y = 1; return found;")
        self.script('globalThis.x = Array.prototype.y = 1; return [await workflow("inner"), await workflow("inner")];',
                    workflows={"inner": {"script": "${file:inner.js}", "agent": "b"}})
        self.assertEqual(self.run_w()["value"]["final"], [["undefined", "undefined"]] * 2)

    def test_scripts_go_three_deep(self):
        self.script('return args.n > 8 ? "end" : { n: args.n, below: await workflow("w", { n: args.n + 1 }) };')
        value = self.run_w({"n": 0})["value"]["final"]
        # The fourth asks for a fifth: that is its own mistake, and null for who has called it.
        self.assertEqual(value, {"n": 0, "below": {"n": 1, "below": {"n": 2, "below": None}}})
        self.assertEqual(sorted((r["status"], r["result"].get("error", {}).get("code")) for r in self.runs()),
                         [("failed", "AGENT_START"), *[("succeeded", None)] * 3])

    def test_a_workflow_that_is_not_there_is_a_mistake_of_the_script(self):
        self.fails('return await workflow("nobody");', "AGENT_START", "nobody")

    def test_a_script_is_a_tool_of_an_agent(self):
        tool = {"name": "look", "description": "d", "workflow": "w", "inputSchema": {"type": "object"}}
        self.script('return "looked " + (await agent("x"));',
                    rules=[*self.CHILD, {"when": {"turn": 0}, "answer": calls(("look", {}))},
                           {"answer": text("{{result}}")}],
                    agents={"a": {"tools": [tool]}})
        ended = self.ok("--json", "run", self.config_file, "a", "--prompt", "go").json()
        self.assertEqual(ended["value"]["final"], "looked did x")


if __name__ == "__main__":
    main()
