"""Killed anywhere, a run goes on; nothing finished is done twice; replay contacts nothing."""
import random

from harness import *

KV = "workflow-kv_kv_store"
TALLY = "words_tally"


class Crash(Host):
    def support(self, delay=15, word="n"):
        folder = self.folder / "plugins"
        folder.mkdir(exist_ok=True)
        shutil.copy(BUILD / "tests/abi/capability-words.so", folder)
        self.config(
            turns=[calls((KV, {"action": "set", "key": "n", "value": 1}),
                         (TALLY, {"word": word}),
                         ("orders_lookup_order", {"orderId": "A-1001"}), delayMs=delay),
                   calls((KV, {"action": "get", "key": "n"}), (TALLY, {"word": word}),
                         ("orders_lookup_order", {"orderId": "A-1003"}), delayMs=delay),
                   text("all done", delayMs=delay)],
            orders=True, plugins={"path": [str(folder)]},
            tools={KV: {"autoApprove": True}, TALLY: {"autoApprove": True}},
            agent={"tools": [KV, TALLY], "mcpServers": ["orders"]})

    def test_killed_at_varied_times_it_ends_the_same_and_the_store_has_each_effect_once(self):
        chance = random.Random(7)
        kills = 0
        for round_ in range(12):
            key = f"k{round_}"
            self.support(word=key)
            done = None
            for _ in range(40):
                process = self.start("--json", "run", self.config_file, "--prompt", "x", "--key", key)
                try:
                    out, err = process.communicate(timeout=chance.uniform(0.005, 0.15))
                    if "run_stuck" in out:
                        # It died five times before anything was recorded, as a slow machine may.
                        [run] = [r["id"] for r in self.runs() if r.get("key") == key]
                        self.foxwedge("--config", self.config_file, "resume", run, "--retry")
                        continue
                    self.assertEqual(process.returncode, SUCCEEDED, out + err)
                    done = json.loads(out)
                    break
                except subprocess.TimeoutExpired:
                    self.kill(process)
                    kills += 1
            if done is None:
                done = self.run_agent("--prompt", "x", "--key", key)
            self.assertEqual(done["value"]["final"], "all done")
            for name, step in self.steps(done["run"]).items():
                self.assertEqual(step["generation"], 0, name)
            # Each run told its word twice; this call is the third.
            counted = self.ok("--json", "call", self.config_file, TALLY,
                              json.dumps({"word": key})).out
            self.assertIn('"value":3', counted)
            self.replayed(done["run"])
        self.assertGreater(kills, 0)

    def replayed(self, run, **how):
        out = self.ok("--json", "--config", self.config_file, "replay", run, **how).json()
        self.assertTrue(out["identical"], out)
        return out

    def test_a_replay_starts_no_child_and_opens_no_socket(self):
        self.support(delay=0)
        run = self.run_agent("--prompt", "x")["run"]
        # Neither the server's program nor a network nor any plugin is there any more.
        config = json.loads(self.config_file.read_text())
        config["mcpServers"]["orders"]["command"] = "/nonexistent/orders"
        self.config_file.write_text(json.dumps(config))
        alone = ("unshare", "--net") if os.geteuid() == 0 else ()
        self.replayed(run, prefix=alone, environment={"FOXWEDGE_PLUGIN_PATH": ""})

    def test_another_process_holds_a_running_run(self):
        self.config(turns=[text("slow", delayMs=3000)])
        process = self.start("--json", "run", self.config_file, "--prompt", "x")
        try:
            [run] = self.until("the run is on record",
                               lambda: [r for r in self.runs() if r["status"] == "running"]
                               if (self.folder / "state/foxwedge/h/data.mdb").exists() else [])
            ended = self.ok("--json", "--config", self.config_file, "resume", run["id"], expect=HELD)
            self.assertEqual(ended.json()["error"]["code"], "run_held")
        finally:
            self.kill(process)
        out = self.ok("--json", "--config", self.config_file, "resume", run["id"]).json()
        self.assertEqual(out["value"]["final"], "slow")

    def test_a_refund_killed_under_way_asks_a_person_before_it_is_repeated(self):
        slow = self.folder / "slow-orders"
        slow.write_text(f'#!/bin/sh\nexec "{ORDERS}" --ledger "{self.ledger_file}"\n')
        slow.chmod(0o755)
        self.config(rules=[{"when": {"tool": "orders_refund_order"}, "answer": text("done")},
                           {"answer": calls(("orders_refund_order",
                                             {"orderId": "A-1001", "amount": 5}))}],
                    mcpServers={"orders": {"command": "sh", "args": [
                        "-c", f'while IFS= read -r l; do case "$l" in *tools/call*) sleep 30;; esac;'
                              f' printf "%s\\n" "$l"; done | "{ORDERS}" --ledger "{self.ledger_file}"']}},
                    agent={"mcpServers": ["orders"]})
        process = self.start("--json", "run", self.config_file, "--prompt", "x")
        run = self.until("the intent is on record", lambda: next(
            (r["id"] for r in self.runs()
             if any(n.startswith("a:iter:0:tool:") for n in self.steps(r["id"]))), None)
            if (self.folder / "state/foxwedge/h/data.mdb").exists() else None)
        self.kill(process)
        out = self.ok("--json", "--config", self.config_file, "resume", run, expect=WAITING).json()
        [gate] = self.gates()
        self.assertEqual(gate["kind"], "unknown")
        out = self.ok("--json", "--config", self.config_file, "approvals", "use", gate["id"],
                      '{"content": [{"type": "text", "text": "refunded by hand"}]}', "--resume").json()
        self.assertEqual(out["value"]["final"], "done")
        self.assertEqual(self.ledger(), [])

    def test_a_dead_server_fails_the_call_at_once_and_is_started_again(self):
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("{{result}}")},
                           {"answer": calls(("orders_lookup_order", {"orderId": "A-1002"}))}],
                    mcpServers={"orders": {"command": "sh", "args": [
                        "-c", f'if [ -e "{self.folder}/died" ]; then exec "{ORDERS}"; fi;'
                              f' while IFS= read -r l; do case "$l" in *tools/call*) touch'
                              f' "{self.folder}/died"; exit 3;; esac; printf "%s\\n" "$l"; done | "{ORDERS}"']}},
                    agent={"mcpServers": ["orders"]})
        out = self.run_agent("--prompt", "x")
        self.assertIn("reading lamp", out["value"]["final"])


if __name__ == "__main__":
    main()
