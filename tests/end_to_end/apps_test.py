"""Workflows of other hosts as tools: another config file, or a host that serves them over MCP."""
from harness import *

REFUND = {"orderId": "A-1001", "amount": 30}


class Apps(Host):
    """The host `h` calls the agent `clerk` of the host `shop`, which refunds through its own server."""

    def setUp(self):
        super().setUp()
        self.shop_file = self.folder / "shop" / "host.json"
        self.shop_file.parent.mkdir()

    def shop(self, approval=False, answer="refunded: {{result}}", **agent):
        self.shop_file.write_text(json.dumps({
            "name": "shop", "provider": "scripted", "retry": {"initialDelay": "1ms"},
            "providers": {"scripted": {"config": {"rules": [
                {"when": {"tool": "orders_refund_order"}, "answer": text(answer)},
                {"answer": calls(("orders_refund_order", REFUND))}]}}},
            "mcpServers": {"orders": {"command": str(ORDERS),
                                      "args": ["--ledger", str(self.ledger_file)],
                                      "requiresApproval": approval}},
            "agents": {"clerk": {"mcpServers": ["orders"], **agent}}}))

    def caller(self, app, workflow="clerk", **tool):
        self.config(rules=[{"when": {"tool": "refund"}, "answer": text("{{result}}")},
                           {"answer": calls(("refund", REFUND))}],
                    apps={"shop": app},
                    agent={"tools": [{"name": "refund", "workflow": workflow, "app": "shop",
                                      **tool}]})

    def by_file(self, **tool):
        self.caller({"config": "shop/host.json"}, **tool)

    def runs_of_shop(self):
        """None while the process that is to make its journal has not got so far."""
        ended = self.foxwedge("--json", "--config", self.shop_file, "runs")
        return ended.json() if ended.code == SUCCEEDED else []

    def answered(self, run):
        """Decides the one question that the caller's run waits for."""
        [gate] = self.gates()
        self.assertEqual((gate["kind"], gate["run"], gate["about"]["app"]), ("input", run, "shop"))
        self.assertIn("refund_order", gate["about"]["summary"])
        return self.ok("--json", "--config", self.config_file, "approvals", "respond", gate["id"],
                       '{"decision": "approve"}', "--resume").json()

    def replays(self, run):
        self.shop_file.unlink()
        self.assertTrue(self.ok("--json", "--config", self.config_file, "replay", run)
                        .json()["identical"])

    # ---- by its config file

    def test_the_other_hosts_agent_runs_in_its_own_journal(self):
        self.shop()
        self.by_file()
        out = self.run_agent("--prompt", "x")
        self.assertIn("refunded", out["value"]["final"])
        self.assertEqual([row["amount"] for row in self.ledger()], [30])
        [run] = self.runs_of_shop()
        self.assertEqual((run["workflow"], run["status"]), ("clerk", "succeeded"))
        self.assertEqual([r["workflow"] for r in self.runs()], ["a"])
        self.replays(out["run"])

    def test_what_it_waits_for_is_asked_of_the_callers_people(self):
        self.shop(approval=True)
        self.by_file()
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        self.assertEqual(self.ledger(), [])
        out = self.answered(run)
        self.assertIn("refunded", out["value"]["final"])
        self.assertEqual(len(self.ledger()), 1)
        self.assertEqual(len(self.runs_of_shop()), 1)
        self.replays(run)

    def test_a_run_that_was_killed_finds_the_apps_run_again(self):
        self.shop(approval=True)
        self.by_file()
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        [gate] = self.ok("--json", "--config", self.shop_file, "approvals").json()
        self.ok("--config", self.shop_file, "approvals", "approve", gate["id"], "--resume")
        self.assertEqual(len(self.ledger()), 1)
        self.answered(run)
        self.assertEqual((len(self.ledger()), len(self.runs_of_shop())), (1, 1))

    def test_a_question_answered_at_the_app_is_withdrawn_once_the_caller_goes_on(self):
        self.shop(approval=True)
        self.by_file()
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        [gate] = self.ok("--json", "--config", self.shop_file, "approvals").json()
        self.ok("--config", self.shop_file, "approvals", "approve", gate["id"], "--resume")
        out = self.ok("--json", "resume", run).json()
        self.assertIn("refunded", out["value"]["final"])
        self.assertEqual(self.gates(), [])
        [asked] = self.show(run)["gates"]
        self.assertEqual((asked["status"], asked["decision"]["decidedBy"]),
                         ("cancelled", "system:cancel"))
        self.assertEqual((len(self.ledger()), len(self.runs_of_shop())), (1, 1))
        self.replays(run)

    def test_an_end_that_is_no_answer_is_an_error_that_names_run_and_reason(self):
        self.shop(maxIterations=1)
        self.by_file()
        out = self.run_agent("--prompt", "x")
        [run] = self.runs_of_shop()
        self.assertIn(run["id"], out["value"]["final"])
        self.assertIn("max-iterations", out["value"]["final"])

    def test_a_call_that_runs_out_of_time_ends_the_apps_run(self):
        self.shop(approval=False, answer="late")
        host = json.loads(self.shop_file.read_text())
        host["providers"]["scripted"]["config"]["rules"][1]["answer"]["delayMs"] = 30_000
        self.shop_file.write_text(json.dumps(host))
        self.by_file(timeout="100ms", retry={"maxAttempts": 1})
        error = self.run_agent("--prompt", "x", expect=FAILED)["error"]
        self.assertEqual(error["code"], "timeout", error)
        self.assertEqual([r["status"] for r in self.runs_of_shop()], ["cancelled"])

    def test_cancelling_the_caller_ends_the_apps_run(self):
        self.shop()
        host = json.loads(self.shop_file.read_text())
        host["providers"]["scripted"]["config"]["rules"][1]["answer"]["delayMs"] = 30_000
        self.shop_file.write_text(json.dumps(host))
        self.by_file()
        process = self.start("--json", "run", self.config_file, "--prompt", "x")
        self.until("the app runs",
                   lambda: [r for r in self.runs_of_shop() if r["status"] == "running"])
        [run] = self.runs()
        self.ok("--config", self.config_file, "cancel", run["id"])
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, CANCELLED)
        self.assertEqual([r["status"] for r in self.runs_of_shop()], ["cancelled"])

    def test_an_app_or_workflow_that_is_not_there_is_named(self):
        self.shop()
        self.by_file(workflow="clerc")
        error = self.run_agent("--prompt", "x", expect=FAILED)["error"]
        self.assertIn("did you mean \"clerk\"", error["message"])
        self.shop_file.unlink()
        error = self.run_agent("--prompt", "x", expect=FAILED)["error"]
        self.assertEqual(error["code"], "app_unavailable")
        host = json.loads(self.config_file.read_text())
        del host["apps"]
        self.config_file.write_text(json.dumps(host))
        ended = self.foxwedge("config", "check", self.config_file)
        self.assertEqual(ended.code, USAGE)
        self.assertIn("no entry \"shop\" in apps", ended.out + ended.err)

    # ---- by its address

    def served(self, *flags):
        """The shop as a server of its own; the app's entry for it."""
        process = self.start("--json", "mcp", self.shop_file, "--http", "127.0.0.1:0",
                             "--workflows", *flags)
        self.addCleanup(self.kill, process)
        return {"url": json.loads(process.stdout.readline())["url"]}

    def test_a_host_elsewhere_is_called_over_http(self):
        self.shop()
        self.caller(self.served())
        out = self.run_agent("--prompt", "x")
        self.assertIn("refunded", out["value"]["final"])
        self.assertEqual(len(self.ledger()), 1)
        [run] = self.runs_of_shop()
        self.assertEqual((run["workflow"], run["status"]), ("clerk", "succeeded"))

    def test_its_question_parks_the_callers_run(self):
        self.shop(approval=True)
        self.caller(self.served())
        run = self.run_agent("--prompt", "x", expect=WAITING)["run"]
        self.assertEqual(self.ledger(), [])
        out = self.answered(run)
        self.assertIn("refunded", out["value"]["final"])
        self.assertEqual((len(self.ledger()), len(self.runs_of_shop())), (1, 1))

    def test_its_token_is_a_secret_of_the_caller(self):
        self.shop()
        host = json.loads(self.shop_file.read_text())
        host["secrets"] = {"door": {"env": "DOOR"}}
        self.shop_file.write_text(json.dumps(host))
        self.environment["DOOR"] = "open-sesame-123"
        app = self.served("--token", "door")
        self.caller({**app, "headers": {"Authorization": "Bearer ${secret:door}"}})
        host = json.loads(self.config_file.read_text())
        host["secrets"] = {"door": {"env": "DOOR", "origins": [app["url"].rsplit("/", 1)[0]]}}
        self.config_file.write_text(json.dumps(host))
        out = self.run_agent("--prompt", "x")
        self.assertIn("refunded", out["value"]["final"])
        self.assertNotIn("open-sesame-123", json.dumps(self.show(out["run"])))


if __name__ == "__main__":
    main()
