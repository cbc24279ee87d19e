"""Models and servers that answer what nobody would: counts beyond counting, errors without end."""
import socket
import threading

from harness import *

MOST = 9223372036854775807


class OddAnswers(Host):
    def test_counts_of_tokens_add_up_to_no_less_than_they_were(self):
        """A sum that wrapped around would put a run far below its budget again."""
        for count in (MOST, 18446744073709551615, 1e300):
            usage = {"input": count, "output": count}
            self.config(turns=[calls(("orders_lookup_order", {"orderId": "A-1001"}), usage=usage),
                               calls(("orders_lookup_order", {"orderId": "A-1002"}), usage=usage),
                               text("done", usage=usage)],
                        orders=True, agent={"mcpServers": ["orders"]})
            used = self.run_agent("--prompt", "x")["value"]["usage"]
            self.assertGreaterEqual(used["input"], 2 ** 53, count)
            self.assertGreaterEqual(used["output"], 2 ** 53, count)
            config = json.loads(self.config_file.read_text())
            config["agents"]["a"]["budget"] = {"totalTokens": 1000}
            self.config_file.write_text(json.dumps(config))
            out = self.run_agent("--prompt", "x", expect=OTHER_STOP)
            self.assertEqual((out["value"]["stopReason"], out["value"]["iterations"]),
                             ("budget", 1), count)

    def test_a_question_over_large_arguments_is_asked_all_the_same(self):
        item = "x" * 5_000_000
        self.config(turns=[calls(("orders_refund_order", {"orderId": item, "amount": 1})),
                           text("{{result}}")], orders=True,
                    agent={"mcpServers": [{"name": "orders", "requiresApproval": True,
                                           "onToolError": "return"}]})
        self.run_agent("--prompt", "x", expect=WAITING)
        [gate] = self.gates()
        ended = self.ok("--json", "--config", self.config_file, "approvals", "approve", gate["id"],
                        "--resume")
        self.assertEqual(ended.json()["value"]["final"], "there is no such order")

    def test_a_model_that_falls_silent_is_given_up_after_the_hosts_time(self):
        """Its headers come, and then nothing for ever."""
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        open_ones = []

        def serve():
            while True:
                try:
                    one, _ = silent.accept()
                except OSError:
                    return
                open_ones.append(one)
                one.recv(65536)
                one.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        self.config_file.write_text(json.dumps({
            "name": "h", "provider": "p", "limits": {"providerIdle": "200ms"},
            "providers": {"p": {"use": "openai", "model": "m",
                                "config": {"baseUrl": url, "apiKey": None}}},
            "retry": {"maxAttempts": 1}, "agents": {"a": {}}}))
        error = self.run_agent("--prompt", "x", expect=FAILED)["error"]
        self.assertIn(error["code"], ("timeout", "connection_lost"))

    def test_an_error_without_end_is_cut(self):
        self.config(turns=[{"error": {"code": "c" * 1000, "message": "m" * 9_000_000}}])
        out = self.run_agent("--prompt", "x", expect=FAILED)
        self.assertLess(len(out["error"]["message"]), 20_000)
        self.assertLess(len(out["error"]["code"]), 200)
        self.assertLess(len(self.ok("--json", "--config", self.config_file, "show", out["run"]).out),
                        100_000)


if __name__ == "__main__":
    main()
