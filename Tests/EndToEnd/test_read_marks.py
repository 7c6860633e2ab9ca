"""Read marks: up to where a user has read, on whatever device, and what is unread behind that."""

import asyncio
import tempfile

from case import DaemonTestCase
from raw import TEXT, RawClient, frame


class Reader(RawClient):
    """One device, which keeps what it is told of marks."""

    def __init__(self, daemon, user, device="phone"):
        super().__init__(daemon.address)
        self.user, self.marks = user, {}
        self.hello(user, device)

    def message(self):
        message = super().message()
        for mark in message.get("read", []):
            # The latest one: a frame may be older than a reply.
            known = self.marks.get(mark["name"], "0")
            self.marks[mark["name"]] = max(known, mark["through"], key=int)
        return message

    def until_marked(self, channel, through):
        while self.marks.get(channel) != through:
            self.message()

    def refusal(self, op, **fields):
        self.send(frame(TEXT, self.command_text(op, **fields)))
        while (message := self.message()).get("id") != self.number:
            pass
        return message["error"]["code"]

    def unread(self, *channels):
        return self.command("unread", channels=list(channels))["channels"]


class ReadMarks(DaemonTestCase):
    """Ada writes; Bob reads, on two devices."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.reader("ada")

    def reader(self, user, device="phone", daemon=None):
        client = Reader(daemon or self.daemon, user, device)
        self.addCleanup(client.socket.close)
        return client

    def publish(self, count, channel="room", by=None):
        return [(by or self.ada).command("publish", channel=channel, payload=n)["timetoken"]
                for n in range(count)]

    def test_devices_of_a_user_share_it(self):
        said = self.publish(5)
        phone, laptop = self.reader("bob"), self.reader("bob", "laptop")
        self.assertEqual(laptop.unread("room"), [{"name": "room", "count": 5}])
        self.assertEqual(
            phone.command("markRead", channel="room", through=said[2]), {"through": said[2]})
        laptop.until_marked("room", said[2])
        self.assertEqual(
            laptop.unread("room", "den"),
            [{"name": "room", "through": said[2], "count": 2}, {"name": "den", "count": 0}])
        # Back is nowhere, and the reply says where the mark is.
        self.assertEqual(
            laptop.command("markRead", channel="room", through=said[0]), {"through": said[2]})
        self.assertEqual(phone.marks, {}, "it did not ask")
        self.assertEqual(self.ada.unread("room"), [{"name": "room", "count": 0}], "her own")

    def test_nobody_else_is_told(self):
        (said,) = self.publish(1)
        eve = self.reader("eve")
        eve.unread("room")
        self.reader("bob").command("markRead", channel="room", through=said)
        eve.command("ping")
        self.assertEqual(eve.marks, {})
        self.assertEqual(eve.unread("room"), [{"name": "room", "count": 1}])

    def test_it_is_durable(self):
        said = self.publish(3)
        bob = self.reader("bob")
        bob.command("markRead", channel="room", through=said[0])
        self.daemon.kill()
        self.daemon.start()
        bob = self.reader("bob")
        self.assertEqual(
            bob.unread("room"), [{"name": "room", "through": said[0], "count": 2}])

    def test_what_makes_nothing_unread(self):
        said = self.publish(3)
        bob = self.reader("bob")
        bob.command("markRead", channel="room", through=said[2])
        for message in said:
            self.ada.command("addAction", channel="room", messageTimetoken=message, value="👍")
        self.ada.command("editMessage", channel="room", messageTimetoken=said[2], payload="new")
        self.publish(2, by=bob)
        later = self.publish(2)
        self.assertEqual(bob.unread("room")[0]["count"], 2)
        self.ada.command("deleteMessage", channel="room", messageTimetoken=later[0])
        self.assertEqual(bob.unread("room")[0]["count"], 1)

    def test_more_than_are_counted(self):
        for number in range(1002):
            self.ada.send(frame(TEXT, self.ada.command_text(
                "publish", channel="room", payload=number)))
        while self.ada.message().get("id") != self.ada.number:
            pass
        bob = self.reader("bob")
        self.assertEqual(bob.unread("room"), [{"name": "room", "count": 1000, "more": True}])

    def test_what_cannot_be_asked(self):
        bob = self.reader("bob")
        many = [f"c{n}" for n in range(101)]
        for code, op, fields in (
                ("missing_field", "markRead", {"channel": "room"}),
                ("invalid_field", "markRead", {"channel": "room", "through": 5}),
                ("missing_field", "unread", {}),
                ("invalid_field", "unread", {"channels": []}),
                ("invalid_channel", "unread", {"channels": ["a,b"]}),
                ("too_many_channels", "unread", {"channels": many})):
            with self.subTest(op=op, fields=str(fields)[:60]):
                self.assertEqual(bob.refusal(op, **fields), code)
        self.assertEqual(len(bob.unread(*many[:100])), 100)

    def test_a_channel_that_keeps_nothing(self):
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write("[keyset web]\nsubscribe_key = sub\nstore = no\n")
            file.flush()
            daemon = self.start_daemon("--config", file.name)
        bob = self.reader("bob", daemon=daemon)
        self.assertEqual(
            bob.refusal("unread", channels=["room"]), "history_disabled")
        self.assertEqual(
            bob.refusal("markRead", channel="room", through="5"), "history_disabled")

    def test_a_full_quota_lets_marks_move(self):
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write("[keyset web]\nsubscribe_key = sub\nstored_bytes_max = 20000\n")
            file.flush()
            daemon = self.start_daemon("--config", file.name)
        ada, bob = (self.reader(name, daemon=daemon) for name in ("ada", "bob"))
        said = self.publish(3, by=ada)
        bob.command("markRead", channel="room", through=said[0])
        full = 0
        while full < 3:
            ada.send(frame(TEXT, ada.command_text("publish", channel="room", payload=1)))
            while (message := ada.message()).get("id") != ada.number:
                pass
            full += "error" in message
        self.assertEqual(
            bob.command("markRead", channel="room", through=said[2]), {"through": said[2]})
        self.assertEqual(
            self.reader("evelyn", daemon=daemon).refusal(
                "markRead", channel="room", through=said[2]), "quota_exceeded")

    def test_a_question_is_nothing_that_was_said(self):
        """A removal of what is not there looks for it, and no more."""
        removal = self.ada.command(
            "removeAction", channel="new", messageTimetoken="5", value="a")
        self.assertEqual(removal["applied"], "absent")
        self.ada.command("markRead", channel="new", through="6")
        self.assertNotIn("through", self.ada.unread("new")[0])

    async def test_random_lives(self):
        """Whatever two devices of each user do, all end with the furthest mark."""
        dice = self.random()
        users = {name: [self.reader(name, f"d{n}") for n in range(2)] for name in ("bob", "eve")}
        said, furthest = {"room": [], "den": []}, {}
        for devices in users.values():
            for device in devices:
                device.unread("room", "den")
        for _ in range(150):
            channel = dice.choice(list(said))
            if not said[channel] or dice.random() < 0.3:
                said[channel] += self.publish(1, channel)
                continue
            name = dice.choice(list(users))
            device, through = dice.choice(users[name]), dice.choice(said[channel])
            mark = device.command("markRead", channel=channel, through=through)["through"]
            furthest[name, channel] = max(furthest.get((name, channel), "0"), through, key=int)
            self.assertEqual(mark, furthest[name, channel])
            if dice.random() < 0.05:
                await asyncio.to_thread(self.daemon.kill)
                self.daemon.start()
                self.ada = self.reader("ada")
                users = {name: [self.reader(name, f"d{n}") for n in range(2)] for name in users}
                for user, devices in users.items():
                    for device in devices:
                        for it in device.unread("room", "den"):
                            self.assertEqual(
                                it.get("through"), furthest.get((user, it["name"])))
                            if "through" in it:
                                device.marks[it["name"]] = it["through"]
        for (name, channel), through in furthest.items():
            for device in users[name]:
                device.until_marked(channel, through)
                behind = [it for it in said[channel] if int(it) > int(through)]
                (answer,) = device.unread(channel)
                self.assertEqual(
                    answer, {"name": channel, "through": through, "count": len(behind)})
