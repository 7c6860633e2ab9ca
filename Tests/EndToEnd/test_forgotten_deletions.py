"""Deletions end some day: who had nothing hears of none, and who was away too long starts anew."""

import contextlib
import os
import sqlite3
import unittest

from rest import Rest
from test_clock import KEYS, ClockTestCase
from waiting import until

HOUR = 3_600


class ForgottenDeletions(ClockTestCase):
    """What devices get of messages that are gone, by what they had of them."""

    @staticmethod
    def path(daemon):
        return os.path.join(daemon.data_dir, "syncdaemon.db")

    def rows(self, daemon, table):
        uri = f"file:{self.path(daemon)}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as file:
            return file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    def deletions(self, device):
        """Deletions that a device was sent."""
        return [it for push in device.pushes for it in push["m"] if it.get("e") == 5]

    async def reach_end(self, writer, *devices):
        last = await writer.publish("room", "end")
        for device in devices:
            await device.reach("room", last)

    async def assert_equal(self, writer, device):
        """Messages and actions are those that the daemon has."""
        messages = await writer.all_messages("room")
        rows = device.rows["room"]
        self.assertEqual(sorted(rows.messages), [int(it["timetoken"]) for it in messages])
        self.assertEqual(rows.action_rows(), await writer.all_actions("room"))
        self.assertTrue(rows.is_whole)

    async def filled(self, daemon):
        """Six messages with an action each, every second one for an hour; and who has them all."""
        writer = await self.device(daemon, "ada")
        with Rest(daemon, "ada", KEYS) as rest:
            messages = [
                rest.publish("room", n, **({"ttl": 1} if n % 2 == 0 else {})) for n in range(6)]
        for message in messages:
            await writer.add("room", str(message), "👍")
        witness = await self.device(daemon, "bob")
        await witness.subscribe({"name": "room", "cursor": "0"})
        await self.reach_end(writer, witness)
        self.assertEqual(len(witness.rows["room"].messages), 7)
        await witness.cut()
        return writer, witness, messages

    async def test_a_new_device_hears_of_no_message_that_it_never_had(self):
        daemon = self.start_at()
        writer, witness, messages = await self.filled(daemon)
        await writer.close()
        daemon.stop()
        # The machine is off for two hours: another boot, whose wall clock is as much later.
        with contextlib.closing(sqlite3.connect(self.path(daemon))) as file, file:
            file.execute("UPDATE clock SET boot = 'the one before', sum = NULL")
        daemon.step(2 * HOUR)
        daemon.start()
        until(lambda: self.rows(daemon, "message") == 4, "the messages of an hour to go")
        self.assertEqual(self.rows(daemon, "deletion"), 3)

        writer = await self.device(daemon, "ada", "ada-tablet")
        late = await self.device(daemon, "late")
        await late.subscribe({"name": "room", "cursor": "0"})
        await witness.connect()
        await self.reach_end(writer, witness, late)
        self.assertEqual(self.deletions(late), [])
        # Who had them is told of each.
        self.assertEqual(
            sorted(int(it["d"]["data"]["through"]) for it in self.deletions(witness)),
            messages[::2])
        for device in (witness, late):
            await self.assert_equal(writer, device)
        # From then on it is told as everybody else is.
        self.rest(daemon).ok(
            "/v3/history/sub-key/{sub}/channel/room",
            {"start": messages[1] - 1, "end": messages[1]}, method="DELETE")
        await self.reach_end(writer, witness, late)
        self.assertEqual(len(self.deletions(late)), 1)
        await self.assert_equal(writer, late)

    async def test_who_missed_a_forgotten_deletion_is_repaired(self):
        daemon = self.start_at(0, "--tombstone-days", "0")
        writer, witness, messages = await self.filled(daemon)
        present = await self.device(daemon, "present")
        await present.subscribe({"name": "room", "cursor": "0"})
        await self.reach_end(writer, present)
        self.rest(daemon).ok(
            "/v3/history/sub-key/{sub}/channel/room",
            {"start": messages[1], "end": messages[3]}, method="DELETE")
        await present.until(lambda: len(self.deletions(present)) == 1, "the deletion")
        until(lambda: self.rows(daemon, "deletion") == 0, "the deletion to be forgotten")
        await present.until(
            lambda: present.rows["room"].cursor > int(messages[-1]), "the deletion's cursor")

        # Nothing that comes after its cursor says what it has to drop.
        self.assertIn(messages[2], witness.rows["room"].messages)
        cursor = witness.rows["room"].cursor
        await witness.open()
        witness.welcome = await witness.command("hello", userId="bob", deviceId="bob-phone")
        (reply,) = await witness.resume()
        self.assertEqual((reply["mode"], reply["cursor"]), ("repair", str(cursor)))
        await self.reach_end(writer, witness, present)
        self.assertGreater(witness.rows["room"].cursor, cursor)
        self.assertNotIn(messages[2], witness.rows["room"].messages)
        for device in (witness, present):
            await self.assert_equal(writer, device)
        self.assertEqual(self.deletions(witness), [])

        # Who was there for it needs none, and goes on where it was.
        await present.cut()
        await present.open()
        present.welcome = await present.command(
            "hello", userId="present", deviceId="present-phone")
        (reply,) = await present.resume()
        self.assertIn(reply["mode"], ("current", "delta"))
        await self.reach_end(writer, present)
        await self.assert_equal(writer, present)


if __name__ == "__main__":
    unittest.main()
