"""At a terminal: questions in place, withdrawn when decided elsewhere, and Ctrl-C."""
import pty
import select

from harness import *

REFUND = ("orders_refund_order", {"orderId": "A-1001", "amount": 100})


class Terminal(Host):
    def setUp(self):
        super().setUp()
        self.config(rules=[{"when": {"tool": "orders_refund_order"}, "answer": text("said: {{result}}")},
                           {"answer": calls(REFUND)}],
                    orders=True, agent={"mcpServers": [{"name": "orders", "requiresApproval": True}]})

    def at_terminal(self, *args):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(FOXWEDGE, [str(FOXWEDGE), *map(str, args)],
                      {**self.environment, "TERM": "xterm"})
        self.pid, self.seen = pid, ""
        self.addCleanup(os.close, self.terminal)

    def wait_for(self, words, seconds=20):
        end = time.monotonic() + seconds
        while words not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            if not ready:
                self.fail(f"never saw {words!r} in:\n{self.seen}")
            try:
                self.seen += os.read(self.terminal, 4096).decode()
            except OSError:
                self.fail(f"ended without {words!r}:\n{self.seen}")

    def type(self, words):
        os.write(self.terminal, words.encode())

    def ended(self):
        while True:
            try:
                if not os.read(self.terminal, 4096):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def test_it_asks_in_place_and_goes_on(self):
        self.at_terminal("run", self.config_file, "--prompt", "x")
        self.wait_for("later?")
        self.assertIn("orders_refund_order", self.seen)
        self.type("approve\n")
        self.wait_for("said: refunded 100")
        self.assertEqual(self.ended(), SUCCEEDED)
        self.assertEqual(len(self.ledger()), 1)

    def test_the_arguments_can_be_edited_in_place(self):
        self.at_terminal("run", self.config_file, "--prompt", "x")
        self.wait_for("later?")
        self.type("edit\n")
        self.wait_for("as JSON on one line")
        self.type('{"orderId": "A-1001", "amount": 3}\n')
        self.wait_for("said: refunded 3")
        self.assertEqual(self.ended(), SUCCEEDED)

    def test_a_decision_taken_elsewhere_withdraws_the_question(self):
        self.at_terminal("run", self.config_file, "--prompt", "x")
        self.wait_for("later?")
        [gate] = self.gates()
        self.ok("--config", self.config_file, "approvals", "reject", gate["id"], "--reason", "no")
        self.wait_for("decided elsewhere")
        self.assertEqual(self.ended(), SUCCEEDED)
        self.assertEqual(self.ledger(), [])

    def test_later_leaves_the_question_open_and_says_how_to_answer_it(self):
        self.at_terminal("run", self.config_file, "--prompt", "x")
        self.wait_for("later?")
        self.type("later\n")
        self.wait_for("waiting")
        [gate] = self.gates()
        self.wait_for("approvals approve " + gate["id"])
        self.assertEqual(self.ended(), WAITING)
        self.ok("approvals", "approve", gate["id"], "--resume")
        self.assertEqual(len(self.ledger()), 1)

    def test_arguments_that_do_not_fit_are_asked_for_again_with_the_reason(self):
        self.at_terminal("run", self.config_file, "--prompt", "x")
        self.wait_for("later?")
        self.type("edit\n")
        self.wait_for("as JSON on one line")
        self.type('{"amount": 3}\n')
        self.wait_for('"orderId" is missing')
        self.type("reject\n\n")
        self.assertEqual(self.ended(), SUCCEEDED)
        self.assertEqual(self.ledger(), [])

    def test_what_a_model_says_cannot_steer_the_terminal(self):
        """Neither hide the arguments that a person is asked to approve nor reach the clipboard."""
        odd = "\x1b[8m\x1b]52;c;AAAA\x07\x9b2Jname\x7f"
        self.config(rules=[{"when": {"tool": "orders_refund_order"},
                            "answer": text("said " + odd + "\nend")},
                           {"answer": calls((REFUND[0], {**REFUND[1], "reason": odd}))}],
                    orders=True, agent={"mcpServers": ["orders"], "approval": {
                        "summary": "for ${args.reason}"}})
        self.at_terminal("run", self.config_file, "--prompt", "x")
        self.wait_for("later?")
        self.type("approve\n")
        self.wait_for("end")
        self.assertEqual(self.ended(), SUCCEEDED)
        self.assertIn("for \ufffd[8m\ufffd]52", self.seen)
        for steering in ("\x1b[8m", "\x1b]", "\x07", "\x9b", "\x7f"):
            self.assertNotIn(steering, self.seen)
        # For programs nothing is changed.
        ended = self.ok("--config", self.config_file, "show", self.runs()[0]["id"], "--request",
                        "a:iter:1")
        self.assertIn("\\u001b[8m", ended.out)

    def test_ctrl_c_cancels_the_run(self):
        self.at_terminal("run", self.config_file, "--prompt", "x")
        self.wait_for("later?")
        self.type("\x03")
        self.assertEqual(self.ended(), CANCELLED)
        self.assertEqual(self.runs()[0]["status"], "cancelled")


if __name__ == "__main__":
    main()
