"""`foxwedge plugins check`: every plugin that we ship or show conforms, and each one of the museum does not."""
from harness import *

MUSEUM = pathlib.Path(os.environ["FOXWEDGE_MUSEUM"])
PLUGINS = BUILD / "plugins"
SAMPLES = BUILD / "tests/abi"


def recorded(body, content_type="application/json"):
    return {"status": 200, "headers": {"content-type": content_type}, "body": body}


def events(*pieces):
    return "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)


# What each shipped or shown plugin needs to show all that it can: configurations and an answer.
NEEDS = {
    "provider-scripted": {"scripted": {"turns": [{"text": "hello"}], "default": {"text": "again"}}},
    "guardrail-rule": {"rule": {"rules": [{"if": "false", "action": "deny"}]}},
    "context-count": {"count": {"keepLast": 5}},
    "context-token-budget": {"token-budget": {"maxTokens": 8000}},
}
ANSWERS = {
    "provider-openai": recorded(json.dumps({
        "id": "r1", "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "hello"}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1}})),
    "provider-anthropic": recorded(json.dumps({
        "id": "r1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "hello"}], "usage": {"input_tokens": 3, "output_tokens": 1}})),
    "provider-gemini": recorded(json.dumps({
        "candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [{"text": "hello"}]}}],
        "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 1}})),
    "provider-parrot": recorded("pretty polly", "text/plain"),
    "provider-brook": recorded(events({"text": "hel"}, {"text": "lo"}, {
        "done": True, "model": "b", "usage": {"input": 1, "output": 1}}), "text/event-stream"),
}
ANSWERS["provider-brook-rs"] = ANSWERS["provider-brook"]


class Check(Host):
    def check(self, file, *args, expect=None):
        ended = self.foxwedge("--json", "plugins", "check", file, *args, timeout=240)
        if expect is not None:
            self.assertEqual(ended.code, expect, ended)
        self.assertIn(ended.code, (SUCCEEDED, FAILED), ended)
        report = ended.json()
        self.assertEqual(report["conforms"], ended.code == SUCCEEDED)
        return report

    def failed(self, report):
        return {f"{one['subject']}: {one['id']}": one["detail"]
                for one in report["findings"] if one["outcome"] == "failed"}

    def skipped(self, report):
        return {one["id"]: one["detail"] for one in report["findings"] if one["outcome"] == "skipped"}

    def conforms(self, file):
        """All of it, with nothing left out."""
        args = []
        for component, config in NEEDS.get(file.stem, {}).items():
            args += ["--component-config", f"{component}={json.dumps(config)}"]
        if file.stem in ANSWERS:
            answer = self.folder / "answer.json"
            answer.write_text(json.dumps(ANSWERS[file.stem]))
            args += ["--answer", answer]
        report = self.check(file, *args)
        self.assertEqual(self.failed(report), {})
        return report


class Conforming(Check):
    def test_every_shipped_plugin_conforms(self):
        shipped = sorted(PLUGINS.glob("*/*.so"))
        self.assertGreater(len(shipped), 10)
        for file in shipped:
            with self.subTest(file.stem):
                report = self.conforms(file)
                self.assertGreater(report["passed"], 8)
                self.assertEqual(self.skipped(report), {})

    def test_the_samples_in_c_cpp_and_rust_conform(self):
        for name in ("capability-words", "capability-celsius", "provider-parrot", "provider-brook",
                     "capability-shout", "provider-brook-rs"):
            file = SAMPLES / f"{name}.so"
            if not file.exists() and name in ("capability-shout", "provider-brook-rs"):
                continue  # no rustc where this was built
            with self.subTest(name):
                self.conforms(file)

    def test_the_report_names_who_checked_what_and_how(self):
        report = self.conforms(PLUGINS / "capability-kv/capability-kv.so")
        self.assertEqual(report["plugin"]["id"], "capability-kv")
        self.assertEqual(report["plugin"]["file"], "capability-kv.so")
        self.assertNotIn(str(BUILD), json.dumps(report))  # nothing of where it was made
        self.assertRegex(report["plugin"]["sha256"], "^[0-9a-f]{64}$")
        self.assertEqual(report["host"]["abi"], {"major": 1, "minor": 0})
        self.assertIn("seccomp", report["sealedBy"])
        ended = self.ok("plugins", "check", PLUGINS / "capability-kv/capability-kv.so")
        self.assertIn("capability-kv", ended.out)
        self.assertRegex(ended.out, r"conforms: \d+ passed, 0 failed, \d+ skipped")


class Museum(Check):
    """Exhibit → the finding that it fails, and words of the detail."""

    EXHIBITS = {
        "no-note": ("file: file.descriptor", "it has no descriptor"),
        "no-entry": ("file: file.descriptor", "it does not export the symbol"),
        "other-major": ("file: file.descriptor", "it needs ABI 99.0"),
        "stray-1": ("file: file.descriptor", "name the file stray.so"),
        "newer-host": ("capability newer-host: instance", "needs a host of ABI 1.99"),
        "short-entry": ("capability short-entry: instance", "its entry says that it has 32 bytes"),
        "null-open": ("capability null-open: instance", "its function open is null"),
        "null-verb": ("capability null-verb: instance", "its function run_tool is null"),
        "no-instance": ("capability no-instance: instance", "gives no instance"),
        "undefined-symbol": ("capability undefined-symbol: instance", "undefined symbol: host_v9_fn"),
        "open-crashes": ("capability open-crashes: instance", "signal 6"),
        "create-crashes": ("capability create-crashes: instance", "signal 6"),
        "open-hangs": ("capability open-hangs: instance", "did not get it ready in time"),
        "create-says-no": ("capability create-says-no: instance", "the key file is missing"),
        "endless-factories": ("capability endless-factories: instance", "does not end"),
        "list-hangs": ("capability list-hangs: tools.listed", "did not return within"),
    }

    def test_each_exhibit_fails_by_its_fault(self):
        for name, (finding, words) in self.EXHIBITS.items():
            with self.subTest(name):
                found = self.failed(self.check(MUSEUM / f"{name}.so", "--seconds", 1, expect=FAILED))
                self.assertIn(finding, found)
                self.assertIn(words, found[finding])

    def test_a_plugin_that_breaks_the_promises_of_a_call_is_told_each(self):
        found = self.failed(self.check(MUSEUM / "unruly.so", expect=FAILED))
        subject = "capability unruly: "
        self.assertIn("signal 6", found[subject + "run.aborts"])
        self.assertIn("did not return", found[subject + "run.hangs.cancelled"])
        self.assertIn("did not return", found[subject + "run.hangs"])
        self.assertNotIn(subject + "run.fine", found)

    def test_the_other_kinds_are_told_their_faults_too(self):
        for fault, words in (("no-result", "returned ok without a result"),
                             ("two-results", "gave 2 results"), ("bad-json", "no JSON"),
                             ("unknown-status", "unknown status 42"), ("throws", "no disk"),
                             ("parked-for-nothing", "returned parked"), ("aborts", "signal 6")):
            with self.subTest(fault):
                report = self.check(MUSEUM / "kinds.so", "--component-config",
                                    json.dumps({"fault": fault}), expect=FAILED)
                found = self.failed(report)
                for finding in ("provider faulty: answer", "provider faulty: count_tokens",
                                "guardrail faulty: input.verdict", "context-strategy faulty: plan"):
                    self.assertIn(words, found[finding], finding)

    def test_a_provider_that_would_never_see_its_tools_is_told(self):
        report = self.check(MUSEUM / "kinds.so", "--component-config",
                            json.dumps({"fault": "tools-in-text"}), expect=FAILED)
        self.assertIn("say both, or neither", self.failed(report)["provider faulty: describe.tools"])
        self.assertNotIn("provider faulty: describe", self.failed(report))

    def test_a_tame_exhibit_is_told_what_it_leaves_out(self):
        found = self.failed(self.check(MUSEUM / "tame.so", expect=FAILED))
        self.assertIn("file: file.titles", found)
        self.assertIn("capability tame: tools.form", found)


class Sealed(Check):
    def test_a_plugin_under_check_reaches_nothing(self):
        (self.folder / "secret").write_text("mine")
        nosy = MUSEUM / "nosy.so"
        config = json.dumps({"home": str(self.folder)})
        report = self.check(nosy, "--component-config", config)
        self.assertEqual(self.failed(report), {})
        self.assertFalse((self.folder / "written").exists())
        # The same file elsewhere: it is the seal that holds, not the plugin that is good.
        plugins = self.folder / "plugins"
        plugins.mkdir(mode=0o755)
        shutil.copyfile(nosy, plugins / "nosy.so")
        (plugins / "nosy.so").chmod(0o644)
        self.config(plugins={"path": ["plugins"], "load": [{"id": "nosy", "config": json.loads(config)}]},
                    tools={"nosy_look": {"autoApprove": True}})
        told = self.foxwedge("call", self.config_file, "nosy_look", "{}")
        for escape in ("internet", "local-socket", "process", "signal", "write", "read", "mode"):
            self.assertIn(f'"{escape}', told.out.replace("\\", "") + told.err)
        self.assertTrue((self.folder / "written").exists())


class Usage(Check):
    def test_what_is_asked_wrongly_is_told_with_code_2(self):
        kv = PLUGINS / "capability-kv/capability-kv.so"
        for args in (("--component-config", "nobody={}"), ("--component-config", "[]"),
                     ("--answer", "/nowhere"), ("--seconds", "0")):
            with self.subTest(args):
                ended = self.foxwedge("plugins", "check", kv, *args)
                self.assertEqual(ended.code, USAGE, ended)

    def test_a_configuration_that_does_not_fit_is_told(self):
        ended = self.foxwedge("plugins", "check", PLUGINS / "guardrail-limits/guardrail-limits.so",
                              "--component-config", 'limits={"maxBytes": "many"}')
        self.assertEqual(ended.code, USAGE, ended)
        self.assertIn("maxBytes", ended.err)

    def test_a_file_that_is_not_there_does_not_conform(self):
        ended = self.foxwedge("plugins", "check", self.folder / "nothing.so")
        self.assertEqual(ended.code, FAILED, ended)
        self.assertIn("FAILED", ended.out)


if __name__ == "__main__":
    main()
