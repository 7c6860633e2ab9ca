"""A drain that hangs ends with a reason; one that was only held up ends as any other."""

import asyncio
import signal
import time
import unittest

from disk import DiskTestCase
from raw import RawClient
from waiting import Patience


class Drain(DiskTestCase):
    async def test_a_drain_that_hangs_says_what_was_not_finished(self):
        faults, daemon = self.faulty_daemon()
        device = await self.device(daemon, "ada")
        faults.set("sync", 0, ".db-wal")
        write = asyncio.create_task(device.request("publish", channel="room", payload="late"))
        await self.readiness(daemon, 503, "ledger_stalled")
        daemon.terminate()
        self.assertEqual(await asyncio.to_thread(daemon.wait), 1)
        write.cancel()
        last = daemon.log().splitlines()[-1]
        self.assertIn("The drain took longer than it may: the ledger had not committed", last)

    async def test_a_process_that_was_stopped_amid_its_drain_finishes_it(self):
        daemon = self.start_daemon()
        with RawClient((daemon.host, daemon.port)) as silent:
            silent.upgrade()
            # It answers no close frame, so the drain waits for it.
            daemon.terminate()
            patience = Patience()
            while "Stopping." not in daemon.log():
                patience.check("the drain to begin")
                await asyncio.sleep(0.01)
            daemon.process.send_signal(signal.SIGSTOP)
            # Longer than any drain may take.
            await asyncio.to_thread(time.sleep, 10)
            daemon.process.send_signal(signal.SIGCONT)
            self.assertEqual(await asyncio.to_thread(daemon.wait), 0, daemon.log())


if __name__ == "__main__":
    unittest.main()
