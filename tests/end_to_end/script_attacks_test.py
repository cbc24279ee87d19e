"""Attacks from inside, all at once in one host beside an honest script: each ends by itself, as the contract says,
and nobody else notices."""
from scripts import *

ERROR, LATE, MEMORY = "SCRIPT_ERROR", "TIMEOUT", "MEMORY"
BAD_VALUE, MISUSE = "RESULT_UNSERIALIZABLE", "INVALID_ARGUMENT"


def value(v):
    return {"value": v}


# What a script does, and how it ends: its code, codes that an engine may choose from, or its value.
FORGED = {
    "a class named like a code": ('class AGENT_CAP extends Error { get name() { return "AGENT_CAP"; } get code() { return "AGENT_CAP"; } }'
                                  ' throw new AGENT_CAP("x");', ERROR),
    "a proxy of an error": ("throw new Proxy(new Error('x'), { get() { throw 1; } });", ERROR),
    "a line that throws": ("const e = new Error('x'); Object.defineProperty(e, 'line', { get() { throw 5; } }); throw e;", ERROR),
    "a line that is none": ("const e = new Error('x'); e.line = 1e12; e.column = -5; throw e;", ERROR),
    "everything is an Error": ("Object.defineProperty(Error, Symbol.hasInstance, { value: () => true }); throw { name: 'BUDGET', message: {} };", ERROR),
    "a symbol": ("throw Symbol('CANCELLED');", ERROR),
    "a thenable that rejects": ("return { then(_, no) { no({ code: 'AGENT_CAP', message: 'm' }); } };", ERROR),
    "a thenable is what it settles to": ("return { then(yes) { yes('settled'); } };", value("settled")),
    "an endless message": ("throw new Error('é'.repeat(1e6));", ERROR),
    "an error inside of a hook": ("const { proxy, revoke } = Proxy.revocable([], {}); revoke(); await parallel(proxy);", ERROR),
    "toJSON": ("return { toJSON() { return 1; } };", BAD_VALUE),
    "toJSON for all": ("Object.prototype.toJSON = () => 5; String.prototype.toJSON = () => 5; delete Object.prototype.toJSON; return { a: 'b' };",
                       value({"a": "b"})),
    "misuse in a catch": ("await parallel([async () => { try { await agent(''); } catch { } }]); return 1;", MISUSE),
    "misuse in a then": ("await agent('x').then(() => agent(5)).catch(() => 1); return 1;", MISUSE),
    "misuse in a finally": ("try { return 1; } finally { agent('x', { colour: 1 }); }", "UNSUPPORTED_OPTION"),
    "misuse in a getter": ("return { get a() { agent('x', { colour: 1 }); return 1; } };", "UNSUPPORTED_OPTION"),
    "misuse in an iterator": ("for (const x of { *[Symbol.iterator]() { try { phase(''); } finally { } } }); return 1;", MISUSE),
    "an option that throws is the script's own error": ("try { await agent('x', { get label() { throw new Error('b'); } }); } catch (e) { return e.message; }",
                                                        value("b")),
}
VALUES = {
    "a getter that goes deeper": ("const make = () => ({ get a() { return make(); } }); return make();", BAD_VALUE),
    "an array that shrinks": ("const a = [1, 2, 3]; Object.defineProperty(a, '1', { get() { a.length = 1; return 5; }, enumerable: true }); return a;", BAD_VALUE),
    "an array as long as can be": ("const a = []; a.length = 4e9; return a;", BAD_VALUE),
    "a proxy that says it is long": ("return new Proxy([], { get: (t, k) => k === 'length' ? 1e9 : t[k], ownKeys: () => ['length'] });", BAD_VALUE),
    "a proxy with a million keys": ("return new Proxy({}, { ownKeys: () => Array.from({ length: 1e6 }, (_, i) => 'k' + i),"
                                    " getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: () => 1 });",
                                    (BAD_VALUE, MEMORY, LATE)),
    "a revoked proxy": ("const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy;", ERROR),
    "a hundred thousand levels": ("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a;", BAD_VALUE),
    "arguments": ("return (function () { return arguments; })(1, 2);", BAD_VALUE),
    "a boxed text": ("return [new String('x')];", BAD_VALUE),
    "half a character": ("return { '\\udc00': 1 };", BAD_VALUE),
    "undefined that a getter gives": ("return { get a() { return undefined; } };", BAD_VALUE),
    "__proto__ is data": ("return JSON.parse('{\"__proto__\": {\"a\": 1}}');", value({"__proto__": {"a": 1}})),
    "a list of another length": ("return await parallel(new Proxy([() => 1], { get: (t, k) => k === 'length' ? 5000 : t[k] }));", "ITEM_CAP"),
    "a schema in a circle": ("const s = { type: 'object' }; s.s = s; await agent('x', { schema: s });", "UNSUPPORTED_SCHEMA"),
    "an option called like a method": ("await agent('x', { toString: 1 });", "UNSUPPORTED_OPTION"),
    "an option that is a symbol": ("await agent('x', { [Symbol('a')]: 1 });", "UNSUPPORTED_OPTION"),
}
PROTOTYPES = {
    "Symbol.iterator": ("Array.prototype[Symbol.iterator] = function* () { yield 'forged'; };"
                        " return await parallel([() => agent('p'), () => agent('q')]);", value(["did p", "did q"])),
    "call and apply": ("Function.prototype.call = Function.prototype.apply = Reflect.apply = () => 'forged';"
                       " return await pipeline([1, 2], (x) => agent('p' + x), (x, item, i) => x + item + i);", value(["did p110", "did p221"])),
    "methods of arrays": ("for (const m of ['push', 'map', 'forEach', 'shift', 'join']) Array.prototype[m] = () => { throw 1; };"
                          " return await parallel([() => agent('p')]);", value(["did p"])),
    "JSON": ("JSON.stringify = () => '9'; JSON.parse = () => 9;"
             " return [budget.left, await agent('x', { label: 'l' })];", value([None, "did x"])),
    "isArray and getPrototypeOf": ("Array.isArray = () => true; Reflect.getPrototypeOf = Object.getPrototypeOf = () => Array.prototype; return { a: 1 };",
                                   value({"a": 1})),
    "then": ("try { Promise.prototype.then = () => 'forged'; } catch { } return await agent('x');", value("did x")),
    "species": ("try { Object.defineProperty(Promise, Symbol.species, { get() { return class { }; } }); } catch { } return await agent('x');", value("did x")),
    "a subclass of promises": ("class Mine extends Promise { then(...a) { return super.then(...a); } } return await Mine.resolve(agent('x'));", value("did x")),
    "setters of indices": ("for (let i = 0; i < 5; i++) for (const o of [Array.prototype, Object.prototype])"
                           " Object.defineProperty(o, i, { set() { throw 1; }, get() { return 'forged'; }, configurable: true });"
                           " return await pipeline([1, 2, 3], (x) => agent('p' + x));", value(["did p1", "did p2", "did p3"])),
    "setters of the prelude's names": ("for (const k of ['above', 'key', 'code', 'what', 'depth', 'holds', 'schema', 'label'])"
                                       " Object.defineProperty(Object.prototype, k, { set() { throw 1; }, get() { return 'forged'; }, configurable: true });"
                                       " return await agent('x', { phase: 'p' });", value("did x")),
    "a frozen world": ("Object.freeze(globalThis); Object.freeze(Object.prototype); return await agent('x');", value("did x")),
    "inherited options": ("return await agent('x', { __proto__: { label: 'l', colour: 1 } });", value("did x")),
    "the hooks' constructor": ("return await agent.constructor(\"return agent('x')\")();", value("did x")),
}
MEMORY_BOMBS = {
    "a text of a gibibyte": ("return 'a'.repeat(2 ** 30).length;", MEMORY),
    "the same, caught": ("try { return 'a'.repeat(2 ** 30).length; } catch (e) { return e.name; }", MEMORY),
    "a rope made flat": ("let s = 'a'; for (let i = 0; i < 29; i++) s += s; return s.charCodeAt(5);", MEMORY),
    "a long join": ("return new Array(2 ** 27).join('abcd').length;", (MEMORY, LATE)),
    "a buffer of 4 GiB": ("try { return new ArrayBuffer(2 ** 32).byteLength; } catch (e) { return e.name; }", (MEMORY, value("RangeError"))),
    "a buffer that grows": ("const b = new ArrayBuffer(8, { maxByteLength: 2 ** 30 }); try { b.resize(2 ** 30); } catch { } return b.byteLength;", MEMORY),
    "a full array": ("try { return new Array(2 ** 32 - 1).fill(0).length; } catch (e) { return e.name; }", (MEMORY, LATE)),
    "arguments by the million": ("try { return Math.max(...new Array(1e7)); } catch (e) { return e.name; }", MEMORY),
    "a number without end": ("let x = 2n; for (;;) x = x * x;", (ERROR, MEMORY, LATE)),
    "symbols": ("for (let i = 0; ; i++) Symbol.for('s'.repeat(1000) + i);", (MEMORY, LATE)),
    "properties": ("const o = {}; for (let i = 0; ; i++) o['k' + i] = i;", (MEMORY, LATE)),
    "functions": ("const a = []; for (let i = 0; ; i++) a.push(new Function('return ' + i));", (MEMORY, LATE)),
    "weak maps": ("const w = new WeakMap(), a = []; for (;;) { const o = {}; a.push(o); w.set(o, [o]); }", (MEMORY, LATE)),
    "source": ("try { return eval('[' + '1,'.repeat(3e6) + ']').length; } catch (e) { return e.name; }", MEMORY),
    "requests": ("for (let i = 0; i < 900; i++) agent('p'.repeat(1e6) + i); return 1;", (MEMORY, LATE)),
}
DEEP = {
    "a catastrophic pattern": ("return /^(a+)+$/.test('a'.repeat(40) + 'b');", LATE),
    "another one": ("return /(x+x+)+y/.test('x'.repeat(50));", LATE),
    "a deep pattern": ("try { return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('a'); } catch (e) { return e.name; }",
                       (MEMORY, value("SyntaxError"), value("RangeError"))),
    "a pattern that remembers too much": ("try { return /^(?:a|ab)*$/.test('ab'.repeat(1e6) + 'c'); } catch (e) { return e.name; }", (MEMORY, LATE, value(False))),
    "JSON read a million deep": ("try { return typeof JSON.parse('['.repeat(1e6) + ']'.repeat(1e6)); } catch (e) { return e.name; }",
                                 (MEMORY, value("RangeError"), value("SyntaxError"))),
    "JSON written deep": ("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; try { return JSON.stringify(a).length; } catch (e) { return e.name; }",
                          (MEMORY, LATE, value("RangeError"), value(200002))),
    "a comparator that sorts": ("const f = () => [2, 1].sort(f); try { f(); } catch (e) { return e.name; }", value("RangeError")),
    "a getter of itself": ("const o = { get a() { return this.a; } }; try { return o.a; } catch (e) { return e.name; }", value("RangeError")),
    "proxies in a chain": ("let q = {}; for (let i = 0; i < 1e5; i++) q = new Proxy(q, {}); try { return q.x; } catch (e) { return e.name; }", value("RangeError")),
    "bound in a chain": ("let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); try { return f(); } catch (e) { return e.name; }", value("RangeError")),
    "nested arrays as text": ("let a = []; for (let i = 0; i < 1e6; i++) a = [a]; try { return String(a).length; } catch (e) { return e.name; }",
                              (MEMORY, LATE, value("RangeError"))),
    "source with many brackets": ("try { return eval('('.repeat(1e5) + '1' + ')'.repeat(1e5)); } catch (e) { return e.name; }", (MEMORY, value("RangeError"))),
    "async without end": ("const f = async () => { await f(); }; await f();", ERROR),
    "the depth of the stack is no chance": ("let d = 0; const f = () => { d++; f(); }; try { f(); } catch { } return d > 1000;", value(True)),
}
ENDLESS = {
    "an async generator": ("async function* g() { for (;;) yield 1; } for await (const x of g());", LATE),
    "a thenable of itself": ("const t = { then(yes) { yes(t); } }; await t;", LATE),
    "thunks that beget thunks": ("const f = () => parallel(Array.from({ length: 4096 }, () => f)); await f();", (LATE, MEMORY, ERROR)),
    "nothing that comes": ("await new Promise(() => { });", ERROR),
    "a race with nothing": ("return await Promise.race([new Promise(() => { }), agent('x')]);", value("did x")),
    "a promise of itself": ("let yes; const p = new Promise((y) => { yes = y; }); yes(p); try { await p; } catch (e) { return e.name; }", value("TypeError")),
    "a hundred thousand promises": ("for (let i = 0; i < 1e5; i++) new Promise(() => { }); return 1;", value(1)),
    "a rejection that nobody hears": ("Promise.reject(new Error('floating')); return 1;", value(1)),
    "large lines": ("const s = 'x'.repeat(1e5); for (let i = 0; i < 1000; i++) log(s); return 1;", (LATE, value(1))),
    "many phases": ("for (let i = 0; i < 20000; i++) phase('p' + i); return 1;", value(1)),
    "more agents than there may be": ("for (let i = 0; i < 30; i++) agent('p' + i); return 1;", "AGENT_CAP"),
}
ROADS = {
    "to time": ("const now = Date.now(); return [new Date.prototype.constructor(), new (new Date().constructor)(), Reflect.construct(Date, []),"  # B81
                " new (class extends Date { })(), new (Object.getPrototypeOf(new Date()).constructor)()].every((d) => d.getTime() === now)"
                " && Date.prototype.getTime.call(Reflect.construct(Date, [], Array)) === now;", value(True)),
    "to time by its replacement": ("const before = new Date().getTime(); Date.now = () => 5; return new Date().getTime() === before;", value(True)),
    "to the world by constructors": ("return [(function () { }).constructor('return typeof process + typeof require')(),"  # B81
                                     " (async () => { }).constructor !== undefined && typeof this];", value(["undefinedundefined", "object"])),
    "to other modules": ("try { await import('data:text/javascript,export default 1'); return 1; } catch { return 0; }", value(0)),
    "to callers": ("function f() { return f.caller; } let seen = 0; try { await parallel([() => { seen = f(); }]); } catch { } return typeof seen === 'function' && seen.name;",
                   (value(False), value(""))),
}


