"""Parts of a channel: pages from the newest message back, each with the state of what is before."""

import asyncio
import random

import reconcile
from case import DaemonTestCase
from device import Disconnected
from disk import metric
from rows import timetoken


class Pages(DaemonTestCase):
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


class Windows(Pages):
    """Pages of an ordinary channel."""

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
            # A segment is seldom eight times as long as on average.
            self.assertLess(len(page["messages"]), 50 + 8 * 32)
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
        self.assertGreater(pages, 1)

    def figures(self):
        return [metric(self.daemon, f"{it}_total") for it in (
            "window_subscriptions", "windows_renewed", "window_pages", "window_checks")]

    async def test_what_operators_see(self):
        await self.populate(40)
        eve = await self.device(self.daemon, "eve")
        eve.parts.add("room")
        self.assertEqual(self.figures(), [0, 0, 0, 0])
        await eve.subscribe({"name": "room", "window": {}})
        page, rows = await self.page(10)
        await self.page(0, through=page["after"])
        self.assertEqual(self.figures(), [1, 0, 1, 1])

        # What is before it was found wrong: it begins anew in the same session.
        await eve.subscribe({"name": "room", "window": {}})
        self.assertEqual(self.figures(), [2, 1, 1, 1])

        # A push told it so, or its cursor is of another store.
        epoch = eve.welcome["epoch"]
        for held in ({"epoch": epoch, "repair": True}, {"epoch": "other.1"}):
            reply, = await eve.subscribe(
                {"name": "room", "cursor": page["cursor"], "window": {"after": page["after"]},
                 **held})
            self.assertEqual(reply["mode"], "window")
        self.assertEqual(self.figures(), [4, 3, 1, 1])

        # A part that is right goes on.
        whole = page["s"]
        reply, = await eve.subscribe(
            {"name": "room", "cursor": page["cursor"], "epoch": epoch, "count": whole["n"],
             "digest": whole["d"], "window": {"after": page["after"]}})
        self.assertEqual(reply["mode"], "current")
        await eve.subscribe("room")
        self.assertEqual(self.figures(), [5, 3, 1, 1])

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


VALUES = ("👍", "🎉", "❤️")


