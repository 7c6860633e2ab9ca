"""kill -9 at random moments under load: nothing acknowledged is lost, nothing is applied twice."""

import asyncio
import os
import statistics
import sys
import unittest

from case import DaemonTestCase
from lanes import check_lanes, start_lanes

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "8"))
WRITERS = 4


class Crashes(DaemonTestCase):
    """CRASH_ROUNDS kills, one after the other, of a daemon that serves 48 busy lanes."""

    async def test_nothing_acknowledged_is_lost_and_nothing_is_applied_twice(self):
        random = self.random()
        daemon = self.start_daemon()
        watcher = await self.device(daemon, "watcher")
        await watcher.subscribe({"name": "room", "cursor": "0"})
        watcher.keep_connected()
        lanes = await start_lanes(self, daemon, random, WRITERS)
        enough = asyncio.Event()
        running = [asyncio.create_task(lane.run(enough)) for lane in lanes]

        starts, idle_rounds = [], 0
        for _ in range(ROUNDS):
            before = sum(lane.acknowledged for lane in lanes)
            await asyncio.sleep(random.uniform(0.0, 0.6))
            idle_rounds += sum(lane.acknowledged for lane in lanes) == before
            await asyncio.to_thread(daemon.kill)
            await asyncio.to_thread(daemon.start)
            starts.append(daemon.start_seconds)
        self.report(starts, lanes)
        enough.set()
        await asyncio.gather(*running)
        self.assertLess(idle_rounds, ROUNDS, "No write was acknowledged: there was no load.")

        self.assertEqual([it for lane in lanes for it in lane.surprises], [])
        await check_lanes(self, lanes, watcher)
        await asyncio.to_thread(daemon.restart)
        await watcher.until(watcher.online.is_set, "a connection")
        await check_lanes(self, lanes, watcher)

    def report(self, starts, lanes):
        writes = sum(lane.acknowledged for lane in lanes)
        print(
            f"{ROUNDS} kills, {writes} acknowledged writes; from start to listening: median "
            f"{statistics.median(starts):.3f} s, longest {max(starts):.3f} s (target: under 2 s)",
            file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