class Attacks(Scripts):
    LIMITS = {"firstSliceMs": 1500, "sliceMs": 1500, "memoryMb": 64, "agents": 20, "concurrency": 4}

    def outcome(self, run):
        if run["status"] == "succeeded":
            return value(run["result"]["value"]["final"])
        return run["result"]["error"]["code"]

    def all_at_once(self, attacks):
        """One run asks for all of them, and for an honest one at the end."""
        workflows = {}
        for i, (source, _) in enumerate(attacks.values()):
            (self.folder / f"{i}.js").write_text(source)
            workflows[f"attack-{i}"] = {"script": f"${{file:{i}.js}}", "agent": "b"}
        (self.folder / "honest.js").write_text('return await agent("honest");')
        workflows["honest"] = {"script": "${file:honest.js}", "agent": "b"}
        self.script('const all = await parallel(args.map((name) => () => workflow(name)));'
                    'return [all.length, await workflow("honest"), await agent("x")];', limits=self.LIMITS, workflows=workflows)
        out = self.run_w([f"attack-{i}" for i in range(len(attacks))])
        self.assertEqual(out["value"]["final"], [len(attacks), "did honest", "did x"])
        ended = {r["workflow"]: r for r in self.rows_of("runs", "--limit", "200") if r.get("parent") == out["run"]}
        for i, (name, (_, expected)) in enumerate(attacks.items()):
            with self.subTest(name):
                run = ended[f"attack-{i}"]
                self.assertIn(self.outcome(run), expected if isinstance(expected, tuple) else (expected,),
                              run["result"])
                # A line of the box's own is none of the script's: all of these have one.
                for line in re.findall(r"line (\d+)", str(run["result"].get("error", {}).get("message"))):
                    self.assertEqual(line, "1")
        return ended

    def pieces(self, attacks):
        """As many at a time as one run may ask for."""
        names = list(attacks)
        for first in range(0, len(names), 17):
            self.all_at_once({name: attacks[name] for name in names[first:first + 17]})

    def test_forged_errors(self):
        self.pieces(FORGED)

    def test_values_that_are_not_what_they_seem(self):
        self.pieces(VALUES)

    def test_changed_prototypes(self):
        self.pieces(PROTOTYPES)

    def test_memory(self):
        self.pieces(MEMORY_BOMBS)

    def test_depth(self):
        self.pieces(DEEP)

    def test_endless_work_and_floods(self):
        self.pieces(ENDLESS)

    def test_roads_out(self):
        self.pieces(ROADS)


if __name__ == "__main__":
    main()
