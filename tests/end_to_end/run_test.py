"""foxwedge run: answers, exit codes, start keys, what is printed where."""
from harness import *


class Run(Host):
    def test_a_scripted_agent_answers(self):
        self.config(turns=[text("hello {{user}}")])
        out = self.run_agent("a", "--prompt", "world")
        self.assertEqual(out["value"]["final"], "hello world")
        self.assertEqual(out["value"]["iterations"], 1)
        self.assertEqual(out["value"]["stopReason"], "final")

    def test_the_answer_goes_to_stdout_and_progress_to_stderr(self):
        self.config(turns=[text("the answer")])
        ended = self.ok("run", self.config_file, "--prompt", "x")
        self.assertEqual(ended.out, "the answer\n")
        self.assertIn("a:iter:0", ended.err)

    def test_quiet_says_nothing_but_the_answer(self):
        self.config(turns=[text("the answer")])
        ended = self.ok("-q", "run", self.config_file, "--prompt", "x")
        self.assertEqual((ended.out, ended.err), ("the answer\n", ""))

    def test_input_may_come_from_an_argument_a_file_or_stdin(self):
        self.config(turns=[text("{{user}}")], agent={"prompt": "fix ${input.what}"})
        (self.folder / "in.json").write_text('{"what": "the file"}')
        for argument, stdin, expected in (('{"what": "this"}', None, "fix this"),
                                          ("@in.json", None, "fix the file"),
                                          ("-", '{"what": "the pipe"}', "fix the pipe")):
            with self.subTest(argument):
                ended = self.ok("--json", "run", self.config_file, "--input", argument, input=stdin)
                self.assertEqual(ended.json()["value"]["final"], expected)

    def test_a_missing_input_member_fails_before_the_first_model_call(self):
        self.config(turns=[text("x")], agent={"prompt": "fix ${input.what}"})
        out = self.run_agent("--input", "{}", expect=FAILED)
        self.assertEqual(out["error"]["code"], "missing_input")
        self.assertEqual(self.show(out["run"])["steps"], [])

    def test_run_time_text_is_never_expanded(self):
        self.config(turns=[text("{{user}}")])
        out = self.run_agent("--prompt", "${env:HOME} ${input} $${x}")
        self.assertEqual(out["value"]["final"], "${env:HOME} ${input} $${x}")

    def test_the_only_agent_needs_no_name_and_several_are_listed(self):
        self.config(turns=[text("x")], agents={"one": {}, "two": {}})
        ended = self.ok("run", self.config_file, expect=USAGE)
        self.assertIn("one, two", ended.err)
        ended = self.ok("run", self.config_file, "on", expect=USAGE)
        self.assertIn('did you mean "one"', ended.err)

    def test_a_broken_config_is_exit_code_2_with_the_place(self):
        self.config_file.write_text('{"name": "h",\n "agnts": {}}')
        ended = self.ok("run", self.config_file, expect=USAGE)
        self.assertIn("host.json:2:2", ended.err)
        self.assertIn('did you mean "agents"', ended.err)

    def test_too_many_turns_is_exit_code_5(self):
        self.config(rules=[{"answer": calls(("orders_lookup_order", {"orderId": "A-1002"}))}],
                    orders=True, agent={"mcpServers": ["orders"], "maxIterations": 2})
        out = self.run_agent("--prompt", "x", expect=OTHER_STOP)
        self.assertEqual(out["value"]["stopReason"], "max-iterations")
        self.assertIsNone(out["value"]["final"])
        self.assertEqual(out["value"]["iterations"], 2)

    def test_a_permanent_provider_error_fails_the_run_with_its_code(self):
        self.config(turns=[{"error": {"code": "unauthorized", "message": "no such key"}}])
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertEqual(out["error"]["code"], "unauthorized")
        self.assertEqual(len(self.steps(out["run"])["a:iter:0"]["attempts"]), 1)

    def test_a_passing_provider_error_is_tried_again(self):
        self.config(turns=[text("fine", error={"code": "overloaded", "times": 2})])
        out = self.run_agent("--prompt", "x")
        self.assertEqual(out["value"]["final"], "fine")
        self.assertEqual(len(self.steps(out["run"])["a:iter:0"]["attempts"]), 3)

    def test_the_same_key_gives_the_same_run(self):
        self.config(turns=[text("x")])
        first = self.run_agent("--prompt", "x", "--key", "k")
        again = self.run_agent("--prompt", "x", "--key", "k")
        self.assertEqual(first["run"], again["run"])
        self.assertEqual(len(self.runs()), 1)

    def test_the_same_key_with_another_input_is_a_conflict(self):
        self.config(turns=[text("x")])
        self.run_agent("--input", '"x"', "--key", "k")
        ended = self.ok("--json", "run", self.config_file, "--input", '"y"', "--key", "k",
                        expect=USAGE)
        self.assertEqual(ended.json()["error"]["code"], "key_conflict")

    def test_set_changes_a_value_for_this_run(self):
        self.config(rules=[{"when": {"model": "big"}, "answer": text("big")},
                           {"answer": text("other")}], agent={"model": "small"})
        out = self.run_agent("--prompt", "x", "--set", "agents.a.model=big")
        self.assertEqual(out["value"]["final"], "big")

    def test_detach_leaves_the_run_ready_and_resume_does_it(self):
        self.config(turns=[text("x")])
        out = self.run_agent("--prompt", "x", "--detach")
        self.assertEqual(self.show(out["run"])["status"], "ready")
        ended = self.ok("--json", "--config", self.config_file, "resume", out["run"])
        self.assertEqual(ended.json()["value"]["final"], "x")

    def test_an_unknown_provider_is_refused_before_the_first_model_call(self):
        self.config(agent={"provider": "scriptd"})
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertIn("scriptd", out["error"]["message"])
        self.assertNotIn("a:iter:0", self.steps(out["run"]))


