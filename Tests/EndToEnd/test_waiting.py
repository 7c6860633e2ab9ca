"""The patience of these tests: a wait goes on while something happens, and ends when nothing does."""

import time
import unittest

import waiting
from waiting import Patience


class Program:
    """What Patience asks of a daemon."""

    is_running = True

    def __init__(self, share):
        self.share = share
        self.begin = time.monotonic()

    def cpu_seconds(self):
        return (time.monotonic() - self.begin) * self.share


class Waiting(unittest.TestCase):
    SECONDS = 0.1

    def looks(self, patience, most):
        """Seconds until it is over, `most` at most."""
        begin = time.monotonic()
        while not patience.is_over and time.monotonic() - begin < most:
            time.sleep(0.005)
        return time.monotonic() - begin

    def program(self, share):
        program = Program(share)
        waiting.programs.add(program)
        self.addCleanup(waiting.programs.discard, program)

    def test_nothing_happens(self):
        for share in (None, 0.0, waiting.WORK_SHARE_MIN / 10):
            if share is not None:
                self.program(share)
            patience = Patience(seconds=self.SECONDS)
            self.assertGreaterEqual(self.looks(patience, 60), self.SECONDS)
            self.assertTrue(patience.is_over)

    def test_signs(self):
        count = 0

        def signs():
            nonlocal count
            count += time.monotonic() < end
            return count

        end = time.monotonic() + 5 * self.SECONDS
        patience = Patience(signs, self.SECONDS)
        self.assertGreaterEqual(self.looks(patience, 60), 5 * self.SECONDS)
        with self.assertRaisesRegex(AssertionError, "the end"):
            patience.check("the end")

    def test_a_program_that_works_and_one_that_only_spins(self):
        self.program(1.0)
        patience = Patience(seconds=self.SECONDS)
        self.assertGreaterEqual(self.looks(patience, 60), waiting.WORK_ALONE_MAX * self.SECONDS)
        self.assertTrue(patience.is_over)


if __name__ == "__main__":
    unittest.main()
