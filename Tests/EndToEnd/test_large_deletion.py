"""A deletion that takes many steps: beats go on, others write, and kill -9 in it loses nothing.

SYNC_DELETION_ACTIONS=1000000 runs it at full scale; it then also says how long things took.
"""

import asyncio
import contextlib
import itertools
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from case import DaemonTestCase
from raw import RawClient, frame
from rest import Rest
from test_activation import Notifications
from waiting import until

ACTIONS = int(os.environ.get("SYNC_DELETION_ACTIONS", "6000"))
MESSAGES = 5
PATIENCE = 600
WRITERS = 4


def fill(daemon, number, messages, count):
    """Adds `count` actions of as many users to messages, many at a time."""
    with RawClient(daemon.address, PATIENCE) as client:
        client.upgrade()
        for start in range(0, count, 500):
            added = range(start, min(count, start + 500))
            texts = []
            if start == 0:
                texts.append({"id": 0, "op": "hello", "userId": f"filler-{number}",
                              "deviceId": "phone"})
            texts += [
                {"id": it + 1, "op": "addAction", "channel": "room", "value": f"v{it}",
                 "messageTimetoken": str(messages[it % len(messages)])} for it in added]
            client.send(b"".join(frame(1, json.dumps(it).encode()) for it in texts))
            for _ in texts:
                reply = client.message()
                if "ok" not in reply:
                    raise AssertionError(reply)


class LargeDeletions(DaemonTestCase):
    """One command deletes ACTIONS actions on a few messages, while others write."""

    def setUp(self):
        directory = tempfile.mkdtemp()
        self.notifications = Notifications(os.path.join(directory, "notify"))
        self.addCleanup(self.notifications.close)
        self.daemon = self.start_daemon(
            "--commands-per-second", "1000000",
            environment={"NOTIFY_SOCKET": os.path.join(directory, "notify"),
                         "WATCHDOG_USEC": "4000000"})

    def rows(self, what="action"):
        """Rows in a table of the daemon's file, hidden ones too."""
        path = os.path.join(self.daemon.data_dir, "syncdaemon.db")
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            return file.execute(f"SELECT count(*) FROM {what}").fetchone()[0]

    def gaps(self):
        """Seconds between one beat of the watchdog and the next."""
        heard = zip(self.notifications.heard, self.notifications.times)
        beats = [moment for line, moment in heard if line == "WATCHDOG=1"]
        return [after - before for before, after in itertools.pairwise(beats)] or [0]

    async def filled(self):
        """Messages with all the actions on them, and one message after those."""
        with Rest(self.daemon) as rest:
            messages = [rest.publish("room", number) for number in range(MESSAGES)]
            with ThreadPoolExecutor(WRITERS) as pool:
                for done in [
                    pool.submit(fill, self.daemon, number, messages, ACTIONS // WRITERS)
                        for number in range(WRITERS)]:
                    await asyncio.to_thread(done.result)
            return messages, rest.publish("room", "last")

    def delete(self, messages):
        with Rest(self.daemon, seconds=PATIENCE) as rest:
            rest.ok("/v3/history/sub-key/{sub}/channel/room",
                    {"start": messages[0] - 1, "end": messages[-1]}, method="DELETE")

    async def test_beats_and_writes_go_on(self):
        messages, last = await self.filled()
        watcher = await self.device(self.daemon, "watcher")
        await watcher.subscribe({"name": "room", "cursor": "0"})
        await watcher.until(
            lambda: len(watcher.rows["room"].actions) == ACTIONS, "all actions")
        writer = await self.device(self.daemon, "writer")
        late = await self.device(self.daemon, "late")
        beats_before = self.notifications.heard.count("WATCHDOG=1")

        begun = time.monotonic()
        deletion = asyncio.create_task(asyncio.to_thread(self.delete, messages))
        latencies, answered = [], None
        while not deletion.done() or await asyncio.to_thread(self.rows, "hidden"):
            started = time.monotonic()
            await writer.publish("other", len(latencies))
            latencies.append(time.monotonic() - started)
            if deletion.done() and answered is None:
                answered = time.monotonic() - begun
                # Amid the removal of the rows nothing of the range is there for anybody.
                await late.subscribe({"name": "room", "cursor": "0"})
                self.assertEqual(await late.all_actions("room"), [])
                self.assertEqual(
                    [int(it["timetoken"]) for it in await late.all_messages("room")], [last])
        await deletion
        ended = time.monotonic() - begun
        if answered is None:
            answered = ended
            await late.subscribe({"name": "room", "cursor": "0"})
        latencies.sort()
        # Each step lets writes in: there are many more steps than there were writes at once.
        self.assertGreaterEqual(len(latencies), ACTIONS // 4000)
        self.notifications.wait_for("WATCHDOG=1", count=beats_before + 2)
        print(f"{ACTIONS} actions: answered after {answered:.1f} s, gone after {ended:.1f} s; "
              f"{len(latencies)} writes meanwhile, median {statistics.median(latencies):.4f} s, "
              f"p99 {latencies[int(0.99 * len(latencies))]:.4f} s, longest {latencies[-1]:.4f} s; "
              f"longest time between beats {max(self.gaps()[max(0, beats_before - 1):]):.2f} s",
              file=sys.stderr)
        for device in (watcher, late):
            await device.until(
                lambda device=device: sorted(device.rows["room"].messages) == [last]
                and not device.rows["room"].actions, "the deletion")
        self.assertEqual(self.rows(), 0)
        self.assertEqual(self.rows("deletion"), 1)

    async def test_a_kill_in_it_loses_and_repeats_nothing(self):
        messages, last = await self.filled()
        watcher = await self.device(self.daemon, "watcher")
        await watcher.subscribe({"name": "room", "cursor": "0"})
        await watcher.until(
            lambda: len(watcher.rows["room"].actions) == ACTIONS, "all actions")
        watcher.keep_connected()

        # Before its answer: nothing was promised, and nothing is half done.
        begun = asyncio.create_task(asyncio.to_thread(self.delete, messages))
        # Somewhere in it: either outcome is checked.
        await asyncio.sleep(0.02)
        await asyncio.to_thread(self.daemon.kill)
        with contextlib.suppress(Exception):
            await begun
        self.assertIn(self.rows("message"), (1, MESSAGES + 1))
        await asyncio.to_thread(self.daemon.start)
        # After its answer, while rows are left: a retry, for all that the client knows.
        await asyncio.to_thread(self.delete, messages)
        await asyncio.to_thread(self.daemon.kill)
        left = self.rows()
        print(f"killed with {left} of {ACTIONS} rows left", file=sys.stderr)
        await asyncio.to_thread(self.daemon.start)

        await watcher.until(
            lambda: sorted(watcher.rows["room"].messages) == [last]
            and not watcher.rows["room"].action_rows(), "the deletion")
        await asyncio.wait_for(watcher.online.wait(), 30)
        self.assertEqual(await watcher.all_actions("room"), [])
        # It goes on by itself.
        await asyncio.to_thread(self.wait_for_no_rows)
        self.assertEqual(self.rows("deletion"), 1)
        self.assertEqual(self.rows("message"), 1)

    def wait_for_no_rows(self):
        def left():
            return self.rows() + self.rows("hidden")
        until(lambda: left() == 0, "all rows to go", left, pause=0.05)


if __name__ == "__main__":
    unittest.main()
