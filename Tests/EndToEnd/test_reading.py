"""Reading what is stored: history and actions, page by page, in every direction."""

import asyncio
import unittest

from case import DaemonTestCase
from rows import action_row

VALUES = ["👍", "❤️", "😂"]


class Reading(DaemonTestCase):
    """A room with 25 messages; every second one has reactions of three users."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.users = [await self.device(self.daemon, name) for name in ("ada", "bob", "eve")]
        self.reader = self.users[0]
        self.messages = [await self.reader.publish("room", n) for n in range(25)]
        self.actions = []
        for message in self.messages[::2]:
            for user in self.users:
                for value in VALUES:
                    added = await user.add("room", message, value)
                    self.actions.append(action_row(added["action"]))
        gone = await self.reader.add("room", self.messages[0], "👻")
        self.assertEqual(gone["applied"], "added")
        await self.reader.remove("room", self.messages[0], "👻")
        await self.reader.publish("den", "elsewhere")
        await self.reader.add("den", self.messages[0], "🔥")

    async def history(self, **fields):
        return await self.reader.command("history", channel="room", **fields)

    async def pages(self, op, direction, **fields):
        """All pages of a query, and the query's position moved by `next`."""
        pages = []
        while True:
            page = await self.reader.command(op, channel="room", **fields)
            pages.append(page)
            if "next" not in page:
                return pages
            fields[direction] = page["next"]
            self.assertLess(len(pages), 200, "The pages do not end.")

    async def test_history_backward_and_forward(self):
        for limit in (1, 2, 7, 24, 25, 26, 100):
            back = await self.pages("history", "before", limit=limit)
            forth = await self.pages("history", "after", limit=limit, after="0")
            for pages in (list(reversed(back)), forth):
                found = [it["timetoken"] for page in pages for it in page["messages"]]
                self.assertEqual(found, self.messages, f"limit {limit}")
                self.assertEqual(len(pages), -(-25 // limit), "A page too many or too few.")
            self.assertTrue(all(len(it["messages"]) == limit for it in back[:-1] + forth[:-1]))

    async def test_history_between_two_positions(self):
        first, last = self.messages[3], self.messages[9]
        page = await self.history(after=first, before=last)
        self.assertEqual([it["timetoken"] for it in page["messages"]], self.messages[4:9])
        newest = await self.history(after=first, before=last, limit=2)
        self.assertEqual([it["timetoken"] for it in newest["messages"]], self.messages[7:9])
        rest = await self.pages("history", "before", after=first, before=last, limit=2)
        found = [it["timetoken"] for page in reversed(rest) for it in page["messages"]]
        self.assertEqual(found, self.messages[4:9])

    async def test_history_has_the_message_whole(self):
        rich = await self.reader.publish(
            "room", {"text": "hi"}, meta={"lang": "en"}, messageType="text")
        page = await self.history(limit=2)
        self.assertEqual(page["messages"][0]["timetoken"], self.messages[-1])
        self.assertEqual(page["messages"][1], {
            "timetoken": rich, "uuid": "ada", "payload": {"text": "hi"}, "meta": {"lang": "en"},
            "messageType": "text"})
        self.assertEqual(page["next"], self.messages[-1])

    async def test_history_with_actions(self):
        page = await self.history(actions=True)
        found = [action_row(it) for message in page["messages"]
                 for it in message.get("actions", [])]
        self.assertEqual(found, self.actions, "Ascending by actionTimetoken in each message.")
        for message in page["messages"]:
            for action in message.get("actions", []):
                self.assertEqual(action["messageTimetoken"], message["timetoken"])
        without = await self.history()
        self.assertFalse(any("actions" in message for message in without["messages"]))

    async def test_an_empty_channel(self):
        empty = await self.reader.command("history", channel="nowhere", actions=True)
        self.assertEqual(empty, {"messages": []})
        self.assertEqual(await self.reader.command("actions", channel="nowhere"), {"actions": []})

    async def test_actions_page_by_page(self):
        count = len(self.actions)
        for limit in (1, 50, count - 1, count, count + 1, 1000):
            pages = await self.pages("actions", "after", limit=limit)
            found = [action_row(it) for page in pages for it in page["actions"]]
            self.assertEqual(found, self.actions, f"limit {limit}: oldest first")
            self.assertEqual(len(pages), -(-count // limit), "A page too many or too few.")

    async def test_every_combination_of_filters(self):
        message = self.messages[4]
        filters = {
            "messageTimetoken": (message, lambda row: row[0] == int(message)),
            "type": ("reaction", lambda row: row[1] == "reaction"),
            "value": ("❤️", lambda row: row[2] == "❤️"),
            "userId": ("bob", lambda row: row[3] == "bob"),
        }
        for chosen in range(2 ** len(filters)):
            names = [name for bit, name in enumerate(filters) if chosen >> bit & 1]
            expected = [
                row for row in self.actions if all(filters[name][1](row) for name in names)]
            fields = {name: filters[name][0] for name in names}
            with self.subTest(filters=names):
                whole = await self.reader.command("actions", channel="room", **fields)
                self.assertEqual([action_row(it) for it in whole["actions"]], expected)
                pages = await self.pages("actions", "after", limit=2, **fields)
                found = [action_row(it) for page in pages for it in page["actions"]]
                self.assertEqual(found, expected)

    async def test_filters_that_match_nothing(self):
        for fields in ({"value": "👻"}, {"type": "receipt"}, {"userId": "nobody"},
                       {"messageTimetoken": self.messages[1]}, {"after": "9" * 18}):
            with self.subTest(**fields):
                page = await self.reader.command("actions", channel="room", **fields)
                self.assertEqual(page, {"actions": []})

    async def test_types_stand_apart(self):
        message = self.messages[1]
        for kind in ("reaction", "receipt", "t" * 64):
            added = await self.reader.add("room", message, "👍", type=kind)
            self.assertEqual(added["applied"], "added")
            found = await self.reader.all_actions("room", messageTimetoken=message, type=kind)
            self.assertEqual(len(found), 1)
        self.assertEqual(
            len(await self.reader.all_actions("room", messageTimetoken=message)), 3)

    async def test_all_of_it_after_a_restart(self):
        await asyncio.to_thread(self.daemon.restart)
        await self.reader.connect()
        await self.test_history_with_actions()
        await self.test_actions_page_by_page()


class LargePages(DaemonTestCase):
    """One hundred messages of 32 KiB are 3 MiB: pages get shorter, and `next` still leads on."""

    PAYLOAD = "x" * 32_000

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.writer = await self.device(self.daemon, "ada")
        replies = await self.writer.settle_all(
            [("publish", {"channel": "room", "payload": self.PAYLOAD})] * 100)
        self.timetokens = sorted(int(it["timetoken"]) for it in replies)
        self.reader = await self.device(self.daemon, "bob")

    def check(self, messages):
        self.assertEqual([int(it["timetoken"]) for it in messages], self.timetokens)
        self.assertEqual({len(it["payload"]) for it in messages}, {32_000})

    async def test_the_largest_messages_page_by_page(self):
        self.check(await self.reader.all_messages("room"))
        back, fields = [], {}
        while fields is not None:
            page = await self.reader.command("history", channel="room", **fields)
            self.assertGreater(len(page["messages"]), 0, "A page that leads nowhere.")
            back = page["messages"] + back
            fields = {"before": page["next"]} if "next" in page else None
        self.check(back)

    async def test_many_large_pages_at_once(self):
        """Whoever reads as fast as the network goes must not be taken for one who does not."""
        for messages in await asyncio.gather(*(
                self.reader.all_messages("room") for _ in range(20))):
            self.check(messages)

    async def test_large_pages_among_live_events(self):
        await self.reader.subscribe("news")
        asked = asyncio.gather(*(self.reader.all_messages("room") for _ in range(4)))
        last = None
        while last is None or not asked.done():
            last = await self.writer.publish("news", self.PAYLOAD)
        for messages in await asked:
            self.check(messages)
        await self.reader.reach("news", last)

    async def test_catching_up_on_large_messages(self):
        await self.reader.subscribe({"name": "room", "cursor": "0"})
        await self.reader.reach("room", await self.writer.publish("room", "last"))
        self.assertEqual(len(self.reader.rows["room"].messages), 101)


if __name__ == "__main__":
    unittest.main()
