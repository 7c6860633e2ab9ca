"""Webhooks where the store cannot be read where their events wait: for a moment, and for long."""

import asyncio
import contextlib
import errno
import shutil
import sqlite3
import unittest

from case import eventually
from device import Refused
from disk import PAGE, Faults, database, metric, settle
from test_webhooks import WebhookTestCase

MISSED = 'missed_total{webhook="hook"}'


class Damage(WebhookTestCase):
    """A disk that fails where events wait for webhooks, and nowhere else."""

    async def waiting(self):
        """A daemon that cannot read what waits: three events; returns their timetokens."""
        if shutil.which("cc") is None:
            self.skipTest("There is no cc to build the faults with.")
        self.faults = Faults()
        self.addCleanup(self.faults.discard)
        self.hook = self.receiver(behave=lambda *_: 500)
        self.daemon = self.start(self.section(self.hook), **self.faults.options)
        ada = await self.device(self.daemon, "ada")
        said = [await ada.publish("room", number) for number in range(3)]
        await eventually(lambda: self.hook.requests, "an attempt")
        await ada.close()
        await asyncio.to_thread(self.daemon.stop)
        settle(database(self.daemon))
        with contextlib.closing(sqlite3.connect(database(self.daemon))) as connection:
            (page,) = connection.execute(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'outbox'").fetchone()
        self.faults.set("read", errno.EIO, ".db", (page - 1) * PAGE)
        await asyncio.to_thread(self.daemon.start)
        return said

    def waiting_rows(self):
        return self.metrics(self.daemon)['waiting{webhook="hook"}']

    async def attempt(self, device, number):
        """A message's timetoken; `None`: it is to be tried again."""
        try:
            return await device.publish("room", number)
        except Refused as refusal:
            self.assertEqual((refusal.status, refusal.code), (503, "store_unavailable"))
            return None

    async def test_a_disk_that_fails_for_a_moment_costs_no_event(self):
        said = await self.waiting()
        ada = await self.device(self.daemon, "ada")
        for _ in range(3):
            self.assertIsNone(await self.attempt(ada, 4))
        self.assertIn("what waits for webhooks", self.daemon.log())
        self.assertEqual([it["payload"] for it in await ada.all_messages("room")], [0, 1, 2])

        self.assertEqual(self.waiting_rows(), 0, "Nobody knows yet.")
        self.faults.clear("read")
        # Also without a write.
        await eventually(lambda: self.waiting_rows() == 3, "what waits is counted")
        self.hook.behave = lambda *_: 200
        said.append(await self.attempt(ada, 4))
        await eventually(lambda: len(self.hook.events()) == len(said), "all events")
        self.assertEqual([it["p"]["t"] for it in self.hook.events()], said)
        self.assertEqual(self.metrics(self.daemon)[MISSED], 0)

    async def test_a_disk_that_fails_for_long_costs_no_more_writes_and_webhooks_go_on(self):
        said = await self.waiting()
        ada = await self.device(self.daemon, "ada")
        while (first := await self.attempt(ada, 3)) is None:
            await asyncio.sleep(0.2)
        said.append(first)
        for number in range(4, 8):
            # Also after it was tried once more.
            await asyncio.sleep(0.5)
            said.append(await ada.publish("room", number))
        await eventually(lambda: self.metrics(self.daemon)[MISSED] == 5, "what it missed")
        self.assertIn("A webhook never hears of", self.daemon.log())

        self.faults.clear("read")
        self.hook.behave = lambda *_: 200
        while len(self.hook.events()) < 4:
            said.append(await ada.publish("room", len(said)))
            await asyncio.sleep(0.2)
        await eventually(
            lambda: self.waiting_rows() == 0, "an end")
        missed = self.metrics(self.daemon)[MISSED]
        self.assertEqual(
            [it["p"]["t"] for it in self.hook.events()], said[:3] + said[3 + missed:])
        self.assertGreater(metric(self.daemon, "store_damage_total"), 0)


if __name__ == "__main__":
    unittest.main()
