"""removeActions: what a moderator takes away is gone for everybody, by one event."""

import asyncio
import contextlib
import os
import sqlite3
import time
import unittest

from case import DaemonTestCase
from rest import Rest
from test_large_deletion import fill
from test_summaries import Board
from waiting import until

ACTIONS = int(os.environ.get("SYNC_CLEARING_ACTIONS", "6000"))


class Moderation(DaemonTestCase):
    """A moderator, some users, and everybody who looks on."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.moderator = await self.device(self.daemon, "mod")
        self.users = [await self.device(self.daemon, user) for user in ("ada", "bob", "eve")]
        for device in self.users:
            await device.subscribe({"name": "room", "cursor": "0"})

    async def filled(self):
        """Two messages; everybody says 👍 and ❤️ of both, and ada edits hers."""
        ada = self.users[0]
        messages = [int(await ada.publish("room", number)) for number in range(2)]
        for message in messages:
            for user in self.users:
                for value in ("👍", "❤️"):
                    await user.add("room", str(message), value)
        await ada.command("editMessage", channel="room", messageTimetoken=str(messages[0]),
                          payload="edited")
        return messages

    async def remove(self, **covered):
        return await self.moderator.command("removeActions", channel="room", **covered)

    async def rows(self):
        """What stands, as the daemon says, without timetokens."""
        return {row[:4] for row in await self.moderator.all_actions("room")}

    async def same(self, *devices):
        """Each has exactly what the daemon has, and its digest says so."""
        rows = await self.moderator.all_actions("room")
        for device in devices or self.users:
            await device.until(
                lambda device=device: sorted(device.rows["room"].action_rows()) == sorted(rows),
                "what stands")

    def clearings(self, device):
        return [it for push in device.pushes for it in push["m"]
                if it.get("e") == 3 and it["d"]["event"] == "cleared"]

    async def test_of_a_message(self):
        one, other = await self.filled()
        reply = await self.remove(messageTimetoken=str(one))
        self.assertEqual((reply["applied"], reply["count"]), ("removed", 6))
        rows = await self.rows()
        self.assertEqual({row for row in rows if row[0] == one},
                         {(one, "edited", '"edited"', "ada")})
        self.assertEqual(len([row for row in rows if row[0] == other]), 6)
        await self.same()
        for device in self.users:
            (event,) = self.clearings(device)
            data = event["d"]["data"]
            self.assertEqual((data["messageTimetoken"], data["gone"]["n"]), (str(one), 6))
            self.assertEqual(len(data), 2)
            self.assertEqual(event["p"]["t"], reply["timetoken"])
            # Whose doing it was is in the operator's log, and not everybody's business.
            self.assertNotIn("i", event)
        self.assertRegex(self.daemon.log(), r"A moderator removes actions\..* count=6 user=mod ")
        (page,) = (await self.moderator.command("history", channel="room", limit=1, after="0"))[
            "messages"]
        self.assertEqual(page["edited"]["payload"], "edited")
        # It is over: who was cleared may say it again.
        await self.users[1].add("room", str(one), "👍")
        self.assertIn((one, "reaction", "👍", "bob"), await self.rows())
        await self.same()

    async def test_of_a_value(self):
        await self.filled()
        reply = await self.remove(value="👍")
        self.assertEqual(reply["count"], 6)
        self.assertEqual({row[2] for row in await self.rows()}, {"❤️", '"edited"'})
        await self.same()
        data = self.clearings(self.users[0])[0]["d"]["data"]
        self.assertEqual(data.pop("gone")["n"], 6)
        self.assertEqual(data, {"type": "reaction", "value": "👍"})

    async def test_of_a_user(self):
        one, _ = await self.filled()
        self.assertEqual((await self.remove(userId="bob", messageTimetoken=str(one)))["count"], 2)
        self.assertEqual((await self.remove(userId="bob"))["count"], 2)
        self.assertEqual({row[3] for row in await self.rows()}, {"ada", "eve"})
        # What authors make of their own messages goes only by its name.
        self.assertEqual((await self.remove(userId="ada"))["count"], 4)
        self.assertEqual({row[1:3] for row in await self.rows() if row[3] == "ada"},
                         {("edited", '"edited"')})
        self.assertEqual((await self.remove(userId="ada", type="edited"))["count"], 1)
        await self.same()

    async def test_where_there_is_nothing_nobody_hears_of_it(self):
        await self.filled()
        for covered in ({"userId": "nobody"}, {"value": "🎉"}, {"messageTimetoken": "17"}):
            self.assertEqual(await self.remove(**covered), {"applied": "absent"})
        self.assertNotIn("A moderator removes actions.", self.daemon.log())
        await self.users[0].reach("room", await self.users[0].publish("room", "end"))
        self.assertEqual(self.clearings(self.users[0]), [])

    async def test_a_retry_is_applied_once(self):
        one, _ = await self.filled()
        first = await self.remove(value="👍", mutation="m")
        await self.users[0].add("room", str(one), "👍")
        self.assertEqual(await self.remove(value="👍", mutation="m"), first)
        await asyncio.to_thread(self.daemon.kill)
        await asyncio.to_thread(self.daemon.start)
        await self.moderator.connect()
        self.assertEqual(await self.remove(value="👍", mutation="m"), first)
        self.assertIn((one, "reaction", "👍", "ada"), await self.rows())
        async with self.refused(409, "mutation_reused"):
            await self.remove(value="❤️", mutation="m")
        # What was done, and nothing besides.
        self.assertEqual(self.daemon.log().count("A moderator removes actions."), 1)

    async def test_who_was_away_and_who_comes_late(self):
        """From memory, and after a restart from the file."""
        for restarts in (False, True):
            with self.subTest(restarts=restarts):
                one, _ = await self.filled()
                away = self.users[2]
                await self.same(away)
                await away.close()
                before = len(self.clearings(away))
                for covered in ({"messageTimetoken": str(one)}, {"userId": "bob"}):
                    await self.remove(**covered)
                await self.users[1].add("room", str(one), "👍")
                if restarts:
                    await asyncio.to_thread(self.daemon.restart)
                    for device in (self.moderator, *self.users[:2]):
                        await device.connect()
                await away.connect()
                await self.same()
                # By what changed, not by a repair.
                self.assertEqual(len(self.clearings(away)) - before, 2)
                self.assertEqual(away.repairs, {})
                late = await self.device(self.daemon, f"late-{restarts}")
                await late.subscribe({"name": "room", "cursor": "0"})
                await self.same(late)

    async def test_who_missed_one_that_is_forgotten_is_repaired(self):
        self.daemon = self.start_daemon("--tombstone-days", "0")
        ada, mod = await self.device(self.daemon, "ada"), await self.device(self.daemon, "mod")
        await ada.subscribe({"name": "room", "cursor": "0"})
        message = await ada.publish("room", "hi")
        for value in ("👍", "❤️"):
            reply = await ada.add("room", message, value)
        await ada.reach("room", int(reply["action"]["actionTimetoken"]))
        await ada.close()
        await mod.command("removeActions", channel="room", value="👍")
        await asyncio.to_thread(
            until, lambda: self.rows_of("clearing") == 0, "the clearing to be forgotten",
            lambda: self.rows_of("clearing"))
        await ada.connect()
        await ada.until(
            lambda: [row[2] for row in ada.rows["room"].action_rows()] == ["❤️"], "the repair")
        self.assertEqual(len(ada.repairs["room"]), 1)

    async def test_who_follows_by_summaries(self):
        one, other = await self.filled()
        board = Board(self.daemon)
        await board.connect("0")
        await self.remove(messageTimetoken=str(one), type="reaction")
        deadline = time.monotonic() + 30
        # Her edit stays.
        while [it["t"] for it in board.summaries.get(str(one), {}).get("g", [])] != ["edited"]:
            board.take()
            await asyncio.sleep(0.05)
            self.assertLess(time.monotonic(), deadline)
        # Of a user it is told, and asks for what it shows.
        await self.remove(userId="bob")
        while not board.cleared:
            board.take()
            await asyncio.sleep(0.05)
            self.assertLess(time.monotonic(), deadline)
        reply = await board.command("summaries", channel="room", messages=[
            {"m": message, "h": it["h"]} for message, it in board.summaries.items()])
        for summary in reply["summaries"]:
            board.put(summary)
        groups = {it["v"]: it["n"] for it in board.summaries[str(other)]["g"]}
        self.assertEqual(groups, {"👍": 2, "❤️": 2})
        self.assertEqual([it["m"] for it in reply["summaries"]], [str(other)])
        # And the same when it was away.
        await board.leave()
        await self.remove(userId="eve")
        await self.remove(messageTimetoken=str(one))
        await asyncio.to_thread(self.daemon.restart)
        await self.moderator.connect()
        board.cleared = 0
        await board.connect()
        while not board.cleared:
            board.take()
            await asyncio.sleep(0.05)
            self.assertLess(time.monotonic(), deadline)

    async def test_an_sdk_is_told_of_no_clearing_and_reads_what_is_left(self):
        one, _ = await self.filled()
        with Rest(self.daemon) as rest:
            now = rest.ok("/v2/subscribe/{sub}/room/0", {"tt": 0})["t"]["t"]
            await self.remove(userId="bob")
            sent = await self.users[0].publish("room", "after")
            answer = await asyncio.to_thread(
                rest.ok, "/v2/subscribe/{sub}/room/0", {"tt": now})
            self.assertEqual([it["p"]["t"] for it in answer["m"]], [sent])
            actions = rest.ok("/v1/message-actions/{sub}/channel/room")["data"]
            self.assertEqual({it["uuid"] for it in actions}, {"ada", "eve"})
            counted = rest.ok("/v3/history-with-actions/{sub}/channel/room".replace(
                "/{sub}", "/sub-key/{sub}"))["channels"]["room"][0]
            self.assertEqual(int(counted["timetoken"]), one)
            self.assertEqual(
                len(counted["actions"]["reaction"]["👍"]), 2)

    async def test_many_go_at_once_and_nobody_waits(self):
        """In steps between which others write; amid them nobody sees half of it."""
        with Rest(self.daemon) as rest:
            messages = [rest.publish("room", number) for number in range(4)]
        for number in range(2):
            await asyncio.to_thread(fill, self.daemon, number, messages, ACTIONS // 2)
        for device in self.users:
            await device.until(
                lambda device=device: len(device.rows["room"].actions) == ACTIONS, "all actions")
        begun = time.monotonic()
        clearing = asyncio.create_task(self.moderator.command(
            "removeActions", channel="room", type="reaction", messageTimetoken=str(messages[0])))
        waits = []
        seen = set()
        while not clearing.done() or await asyncio.to_thread(self.hidden):
            started = time.monotonic()
            await self.users[0].publish("den", len(waits))
            waits.append(time.monotonic() - started)
            seen.add(await self.groups_of(messages[0]))
        reply = await clearing
        self.assertEqual(reply["count"], ACTIONS // 4)
        print(f"{reply['count']} of {ACTIONS} actions cleared in {time.monotonic() - begun:.1f} s; "
              f"{len(waits)} writes meanwhile, the longest {max(waits):.3f} s")
        # All of it, or nothing: of that many groups a hundred are named, and the rest counted.
        values = ACTIONS // 8
        whole = (min(values, 100), max(0, values - 100))
        self.assertLessEqual(seen, {whole, (0, 0)})
        self.assertEqual(await self.groups_of(messages[0]), (0, 0))
        late = await self.device(self.daemon, "late")
        await late.subscribe({"name": "room", "cursor": "0"})
        await late.until(
            lambda: len(late.rows["room"].actions) == ACTIONS - ACTIONS // 4, "the rest")

    async def groups_of(self, message):
        """How many different things people say of it, as far as they are named, and the rest."""
        reply = await self.users[1].command(
            "summaries", channel="room", messages=[str(message)])
        (summary,) = reply["summaries"]
        return len(summary["g"]), summary.get("x", 0)

    def hidden(self):
        return self.rows_of("hidden_clearing")

    def rows_of(self, table):
        path = os.path.join(self.daemon.data_dir, "syncdaemon.db")
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            return file.execute(f"SELECT count(*) FROM {table}").fetchone()[0]

    async def test_a_kill_in_it_leaves_nothing_or_all_of_it(self):
        with Rest(self.daemon) as rest:
            messages = [rest.publish("room", number) for number in range(2)]
        for number in range(2):
            await asyncio.to_thread(fill, self.daemon, number, messages, ACTIONS // 2)
        watcher = await self.device(self.daemon, "watcher")
        await watcher.subscribe({"name": "room", "cursor": "0"})
        await watcher.until(lambda: len(watcher.rows["room"].actions) == ACTIONS, "all actions")
        watcher.keep_connected()
        asking = asyncio.create_task(self.moderator.request(
            "removeActions", channel="room", userId="filler-0", mutation="m"))
        # Somewhere in it: either outcome is checked.
        await asyncio.sleep(0.02)
        await asyncio.to_thread(self.daemon.kill)
        with contextlib.suppress(Exception):
            await asking
        await asyncio.to_thread(self.daemon.start)
        await self.moderator.connect()
        self.assertIn(len(await self.moderator.all_actions("room")), (ACTIONS // 2, ACTIONS))
        reply = await self.remove(userId="filler-0", mutation="m")
        self.assertEqual((reply["applied"], reply["count"]), ("removed", ACTIONS // 2))
        await asyncio.to_thread(self.daemon.kill)
        await asyncio.to_thread(self.daemon.start)
        await self.moderator.connect()
        self.assertEqual({row[3] for row in await self.moderator.all_actions("room")},
                         {"filler-1"})
        await watcher.until(
            lambda: len(watcher.rows["room"].actions) == ACTIONS // 2, "the clearing")
        await asyncio.to_thread(
            until, lambda: self.hidden() == 0, "all rows to go", self.hidden, pause=0.05)


if __name__ == "__main__":
    unittest.main()
