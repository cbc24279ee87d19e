"""`foxwedge plugins new`: what it writes builds, passes its own test and is used, with nothing of our
tree but an installed prefix."""
from harness import *

KINDS = ("capability", "provider", "guardrail", "context-strategy")


class New(Host):
    @classmethod
    def setUpClass(cls):
        cls.root, cls.program = install(cls)
        [config] = cls.root.rglob("foxwedge-plugin.pc")
        # Where it lies is its prefix, as if it had been configured for that.
        prefix = cls.program.parent.parent
        config.write_text(re.sub(r"^prefix=.*$", f"prefix={prefix}", config.read_text(), flags=re.M))
        cls.tools = {"HOME": os.environ.get("HOME", "/"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
                     "PKG_CONFIG_PATH": str(config.parent), "FOXWEDGE": str(cls.program)}

    def new(self, kind, lang, name, *args, expect=SUCCEEDED):
        done = subprocess.run([self.program, "plugins", "new", "--kind", kind, "--lang", lang, name, *args],
                              capture_output=True, text=True, cwd=self.folder, env=self.environment)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def run_in(self, folder, *command):
        done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True,
                              env=self.tools, timeout=300)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}")
        return done

    def plugin_id(self, kind, name):
        return ("context" if kind == "context-strategy" else kind) + "-" + name

    def builds_and_passes_with_meson(self, lang):
        for kind in KINDS:
            with self.subTest(kind):
                self.new(kind, lang, "my-thing")
                project = self.folder / self.plugin_id(kind, "my-thing")
                self.run_in(project, "meson", "setup", "build")
                self.run_in(project, "meson", "test", "-C", "build", "--print-errorlogs")
                self.is_alone(project / "build" / f"{project.name}.so")

    def is_alone(self, library):
        """The plugin needs system libraries alone, and shows one symbol."""
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True,
                                 text=True).stdout.split()
        self.assertEqual(symbols[2::3], ["foxwedge_entry_v1"])
        needed = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True)
        self.assertNotIn("libfoxwedge", needed.stdout)

    def test_projects_in_c(self):
        self.builds_and_passes_with_meson("c")

    def test_projects_in_cpp(self):
        self.builds_and_passes_with_meson("cpp")

    @unittest.skipUnless(shutil.which("cargo"), "there is no cargo")
    def test_projects_in_rust(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.new(kind, "rust", "my-thing")
                project = self.folder / self.plugin_id(kind, "my-thing")
                self.run_in(project, "cargo", "test", "--offline")
                self.run_in(project, "cargo", "build", "--release", "--offline")
                [library] = (project / "target/release").glob("lib*.so")
                self.is_alone(library)

    def test_a_folder_that_is_in_use_is_not_touched(self):
        self.new("guardrail", "c", "x", "--folder", "here")
        before = (self.folder / "here/x.c").read_text()
        self.new("guardrail", "c", "x", "--folder", "here", expect=USAGE)
        self.assertEqual((self.folder / "here/x.c").read_text(), before)

    def test_names_that_no_plugin_can_have_are_refused(self):
        for name in ("My", "a_b", "", "x" * 60):
            with self.subTest(name):
                self.new("capability", "c", name, expect=USAGE)
        self.new("capability", "pascal", "x", expect=USAGE)
        self.assertEqual(list(self.folder.glob("*/descriptor.json")), [])

    def test_the_manual_shows_what_is_written(self):
        suffix = {"c": "{}.c", "cpp": "{}.cpp", "rust": "src/lib.rs"}
        blocks = re.findall(r"^```(c|cpp|rust) ([a-z-]+)/([a-z-]+)$(.*?)^```$",
                            (SOURCE / "docs/plugin-kit.md").read_text(), re.M | re.S)
        self.assertGreater(len(blocks), 5)
        for lang, kind, name, text in blocks:
            with self.subTest(f"{lang} {kind}"):
                self.new(kind, lang, name, "--folder", f"{lang}-{kind}")
                written = (self.folder / f"{lang}-{kind}" / suffix[lang].format(name)).read_text()
                self.assertEqual(text.lstrip("\n"), written)

    def test_no_placeholder_is_left(self):
        for lang in ("c", "cpp", "rust"):
            for kind in KINDS:
                self.new(kind, lang, "z", "--folder", f"{lang}-{kind}")
        left = {str(path): found for path in self.folder.rglob("*") if path.is_file()
                for found in [re.findall(r"@(?:ID|NAME|KIND|TYPE|UPPER|CRATE|SOURCE)@|PLUGIN_TYPE", path.read_text())]
                if found}
        self.assertEqual(left, {})


if __name__ == "__main__":
    main()
