"""Threads: replies, their counts and pages, through restarts and deletions."""

import unittest

from case import DaemonTestCase
from rest import Rest


class Threads(DaemonTestCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.ada = await self.device(self.daemon, "ada", "phone")

    async def history(self, **fields):
        return (await self.ada.command("history", channel="room", **fields))["messages"]

    async def test_replies(self):
        first = str(await self.ada.publish("room", "first"))
        other = str(await self.ada.publish("room", "other"))
        replies = [str(await self.ada.publish("room", f"r{number}", parent=first))
                   for number in range(5)]
        nested = str(await self.ada.publish("room", "nested", parent=replies[0]))
        self.daemon.restart()
        await self.ada.connect()
        rows = await self.history()
        self.assertEqual(
            [(it["timetoken"], it.get("parent"), it.get("threadCount")) for it in rows],
            [(first, None, 5), (other, None, None), (replies[0], first, 1)]
            + [(it, first, None) for it in replies[1:]] + [(nested, replies[0], None)])
        # Pages of one thread, from both ends.
        page = await self.ada.command("history", channel="room", parent=first, limit=2)
        self.assertEqual([it["timetoken"] for it in page["messages"]], replies[3:])
        page = await self.ada.command(
            "history", channel="room", parent=first, limit=9, before=page["next"])
        self.assertEqual([it["timetoken"] for it in page["messages"]], replies[:3])
        self.assertNotIn("next", page)
        page = await self.history(parent=first, after="0", limit=2)
        self.assertEqual([it["timetoken"] for it in page], replies[:2])

        await self.ada.command("deleteMessage", channel="room", messageTimetoken=replies[1])
        self.assertEqual((await self.history())[0]["threadCount"], 4)
        await self.ada.command("deleteMessages", channel="room", through=first)
        # The replies stand, and say whose they were.
        self.assertEqual({it.get("parent") for it in await self.history(parent=first)}, {first})

    async def test_the_event_and_the_delta_say_it(self):
        reader = await self.device(self.daemon, "bob", "phone")
        await reader.subscribe({"name": "room", "cursor": "0"})
        first = str(await self.ada.publish("room", "first"))
        reply = await self.ada.publish("room", "reply", parent=first, mutation="m")
        self.assertEqual(reply, await self.ada.publish("room", "reply", parent=first, mutation="m"))
        async with self.refused(409, "mutation_reused"):
            await self.ada.command("publish", channel="room", payload="reply", mutation="m")
        await reader.reach("room", int(reply))
        late = await self.device(self.daemon, "cy", "phone")
        await late.subscribe({"name": "room", "cursor": "0"})
        await late.reach("room", int(reply))
        for device in (reader, late):
            events = [it for push in device.pushes for it in push["m"]]
            self.assertEqual(
                [(it["d"], it.get("parent")) for it in events], [("first", None), ("reply", first)])
        # An SDK gets replies as any other messages.
        with Rest(self.daemon) as rest:
            rows = rest.ok("/v2/history/sub-key/{sub}/channel/room")[0]
        self.assertEqual(rows, ["first", "reply"])


if __name__ == "__main__":
    unittest.main()
