"""What stands in the manual is true: configs load, commands and their options exist."""
import pathlib
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "end_to_end"))
from harness import *

from extract import snippets

DOCS = SOURCE / "docs"
# Where every JSON block says what it is, so that it can be loaded.
CHECKED = ("agents.md", "approvals.md")


def inside(label, value):
    """A whole config around a part of one."""
    host = {"name": "h", "provider": "scripted", "agents": {"a": {}},
            "mcpServers": {"orders": {"command": "orders"}},
            "workflows": {name: {"agent": "a"} for name in ("orders-lookup", "refunds", "database-admin")},
            "tools": {"workflow-kv_kv_store": {"autoApprove": True}}}
    if label == "agent":
        host["agents"]["a"] = value
    elif label == "tool":
        host["agents"]["a"] = {"tools": [value]}
    elif label == "rule":
        host["agents"]["a"] = {"approval": value}
    elif label == "catalogue":
        host["tools"] = value
    elif label == "servers":
        host["mcpServers"] = value
    elif label == "app":
        host["apps"] = {"orders": value}
    elif label == "config":
        host = value
    else:
        raise KeyError(label)
    return host


class Pages(Host):
    def test_configs_and_their_parts_load(self):
        seen = 0
        for page in CHECKED:
            for line, language, label, text in snippets(DOCS / page):
                if language != "json":
                    continue
                with self.subTest(f"{page}:{line}"):
                    self.config_file.write_text(json.dumps(inside(label, json.loads(text))))
                    self.ok("config", "check", self.config_file,
                            environment={"ORDERS_TOKEN": "a-token-of-orders"})
                    self.ok("tools", self.config_file)
                    seen += 1
        self.assertGreater(seen, 15)

    def test_a_first_agent_runs(self):
        [config] = [json.loads(text) for _, language, label, text in snippets(DOCS / "agents.md")
                    if language == "json" and label == "config" and "workflow-kv" in text]
        config["providers"]["main"] = {"use": "scripted", "config": {"turns": [
            calls(("workflow-kv_kv_store", {"action": "list"})), text("{{user}}")]}}
        self.config_file.write_text(json.dumps(config))
        out = self.run_agent("--input", '{"ticket": "charged twice"}')
        self.assertEqual(out["value"]["final"], "Resolve this ticket: charged twice")
        self.assertIn("support:iter:0:tool:call_0_0", self.steps(out["run"]))

    def test_commands_and_options_exist(self):
        seen = set()
        for page in sorted(DOCS.glob("*.md")):
            for line, language, _, text in snippets(page):
                if language not in ("", "sh"):
                    continue
                for command in text.splitlines():
                    words = command.removeprefix("$ ")
                    if not words.startswith("foxwedge "):
                        continue
                    with self.subTest(f"{page.name}:{line}: {words}"):
                        self.check_command(words, seen)
        self.assertGreater(len(seen), 10)

    def check_command(self, words, seen):
        # What follows in a pipe, as a comment or in a substitution is the shell's.
        parts = shlex.split(re.split(r" [|#>&]|\$\(", words)[0], comments=True)[1:]
        options = [part.split("=")[0] for part in parts if part.startswith("--")]
        path, help_text = [], self.ok("--help").out
        for part in [part for part in parts if not part.startswith("-")][:2]:
            ended = self.foxwedge(*path, part, "--help")
            listed = re.search(rf"^\s+{re.escape(part)}\b", help_text, re.M)
            if ended.code != SUCCEEDED or not listed:
                break
            path.append(part)
            help_text = ended.out
        self.assertTrue(path or not parts or parts[0].startswith("-"), f"no such command: {words}")
        everywhere = self.ok("--help").out
        for option in options:
            self.assertIn(option, help_text + everywhere, f"no option {option}: {words}")
        seen.add(" ".join(path))


if __name__ == "__main__":
    main()
