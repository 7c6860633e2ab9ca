"""A device that wants no actions: it gets messages and deletions, and nothing of what others say."""

import unittest

from case import DaemonTestCase
from raw import TEXT, RawClient, frame


class WithoutActions(DaemonTestCase):
    """A writer beside readers who subscribe with "actions": "none"."""

    def setUp(self):
        self.daemon = self.start_daemon()

    def client(self, user):
        client = RawClient(self.daemon.address)
        self.addCleanup(client.__exit__)
        client.hello(user, user)
        return client

    def follow(self, client, cursor=None, **options):
        """The entry of the reply, which comes before any push."""
        entry = {"name": "room", "actions": "none", **options}
        if cursor is not None:
            entry["cursor"] = cursor
        return client.command("subscribe", channels=[entry])["channels"][0]

    def write(self, writer, text, reactions=5):
        """A message with reactions; its timetoken."""
        message = writer.command("publish", channel="room", payload=text)["timetoken"]
        for number in range(reactions):
            writer.command("addAction", channel="room", messageTimetoken=message,
                           value=f"v{number}")
        return message

    def read(self, client, marker):
        """What is pushed up to a message, and where it ends; every push is without a state."""
        events, cursor = [], "0"
        while not any(it.get("d") == marker for it in events):
            push = client.message()
            self.assertNotIn("s", push)
            self.assertGreaterEqual(int(push["t"]["t"]), int(cursor))
            cursor = push["t"]["t"]
            events += push["m"]
        return events, cursor

    async def test_live_and_missed(self):
        writer, live = self.client("ada"), self.client("bob")
        entry = self.follow(live)
        self.assertNotIn("key", entry)
        self.assertNotIn("s", entry)
        paced = self.client("cy")
        self.follow(paced, batch=50, coalesce=True)
        first = self.write(writer, "one")
        self.write(writer, "two")
        writer.command("deleteMessages", channel="room", through=first)
        self.write(writer, "end", reactions=0)
        late = self.client("dee")
        self.assertEqual(self.follow(late, "0")["mode"], "delta")
        for client in (live, paced):
            events, cursor = self.read(client, "end")
            self.assertEqual([it.get("e", 0) for it in events], [0, 0, 5, 0])
        self.assertEqual([it["d"] for it in self.read(late, "end")[0]], ["two", "end"])
        # What comes next is what was written next, also after a restart.
        self.write(writer, "three")
        self.daemon.restart()
        back = self.client("bob")
        self.assertEqual(self.follow(back, cursor)["mode"], "delta")
        self.write(self.client("ada"), "over", reactions=1)
        events, _ = self.read(back, "over")
        self.assertEqual([it["d"] for it in events], ["three", "over"])

    async def test_actions_alone_move_the_cursor_of_who_comes_back(self):
        writer = self.client("ada")
        message = self.write(writer, "one", reactions=0)
        last = self.write(writer, "two", reactions=3000)
        self.daemon.restart()
        reader = self.client("bob")
        self.follow(reader, message)
        self.write(self.client("ada"), "end", reactions=0)
        events, cursor = self.read(reader, "end")
        self.assertEqual([it["d"] for it in events], ["two", "end"])
        self.assertGreater(int(cursor), int(last))

    async def test_what_a_moderator_removes_is_no_news(self):
        writer, reader = self.client("ada"), self.client("bob")
        self.follow(reader, "0")
        message = self.write(writer, "one", reactions=3)
        for covered in ({"messageTimetoken": message}, {"userId": "ada"}):
            writer.command("removeActions", channel="room", **covered)
        self.write(writer, "end", reactions=0)
        events, _ = self.read(reader, "end")
        self.assertEqual([it.get("e", 0) for it in events], [0, 0])
        late = self.client("late")
        self.follow(late, "0")
        self.assertEqual([it["d"] for it in self.read(late, "end")[0]], ["one", "end"])

    async def test_others_get_all_as_ever(self):
        writer, reader = await self.device(self.daemon, "ada"), await self.device(
            self.daemon, "bob")
        await reader.subscribe({"name": "room", "cursor": "0"})
        self.follow(self.client("cy"), "0")
        message = await writer.publish("room", "one")
        for value in ("👍", "🎉"):
            await writer.add("room", message, value)
        await reader.reach("room", await writer.publish("room", "end"))
        self.assertEqual(len(reader.rows["room"].action_rows()), 2)

    async def test_what_cannot_be(self):
        client = self.client("ada")
        for entry in ({"actions": "some"}, {"actions": 1},
                      {"actions": "none", "cursor": "1", "repair": True}):
            with self.subTest(entry=entry):
                client.send(frame(TEXT, client.command_text(
                    "subscribe", channels=[{"name": "room", **entry}])))
                self.check_error(client.message()["error"], 400, "invalid_field")


if __name__ == "__main__":
    unittest.main()
