"""A journal in odd hands: compacted under readers, half made, its descriptors closed or limited."""
from harness import *


class OddJournal(Host):
    def journal(self):
        return self.folder / "state/foxwedge/h"

    def recorded_run(self, words="x" * 300_000):
        self.config(turns=[text(words)])
        return self.run_agent("--prompt", "x")["run"]

    def test_a_compaction_waits_for_who_only_reads(self):
        """LMDB's lock file, kept alive by a reader, would lead the next writer to an empty page."""
        runs = [self.recorded_run() for _ in range(4)]
        reader = self.start("--config", self.config_file, "journal", "export")
        try:
            reader.stdout.read(1)  # it is in the middle: the rest does not fit into the pipe
            ended = self.ok("--json", "--config", self.config_file, "journal", "compact",
                            expect=FAULT)
            self.assertEqual(ended.json()["error"]["code"], "journal_in_use")
            reader.stdout.read()
            self.assertEqual(reader.wait(), SUCCEEDED)
        finally:
            self.kill(reader)
        self.ok("--config", self.config_file, "journal", "compact")
        self.assertEqual({r["id"] for r in self.runs()}, set(runs))

    def test_compacted_at_any_time_by_one_and_killed_by_others_no_run_is_lost(self):
        import random
        chance = random.Random(11)
        self.config(turns=[text("x", delayMs=5)])
        known = set()
        for _ in range(40):
            others = [self.start("--config", self.config_file, "journal", word)
                      for word in ("check", "compact", "compact")]
            known.add(self.run_agent("--prompt", "x")["run"])
            time.sleep(chance.uniform(0, 0.02))
            for other in others:
                self.kill(other)
        self.assertEqual(known - {r["id"] for r in self.runs("--limit", "200")}, set())
        self.ok("--config", self.config_file, "journal", "check")

    def test_a_journal_whose_maker_was_killed_at_once_is_empty_and_not_damaged(self):
        self.journal().mkdir(parents=True)
        (self.journal() / "data.mdb").touch()
        out = self.ok("--json", "--config", self.config_of_nothing(), "journal", "check").json()
        self.assertEqual((out["sound"], out["runs"]), (True, 0))
        self.run_agent("--prompt", "x")

    def config_of_nothing(self):
        return self.config(turns=[text("x")])

    def test_with_its_streams_closed_it_writes_nothing_into_its_own_files(self):
        self.config(turns=[text("hello")])
        for closed in ("<&-", ">&-", "2>&-", "<&- 2>&-", "<&- >&- 2>&-"):
            subprocess.run(["sh", "-c", f'exec "$0" "$@" {closed}', str(FOXWEDGE), "run",
                            str(self.config_file), "--prompt", "x"], env=self.environment,
                           cwd=self.folder, check=True, timeout=60)
            for file in self.journal().rglob("*"):
                if file.is_file():
                    self.assertNotIn(b"a:iter:0", file.read_bytes()[:200], (closed, file))
            self.assertEqual((self.journal() / "use").read_bytes(), b"", closed)
        self.ok("--config", self.config_file, "journal", "check")
        self.assertEqual({r["status"] for r in self.runs()}, {"succeeded"})

    def test_a_journal_that_is_taken_away_under_a_run_ends_it_as_a_fault(self):
        for gone in ("data.mdb", "lock.mdb", None):
            self.config(turns=[text("hello", delayMs=1500)])
            process = self.start("--json", "run", self.config_file, "--prompt", "x")
            self.until("the model is asked", lambda: [r for r in self.runs()
                                                      if r["status"] == "running"])
            if gone:
                (self.journal() / gone).unlink()
            else:
                shutil.rmtree(self.journal())
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, FAULT, (gone, out, err))
            self.assertIn("removed or replaced", out + err)
            shutil.rmtree(self.journal(), ignore_errors=True)

    def test_a_folder_that_may_only_be_read_is_no_damage(self):
        if os.geteuid() != 0:
            self.skipTest("becoming someone else needs root")
        self.recorded_run()
        subprocess.run(["chmod", "-R", "a+rX,a-w", str(self.folder)], check=True)
        as_other = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        for word in ("check", "export"):
            ended = self.ok("--json", "--journal", self.journal(), "journal", word, expect=FAULT,
                            prefix=as_other)
            self.assertIn("cannot write to the folder", ended.out + ended.err)
            self.assertNotIn("damaged", ended.out + ended.err)

    def test_a_damaged_journal_is_neither_pruned_nor_compacted(self):
        self.recorded_run()
        file = self.journal() / "data.mdb"
        whole = file.read_bytes()
        for page in range(2, len(whole) // 4096):
            file.write_bytes(whole[:page * 4096] + bytes(4096) + whole[(page + 1) * 4096:])
            for words in (("compact",), ("prune", "--older-than", "0s")):
                ended = self.foxwedge("--json", "--config", self.config_file, "journal", *words)
                self.assertIn(ended.code, (SUCCEEDED, FAULT), (page, words, ended))
                if ended.code == SUCCEEDED:
                    break  # a free page; it has done its work

    def test_an_imported_run_has_ended_when_it_ended(self):
        run = self.recorded_run("hello")
        lines = self.folder / "export.jsonl"
        self.ok("--config", self.config_file, "journal", "export", "--file", lines)
        ended_at = self.runs()[0]["updated"]

        def import_into(name, change):
            """Where its runs then say that they ended, and how many `prune` takes of an hour ago."""
            out = []
            for line in map(json.loads, lines.read_text().splitlines()):
                if line["type"] == "run":
                    change(line)
                out.append(json.dumps(line))
            there = self.folder / name
            self.ok("--journal", there, "journal", "import", input="\n".join(out))
            [row] = self.ok("--json", "--journal", there, "runs").json()
            self.assertEqual((row["id"], row["status"]), (run, "succeeded"))
            pruned = self.ok("--json", "--journal", there, "journal", "prune", "--older-than", "1h")
            return row["updated"], pruned.json()["runs"]

        self.assertEqual(import_into("same", lambda line: None), (ended_at, 0))
        self.assertEqual(import_into("earlier", lambda line: line.update(
            updated=line["updated"] - 2 * 3600 * 1000))[1], 1)
        # An export of before has no such time: the run counts as ended now.
        self.assertEqual(import_into("older", lambda line: line.pop("updated"))[1], 0)

    def test_a_broken_place_is_told_once(self):
        for _ in range(4):
            self.recorded_run("hello")
        file = self.journal() / "data.mdb"
        file.write_bytes(file.read_bytes()[:3 * 4096])
        ended = self.ok("--config", self.config_file, "journal", "check", expect=FAULT)
        told = [line for line in ended.err.splitlines() if "damaged" in line]
        self.assertIn("Bus error", ended.err)
        self.assertEqual(len(told), len(set(told)), ended)

    def test_a_limit_of_the_stack_hurts_nobody(self):
        tight = ("prlimit", "--stack=65536")
        kv = "workflow-kv_kv_store"
        lookup = ("orders_lookup_order", {"orderId": "A-1001"})
        for load in ([], [{"id": "capability-kv", "isolation": "process"}]):
            self.config([calls((kv, {"action": "set", "key": "k", "value": 1}), lookup),
                         text("done")], orders=True, plugins={"load": load},
                        agent={"tools": [kv], "mcpServers": ["orders"]},
                        tools={kv: {"autoApprove": True}})
            self.ok("run", self.config_file, "--prompt", "x", prefix=tight)
        for words in (("runs",), ("journal", "check"), ("journal", "compact"), ("tools", self.config_file)):
            self.ok("--config", self.config_file, *words, prefix=tight)
        # Ctrl-C still gets to who waits for it.
        self.config([text("late", delayMs=60_000)])
        run = subprocess.Popen([*tight, str(FOXWEDGE), "run", str(self.config_file), "--prompt", "x"],
                               stderr=subprocess.PIPE, text=True, env=self.environment,
                               cwd=self.folder)
        self.until("a run", lambda: any(r["status"] == "running" for r in self.runs()))
        run.send_signal(signal.SIGINT)
        self.assertIn("cancelling", run.communicate(timeout=60)[1])
        self.assertEqual(run.returncode, CANCELLED)

    def test_a_limit_of_address_space_is_named_with_the_mend(self):
        narrow = ("prlimit", "--as=8000000000")
        self.config(turns=[text("x")])
        ended = self.ok("run", self.config_file, "--prompt", "x", expect=FAULT, prefix=narrow)
        for words in ("68719476736", "journal.mapLimit", "8000000000", "ulimit -v"):
            self.assertIn(words, ended.err)
        self.config(turns=[text("x")], journal={"mapLimit": 1 << 30})
        self.ok("run", self.config_file, "--prompt", "x", prefix=narrow)

    def test_an_import_names_the_line_that_is_no_export(self):
        self.recorded_run("hello")
        good = self.ok("--config", self.config_file, "journal", "export").out
        long = self.folder / "long"
        with open(long, "wb") as file:
            file.write(good.encode())
            file.truncate((200 << 20) + len(good))
        at = good.count("\n") + 1
        for wrong, told in (("garbage", "no JSON object"), ("7", "no JSON object"),
                            ('{"type": "run"}', "lacks what that must have")):
            ended = self.foxwedge("--journal", self.folder / "new", "journal", "import",
                                  input=good + wrong + "\n")
            self.assertEqual(ended.code, USAGE, ended)
            self.assertIn(f"line {at} of the export: ", ended.err)
            self.assertIn(told, ended.err)
        for file, told in ((long, f"line {at} of the export: longer than "), (".", "Is a directory"),
                           ("gone", "No such file")):
            ended = self.foxwedge("--journal", self.folder / "new", "journal", "import", "--file", file)
            self.assertEqual(ended.code, USAGE, ended)
            self.assertIn(told, ended.err)
        self.assertFalse((self.folder / "new").exists())

    def test_the_largest_input_of_a_run_comes_back_from_an_export(self):
        self.config(turns=[text("x")])
        file = self.folder / "input.json"
        file.write_text(json.dumps('"' * (31 << 20)))  # as text within JSON each is four bytes
        run = self.run_agent("--input", f"@{file}")["run"]
        lines = self.folder / "export.jsonl"
        self.ok("--config", self.config_file, "journal", "export", "--file", lines)
        self.ok("--journal", self.folder / "new", "journal", "import", "--file", lines)
        [row] = self.ok("--json", "--journal", self.folder / "new", "runs").json()
        self.assertEqual((row["id"], row["status"]), (run, "succeeded"))

    def test_a_limit_on_file_sizes_is_an_error_and_no_death(self):
        run = self.recorded_run()
        for bytes_ in (0, 1000, 100_000):
            ended = self.foxwedge("--json", "run", self.config_file, "--prompt", "x",
                                  prefix=("prlimit", f"--fsize={bytes_}"))
            self.assertIn(ended.code, (FAILED, FAULT), ended)
            self.assertIn("error", ended.json())
        self.assertIn(run, {r["id"] for r in self.runs()})
        self.ok("--config", self.config_file, "journal", "check")

    def test_an_answer_that_cannot_be_written_is_a_fault_and_stays_on_record(self):
        self.config(turns=[text("hello")])
        ended = subprocess.run(["sh", "-c", 'exec "$0" "$@" >/dev/full', str(FOXWEDGE), "run",
                                str(self.config_file), "--prompt", "x"], env=self.environment,
                               cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, FAULT, ended)
        self.assertIn("standard output", ended.stderr)
        self.assertEqual([r["status"] for r in self.runs()], ["succeeded"])


if __name__ == "__main__":
    main()
