"""A write with a mutation id is applied once, however often and wherever it is sent."""

import asyncio
import contextlib
import os
import sqlite3
import unittest

from case import DaemonTestCase
from test_clock import ClockTestCase

MESSAGE = "17952187953729999"


def operations():
    """One of each kind of write, in an order in which each of them changes something."""
    action = {"channel": "room", "messageTimetoken": MESSAGE, "value": "👍"}
    return [
        ("publish", {"channel": "room", "payload": {"n": 1}, "mutation": "m-1"}),
        ("addAction", action | {"mutation": "m-2"}),
        ("removeAction", action | {"mutation": "m-3"}),
        ("addAction", action | {"value": "❤️", "type": "mood", "mutation": "m-4"}),
    ]


class Mutations(DaemonTestCase):
    """Retries of every kind."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.writer = await self.device(self.daemon, "ada", "phone")
        self.reader = await self.device(self.daemon, "bob", "tablet")
        # From now on: what it had to catch up on would be summed up.
        await self.reader.subscribe({"name": "room"})

    async def expect_events(self, count):
        """The reader saw exactly so many events, and then the marker."""
        marker = await self.writer.publish("room", "marker")
        await self.reader.reach("room", marker)
        events = [envelope for push in self.reader.pushes for envelope in push["m"]]
        self.assertEqual(events.pop()["p"]["t"], marker)
        self.assertEqual(len(events), count, events)

    async def test_the_same_write_again_on_the_same_connection(self):
        for op, fields in operations():
            first = await self.writer.command(op, **fields)
            again = await self.writer.command(op, **fields)
            self.assertEqual(first, again)
        await self.expect_events(4)

    async def test_a_late_retry_changes_nothing_that_came_after_it(self):
        """The retry of an add whose action was removed since must not bring it back."""
        first = [await self.writer.command(op, **fields) for op, fields in operations()]
        again = [await self.writer.command(op, **fields) for op, fields in operations()]
        self.assertEqual(first, again)
        self.assertEqual([row[2] for row in await self.reader.all_actions("room")], ["❤️"])
        await self.expect_events(4)

    async def test_many_copies_at_once_on_two_connections_of_the_device(self):
        other = await self.device(self.daemon, "ada", "phone")
        for op, fields in operations():
            replies = await asyncio.gather(*(
                device.command(op, **fields)
                for _ in range(20) for device in (self.writer, other)))
            self.assertEqual([reply for reply in replies if reply != replies[0]], [])
        await self.expect_events(4)

    async def test_a_retry_after_a_clean_restart_and_after_a_kill(self):
        first = [await self.writer.command(op, **fields) for op, fields in operations()]
        for end in (self.daemon.stop, self.daemon.kill):
            await asyncio.to_thread(end)
            await asyncio.to_thread(self.daemon.start)
            await self.writer.connect()
            await self.reader.connect()
            again = [await self.writer.command(op, **fields) for op, fields in operations()]
            self.assertEqual(first, again)
        await self.expect_events(4)

    async def test_another_write_under_a_used_mutation_is_refused(self):
        for op, fields in operations():
            await self.writer.command(op, **fields)
        changes = [
            ("publish", {"channel": "room", "payload": {"n": 2}, "mutation": "m-1"}),
            ("publish", {"channel": "den", "payload": {"n": 1}, "mutation": "m-1"}),
            ("publish", {"channel": "room", "payload": {"n": 1}, "mutation": "m-2"}),
            operations()[1][:1] + (operations()[1][1] | {"value": "🔥"},),
            operations()[1][:1] + (operations()[1][1] | {"type": "mood"},),
            operations()[1][:1] + (operations()[1][1] | {"messageTimetoken": "5"},),
            ("removeAction", operations()[1][1]),
            ("addAction", operations()[2][1]),
        ]
        for op, fields in changes:
            with self.subTest(op=op, **fields):
                async with self.refused(409, "mutation_reused"):
                    await self.writer.command(op, **fields)
        await self.expect_events(4)

    async def test_mutation_ids_count_per_device(self):
        """Two devices of one user, and devices of one name of two users, do not collide."""
        tablet = await self.device(self.daemon, "ada", "tablet-of-ada")
        namesake = await self.device(self.daemon, "bob", "phone")
        timetokens = {
            await device.publish("room", device.user, mutation="m-1")
            for device in (self.writer, tablet, namesake)}
        self.assertEqual(len(timetokens), 3)
        await self.expect_events(3)

    async def test_an_outcome_that_changed_nothing_is_remembered_too(self):
        """`absent` stays `absent` for that mutation, even when there is something to remove now."""
        action = {"channel": "room", "messageTimetoken": MESSAGE, "value": "👍"}
        absent = await self.writer.command("removeAction", **action, mutation="r-1")
        self.assertEqual(absent, {"applied": "absent"})
        added = await self.writer.command("addAction", **action, mutation="a-1")
        already = await self.writer.command("addAction", **action, mutation="a-2")
        self.assertEqual(
            await self.writer.command("removeAction", **action, mutation="r-1"), absent)
        self.assertEqual(await self.writer.command("addAction", **action, mutation="a-1"), added)
        self.assertEqual(
            await self.writer.command("addAction", **action, mutation="a-2"), already)
        self.assertEqual(already["applied"], "already")
        await self.expect_events(1)

    async def test_a_refused_write_does_not_use_its_mutation_up(self):
        async with self.refused(400, "invalid_channel"):
            await self.writer.publish("a,b", 1, mutation="m-9")
        await self.writer.publish("room", 1, mutation="m-9")
        await self.expect_events(1)

    async def test_the_longest_mutation(self):
        mutation = "👍" * 16
        first = await self.writer.publish("room", 1, mutation=mutation)
        self.assertEqual(await self.writer.publish("room", 1, mutation=mutation), first)
        await self.expect_events(1)


class ForgottenMutations(ClockTestCase):
    """They end some day: `mutation_days`."""

    async def test_an_id_is_remembered_for_as_many_days_as_are_set(self):
        for days, is_forgotten in (("1", True), ("3", False)):
            with self.subTest(days=days):
                daemon = self.start_at(0, "--mutation-days", days)
                ada = await self.device(daemon, "ada", "phone")
                first = await ada.publish("room", 1, mutation="m-1")
                await ada.close()
                # The machine is off twice: two other boots, each most of a day later.
                for number in (1, 2):
                    await asyncio.to_thread(daemon.stop)
                    path = os.path.join(daemon.data_dir, "syncdaemon.db")
                    with contextlib.closing(sqlite3.connect(path)) as file, file:
                        file.execute("UPDATE clock SET boot = 'the one before', sum = NULL")
                    daemon.step(number * 23 * 3_600)
                    await asyncio.to_thread(daemon.start)
                    # A commit is what notes the day, and what forgets.
                    ada = await self.device(daemon, "ada", f"tablet-{number}")
                    await ada.publish("room", number)
                    await ada.close()
                ada = await self.device(daemon, "ada", "phone")
                again = await ada.publish("room", 1, mutation="m-1")
                self.assertEqual(again != first, is_forgotten)


if __name__ == "__main__":
    unittest.main()
