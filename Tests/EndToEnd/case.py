"""What all end-to-end tests share: daemons that are cleaned up, seeds, and the log on failure."""

import asyncio
import contextlib
import logging
import os
import random
import sys
import unittest

from daemon import Daemon
from device import Device, Disconnected, Refused
from waiting import Patience

# A daemon that is killed leaves writes without a taker; asyncio would warn of each of them.
logging.getLogger("asyncio").setLevel(logging.ERROR)


class DaemonTestCase(unittest.IsolatedAsyncioTestCase):
    """Starts daemons and devices, and ends them when the test ends, however it ends.

    A daemon must still run at the end and drain with code 0, and no device may have seen a broken
    promise: each test checks both without saying so.
    """

    maxDiff = 2000

    def run(self, result=None):
        """As always; after a failure it also shows the seed and the daemons' logs."""
        self._notes = []
        result = result or self.defaultTestResult()
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            print(f"\n--- {self.id()}", *self._notes, sep="\n", file=sys.stderr)
        return result

    async def asyncSetUp(self):
        # unittest turns asyncio's debug mode on: a third of the run time, for warnings about
        # daemons that take a moment to start.
        asyncio.get_running_loop().set_debug(False)

    def start_daemon(self, *arguments, **options):
        """A running daemon on an empty data directory."""
        daemon = Daemon(*arguments, **options)
        self.addCleanup(daemon.discard)
        self.addCleanup(lambda: self._notes.append(f"daemon's log:\n{daemon.log_tail()}"))
        self.addCleanup(self._stop, daemon)
        return daemon.start()

    @staticmethod
    def _stop(daemon):
        if daemon.process is not None and daemon.process.returncode is None:
            daemon.stop()

    async def device(self, daemon, user, name=None, keyset=None, publish_key=None):
        """A connected device; `name` is its device id."""
        device = self.offline_device(daemon, user, name, keyset, publish_key)
        return await device.connect()

    def offline_device(self, daemon, user, name=None, keyset=None, publish_key=None):
        """A device that the test connects in its own way."""
        device = Device(daemon, user, name or f"{user}-phone", keyset, publish_key)

        async def leave():
            with contextlib.suppress(OSError, Disconnected):
                await device.close()
            self.assertEqual(device.violations, [], f"{device.user}/{device.name}")

        self.addAsyncCleanup(leave)
        return device

    def random(self):
        """A random number generator; SYNC_SEED replays a failed run."""
        seed = os.environ.get("SYNC_SEED") or str(random.SystemRandom().randrange(2**32))
        print(f"{self.id()}: SYNC_SEED={seed}", file=sys.stderr)
        self._notes.append(f"SYNC_SEED={seed}")
        return random.Random(seed)

    @contextlib.asynccontextmanager
    async def refused(self, status, code, mentions=""):
        """Expects a command to be refused so, in words of some use."""
        with self.assertRaises(Refused) as caught:
            yield
        self.check_error(vars(caught.exception), status, code, mentions)

    def check_error(self, error, status, code, mentions=""):
        """An error has its documented status and code, and says what is wrong in a sentence."""
        self.assertEqual((error.get("status"), error.get("code")), (status, code), error)
        self.assertGreater(len(error["message"].split()), 3, error)
        self.assertIn(error["message"][-1], ".!?", error)
        self.assertIn(mentions, error["message"])


async def eventually(condition, what, signs=lambda: None):
    """Polls for something that no frame announces."""
    patience = Patience(signs)
    while not condition():
        patience.check(what)
        await asyncio.sleep(0.01)