class Reading(Host):
    def test_runs_are_listed_newest_first_and_filtered(self):
        self.config(turns=[text("x")])
        first = self.run_agent("--prompt", "x")["run"]
        second = self.run_agent("--prompt", "x")["run"]
        self.assertEqual([r["id"] for r in self.runs()], [second, first])
        self.assertEqual(self.runs("--status", "failed"), [])
        self.assertEqual([r["id"] for r in self.runs("--limit", "1", "--after", second)], [first])

    def test_a_unique_start_of_an_id_will_do(self):
        self.config(turns=[text("x")])
        run = self.run_agent("--prompt", "x")["run"]
        self.assertEqual(self.show(run[:20])["id"], run)
        ended = self.ok("--config", self.config_file, "show", "ZZZ", expect=USAGE)
        self.assertIn("ZZZ", ended.err)

    def test_the_journal_is_found_without_naming_it(self):
        self.config(turns=[text("x")])
        run = self.run_agent("--prompt", "x")["run"]
        self.assertEqual(self.ok("--json", "show", run).json()["id"], run)

    def test_show_draws_turns_and_calls(self):
        self.config(turns=[calls(("orders_lookup_order", {"orderId": "A-1002"})), text("done")],
                    orders=True, agent={"mcpServers": ["orders"]})
        run = self.run_agent("--prompt", "x")["run"]
        out = self.ok("show", run).out
        self.assertIn("turn 0", out)
        self.assertIn("→ orders_lookup_order", out)
        self.assertIn("“done”", out)
        self.assertNotIn("\x1b", out)

    def complete(self, *words):
        script = f'source <("{FOXWEDGE}" --completion); COMP_WORDS=("$@"); ' \
            'COMP_CWORD=$(($# - 1)); _foxwedge; printf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script, "bash", "foxwedge", *words], text=True,
                              capture_output=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_the_shell_completes_commands_and_options(self):
        self.assertEqual(self.complete("jour"), ["journal"])
        self.assertEqual(self.complete("approvals", "rej"), ["reject"])
        self.assertEqual(self.complete("resume", "--ta"), ["--take-over"])
        self.assertEqual(self.complete("--jo"), ["--journal"])
        self.assertEqual(self.complete("run", "--js"), ["--json"])  # global options go anywhere
        self.assertEqual(self.complete("run", "--input", "jour"), [])  # a value, not a command

    def test_help_has_examples_and_the_manual_comes_from_it(self):
        self.assertIn("foxwedge run support.json", self.ok("run", "--help").out)
        manual = self.ok("--manual").out
        self.assertIn(".SH COMMANDS", manual)
        self.assertIn("--take-over".replace("-", "\\-"), manual)


if __name__ == "__main__":
    main()
