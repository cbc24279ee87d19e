"""Budgets: one account for a tree, refusals on record, raised on resume; what it cost is shown."""
from harness import *

LOOK = ("orders_lookup_order", {"orderId": "A-1002"})
COSTS = {"usage": {"input": 1000, "output": 500}}


class Budgets(Host):
    def looks(self, budget, turns=4, **more):
        self.config(rules=[{"when": {"turn": {"from": turns}}, "answer": text("done", **COSTS)},
                           {"answer": calls(LOOK, **COSTS)}],
                    orders=True, agent={"mcpServers": ["orders"], "budget": budget,
                                        "model": "m", "maxIterations": 20},
                    prices={"m": {"input": 1, "output": 2}}, **more)

    def model_calls(self, run):
        return [s for s in self.show(run)["steps"]
                if s["kind"] == "model" and "error" not in s["outcome"]]

    def refusals(self, run):
        return [s for s in self.show(run)["steps"]
                if s["outcome"].get("error", {}).get("code") == "budget_exceeded"]

    def test_each_limit_refuses_the_next_call_and_the_refusal_is_on_record(self):
        for budget, made in (({"totalTokens": 3000}, 2), ({"inputTokens": 3000}, 3),
                             ({"outputTokens": 400}, 1), ({"usd": 0.004}, 2)):
            with self.subTest(budget):
                self.looks(budget)
                out = self.run_agent("--prompt", "x", expect=OTHER_STOP)
                self.assertEqual(out["value"]["stopReason"], "budget")
                self.assertIsNone(out["value"]["final"])
                self.assertEqual(len(self.model_calls(out["run"])), made)
                [refused] = self.refusals(out["run"])
                self.assertIn(next(iter(budget)), refused["outcome"]["error"]["message"])
                again = self.ok("--json", "replay", out["run"]).json()
                self.assertTrue(again["identical"])

    def test_calls_of_tools_are_counted_each_and_the_ones_within_are_made(self):
        self.config(rules=[{"when": {"afterTool": True}, "answer": text("done")},
                           {"answer": calls(*[("orders_refund_order", {"orderId": "A-1001",
                                                                       "amount": n})
                                              for n in range(1, 6)])}],
                    orders=True, agent={"mcpServers": ["orders"], "budget": {"toolCalls": 3}})
        out = self.run_agent("--prompt", "x", expect=OTHER_STOP)
        self.assertEqual(out["value"]["stopReason"], "budget")
        self.assertEqual(len(self.ledger()), 3)

    def test_a_raised_budget_goes_on_where_it_was_refused(self):
        self.looks({"usd": 0.004})
        run = self.run_agent("--prompt", "x", expect=OTHER_STOP)["run"]
        ended = self.foxwedge("--json", "resume", run, "--set", "budget.usd=5")
        self.assertEqual(ended.code, SUCCEEDED, ended)
        self.assertEqual(ended.json()["value"]["final"], "done")
        [refused] = self.refusals(run)  # superseded, not deleted
        self.assertEqual(self.steps(run)[refused["name"]]["generation"], 1)
        self.assertTrue(self.ok("--json", "replay", run).json()["identical"])

    def test_a_raise_that_is_not_enough_stops_again(self):
        self.looks({"usd": 0.004})
        run = self.run_agent("--prompt", "x", expect=OTHER_STOP)["run"]
        ended = self.foxwedge("--json", "resume", run, "--set", "budget.usd=0.006")
        self.assertEqual(ended.code, OTHER_STOP, ended)
        self.assertEqual(len(self.model_calls(run)), 3)

    def test_time_under_way_counts_and_time_waited_does_not(self):
        self.config(rules=[{"when": {"turn": {"from": 3}}, "answer": text("done")},
                           {"answer": calls(LOOK, delayMs=120)}],
                    orders=True, agent={"mcpServers": ["orders"], "budget": {"wallTime": "200ms"}})
        out = self.run_agent("--prompt", "x", expect=OTHER_STOP)
        self.assertEqual(out["value"]["stopReason"], "budget")
        self.assertIn("wallTime", json.dumps(self.steps(out["run"])))

    def test_the_cost_is_in_the_result_and_in_show(self):
        self.looks({"usd": 5})
        out = self.run_agent("--prompt", "x")
        self.assertAlmostEqual(out["value"]["usage"]["usd"], 0.01)
        self.assertEqual(out["value"]["usage"]["input"], 5000)
        self.assertIn("$0.01", self.ok("show", out["run"]).out)

    def test_the_entry_that_says_most_of_a_model_is_its_price(self):
        for prices, usd in (({"*": {"input": 9}, "m-one": {"input": 1000}}, 1.0),
                            ({"*": {"input": 9}, "m-*": {"input": 2000}}, 2.0),
                            ({"m*": {"input": 9}, "m-o*": {"input": 3000}, "m-two": {}}, 3.0),
                            ({"*": {"input": 4000}, "other": {}}, 4.0)):
            with self.subTest(prices):
                self.config(turns=[text("done", **COSTS)], agent={"model": "m-one"}, prices=prices)
                used = self.run_agent("--prompt", "x")["value"]["usage"]
                self.assertAlmostEqual(used["usd"], usd)

    def test_money_without_a_price_is_an_error_at_the_start(self):
        self.config(turns=[text("x")], agent={"budget": {"usd": 1}, "model": "priceless"})
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertEqual(out["error"]["code"], "missing_price")

    def family(self, budget):
        """`a` calls `b` for each turn; both cost the same."""
        child = {"name": "delegate", "workflow": "b", "inputSchema": {"type": "object"}}
        self.config(rules=[{"when": {"model": "child"}, "answer": text("child", **COSTS)},
                           {"when": {"turn": {"from": 4}}, "answer": text("done", **COSTS)},
                           {"answer": calls(("delegate", {}), **COSTS)}],
                    agents={"a": {"model": "parent", "tools": [child], "budget": budget},
                            "b": {"model": "child", "prompt": "go"}},
                    prices={"*": {"input": 1, "output": 2}})

    def test_children_spend_from_the_same_account(self):
        self.family({"totalTokens": 4500})
        ended = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "x")
        self.assertEqual(ended.code, OTHER_STOP, ended)
        run = ended.json()["run"]
        tree = [self.show(r["id"]) for r in self.runs()]
        made = sum(1 for r in tree for s in r["steps"]
                   if s["kind"] == "model" and "error" not in s["outcome"])
        self.assertEqual(made, 3)  # parent, child, parent: 4500 tokens

    def test_the_childrens_cost_is_in_the_parents_result(self):
        self.family({"totalTokens": 100000})
        ended = self.ok("--json", "run", self.config_file, "a", "--prompt", "x")
        self.assertEqual(ended.json()["value"]["usage"]["input"], 9000)  # 5 own, 4 of children
        self.assertAlmostEqual(ended.json()["value"]["usage"]["usd"], 0.018)

    def test_a_child_that_the_account_stops_goes_on_when_it_is_raised(self):
        self.family({"totalTokens": 1500})
        ended = self.foxwedge("--json", "run", self.config_file, "a", "--prompt", "x")
        self.assertEqual(ended.code, OTHER_STOP, ended)
        again = self.ok("--json", "resume", ended.json()["run"], "--set", "budget.totalTokens=100000")
        self.assertEqual(again.json()["value"]["final"], "done")

    def test_a_killed_tree_keeps_its_account(self):
        self.config(rules=[{"when": {"turn": {"from": 1}}, "answer": text("slow", delayMs=60000)},
                           {"answer": calls(LOOK, **COSTS)}],
                    orders=True, agent={"mcpServers": ["orders"], "budget": {"totalTokens": 1600}})
        run = self.run_agent("--prompt", "x", "--detach")["run"]
        process = self.start("--json", "resume", run)
        self.until("the first turn", lambda: "a:iter:0" in self.steps(run))
        self.kill(process)
        ended = self.foxwedge("--json", "resume", run, "--set", "budget.totalTokens=1500")
        self.assertEqual(ended.code, OTHER_STOP, ended)


if __name__ == "__main__":
    main()
