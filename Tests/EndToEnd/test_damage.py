"""A database file that rots: what is damaged is said and not served, and everything else goes on."""

import asyncio
import contextlib
import errno
import re
import sqlite3
import unittest

from daemon import ROOT, run_to_end
from device import Disconnected, Refused
from disk import DiskTestCase, database, flip, metric, table_pages, zero
from rest import Rest

#: Enough that each channel's rows fill pages of their own.
ROWS = 400


class Damage(DiskTestCase):
    async def filled(self):
        """A stopped daemon with two channels of messages and reactions, all in the database."""
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada", "writer")
        await self.fill(device, ("bad", "good"), ROWS)
        await self.stop_settled(daemon, device)
        return daemon

    async def check_rest(self, daemon, device):
        """The other channel is whole, also for a device that has nothing, and can be written to."""
        await device.subscribe({"name": "good", "cursor": "0"})
        written = await device.publish("good", "more")
        await device.add("good", written, "👍")
        await device.reach("good", written)
        self.assertEqual(len(device.rows["good"].messages), ROWS + 1)
        await device.until(lambda: len(device.rows["good"].actions) == ROWS + 1, "all actions")
        text = await self.readiness(daemon, 503, "store_damaged")
        self.assertIn(database(daemon), text)
        self.assertGreater(metric(daemon, "store_damage_total"), 0)
        told = self.lines(daemon, "The database is damaged.")
        self.assertTrue(told, daemon.log())
        self.assertEqual(len(told), len(set(line.split(" ", 1)[1] for line in told)), told)
        self.assertNotIn("stops here", daemon.log())

    async def check_messages(self, daemon, damage):
        """A damaged message is not served, by any question, and costs nobody else anything."""
        device = await self.device(daemon, "bob")
        for fields in ({}, {"actions": True}, {"after": "0"}):
            served = []
            try:
                page = {"after": "0"} if "after" in fields else {}
                while True:
                    reply = await device.command("history", channel="bad", **{**fields, **page})
                    served += [it["payload"] for it in reply["messages"]]
                    if "next" not in reply:
                        self.fail(f"{damage}: all of it was served.")
                    page = {("after" if "after" in fields else "before"): reply["next"]}
            except Refused as refusal:
                self.check_error(vars(refusal), 423, "store_damaged")
            for text in served:
                self.assertRegex(text, r"^bad-\d{5}x{200}$")
        # A poll that was empty would be asked again at once, and for ever.
        with Rest(daemon) as rest:
            answer = await asyncio.to_thread(
                rest.get, "/v2/subscribe/{sub}/bad/0",
                {"tt": self.messages_of["bad"][ROWS // 2 - 50], "tr": "1"})
        self.assertEqual(answer.status, 500, answer)
        # Who needs it all is sent away once, and then refused without losing the connection.
        follower = await self.device(daemon, "eve")
        for _ in range(3):
            try:
                await follower.subscribe({"name": "bad", "cursor": "0"})
                self.assertEqual(await follower.closed(), 1013)
            except Refused as refusal:
                self.check_error(vars(refusal), 423, "store_damaged")
                break
            except Disconnected:
                pass
            follower.rows.clear()
            await follower.connect()
        else:
            self.fail("It was never refused.")
        await self.check_rest(daemon, follower)
        # What happens from now on reaches everybody.
        live = await self.device(daemon, "joe")
        await live.subscribe("bad")
        new = await device.publish("bad", "new")
        await live.reach("bad", new)

    async def test_a_zeroed_page_of_messages_is_refused_and_everything_else_goes_on(self):
        daemon = await self.filled()
        pages = table_pages(database(daemon), "message", b"bad-00200x")
        self.assertEqual(len(pages), 1)
        zero(database(daemon), pages)
        await asyncio.to_thread(daemon.start)
        await self.check_messages(daemon, "a zeroed page")

    async def test_a_page_that_cannot_be_read_is_refused_and_everything_else_goes_on(self):
        faults, daemon = self.faulty_daemon()
        device = await self.device(daemon, "ada")
        await device.publish("room", "before")
        await self.stop_settled(daemon, device)
        await asyncio.to_thread(daemon.start)
        device = await self.device(daemon, "ada", "tablet")
        await self.readiness(daemon, 200)
        faults.set("read", errno.EIO, ".db")
        async with self.refused(423, "store_damaged"):
            await device.command("history", channel="room")
        await self.readiness(daemon, 503, "store_damaged")
        faults.clear("read")
        self.assertEqual(await self.messages(device), ["before"])
        await device.publish("room", "after")
        self.assertEqual(await self.messages(device), ["before", "after"])

    async def test_a_damaged_page_of_actions_refuses_its_channel_and_never_ends_the_process(self):
        daemon = await self.filled()
        middle, _, pages = self.row_on_a_leaf(daemon)
        zero(database(daemon), pages)
        await asyncio.to_thread(daemon.start)
        device = await self.device(daemon, "bob")
        # An outbox that tries again and again, among other writes.
        for number in range(30):
            bad, good = await asyncio.gather(
                device.request("addAction", channel="bad", messageTimetoken=middle,
                               value="👍", mutation="same"),
                device.request("publish", channel="good", payload=f"{number}",
                               mutation=f"m{number}"))
            self.check_error(bad["error"], 423, "store_damaged")
            self.assertIn("ok", good)
        self.assertTrue(daemon.is_running)
        async with self.refused(423, "store_damaged"):
            await device.all_actions("bad")
        self.assertEqual(len(await device.all_messages("bad")), ROWS)
        await self.readiness(daemon, 503, "store_damaged")
        self.assertNotIn("stops here", daemon.log())
        await asyncio.to_thread(daemon.kill)
        await asyncio.to_thread(daemon.start)
        self.assertTrue(daemon.is_running)

    def row_on_a_leaf(self, daemon):
        """A message whose reaction is on a leaf of the table: its text, and that page.

        Some rows of a table without rowids are on pages within its tree.
        """
        for message in self.messages_of["bad"][ROWS // 2:]:
            text = f"bad+{message}".encode()
            pages = table_pages(database(daemon), "action", text)
            if len(pages) == 1:
                return message, text, pages
        raise AssertionError("No reaction is on a leaf.")

    async def test_a_flipped_byte_of_a_payload_is_found_and_not_served(self):
        daemon = await self.filled()
        path = database(daemon)
        self.assertEqual(flip(path, b"bad-00200", table_pages(path, "message", b"bad-00200x")), 1)
        await asyncio.to_thread(daemon.start)
        await self.check_messages(daemon, "a flipped byte")
        self.assertIn("checksum", daemon.log())

    def sql(self, daemon, statement):
        with contextlib.closing(sqlite3.connect(database(daemon), isolation_level=None)) as file:
            return file.execute(statement).fetchall()

    async def test_a_reaction_that_its_index_does_not_find_is_said_and_not_left_out(self):
        daemon = await self.filled()
        path = database(daemon)
        _, text, pages = self.row_on_a_leaf(daemon)
        self.assertEqual(flip(path, text, pages), 1)
        await asyncio.to_thread(daemon.start)
        device = await self.device(daemon, "bob")
        async with self.refused(423, "store_damaged"):
            await device.all_actions("bad")
        await self.check_rest(daemon, device)

    async def test_a_flipped_byte_of_a_mutation_refuses_its_device_and_nobody_else(self):
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada", "writer")
        message = await device.publish("room", "text")
        action = {"channel": "room", "messageTimetoken": message, "value": "👍"}
        await device.request("addAction", **action, mutation="m1")
        await self.stop_settled(daemon, device)
        # The number that says "added" becomes the one that says "already".
        self.sql(daemon, "UPDATE mutation SET kind = 3")
        await asyncio.to_thread(daemon.start)
        device = await self.device(daemon, "ada", "writer")
        for _ in range(3):
            async with self.refused(423, "store_damaged"):
                await device.command("addAction", **action, mutation="m1")
        other = await self.device(daemon, "ada", "tablet")
        await other.publish("room", "more")
        await self.readiness(daemon, 503, "store_damaged")
        self.assertGreater(metric(daemon, "store_damage_total"), 0)
        self.assertEqual(len(self.lines(daemon, "The database is damaged.")), 1, daemon.log())
        # A row of an earlier release is believed.
        await asyncio.to_thread(daemon.stop)
        self.sql(daemon, "UPDATE mutation SET kind = 2, sum = NULL")
        await asyncio.to_thread(daemon.start)
        device = await self.device(daemon, "ada", "writer")
        again = await device.command("addAction", **action, mutation="m1")
        self.assertEqual(again["applied"], "added")

    async def test_a_damaged_clock_ends_a_start_with_one_line_that_says_what_to_do(self):
        daemon = await self.filled()
        sound = self.sql(daemon, "SELECT * FROM clock")[0]
        columns = ("last", "ceiling", "ticks", "age", "uptime")
        for column in columns:
            for change in ("9223372036854775807", f"{column} | (1 << 62)", f"{column} & ~1 | 16"):
                self.sql(daemon, f"UPDATE clock SET {column} = {change}")
                if self.sql(daemon, "SELECT * FROM clock")[0] == sound:
                    continue  # It was so already.
                for sum_too in (False, True):
                    if sum_too and change != "9223372036854775807":
                        break
                    if sum_too:
                        self.sql(daemon, "UPDATE clock SET sum = NULL")
                    code, said, error = await asyncio.to_thread(
                        run_to_end, "serve", "--data-dir", daemon.data_dir, "--listen",
                        "127.0.0.1:0")
                    self.assertEqual((code, said), (1, ""), (column, change, error))
                    self.assertRegex(
                        error, r"^syncdaemon: [^\n]*syncdaemon\.db is damaged[^\n]*clock[^\n]*"
                        r"backup[^\n]*OPERATIONS\.md[^\n]*\n$", (column, change))
                names = [row[1] for row in self.sql(daemon, "PRAGMA table_info(clock)")]
                with contextlib.closing(sqlite3.connect(database(daemon))) as file, file:
                    file.execute(
                        f"UPDATE clock SET ({','.join(names)}) = ({','.join('?' * len(names))})",
                        sound)
        # What the manual has for who has no backup; also for a machine whose clock is behind.
        manual = (ROOT / "docs/OPERATIONS.md").read_text(encoding="utf-8")
        cure = re.search(r"```sql\n(UPDATE clock.*?)```", manual, re.DOTALL)[1]
        for now in ("'now', '-1 minute'", "'now'"):
            self.sql(daemon, "UPDATE clock SET last = last | (1 << 62)")
            self.sql(daemon, cure.replace("'now'", now))
            await asyncio.to_thread(daemon.start)
            await asyncio.to_thread(daemon.stop)
        await asyncio.to_thread(daemon.start)
        device = await self.device(daemon, "bob")
        self.assertEqual(len(await device.all_messages("good")), ROWS)
        again = await device.publish("good", "more")
        self.assertEqual(len(again), 17)
        self.assertGreater(again, self.messages_of["good"][-1])
        await self.readiness(daemon, 200)

    async def test_a_flipped_byte_of_a_reaction_is_found_and_not_served(self):
        daemon = await self.filled()
        path = database(daemon)
        middle, text, pages = self.row_on_a_leaf(daemon)
        self.assertEqual(flip(path, text, pages), 1)
        await asyncio.to_thread(daemon.start)
        device = await self.device(daemon, "bob")
        async with self.refused(423, "store_damaged"):
            await device.command("actions", channel="bad", messageTimetoken=middle)
        async with self.refused(423, "store_damaged"):
            await device.all_messages("bad", actions=True)
        self.assertEqual(len(await device.all_messages("bad")), ROWS)
        await self.check_rest(daemon, device)


if __name__ == "__main__":
    unittest.main()
