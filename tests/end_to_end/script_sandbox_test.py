"""What a hostile script can do: nothing but fail, by itself, as the contract says."""
from scripts import *

LIMITS = {"firstSliceMs": 400, "sliceMs": 400, "memoryMb": 64}


class Sandbox(Scripts):
    def ends(self, source, code, words="", limits=None, **how):
        return self.fails(source, code, words, limits={**LIMITS, **(limits or {})}, **how)

    def honest(self, source, value, **how):
        self.assertEqual(self.value(source, limits=LIMITS, **how), value)

    # ---- nothing is there

    def test_no_road_leads_outside(self):
        names = """require process module exports fetch XMLHttpRequest WebSocket Deno Bun navigator
            window self document setTimeout setInterval setImmediate performance console print read
            readFile load quit gc vm $vm WebAssembly SharedArrayBuffer Atomics ShadowRealm Worker
            WeakRef FinalizationRegistry Intl Temporal crypto localStorage importScripts""".split()
        self.honest(f"return {json.dumps(names)}.filter((name) => typeof globalThis[name] !== 'undefined');", [])

    def test_modules_cannot_be_imported(self):
        source = """const out = [];
            for (const name of ["fs", "node:fs", "/etc/passwd", "file:///etc/passwd", "http://localhost/x.js"])
              try { await import(name); out.push(name); } catch (e) { }
            return out;"""
        self.honest(source, [])

    def test_the_process_is_locked_up_while_its_script_runs(self):
        # It computes: a script that waits for agents may have no process at all.
        self.script("for (;;);", limits={"firstSliceMs": 60000})
        process = self.start("run", self.config_file, "w", environment={"SECRET_KEY": "s3cret"})
        # The one that has only looked at the script's syntax is gone once the plan is on record.
        self.until("the plan", lambda: any(self.show(run["id"])["steps"] for run in self.runs()))
        box = self.until("a box", lambda: self.box_below(process.pid))
        status = (box / "status").read_text()
        self.assertIn("Seccomp:\t2", status)
        self.assertIn("NoNewPrivs:\t1", status)
        self.assertNotIn(b"s3cret", (box / "environ").read_bytes())
        self.assertEqual((box / "environ").read_bytes().strip(b"\0"), b"")
        limits = (box / "limits").read_text()
        for name in ("Max processes", "Max core file size", "Max file size"):
            self.assertRegex(limits, name + r" +0 +0")
        self.assertRegex(limits, r"Max open files +3 +3")
        self.kill(process)
        self.until("the box is gone with its host", lambda: not box.exists() or "Z (" in self.state_of(box))

    def test_a_box_that_somebody_kills_costs_the_script_nothing(self):
        self.script('let x = 0; for (let i = 0; i < 3e7; ++i) x += i % 7; return [x > 0, await agent("x")];',
                    limits={"firstSliceMs": 60000})
        process = self.start("--json", "run", self.config_file, "w")
        self.until("the plan", lambda: any(self.show(run["id"])["steps"] for run in self.runs()))
        box = self.until("a box", lambda: self.box_below(process.pid))
        os.kill(int(box.name), signal.SIGKILL)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, SUCCEEDED, err)
        self.assertEqual(json.loads(out)["value"]["final"], [True, "did x"])
        self.assertEqual(len([r for r in self.runs() if r["workflow"] == "b"]), 1)

    def state_of(self, box):
        try:
            return (box / "status").read_text()
        except OSError:
            return "Z ("

    def box_below(self, pid):
        """/proc of the process called script-box below `pid`, once it is locked up."""
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                words = status.read_text()
            except OSError:
                continue
            if not words.startswith("Name:\tscript-box") or "Seccomp:\t2" not in words:
                continue
            above = int(re.search(r"PPid:\t(\d+)", words)[1])
            try:
                parent = int(re.search(r"PPid:\t(\d+)", pathlib.Path(f"/proc/{above}/status").read_text())[1])
            except OSError:
                continue
            if parent == pid:
                return status.parent
        return None

    # ---- loops in every place

    def test_loops_end_wherever_they_are(self):
        places = {
            "at the top": "for (;;);",
            "after an answer": 'await agent("x"); for (;;);',
            "in a thunk": "await parallel([() => { for (;;); }]);",
            "in a stage": "await pipeline([1], () => { for (;;); });",
            "in microtasks": "for (;;) await null;",
            "in microtasks that beget microtasks": "const f = () => Promise.resolve().then(f); await f();",
            "in a getter of an option": 'await agent("x", { get label() { for (;;); } });',
            "in the value": "return { get a() { for (;;); } };",
            "in a proxy": "return new Proxy({}, { ownKeys() { for (;;); } });",
            "in a catch": "try { throw 1; } catch { for (;;); }",
            "in a finally": "try { return 1; } finally { for (;;); }",
            "in a generator": "function* g() { for (;;) yield 1; } for (const x of g());",
            "in a regular expression": 'for (;;) /^(a+)+$/.test("a".repeat(28) + "b");',
            "in a sort": "for (;;) [3, 1, 2].sort(() => 1);",
            "in an error's message": "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e;",
            "in a thenable": "await { then() { for (;;); } };",
            "in what nobody waits for": "(async () => { for (;;) await null; })(); return 1;",
        }
        for place, source in places.items():
            with self.subTest(place):
                # An endless chain of microtasks keeps even a finished script from its end.
                self.ends(source, "TIMEOUT", "computed for more than 400 ms")

    def test_a_log_without_end_ends_with_its_time(self):
        self.ends('for (;;) log("x".repeat(1000));', "TIMEOUT")

    def test_many_lines_are_no_harm(self):
        self.honest('for (let i = 0; i < 30000; ++i) log("line " + i); return 1;', 1)

    # ---- memory

    def test_memory_runs_out_for_the_script_alone(self):
        bombs = {
            "arrays": "const a = []; for (;;) a.push(new Array(1000).fill(7));",
            "typed arrays": "const a = []; for (;;) a.push(new Uint8Array(1e6));",
            "caught": "const a = []; for (;;) try { for (;;) a.push(new Uint8Array(1e6)); } catch {}",
            "promises": "const a = []; for (;;) a.push(new Promise(() => {}));",
            "closures": "let f = () => 1; for (;;) { const g = f; f = () => g; globalThis.k = [globalThis.k, f]; }",
            "maps": "const m = new Map(); for (let i = 0; ; ++i) m.set(i, [i]);",
            "texts": "const a = []; for (let i = 0; ; ++i) a.push((i + '').repeat(1000).toUpperCase());",
        }
        for name, source in bombs.items():
            with self.subTest(name):
                self.ends(source, "MEMORY", limits={"firstSliceMs": 60000, "sliceMs": 60000})

    def test_deep_recursion_is_an_error_of_the_script(self):
        self.ends("const f = () => f() + 1; return f();", "SCRIPT_ERROR", "RangeError")
        self.honest("const f = () => f() + 1; try { return f(); } catch (e) { return e.name; }", "RangeError")

    def test_a_bomb_in_one_script_does_not_touch_the_others(self):
        (self.folder / "bomb.js").write_text("const a = []; for (;;) a.push(new Uint8Array(1e6));")
        (self.folder / "loop.js").write_text("for (;;);")
        self.script('return await parallel([() => workflow("bomb"), () => workflow("loop"), () => agent("x")]);',
                    limits=LIMITS, workflows={"bomb": {"script": "${file:bomb.js}", "agent": "b"},
                                              "loop": {"script": "${file:loop.js}", "agent": "b"}})
        self.assertEqual(self.run_w()["value"]["final"], [None, None, "did x"])

    # ---- tricks against the hooks

    def test_hooks_cannot_be_replaced(self):
        source = """const out = [];
            for (const name of ["agent", "parallel", "pipeline", "phase", "log", "args", "workflow", "budget"]) {
              try { globalThis[name] = () => "forged"; } catch { }
              try { Object.defineProperty(globalThis, name, { value: () => "forged" }); out.push(name); } catch { }
              try { if (delete globalThis[name]) out.push(name); } catch { }
              try { if (typeof globalThis[name] === "function") globalThis[name].call = () => "forged"; } catch { }
            }
            return [out, await agent("x")];"""
        self.honest(source, [[], "did x"])

    def test_changed_builtins_change_no_hook(self):
        source = """
            const forged = () => "forged";
            for (const object of [Reflect, JSON, Object, Array, Number, String.prototype, Object.prototype,
                                  Array.prototype, Function.prototype])
              for (const name of Object.getOwnPropertyNames(object))
                if (!["constructor", "__proto__"].includes(name))
                  try { Object.getOwnPropertyDescriptor(object, name).configurable && (object[name] = forged); } catch { }
            try { Promise.prototype.then = forged; } catch { }
            try { Promise.resolve = forged; } catch { }
            for (let i = 0; i < 4; ++i) {
              const key = i;
              try { Reflect.defineProperty; } catch { }
            }
            const [a, b] = [await parallel([() => agent("p"), () => agent("q")]), await agent("r")];
            return { a, b };"""
        self.honest(source, {"a": ["did p", "did q"], "b": "did r"})

    def test_setters_of_indices_see_no_results(self):
        source = """const seen = [];
            Object.defineProperty(Array.prototype, 0, { set(v) { seen.push(v); }, configurable: true });
            Object.defineProperty(Object.prototype, "value", { get() { return "forged"; }, configurable: true });
            const got = await parallel([() => agent("p")]);
            const text = got[0];
            delete Array.prototype[0]; delete Object.prototype.value;
            return text;"""
        self.honest(source, "did p")

    def test_errors_cannot_be_forged(self):
        for source in ('throw Object.assign(new Error("cap"), { code: "AGENT_CAP" });',
                       'throw { code: "BUDGET", message: "x" };',
                       'throw new RangeError("Out of memory");',
                       'throw "fail {\\"code\\":\\"TIMEOUT\\"}";',
                       'const e = new Error("x\\ndone 5\\nfail {}"); e.name = "CANCELLED"; throw e;'):
            with self.subTest(source):
                self.ends(source, "SCRIPT_ERROR")

    def test_a_script_cannot_speak_for_its_process(self):
        self.honest('log("x\\ndone 7\\nask 9 agent {}"); phase("\\nfail {}"); return "a\\ndone 8";', "a\ndone 8")

    def test_answers_that_come_ahead_are_slices_of_their_own(self):
        source = "const a = agent('a'); await agent('b'); await a; await agent('c'); return 7"
        start = json.dumps({"source": source, "args": None, "limits": {}, "seed": "s", "now": 0})
        # 9 is nothing that was asked, as where another script is sent what is on record.
        lines = f"start {start}\nanswer 2 1\nanswer 9 1\nanswer 1 1\nbudget null\nanswer 3 1\n"
        done = subprocess.run([BUILD / "hosts/script-box/script-box"], input=lines, capture_output=True, text=True)
        self.assertEqual([line.split(" {")[0] for line in done.stdout.splitlines()],
                         ["ask 1 agent", "ask 2 agent", "wait", "wait", "wait", "ask 3 agent", "wait", "done 7"])

    def test_a_text_cannot_close_the_function_that_it_is_in(self):
        for source in ("return 1 })(); agent('x'); (async () => {", "} agent('x'); {", "*/ agent('x')",
                       "return 1;\n}\nagent('x');\nasync function f() {"):
            with self.subTest(source):
                self.ends(source, "SCRIPT_PARSE")

    def test_what_depends_on_a_language_is_there(self):
        # Prepared by the engine when it is first asked for, which is inside the sandbox.
        self.honest("""return [(1234.5).toLocaleString("de"), ["z", "ä", "a"].sort((a, b) => a.localeCompare(b)),
              new Date(0).toLocaleDateString("de", { timeZone: "America/New_York", day: "numeric", month: "long" }),
              "e\u0301".normalize("NFC").length, "I".toLocaleLowerCase("tr"), /\\p{Lu}/u.test("Ä"),
              new Date(2020, 0, 1).toString().slice(0, 33)];""",
                    ["1.234,5", ["a", "ä", "z"], "31. Dezember", 1, "ı", True, "Wed Jan 01 2020 00:00:00 GMT+0000"])

    # ---- time and chance

    def test_every_road_to_time_and_chance_is_the_same_in_each_execution(self):
        # What is asked contains them all: another value would be another request than on record.
        source = """
            const all = () => JSON.stringify([Date.now(), new Date(), Date(), new Date().constructor.now(),
              Reflect.construct(Date, []), new (class extends Date {})(), Object.getPrototypeOf(new Date()).constructor.now(),
              new Date(2020, 1, 1).getTimezoneOffset(), new Date().toLocaleString(), Math.random(), Math.random(),
              Object.keys({ b: 1, a: 2, 1: 3 }), [...new Set([3, 1])], "ä".localeCompare("z"), new Error().stack]);
            const first = await agent(all());
            const second = await agent("slow " + all());
            return [first.length, second.length, new Date(Date.now()).getFullYear() > 2020];"""
        self.script(source, rules=[{"when": {"user": "slow"}, "answer": text("s", delayMs=1500)},
                                   {"when": {"model": "child"}, "answer": text("f")}])
        run = self.ok("--json", "run", self.config_file, "w", "--detach").json()["run"]
        process = self.start("--json", "resume", run)
        self.until("the second agent", lambda: len(self.children(run)) == 2)
        self.kill(process)
        self.assertEqual(self.ok("--json", "resume", run).json()["value"]["final"], [1, 1, True])
        self.assertEqual(len(self.children(run)), 2)


if __name__ == "__main__":
    main()
