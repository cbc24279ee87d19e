"""The examples of docs/workflows.md, as they stand there, run by the real program."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "end_to_end"))
from harness import *

from extract import snippets

PAGE = SOURCE / "docs/workflows.md"


class Examples(Host):
    def example(self, label, rules, input):
        [script] = [text for _, language, name, text in snippets(PAGE) if (language, name) == ("js", label)]
        (self.folder / "script.js").write_text(script)
        self.config(rules=rules, agents={"worker": {"model": "m"}},
                    workflows={"example": {"script": "${file:script.js}", "agent": "worker"}},
                    plugins={"load": ["capability-workflow"]})
        out = self.run_agent("example", "--input", json.dumps(input))
        self.assertTrue(self.ok("--json", "replay", out["run"]).json()["identical"])
        self.shown = self.ok("show", out["run"]).out
        return out["value"]["final"]

    def test_an_audit_over_many_files(self):
        rules = [{"when": {"user": "mistakes in b.c"}, "answer": {"output": {"problems": ["leak", "typo"]}}},
                 {"when": {"user": "Which of these"}, "answer": {"output": {"problems": ["leak"]}}},
                 {"answer": {"output": {"problems": []}}}]
        value = self.example("audit", rules, {"files": ["a.c", "b.c", "c.c"]})
        self.assertEqual(value, {"files": 3, "bad": [{"file": "b.c", "problems": ["leak"]}]})
        for words in ("Audit", "3 succeeded", "Check", "check b.c"):
            self.assertIn(words, self.shown)

    def test_research_with_verification(self):
        rules = [{"when": {"user": "this side: history"}, "answer": {"output": {"claim": "It is old"}}},
                 {"when": {"user": "this side: price"}, "answer": {"output": {"claim": "It is free"}}},
                 {"when": {"user": "Judge 1: does this hold? It is free"}, "answer": {"output": {"holds": True}}},
                 {"when": {"user": "It is free"}, "answer": {"output": {"holds": False}}},
                 {"when": {"user": "does this hold?"}, "answer": {"output": {"holds": True}}},
                 {"answer": text("{{user}}")}]
        value = self.example("research", rules, {"question": "What is it?", "angles": ["history", "price"]})
        self.assertEqual(value, {"accepted": ["It is old"], "report": "Write a summary of: It is old"})

    def test_a_migration_in_stages(self):
        ok = {"output": {"ok": True, "note": ""}}
        rules = [{"when": {"user": "Migrate b.js and run its tests. Before, this went wrong: red"}, "answer": ok},
                 {"when": {"user": "Migrate b.js"}, "answer": {"output": {"ok": False, "note": "red"}}},
                 {"when": {"user": "Migrate c.js"}, "answer": {"output": {"ok": False, "note": "blue"}}},
                 {"answer": ok}]
        value = self.example("migration", rules, {"files": ["a.js", "b.js", "c.js"]})
        self.assertEqual(value, {"migrated": ["a.js", "b.js"], "failed": ["c.js"]})
        value = self.example("migration", rules, {"files": ["c.js", "a.js"]})
        self.assertEqual(value, {"migrated": [], "stopped": "blue"})

    def test_its_configurations_load(self):
        (self.folder / "audit.js").write_text("return 1;")
        configs = [text for _, language, _, text in snippets(PAGE) if language == "json"]
        for config in configs:
            self.config_file.write_text(config)
            self.ok("config", "check", self.config_file)
        self.assertEqual(len(configs), 4)


if __name__ == "__main__":
    main()
