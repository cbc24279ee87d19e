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
        ended = self.ok("run", self.config_file, "--prompt", "x", "--detach")
        self.assertIn("foxwedge resume " + ended.out.strip(), ended.err)
        out = self.run_agent("--prompt", "x", "--detach")
        self.assertEqual(self.show(out["run"])["status"], "ready")
        ended = self.ok("--json", "--config", self.config_file, "resume", out["run"])
        self.assertEqual(ended.json()["value"]["final"], "x")

    def test_an_unknown_provider_is_refused_before_the_first_model_call(self):
        self.config(agent={"provider": "scriptd"})
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertIn("scriptd", out["error"]["message"])
        self.assertNotIn("a:iter:0", self.steps(out["run"]))


    def test_progress_says_why_an_attempt_failed(self):
        self.config(turns=[text("fine", error={"code": "overloaded", "message": "too busy", "times": 1})])
        ended = self.ok("run", self.config_file, "--prompt", "x")
        self.assertIn("attempt 1 failed", ended.err)
        self.assertIn("too busy", ended.err)

    def test_a_run_that_was_stopped_says_what_lets_it_go_on(self):
        self.config(turns=[calls(("orders_lookup_order", {"orderId": "A-1002"}))] * 3,
                    orders=True, agent={"mcpServers": ["orders"], "maxIterations": 1})
        ended = self.ok("-q", "run", self.config_file, "--prompt", "x", expect=OTHER_STOP)
        self.assertIn("--set maxIterations=", ended.err)

    def test_a_task_that_was_not_given_is_asked_for_by_its_options(self):
        self.config(turns=[text("x")])
        ended = self.ok("run", self.config_file, expect=FAILED)
        self.assertIn("--prompt", ended.err)

    def test_a_config_that_cannot_be_read_is_one_line_with_the_reason(self):
        for command in (["run", "none.json"], ["config", "show", "none.json"],
                        ["--config", "none.json", "runs"]):
            ended = self.ok(*command, expect=USAGE)
            [line] = ended.err.splitlines()
            self.assertIn("No such file", line)
        ended = self.ok("run", self.folder, expect=USAGE)
        self.assertIn("is a folder", ended.err)

    def test_a_word_that_was_misspelt_is_answered_with_the_right_one(self):
        for words, right in ((["aprovals"], "approvals"), (["run", "x.json", "--promt", "y"], "--prompt"),
                             (["journal", "stat"], "stats")):
            self.assertIn(f'did you mean "{right}"', self.ok(*words, expect=USAGE).err)
        self.assertIn("foxwedge run --help", self.ok("run", expect=USAGE).err)
        for option in ("--token", "--host"):  # without --http they would protect nothing
            self.assertIn("--http", self.ok("mcp", "x.json", option, "t", expect=USAGE).err)

    def test_a_run_that_ended_says_what_can_still_be_done(self):
        self.config(turns=[{"error": {"code": "unauthorized", "message": "no such key"}}])
        failed = self.run_agent("--prompt", "x", expect=FAILED)["run"]
        self.assertIn("--retry", self.ok("resume", failed, expect=FAILED).err)
        self.config(turns=[text("x")])
        done = self.run_agent("--prompt", "x")["run"]
        self.assertIn("foxwedge fork", self.ok("resume", done, "--set", "model=y", expect=USAGE).err)


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
        self.assertIn("foxwedge runs lists", ended.err)

    def test_a_run_is_listed_with_its_key_and_no_blanks_at_the_end(self):
        self.config(turns=[text("x")])
        self.run_agent("--prompt", "x", "--key", "ticket-7")
        self.run_agent("--prompt", "x")
        lines = self.ok("runs").out.splitlines()
        self.assertEqual([line.endswith("key ticket-7") for line in lines], [False, True])
        self.assertEqual([line.rstrip() for line in lines], lines)

    def test_whole_step_names_are_shown_where_a_command_needs_them(self):
        self.config(turns=[text("x")])
        run = self.run_agent("--prompt", "x")["run"]
        shown = self.ok("show", run, "--steps").out
        for name in self.steps(run):
            self.assertIn(name, shown)
        self.assertIn("--steps", self.ok("show", run, "--request", "nothing", expect=USAGE).err)
        self.assertIn("a:iter:0", self.ok("show", run, "--request", "a:itr:0", expect=USAGE).err)

    def test_a_journal_that_is_not_there_is_not_made_by_reading(self):
        nowhere = str(self.folder / "nowhere")
        ended = self.ok("runs", expect=USAGE, environment={"FOXWEDGE_JOURNAL": nowhere})
        self.assertIn("FOXWEDGE_JOURNAL", ended.err)
        self.assertFalse(os.path.exists(nowhere))

    def test_an_import_that_is_no_export_names_the_line(self):
        lines = self.folder / "lines.jsonl"
        lines.write_text('{"type":"journal","version":1}\nrubbish\n')
        ended = self.ok("journal", "import", "--journal", self.folder / "j", "--file", lines,
                        expect=USAGE)
        self.assertIn("line 2", ended.err)

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

    def commands(self):
        """Every command, and every one below it."""
        found = []
        for name in self.below([]):
            found.append([name])
            found += [[name, inner] for inner in self.below([name])]
        return found

    def below(self, words):
        help = self.ok(*words, "--help").out
        _, _, rest = help.partition("Subcommands:\n")
        return re.findall(r"^  (\w+)  ", rest.partition("\n\n")[0], re.M)

    def test_help_has_examples_and_the_manual_comes_from_it(self):
        self.assertIn("foxwedge run support.json", self.ok("run", "--help").out)
        for words in self.commands():
            help = self.ok(*words, "--help").out
            self.assertIn("foxwedge " + " ".join(words), help[help.index("Examples:"):])
        manual = self.ok("--manual").out
        self.assertIn(".SH COMMANDS", manual)
        self.assertIn("--take-over".replace("-", "\\-"), manual)
        self.assertIn("\\fB\\-\\-journal\\fR \\fITEXT\\fR\n", manual)  # what an option takes
        self.assertIn("\\fB\\-\\-json\\fR\n", manual)


if __name__ == "__main__":
    main()
