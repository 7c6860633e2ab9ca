"""The main job: a reaction made on one device shows up once on all the others."""

import asyncio
import json
import unittest

from case import DaemonTestCase


class Reactions(DaemonTestCase):
    """Two users; the author has a second device."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.author = await self.device(self.daemon, "ada", "ada-phone")
        self.author_tablet = await self.device(self.daemon, "ada", "ada-tablet")
        self.reader = await self.device(self.daemon, "bob", "bob-phone")
        self.devices = [self.author, self.author_tablet, self.reader]
        for device in self.devices:
            await device.subscribe("room")

    def envelopes(self, device):
        return [envelope for push in device.pushes for envelope in push["m"]]

    async def all_reach(self, position):
        for device in self.devices:
            await device.reach("room", position)

    async def test_everyone_sees_one_added_and_one_removed(self):
        message = await self.author.publish(
            "room", {"text": "hi"}, meta={"lang": "en"}, messageType="text")
        added = await self.reader.add("room", message, "👍")
        removed = await self.reader.remove("room", message, "👍")
        marker = await self.author.publish("room", "marker")
        await self.all_reach(marker)

        action = added["action"]
        self.assertEqual(added["applied"], "added")
        self.assertEqual(action, {
            "messageTimetoken": message, "type": "reaction", "value": "👍", "uuid": "bob",
            "actionTimetoken": action["actionTimetoken"]})
        self.assertEqual(removed, {"applied": "removed"})
        for device in self.devices:
            said, done, undone, _ = self.envelopes(device)
            self.assertEqual(said, {
                "a": said["a"], "f": said["f"], "i": "ada", "p": {"t": message, "r": 1},
                "k": "default", "c": "room", "d": {"text": "hi"}, "u": {"lang": "en"},
                "cmt": "text"})
            data = {name: action[name] for name in
                    ("messageTimetoken", "type", "value", "actionTimetoken")}
            for envelope, event in ((done, "added"), (undone, "removed")):
                self.assertEqual((envelope["e"], envelope["i"]), (3, "bob"))
                self.assertEqual(envelope["d"], {
                    "source": "actions", "version": "1.0", "event": event, "data": data})
            self.assertEqual(done["p"]["t"], action["actionTimetoken"])
            self.assertEqual(device.rows["room"].action_rows(), [])

    async def test_what_was_added_to_a_deleted_message_goes_with_the_next_deletion(self):
        message = await self.author.publish("room", "hi")
        for _ in range(2):
            await self.reader.add("room", message, "👍")
            deleted = await self.author.command("deleteMessages", channel="room", through=message)
            await self.all_reach(deleted["timetoken"])
            self.assertEqual(await self.reader.all_actions("room"), [])
        await self.author.command("deleteMessages", channel="room", through=message)
        await self.all_reach(await self.author.publish("room", "marker"))
        for device in self.devices:
            found = [it.get("e") for it in self.envelopes(device)]
            self.assertEqual(found, [None, 3, 5, 3, 5, None])

    async def test_an_acknowledged_write_is_already_readable(self):
        """Acknowledged means durable and visible: a read that follows must find it."""
        message = await self.author.publish("room", 1)
        for value in ("👍", "❤️", "😂"):
            await self.author.add("room", message, value)
            rows = await self.reader.all_actions("room", messageTimetoken=message)
            self.assertIn(value, [row[2] for row in rows])

    async def test_applied_says_what_became_of_the_wish(self):
        message = await self.author.publish("room", 1)
        self.assertEqual(await self.reader.remove("room", message, "👍"), {"applied": "absent"})
        first = await self.reader.add("room", message, "👍")
        again = await self.reader.add("room", message, "👍")
        self.assertEqual(again, {"applied": "already", "action": first["action"]})

        seen = first["action"]["actionTimetoken"]
        self.assertEqual(
            await self.reader.remove("room", message, "👍", actionTimetoken=seen),
            {"applied": "removed"})
        second = await self.reader.add("room", message, "👍")
        self.assertEqual(second["applied"], "added")
        self.assertGreater(int(second["action"]["actionTimetoken"]), int(seen))
        self.assertEqual(
            await self.reader.remove("room", message, "👍", actionTimetoken=seen),
            {"applied": "stale"})
        self.assertEqual(
            await self.author.remove("room", message, "👍"), {"applied": "absent"},
            "Ada must not remove Bob's.")
        self.assertEqual(len(await self.author.all_actions("room")), 1)

        marker = await self.author.publish("room", "marker")
        await self.all_reach(marker)
        events = [it["d"]["event"] for it in self.envelopes(self.reader) if it.get("e") == 3]
        self.assertEqual(events, ["added", "removed", "added"], "Only what changed is an event.")

    async def test_values_are_bytes_that_nobody_touches(self):
        """No normalisation: forms that look alike stay apart, and odd text comes back as it was."""
        values = ["é", "e\u0301", "❤", "❤\ufe0f", "a\nb", '"\\', "\u007f", "👩‍👩‍👧‍👦", "x" * 200]
        message = "17952187953729999"
        for value in values:
            self.assertEqual((await self.author.add("room", message, value))["applied"], "added")
        added = [row[2] for row in await self.reader.all_actions("room")]
        self.assertEqual(sorted(added), sorted(values))

    async def test_payloads_come_back_as_they_were(self):
        payloads = [
            "text", "", 0, -1, 9223372036854775807, -9223372036854775808, 1.5, 1e300, True, False,
            None, [], {}, [1, [2, [3]]], {"b": 1, "a": {"c": [None]}}, "\u2028 \U0001f44d \\ \"",
            "x" * 30_000]
        sent = [await self.author.publish("room", payload) for payload in payloads]
        await self.all_reach(sent[-1])
        stored = (await self.reader.command("history", channel="room"))["messages"]
        for device in self.devices:
            got = [json.dumps(it["d"]) for it in self.envelopes(device)]
            self.assertEqual(got, [json.dumps(payload) for payload in payloads])
        self.assertEqual([it["payload"] for it in stored], payloads)

    async def test_unsubscribe_ends_the_pushes_of_that_channel_only(self):
        await self.reader.subscribe("den")
        reply = await self.reader.command("unsubscribe", channels=["den"])
        self.assertEqual(reply, {"channels": ["den"]})
        await self.author.publish("den", "unheard")
        await self.reader.reach("room", await self.author.publish("room", "heard"))
        self.assertEqual([push["c"] for push in self.reader.pushes], ["room"])

    async def test_ping_tells_the_time(self):
        first = await self.reader.command("ping")
        second = await self.reader.command("ping")
        self.assertEqual(list(first), ["time"])
        self.assertEqual(len(first["time"]), 17)
        self.assertGreaterEqual(int(second["time"]), int(first["time"]))

    async def test_members_that_nobody_knows_are_ignored_and_null_is_absent(self):
        reply = await self.reader.command(
            "publish", channel="room", payload=1, meta=None, mutation=None, colour="red")
        await self.reader.reach("room", reply["timetoken"])
        self.assertNotIn("u", self.envelopes(self.reader)[-1])


class Greeting(DaemonTestCase):
    """Both ways to say who connects."""

    async def test_hello_by_command(self):
        device = await self.device(self.start_daemon(), "ada", "phone")
        self.check_welcome(device.welcome)

    async def test_hello_by_query(self):
        """The daemon sends the reply with id 0 by itself, and a second hello is one too many."""
        device = self.offline_device(self.start_daemon(), "ünï ❤️", "tablet/1")
        await device.open("?userId=%C3%BCn%C3%AF%20%E2%9D%A4%EF%B8%8F&deviceId=tablet%2F1")
        await device.until(lambda: device.unmatched, "the reply by itself")
        (reply,) = device.unmatched
        self.assertEqual(reply["id"], 0)
        self.check_welcome(reply["ok"])
        device.welcome = reply["ok"]
        async with self.refused(409, "hello_again"):
            await device.command("hello", userId="ada", deviceId="phone")

        added = await device.add("room", "17952187953729999", "👍")
        self.assertEqual(added["action"]["uuid"], "ünï ❤️")

    async def test_without_keysets_every_key_names_the_same_tenant(self):
        daemon = self.start_daemon()
        here = await self.device(daemon, "ada")
        there = self.offline_device(daemon, "bob")
        await there.open()
        there.welcome = await there.command(
            "hello", userId="bob", deviceId="phone", keyset="other")
        await there.subscribe("room")
        sent = await here.publish("room", "mine")
        await there.reach("room", sent)
        self.assertEqual(
            [it["k"] for push in there.pushes for it in push["m"]], ["default"])

    def check_welcome(self, welcome):
        self.assertEqual(len(welcome["time"]), 17)
        self.assertTrue(welcome["session"])
        self.assertRegex(welcome["epoch"], "^[0-9a-f]{16}[.][0-9a-f]{8}$")
        self.assertEqual(welcome["heartbeat"], 25)
        self.assertEqual(welcome["limits"]["frameBytes"], 32768)
        self.assertEqual(welcome["limits"]["channels"], 10000)

    async def test_many_devices_of_one_user_at_once(self):
        """Thirty devices connect at the same time and each sees every reaction once."""
        daemon = self.start_daemon()
        devices = [self.offline_device(daemon, "ada", f"d{n}") for n in range(30)]
        await asyncio.gather(*(device.connect() for device in devices))
        await asyncio.gather(*(device.subscribe("room") for device in devices))
        await asyncio.gather(*(
            device.settle("addAction", channel="room", messageTimetoken="1", value=device.name)
            for device in devices))
        marker = await devices[0].publish("room", "marker")
        for device in devices:
            await device.reach("room", marker)
            events = [it for push in device.pushes for it in push["m"] if it.get("e") == 3]
            self.assertEqual(len(events), 30)
        self.assertEqual(len({device.rows["room"].canonical() for device in devices}), 1)
        sessions = {device.welcome["session"] for device in devices}
        self.assertEqual(len(sessions), 30, "A session's name is its own.")


if __name__ == "__main__":
    unittest.main()