class Parts(DaemonTestCase):
    """Devices that hold the end of a channel in which much happens."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.writers = [await self.device(self.daemon, user) for user in ("ada", "bob", "cy")]
        self.messages = []
        self.caught_up = 0

    async def follower(self, name, last):
        device = await self.device(self.daemon, name)
        device.parts.add("room")
        await device.subscribe({"name": "room", "window": {}})
        await self.older(device, last)
        return device

    async def older(self, device, last):
        part = device.rows["room"]
        if part.seen is None and part.after > 0:
            await device.command("older", **part.ask(last))

    async def change(self, dice):
        """What somebody does."""
        writer, kind = dice.choice(self.writers), dice.random()
        recent = self.messages[-30:] or ["1"]
        message = dice.choice(recent if dice.random() < 0.7 else self.messages or ["1"])
        if kind < 0.25 or len(self.messages) < 5:
            self.messages.append(await writer.publish("room", kind))
        elif kind < 0.65:
            score = {"score": dice.randrange(1, 5)} if dice.random() < 0.3 else {}
            await writer.add("room", message, dice.choice(VALUES), **score)
        elif kind < 0.93:
            await writer.remove("room", message, dice.choice(VALUES))
        elif kind < 0.96:
            start = str(int(message) - dice.choice((1, 100_000)))
            await writer.command("deleteMessages", channel="room", after=start, through=message)
        elif kind < 0.98:
            await writer.command("removeActions", channel="room", value=dice.choice(VALUES))
        else:
            await writer.command("removeActions", channel="room", messageTimetoken=message)

    async def live(self, device, dice):
        """What a person does with a device."""
        part, kind = device.rows["room"], dice.random()
        try:
            if part.after == (1 << 63) - 1 or part.rest is None or kind < 0.3:
                # Where it begins anew, where what stands before is not known, or further back.
                fresh = part.after == (1 << 63) - 1
                await self.older(device, dice.choice((1, 10, 40)) if fresh or kind < 0.2 else 0)
            elif kind < 0.5 and part.seen is None and part.messages:
                part.shrink(dice.choice(sorted(part.messages)))
            elif kind < 0.6:
                await device.cut()
                await asyncio.sleep(dice.random() * 0.05)
                await device.connect()
        except Disconnected:
            pass

    async def assert_right(self, device):
        """It holds what the daemon has after its boundary, and could say so."""
        part = device.rows["room"]
        last = await self.writers[0].publish("room", "marker")
        self.messages.append(last)
        await device.reach("room", last)
        if part.after == (1 << 63) - 1 or part.rest is None:
            await self.older(device, 0 if part.after < (1 << 63) - 1 else 5)
            last = await self.writers[0].publish("room", "marker")
            await device.reach("room", last)
        self.assertFalse(part.is_wrong)
        verified = part.verified
        last = await self.writers[0].publish("room", "marker")
        await device.reach("room", last)
        self.assertGreater(part.verified, verified)
        ada = self.writers[0]
        self.assertEqual(part.action_rows(), [
            it for it in await ada.all_actions("room") if not part.is_before(it[0])])
        self.assertEqual(sorted(part.messages), [
            it for it in (timetoken(it["timetoken"]) for it in await ada.all_messages("room"))
            if not part.is_before(it)])

    async def away(self, devices, dice):
        """More than the daemon tells of all of the channel: what concerns the part is read."""
        for device in devices:
            await device.cut()
        for _ in range(400):
            await self.change(dice)
        for device in devices:
            before = len(device.pushes)
            await device.connect()
            part = device.rows["room"]
            if part.after < (1 << 63) - 1 and part.seen is None:
                await device.until(
                    lambda it=device, before=before: any(
                        "rest" in push.get("window", {}) for push in it.pushes[before:]),
                    "what stands before")
                self.caught_up += part.rest is not None

    async def test_whatever_happens_a_part_is_right(self):
        dice = self.random()
        for _ in range(300):
            await self.change(dice)
        devices = [await self.follower(f"eve{n}", 10 * n + 1) for n in range(4)]
        for turn in range(120):
            await asyncio.gather(
                *(self.change(dice) for _ in range(4)),
                *(self.live(device, dice) for device in devices if dice.random() < 0.5))
            if turn == 60:
                await self.away(devices, dice)
            if turn % 30 == 29:
                for device in devices:
                    await self.assert_right(device)
        self.assertGreater(sum(it.rows["room"].verified for it in devices), 400)
        self.assertGreater(self.caught_up, 0)

    async def test_what_stands_on_zero_belongs_to_the_beginning(self):
        for _ in range(20):
            self.messages.append(await self.writers[0].publish("room", 1))
        device = await self.follower("eve", 1000)
        part = device.rows["room"]
        await device.until(lambda: part.after == 0, "the beginning")
        await device.cut()
        await self.writers[0].add("room", "0", "👍")
        await self.writers[0].settle_all(
            [("addAction", {"channel": "room", "messageTimetoken": message, "value": f"v{n}"})
             for message in self.messages for n in range(11)])
        await device.connect()
        await device.until(
            lambda: any("rest" in it.get("window", {}) for it in device.pushes),
            "what stands before")
        self.assertEqual(part.rest[0], 0)
        await self.assert_right(device)
        self.assertIn(0, [it[0] for it in part.action_rows()])


class LargePages(Pages):
    """What is too large for a page comes in several, amid a segment if need be."""

    async def pages(self):
        key = bytes.fromhex((await self.ada.subscribe("room"))[0]["key"])
        held, sizes, query = [], [], {}
        while query.get("through") != "0":
            page, rows = await self.page(1000, **query)
            held += rows
            whole = reconcile.digest(key, held)
            lanes = [int(page["s"]["d"][at:at + 16], 16) - int(page["rest"]["d"][at:at + 16], 16)
                     for at in (0, 16)]
            self.assertEqual("".join(f"{it & reconcile.MASK64:016x}" for it in lanes), whole)
            self.assertEqual(page["s"]["n"] - page["rest"]["n"], len(held))
            sizes.append((len(rows), len(str(page))))
            query = {"through": page["after"]}
        return sizes

    async def test_long_messages(self):
        for n in range(40):
            await self.ada.publish("room", "x" * 30_000 + str(n))
        sizes = await self.pages()
        self.assertLess(max(size for _, size in sizes), 320_000)
        self.assertEqual(sum(count for count, _ in sizes), 40)

    async def test_many_reactions(self):
        messages = [await self.ada.publish("room", n) for n in range(4)]
        # One of them is on no message.
        messages[3] = str(int(messages[0]) + 1)
        await self.ada.settle_all(
            [("addAction", {"channel": "room", "messageTimetoken": message, "value": f"v{n}"})
             for n in range(2000) for message in messages])
        sizes = await self.pages()
        self.assertLess(max(count for count, _ in sizes), 5001)
        self.assertEqual(sum(count for count, _ in sizes), 8004)
