"""Arguments that nobody means: empty, no text, too large, of a form that no file can have."""
from harness import *


class OddArguments(Host):
    def refused(self, *args, **how):
        ended = self.foxwedge(*args, **how)
        self.assertEqual(ended.code, USAGE, (args, ended))
        return ended

    def test_an_empty_value_is_refused_and_nothing_runs(self):
        """It is what a shell makes of a variable that is not set."""
        self.config(turns=[text("x")])
        for args in (("--key", ""), ("--conversation", ""), ("--user", ""), ("--input", ""), ("",)):
            with self.subTest(args):
                self.assertIn("empty", self.refused("run", self.config_file, *args).err)
        self.assertFalse((self.folder / "state").exists())
        for args in (("--journal", "", "runs"), ("--config", "", "runs"), ("config", "check", ""),
                     ("plugins", "inspect", ""), ("plugins", "lock", ""), ("show", ""),
                     ("approvals", "approve", ""), ("approvals", "rules", "--revoke", ""),
                     ("mcp", self.config_file, "--http", ""), ("runs", "--since", "")):
            with self.subTest(args):
                self.assertIn("empty", self.refused(*args).err)

    def test_a_start_key_that_is_no_text_is_refused_for_two_of_them_would_be_one(self):
        self.config(turns=[text("x")])
        for option in ("--key", "--conversation", "--user"):
            self.assertIn("UTF-8", self.refused("run", self.config_file, "--prompt", "x", option,
                                                "\udcff").err)

    def test_a_prompt_that_is_no_text_is_made_one(self):
        self.config(turns=[text("{{user}}")])
        self.assertEqual(self.run_agent("--prompt", "a\udcffb")["value"]["final"], "a\ufffdb")

    def test_a_path_that_no_file_can_have_is_an_error(self):
        long = "x" * 5000
        for args in (("--journal", long, "runs"), ("config", "check", long),
                     ("run", long, "--prompt", "x"), ("plugins", "lock", long),
                     ("plugins", "inspect", long), ("plugins", "inspect", "missing.so")):
            with self.subTest(args[0]):
                self.refused(*args)

    def test_an_input_that_is_a_folder_or_has_no_end_is_refused(self):
        self.config(turns=[text("x")])
        ended = self.refused("--json", "run", self.config_file, "--input", "@.")
        self.assertIn("is a folder", ended.json()["error"]["message"])
        for endless in ("@/dev/zero", "-"):
            with open("/dev/zero", "rb") as zero:
                ended = subprocess.run([str(FOXWEDGE), "--json", "run", str(self.config_file),
                                        "--input", endless], stdin=zero, capture_output=True,
                                       text=True, env=self.environment, cwd=self.folder, timeout=60)
            self.assertEqual(ended.returncode, USAGE, ended)
            self.assertIn("larger than", json.loads(ended.stdout)["error"]["message"])

    def test_a_duration_that_is_none_is_bad_usage(self):
        self.config(turns=[text("x")])
        self.run_agent("--prompt", "x")
        for args in (("runs", "--since", "-1h"), ("journal", "prune", "--older-than", "1e9d")):
            ended = self.refused("--json", "--config", self.config_file, *args)
            self.assertEqual(ended.json()["error"]["code"], "invalid_duration")


if __name__ == "__main__":
    main()
