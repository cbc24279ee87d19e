"""What `meson install` gives: an embedder and a plugin author need nothing of our tree."""
from harness import *


class Installed(Host):
    @classmethod
    def setUpClass(cls):
        cls.root, cls.program = install(cls)
        [config] = cls.root.rglob("foxwedge.pc")
        cls.tools = {**os.environ, "PKG_CONFIG_PATH": str(config.parent),
                     "PKG_CONFIG_SYSROOT_DIR": str(cls.root)}
        [cls.completion] = cls.root.rglob("bash-completion/completions/foxwedge.bash")

    def pkg_config(self, *what):
        done = subprocess.run(["pkg-config", *what, "foxwedge"], check=True, capture_output=True,
                              text=True, env=self.tools)
        return done.stdout.split()

    def compile(self, *command):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)

    def installed(self, *args, **environment):
        done = subprocess.run([self.program, *map(str, args)], capture_output=True, text=True,
                              cwd=self.folder, env={**self.environment, **environment})
        return Ended(done.returncode, done.stdout, done.stderr)

    def test_the_installed_host_finds_its_plugins_and_its_launcher(self):
        self.config(turns=[calls(("orders_lookup_order", {"orderId": "A-1002"})), text("found")],
                    orders=True, agent={"mcpServers": ["orders"]})
        ended = self.installed("--json", "run", self.config_file, "--prompt", "x")
        self.assertEqual(ended.code, SUCCEEDED, ended)
        self.assertEqual(ended.json()["value"]["final"], "found")

    def test_a_plugin_built_outside_the_tree_is_dropped_in_and_works(self):
        sample = SOURCE / "docs/examples/plugins/words-c"
        shared = next(self.root.rglob("share/foxwedge"))
        self.compile("python3", shared / "note.py", sample / "descriptor.json", "capability-words",
                     "note.c")
        folder = self.folder / "plugins"
        folder.mkdir()
        self.compile("cc", "-std=c99", "-shared", "-fPIC", "-fvisibility=hidden",
                     f"-Wl,--version-script={shared / 'plugin.map'}", *self.pkg_config("--cflags-only-I"),
                     sample / "words.c", "note.c", "-o", folder / "capability-words.so")
        rows = self.installed("--json", "plugins", "list", FOXWEDGE_PLUGIN_PATH=str(folder)).json()
        self.assertIn("capability-words", [row["id"] for row in rows])
        self.config(tools={"words_tally": {"autoApprove": True}})
        ended = self.installed("call", self.config_file, "words_tally", '{"word": "x"}',
                               FOXWEDGE_PLUGIN_PATH=str(folder))
        self.assertEqual(ended.code, SUCCEEDED, ended)

    def test_an_embedder_builds_outside_the_tree_and_runs(self):
        # The compiler's own search path wins over a sysroot's: the flags name our folders in full.
        self.compile("c++", "-O0", SOURCE / "docs/examples/embedded/embedded.cpp",
                     *self.pkg_config("--cflags", "--libs"), "-o", "embedded")
        self.config(turns=[calls(("search-policy", {"topic": "double charge"})), text("{{result}}")])
        library = next(self.root.rglob("libfoxwedge.so")).parent
        plugins = next(self.root.rglob("lib/**/foxwedge/plugins"), None) or next(
            self.root.rglob("foxwedge/plugins"))
        done = subprocess.run([self.folder / "embedded", self.config_file, "charged twice"],
                              capture_output=True, text=True, cwd=self.folder,
                              env={**self.environment, "LD_LIBRARY_PATH": str(library),
                                   "FOXWEDGE_PLUGIN_PATH": str(plugins)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("refund the second charge", done.stdout)
        # The command does not know that program's workflow, says so and changes nothing.
        run = self.installed("--json", "runs").json()[0]["id"]
        self.assertIn("refund", self.installed("show", run).out)
        ended = self.installed("replay", run)
        self.assertEqual(ended.code, USAGE, ended)
        self.assertIn("the program that defines it", ended.err)
        self.config(turns=[{"error": {"code": "unauthorized", "message": "no such key"}}])
        subprocess.run([self.folder / "embedded", self.config_file, "again"], capture_output=True,
                       cwd=self.folder, env={**self.environment, "LD_LIBRARY_PATH": str(library),
                                             "FOXWEDGE_PLUGIN_PATH": str(plugins)})
        failed = self.installed("--json", "runs").json()[0]["id"]
        self.assertNotEqual(failed, run)
        ended = self.installed("resume", failed, "--retry")
        self.assertEqual(ended.code, USAGE, ended)
        self.assertEqual(self.installed("--json", "show", failed).json()["status"], "failed")


if __name__ == "__main__":
    main()
