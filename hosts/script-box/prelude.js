// What a script finds around it. Runs before the script in the same realm, so it uses nothing that
// the script could replace later: every builtin is taken here, and what the script can reach of
// them cannot change what these functions do. A misuse is reported to the host by `fatal`, which
// ends the process: no catch block and no combinator sees it.
(function (ask, tell, fatal, finish, fail, start) {
  "use strict";
  const { apply, construct, ownKeys, getPrototypeOf, defineProperty } = Reflect;
  const { isArray, prototype: ArrayPrototype } = Array;
  const { prototype: ObjectPrototype, freeze } = Object;
  const { hasOwnProperty, propertyIsEnumerable } = ObjectPrototype;
  const { isFinite } = Number;
  const { isWellFormed } = String.prototype;
  const { stringify, parse } = JSON;
  const OwnPromise = Promise;
  const { then } = Promise.prototype;
  const OwnError = Error;
  const RealDate = Date;
  const ScriptFunction = getPrototypeOf(async function () {}).constructor;

  const has = (object, key) => apply(hasOwnProperty, object, [key]);
  const put = (object, key, value) =>
    defineProperty(object, key,
      { __proto__: null, value, writable: true, enumerable: true, configurable: true });

  // ---- values on their way out: lossless JSON, or an error that says where

  const escaped = (key) => {
    let out = "";
    for (let i = 0; i < key.length; ++i) out += key[i] === "~" ? "~0" : key[i] === "/" ? "~1" : key[i];
    return out;
  };
  const quoted = (text, where) => {
    if (!apply(isWellFormed, text, []))
      fatal(where.code, `${where.what} holds half a character (an unpaired surrogate)${at(where)}`);
    return stringify(text);
  };
  const at = (where) => {
    let path = "";
    for (let up = where; up.above; up = up.above) path = "/" + escaped("" + up.key) + path;
    return path === "" ? "" : " at " + path;
  };
  const top = (code, what) => ({ __proto__: null, code, what, above: null });
  const below = (where, key, value) =>
    ({ __proto__: null, code: where.code, what: where.what, above: where, key, value, depth: (where.depth | 0) + 1 });

  function textOf(value, where) {
    switch (typeof value) {
      case "string": return quoted(value, where);
      case "boolean": return value ? "true" : "false";
      case "number":
        if (!isFinite(value)) fatal(where.code, `${where.what} holds a number that is not finite${at(where)}`);
        return value === 0 ? "0" : "" + value;
      case "object": break;
      default: fatal(where.code, `${where.what} holds ${typeof value === "undefined" ? "undefined" : "a " + typeof value}${at(where)}`);
    }
    if (value === null) return "null";
    if (where.depth > 100) fatal(where.code, `${where.what} is nested deeper than 100 levels`);
    for (let up = where; up.above; up = up.above)
      if (up.above.holds === value) fatal(where.code, `${where.what} holds itself${at(where)}`);
    where.holds = value;
    return isArray(value) ? textOfArray(value, where) : textOfObject(value, where);
  }
  function textOfArray(value, where) {
    if (getPrototypeOf(value) !== ArrayPrototype)
      fatal(where.code, `${where.what} holds an array of a class${at(where)}`);
    const length = value.length;
    if (ownKeys(value).length !== length + 1)
      fatal(where.code, `${where.what} holds an array with holes or members${at(where)}`);
    let out = "[";
    for (let i = 0; i < length; ++i) {
      if (!has(value, i)) fatal(where.code, `${where.what} holds an array with holes${at(where)}`);
      out += (i ? "," : "") + textOf(value[i], below(where, i));
    }
    return out + "]";
  }
  function textOfObject(value, where) {
    const prototype = getPrototypeOf(value);
    if (prototype !== ObjectPrototype && prototype !== null)
      fatal(where.code, `${where.what} holds an object of a class${at(where)}`);
    const keys = ownKeys(value);
    let out = "{";
    for (let i = 0; i < keys.length; ++i) {
      const key = keys[i];
      if (typeof key !== "string" || !apply(propertyIsEnumerable, value, [key]))
        fatal(where.code, `${where.what} holds a member that JSON has no word for${at(where)}`);
      out += (i ? "," : "") + quoted(key, where) + ":" + textOf(value[key], below(where, key));
    }
    return out + "}";
  }

  // ---- hooks

  const misuse = (message) => fatal("INVALID_ARGUMENT", message);
  let phaseNow = "";
  const textOptions = { __proto__: null, label: 1, phase: 1, provider: 1, model: 1 };

  function agent(prompt, options) {
    if (typeof prompt !== "string" || prompt === "")
      misuse("agent(prompt, options): the prompt must be a text that is not empty");
    let request = '{"prompt":' + quoted(prompt, top("INVALID_ARGUMENT", "the prompt of agent()"));
    let phaseGiven = false;
    if (options !== undefined) {
      if (typeof options !== "object" || options === null || isArray(options))
        misuse("agent(prompt, options): the options must be an object");
      const keys = ownKeys(options);
      for (let i = 0; i < keys.length; ++i) {
        const key = keys[i];
        if (typeof key !== "string" || (key !== "schema" && !textOptions[key]))
          fatal("UNSUPPORTED_OPTION", `agent() has no option ${typeof key === "string" ? stringify(key) : "that is a symbol"}; there are label, phase, schema, provider, model`);
        const value = options[key];
        if (value === undefined) continue;
        if (key === "schema") {
          if (typeof value !== "object" || value === null || isArray(value))
            fatal("UNSUPPORTED_SCHEMA", "agent(): the option schema must be a JSON Schema, an object");
          request += ',"schema":' + textOf(value, top("UNSUPPORTED_SCHEMA", "the schema of agent()"));
          continue;
        }
        if (typeof value !== "string" || value === "") misuse(`agent(): the option ${key} must be a text that is not empty`);
        if (key === "phase") phaseGiven = true;
        request += `,"${key}":` + quoted(value, top("INVALID_ARGUMENT", `the option ${key} of agent()`));
      }
    }
    if (!phaseGiven && phaseNow !== "") request += ',"phase":' + stringify(phaseNow);
    return ask("agent", request + "}");
  }

  function workflow(name, args) {
    if (typeof name !== "string" || name === "")
      misuse("workflow(name, args): the name must be a text that is not empty");
    let request = '{"name":' + quoted(name, top("INVALID_ARGUMENT", "the name of workflow()"));
    if (args !== undefined)
      request += ',"args":' + textOf(args, top("INVALID_ARGUMENT", "the args of workflow()"));
    return ask("workflow", request + "}");
  }

  function listOf(hook, what, value, isGood) {
    if (!isArray(value)) misuse(`${hook}() takes an array of ${what}`);
    const length = value.length;
    if (length > start.items)
      fatal("ITEM_CAP", `${hook}() takes at most ${start.items} items, not ${length}`);
    const list = [];
    for (let i = 0; i < length; ++i) {
      const one = value[i];
      if (!isGood(one)) misuse(`${hook}() takes ${what}, but element ${i} is none`);
      put(list, i, one);
    }
    return list;
  }
  const isFunction = (value) => typeof value === "function";

  // Calls `body` and hands on what it comes to: its value, or that it threw.
  function settle(body, values, good, bad) {
    let promise;
    try {
      const value = apply(body, undefined, values);
      promise = new OwnPromise((resolve) => resolve(value));
    } catch {
      return bad();
    }
    apply(then, promise, [good, bad]);
  }
  // A promise of `count` results, each given by run(index, done).
  function gathered(count, run) {
    return new OwnPromise((resolve) => {
      const results = [];
      let open = count;
      if (open === 0) return resolve(results);
      for (let i = 0; i < count; ++i) put(results, i, null);
      for (let i = 0; i < count; ++i) {
        let settled = false;
        run(i, (value) => {
          if (settled) return;
          settled = true;
          put(results, i, value === undefined ? null : value);
          if (--open === 0) resolve(results);
        });
      }
    });
  }

  function parallel(thunks) {
    const list = listOf("parallel", "functions: () => agent(…)", thunks, isFunction);
    return gathered(list.length, (i, done) => settle(list[i], [], done, () => done(null)));
  }

  function pipeline(items, ...stages) {
    const list = listOf("pipeline", "items", items, () => true);
    const steps = listOf("pipeline", "functions as stages", stages, isFunction);
    return gathered(list.length, (i, done) => {
      const next = (k, value) => {
        if (k === steps.length) return done(value);
        settle(steps[k], [value, list[i], i], (result) => next(k + 1, result), () => done(null));
      };
      next(0, list[i]);
    });
  }

  function phase(title) {
    if (typeof title !== "string" || title === "") misuse("phase(title): the title must be a text that is not empty");
    const text = quoted(title, top("INVALID_ARGUMENT", "the title of phase()"));
    phaseNow = title;
    tell("phase", '{"title":' + text + "}");
  }

  function log(message) {
    if (typeof message === "object" || typeof message === "function" || typeof message === "symbol")
      misuse("log(message): the message must be a text");
    tell("log", '{"message":' + quoted("" + message, top("INVALID_ARGUMENT", "the message of log()")) + "}");
  }

  // ---- time and chance: the same in each execution of a run

  const now = start.now;
  function FixedDate(...values) {
    if (!new.target) return "" + apply(RealDate.prototype.toString, new RealDate(now), []);
    return construct(RealDate, values.length === 0 ? [now] : values, new.target);
  }
  const { parse: parseDate, UTC } = RealDate;
  const dateParts = { __proto__: null, now: () => now, parse: parseDate, UTC };
  defineProperty(FixedDate, "prototype", { __proto__: null, value: RealDate.prototype, writable: false });
  for (const name of ownKeys(dateParts))
    defineProperty(FixedDate, name, { __proto__: null, value: dateParts[name], writable: true, configurable: true });
  defineProperty(FixedDate, "name", { __proto__: null, value: "Date", configurable: true });
  defineProperty(FixedDate, "length", { __proto__: null, value: 7, configurable: true });
  defineProperty(RealDate.prototype, "constructor", { __proto__: null, value: FixedDate, writable: true, configurable: true });

  let [a, b, c, d] = start.seed; // sfc32
  const random = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 4294967296;
  };
  for (let i = 0; i < 12; ++i) random();
  defineProperty(Math, "random", { __proto__: null, value: random, writable: true, configurable: true });

  // Whatever a newer engine brings along has no place here until it has been looked at.
  const known = { __proto__: null };
  for (const name of ("NaN undefined Infinity isNaN isFinite escape unescape decodeURI decodeURIComponent " +
    "encodeURI encodeURIComponent eval globalThis parseInt parseFloat ArrayBuffer EvalError RangeError " +
    "ReferenceError SyntaxError TypeError URIError AggregateError Proxy Reflect JSON Math Int8Array " +
    "Int16Array Int32Array Uint8Array Uint8ClampedArray Uint16Array Uint32Array Float16Array Float32Array " +
    "Float64Array BigInt64Array BigUint64Array DataView Error Boolean Map Number Set WeakMap WeakSet Object " +
    "Function Array RegExp Iterator String Promise BigInt Symbol").split(" "))
    known[name] = true;
  for (const name of ownKeys(globalThis)) if (!known[name]) delete globalThis[name];
  defineProperty(globalThis, "Date", { __proto__: null, value: FixedDate, writable: true, configurable: true });

  let left = start.budget;
  const budget = freeze({ __proto__: null, get left() { return parse(left); } });
  const hooks = { __proto__: null, agent, parallel, pipeline, phase, log, workflow, budget, args: parse(start.args) };
  for (const name of ownKeys(hooks)) {
    if (typeof hooks[name] === "function") { freeze(hooks[name].prototype); freeze(hooks[name]); }
    defineProperty(globalThis, name, { __proto__: null, value: hooks[name] });
  }
  // `await` and `then` look at these: with them fixed, a promise of ours does what it should.
  freeze(OwnPromise.prototype);
  freeze(OwnPromise);

  // ---- the script

  const bodyStart = 2; // lines that the engine puts before the body of a function
  const lineOf = (error) => {
    const line = error.line;
    return typeof line === "number" && line > bodyStart ? line - bodyStart : 0;
  };
  function failed(error) {
    let message = "the script threw a value that is no Error", line = 0, column = 0;
    try {
      if (error instanceof OwnError) {
        message = `${error.name}: ${error.message}`;
        if (error.sourceURL !== "foxwedge") line = lineOf(error); // else it was raised in here
        if (line && typeof error.column === "number") column = error.column;
      } else if (typeof error !== "object" && typeof error !== "function" && typeof error !== "symbol") {
        message = "" + error;
      }
    } catch { /* a getter of the script's own */ }
    fail("SCRIPT_ERROR", message, line, column);
  }

  return {
    __proto__: null,
    run(source) {
      let body;
      try {
        body = new ScriptFunction(source);
      } catch (error) {
        fail("SCRIPT_PARSE", `${error.name}: ${error.message}`, lineOf(error), 0);
        return;
      }
      if (start.checkOnly) return finish("null");
      const promise = apply(body, undefined, []);
      apply(then, promise, [
        (value) => finish(value === undefined ? "null" : textOf(value, top("RESULT_UNSERIALIZABLE", "the script's value"))),
        failed,
      ]);
    },
    spend(text) { left = text; },
  };
})
