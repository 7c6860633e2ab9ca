"""Batches that wait: fewer frames for the same events, and the same rows in the end."""

import unittest

from case import DaemonTestCase
from device import Refused

FACES = ["👍", "😂", "😮", "🔥"]


class Batching(DaemonTestCase):
    """One writer, and readers who want their batches at another pace."""

    async def reader(self, user, **pace):
        reader = await self.device(self.daemon, user)
        await reader.subscribe({"name": "room", "cursor": "0", **pace})
        return reader

    async def write(self, writer):
        """Reactions that come and go, in 160 commits or fewer; the last message's timetoken."""
        message = await writer.publish("room", {"text": "hi"})
        for _ in range(20):
            for face in FACES:
                await writer.add("room", message, face)
            for face in FACES[:-1]:
                await writer.remove("room", message, face)
        return await writer.publish("room", "marker")

    def events(self, reader):
        return sum(len(push["m"]) for push in reader.pushes)

    async def test_a_window_makes_fewer_batches_of_the_same_events(self):
        self.daemon = self.start_daemon()
        writer = await self.device(self.daemon, "ada")
        prompt = await self.reader("bob")
        patient = await self.reader("cleo", batch=200)
        thrifty = await self.reader("dora", batch=200, coalesce=True)
        marker = await self.write(writer)
        for reader in (prompt, patient, thrifty):
            await reader.reach("room", marker)

        self.assertEqual(prompt.rows["room"].action_rows(), patient.rows["room"].action_rows())
        self.assertEqual(prompt.rows["room"].action_rows(), thrifty.rows["room"].action_rows())
        self.assertEqual(self.events(prompt), self.events(patient))
        self.assertLess(len(patient.pushes), len(prompt.pushes))
        self.assertLess(self.events(thrifty), self.events(patient))

    async def test_an_administrator_may_set_the_window_for_all(self):
        self.daemon = self.start_daemon("--batch-window", "200")
        writer = await self.device(self.daemon, "ada")
        reader = await self.reader("bob")
        marker = await self.write(writer)
        await reader.reach("room", marker)
        # 160 commits of 200 ms each would take longer than the writing did.
        self.assertLess(len(reader.pushes), 60)

    async def test_windows_that_there_are_not(self):
        self.daemon = self.start_daemon()
        device = await self.device(self.daemon, "ada")
        for wrong in (-1, 1001, "100", 1.5):
            with self.subTest(batch=wrong), self.assertRaises(Refused) as refusal:
                await device.subscribe({"name": "room", "batch": wrong})
            self.assertEqual(refusal.exception.code, "invalid_field")


if __name__ == "__main__":
    unittest.main()
