"""Real input: every emoji that Unicode recommends, as a reaction, on six devices at once."""

import asyncio
import hashlib
import pathlib
import unittest

from case import DaemonTestCase, eventually

EMOJI_TEST = pathlib.Path("/usr/share/unicode/emoji/emoji-test.txt")
USERS = ("ada", "bob", "eve")
DEVICES = ("phone", "tablet")


def every_emoji():
    """The fully-qualified emoji of Unicode's own test file, in its order."""
    found = []
    for line in EMOJI_TEST.read_text(encoding="utf-8").splitlines():
        points, separator, rest = line.partition(";")
        if separator and rest.split("#")[0].strip() == "fully-qualified":
            found.append("".join(chr(int(point, 16)) for point in points.split()))
    return found


class EveryEmoji(DaemonTestCase):
    """Three users with two devices each; both devices of a user write, all of them read."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.emoji = every_emoji()
        self.assertGreater(len(self.emoji), 3600)
        self.assertEqual(len(set(self.emoji)), len(self.emoji))
        self.daemon = self.start_daemon()
        self.devices = [
            await self.device(self.daemon, user, f"{user}-{name}")
            for user in USERS for name in DEVICES]
        for device in self.devices:
            await device.subscribe({"name": "room", "cursor": "0"})
            device.keep_connected()
        reply = await self.devices[0].settle("publish", channel="room", payload="subject")
        self.message = reply["timetoken"]

    async def react(self, op, emoji):
        """Each user does `op` for each emoji, half of them on each device, all at once."""
        replies = await asyncio.gather(*(
            device.settle_all(
                (op, {"channel": "room", "messageTimetoken": self.message, "value": value})
                for value in emoji[number % 2::2])
            for number, device in enumerate(self.devices)))
        return {reply["applied"] for part in replies for reply in part}

    def expected(self, emoji):
        """Who reacted with what, in the order in which Python sorts the devices' rows."""
        return sorted((value, user) for value in emoji for user in USERS)

    async def check(self, emoji):
        """Six caches, equal byte for byte, equal to the server's, and what they must be."""
        marker = await self.devices[0].settle("publish", channel="room", payload="marker")
        for device in self.devices:
            await device.reach("room", marker["timetoken"])
        caches = [device.rows["room"].canonical() for device in self.devices]
        self.assertEqual(
            {hashlib.sha256(cache).hexdigest() for cache in caches},
            {hashlib.sha256(caches[0]).hexdigest()}, "The caches differ.")
        rows = self.devices[0].rows["room"].action_rows()
        self.assertEqual(sorted((row[2], row[3]) for row in rows), self.expected(emoji))
        self.assertEqual({row[:2] for row in rows} or {(int(self.message), "reaction")},
                         {(int(self.message), "reaction")})
        self.assertTrue(rows == await self.devices[3].all_actions("room"), "Not what is stored.")

    async def test_every_emoji_added_and_removed(self):
        self.assertEqual(await self.react("addAction", self.emoji), {"added"})
        await self.check(self.emoji)
        self.assertEqual(await self.react("removeAction", self.emoji), {"removed"})
        await self.check([])

    async def test_every_emoji_with_restarts_in_the_middle(self):
        """SIGTERM while writes are under way: what is not acknowledged is retried afterwards."""
        for op, applied, left in (("addAction", "added", self.emoji),
                                  ("removeAction", "removed", [])):
            reacting = asyncio.create_task(self.react(op, self.emoji))
            await self.half_way(len(self.emoji) * len(USERS) // 2)
            self.assertFalse(reacting.done(), "The restart came too late to be in the middle.")
            await asyncio.to_thread(self.daemon.restart)
            self.assertEqual(await reacting, {applied})
            await self.check(left)

    async def half_way(self, count):
        """Waits for that many more replies: what is pushed may be far behind them."""
        def settled():
            return sum(device.settled for device in self.devices)
        end = settled() + count
        await eventually(lambda: settled() >= end, "half of the reactions", settled)


if __name__ == "__main__":
    unittest.main()
