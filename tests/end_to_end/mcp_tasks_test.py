"""Calls that wait for a person, followed as tasks: over pipes and over HTTP."""
from mcp_wire import *

FOLLOWS = modern({"extensions": {PREFIX + "tasks": {}}})


class Tasks:
    """What holds over both transports; `wire` gives a client, `listen` what a listening one hears."""

    def start_task(self, wire):
        task = wire.ask("tools/call", self.put(**FOLLOWS))["result"]
        self.assertEqual((task["resultType"], task["status"]), ("task", "working"))
        return task

    def about(self, wire, method, task, **more):
        return wire.ask(method, {"taskId": task["taskId"], "_meta": FOLLOWS, **more})

    def decide(self, word="approve"):
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", word, gate["id"])

    def test_a_call_that_waits_is_asked_for_until_it_is_done(self):
        wire = self.wire()
        offered = wire.ask("server/discover", {"_meta": FOLLOWS})["result"]["capabilities"]
        self.assertIn(PREFIX + "tasks", offered["extensions"])
        task = self.start_task(wire)
        [gate] = self.gates()
        waits = self.about(wire, "tasks/get", task)["result"]
        self.assertEqual((waits["resultType"], waits["status"]), ("complete", "working"))
        self.assertIn(gate["id"], waits["statusMessage"])
        self.decide()
        done = self.about(wire, "tasks/get", task)["result"]
        self.assertEqual(done["status"], "completed")
        self.assertTrue(done["result"]["structuredContent"]["written"])
        self.assertEqual(self.about(wire, "tasks/get", task)["result"], done)

    def test_a_call_that_was_refused_is_completed_with_what_it_would_have_answered(self):
        wire = self.wire()
        task = self.start_task(wire)
        self.decide("reject")
        done = self.about(wire, "tasks/get", task)["result"]
        self.assertEqual((done["status"], done["result"]["isError"]), ("completed", True))
        self.assertIn("Not approved", done["result"]["content"][0]["text"])

    def test_a_task_is_cancelled(self):
        wire = self.wire()
        task = self.start_task(wire)
        self.assertEqual(self.about(wire, "tasks/cancel", task)["result"]["resultType"], "complete")
        self.assertEqual(self.about(wire, "tasks/get", task)["result"]["status"], "cancelled")
        [run] = self.runs()
        self.assertEqual(run["status"], "cancelled")

    def test_answers_to_what_was_not_asked_are_passed_over(self):
        wire = self.wire()
        task = self.start_task(wire)
        taken = self.about(wire, "tasks/update", task, inputResponses={"x": {"action": "accept"}})
        self.assertEqual(taken["result"]["resultType"], "complete")
        self.assertEqual(self.about(wire, "tasks/get", task)["result"]["status"], "working")

    def test_who_does_not_say_that_it_follows_tasks_gets_none(self):
        wire = self.wire()
        task = self.start_task(wire)
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            refused = wire.ask(method, {"taskId": task["taskId"], "_meta": modern()})["error"]
            self.assertEqual(refused["code"], -32021)
            self.assertEqual(refused["data"]["requiredCapabilities"],
                             {"extensions": {PREFIX + "tasks": {}}})
        unasked = wire.ask("tools/call", self.put(**modern()))["result"]
        self.assertEqual(unasked["resultType"], "complete")

    def test_a_task_of_nobody_or_of_another_user_is_unknown(self):
        wire = self.wire()
        task = self.start_task(wire)
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            self.assertEqual(self.about(wire, method, {"taskId": "none"})["error"]["code"], -32602)
        other = self.wire("--user", "bob")
        self.assertEqual(self.about(other, "tasks/get", task)["error"]["code"], -32602)

    def test_who_listens_hears_what_becomes_of_a_task(self):
        for word, status, failed in (("approve", "completed", None), ("reject", "completed", True),
                                     (None, "cancelled", None)):
            wire = self.wire()
            task = self.start_task(wire)
            heard = self.listen({"_meta": FOLLOWS, "notifications": {
                "taskIds": [task["taskId"], "none"]}})
            agreed = next(heard)
            self.assertEqual(agreed["method"], "notifications/subscriptions/acknowledged")
            self.assertEqual(agreed["params"]["notifications"], {"taskIds": [task["taskId"]]})
            waits = next(heard)
            self.assertEqual((waits["method"], waits["params"]["taskId"], waits["params"]["status"]),
                             ("notifications/tasks", task["taskId"], "working"))
            if word:
                self.decide(word)
            else:
                self.ok("--config", self.config_file, "cancel", task["taskId"])
            # Nobody asks: the server goes on with the decided call by itself.
            ended = next(each for each in heard if each["params"]["status"] != "working")
            self.assertEqual(ended["params"]["status"], status)
            self.assertEqual(ended["params"].get("result", {}).get("isError"), failed)
            self.assertIn(PREFIX + "subscriptionId", ended["params"]["_meta"])

    def test_who_listens_without_following_tasks_is_refused(self):
        refused = next(self.listen({"_meta": modern(), "notifications": {"taskIds": ["x"]}}))
        self.assertEqual(refused["error"]["code"], -32021)


class OverPipes(Tasks, Server):
    def wire(self, *args):
        self.now = Wire(self.serve(*args, approve=True))
        return self.now

    def listen(self, params):
        wire = getattr(self, "now", None) or self.wire()
        wire.send({"id": "listening", "method": "subscriptions/listen", "params": params})
        while True:
            yield wire.next()


class OverHttp(Tasks, HttpServer):
    def wire(self, *args):
        self.now = HttpWire(self, self.url_of(self.serve("--http", "127.0.0.1:0", *args,
                                                         approve=True)))
        return self.now

    def listen(self, params):
        return (getattr(self, "now", None) or self.wire()).listen(params)

    def test_the_field_that_names_a_task_is_compared(self):
        wire = self.wire()
        task = self.start_task(wire)
        refused = wire.ask("tasks/get", {"taskId": task["taskId"], "_meta": FOLLOWS},
                           Mcp_Name="another")
        self.assertEqual(refused["error"]["code"], -32020)


if __name__ == "__main__":
    main()
