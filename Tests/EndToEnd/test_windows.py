"""Parts of a channel: pages from the newest message back, each with the state of what is before."""

import random

import reconcile
from case import DaemonTestCase
from rows import timetoken


class Windows(DaemonTestCase):
    """Somebody who looks at the end of a long channel."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.ada = await self.device(self.daemon, "ada")

    async def populate(self, count):
        """Messages with reactions, some of them deleted, and reactions on no message."""
        dice = random.Random(count)
        messages = [await self.ada.publish("room", n) for n in range(count)]
        users = [await self.device(self.daemon, f"user{n}") for n in range(3)]
        for user in users:
            await user.settle_all(
                [("addAction", {"channel": "room", "messageTimetoken": message, "value": "👍",
                                **({"score": 5} if dice.random() < 0.1 else {})})
                 for message in messages if dice.random() < 0.8])
        for message in dice.sample(messages, count // 10):
            await self.ada.command(
                "deleteMessages", channel="room", after=str(int(message) - 1), through=message)
        await self.ada.command(
            "addAction", channel="room", messageTimetoken=str(int(messages[5]) + 1), value="👍")
        return messages

    async def page(self, last, **query):
        """A page, its rows, and whether they and the rest are the whole, less what is held."""
        page = await self.ada.command("older", channel="room", last=last, **query)
        rows = reconcile.unpack_rows(page["rows"]) + [
            (timetoken(it["timetoken"]), it["uuid"], it.get("messageType", ""))
            for it in page["messages"]]
        return page, rows

    def state(self, key, rows):
        return {"n": len(rows), "d": reconcile.digest(key, rows)}

    async def test_pages_back_to_the_beginning(self):
        await self.populate(300)
        key = bytes.fromhex((await self.ada.subscribe("room"))[0]["key"])
        everything = [(*it,) for it in await self.ada.all_actions("room")] + [
            (timetoken(it["timetoken"]), it["uuid"], it.get("messageType", ""))
            for it in await self.ada.all_messages("room")]
        whole = self.state(key, everything)
        held, pages, query = [], 0, {}
        while query.get("through") != "0":
            page, rows = await self.page(50, **query)
            self.assertEqual(page["s"], whole)
            self.assertGreaterEqual(len(page["messages"]), 50 if page["after"] != "0" else 1)
            self.assertLess(len(page["messages"]), 50 + 64)
            held += rows
            after = timetoken(page["after"])
            before = [it for it in everything if it[0] <= after and after]
            self.assertEqual(page["rest"], self.state(key, before))
            self.assertEqual(len(held) + len(before), len(everything))
            query, pages = {"through": page["after"]}, pages + 1
            # The same again, without rows.
            nothing, rows = await self.page(0, **query)
            self.assertEqual((rows, nothing["rest"]), ([], page["rest"]))
        self.assertEqual(sorted(held), sorted(everything))
        self.assertGreaterEqual(pages, 4)

    async def test_what_cannot_be_asked(self):
        await self.populate(20)
        async with self.refused(400, "invalid_field", "through"):
            await self.page(1, through="")
        async with self.refused(400, "invalid_field", "last"):
            await self.page(0)
        page, rows = await self.page(1, through="0")
        self.assertEqual((page["rest"]["n"], page["after"], rows), (0, "0", []))
        self.assertEqual(
            await self.ada.command("older", channel="never", last=1),
            {"cursor": page["cursor"], "after": "0", "rest": page["rest"],
             "s": page["rest"], "messages": [], "rows": "AA=="})
