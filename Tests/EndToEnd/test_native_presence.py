"""Presence on the WebSocket, with PubNub's SDK on the other side: one channel, one list of users."""

import unittest

from raw import CLOSE, TEXT, RawClient, frame
from sdk import PubNubTestCase

PRESENCE = "/v2/presence/sub-key/{sub}"


class NativePresence(PubNubTestCase):
    """A daemon that gives whose connection was cut five seconds."""

    def setUp(self):
        self.daemon = self.start_daemon(configuration="""
            [keyset main]
            subscribe_key = sub
            publish_key = pub
            presence_timeout = 5
            memberships_max = 40

            [namespace quiet]
            channels = quiet
            presence = no
            """)

    def session(self, user, device="phone", **entry):
        """A session; with an entry it follows that."""
        client = RawClient(self.daemon.address)
        self.addCleanup(client.socket.close)
        client.upgrade()
        client.command("hello", userId=user, deviceId=device, publishKey="pub")
        if entry:
            client.command("subscribe", channels=[entry])
        return client

    def present(self, user, channel="room", **options):
        return self.session(user, **{"name": channel, "presence": True, **options})

    @staticmethod
    def events(client, count):
        """The next presence events as (action, user, occupancy)."""
        found = []
        while len(found) < count:
            push = client.message()
            if push.get("c", "").endswith("-pnpres"):
                found += [it["d"] for it in push["m"]]
        return [(it["action"], it["uuid"], it["occupancy"]) for it in found]

    @staticmethod
    def refusal(client, op, **fields):
        client.send(frame(TEXT, client.command_text(op, **fields)))
        while (message := client.message()).get("id") != client.number:
            pass
        return message["error"]["status"], message["error"]["code"]

    def heard(self, client, *expected):
        """What an SDK's listener heard, once it is so much."""
        heard = client.heard
        heard.until(lambda: len(heard.presences) >= len(expected), f"{expected}")
        self.assertEqual(
            [(it.event, it.uuid, it.occupancy) for it in heard.presences], list(expected))

    def users(self, channel="room"):
        return self.rest(self.daemon).ok(f"{PRESENCE}/channel/{channel}")["uuids"]

    def test_the_sdk_sees_a_session_come_and_go(self):
        bob = self.client(self.daemon, "bob").subscribe("room", presence=True)
        self.heard(bob, ("join", "bob", 1))
        ada = self.present("ada", state={"mood": "👍"})
        self.heard(bob, ("join", "bob", 1), ("join", "ada", 2))
        self.assertEqual(bob.heard.presences[-1].state, {"mood": "👍"})
        where = bob.sdk.where_now("ada").sync().result.channels
        self.assertEqual(where, ["room"])
        ada.command("setState", channel="room", state={"mood": "🎉"})
        ada.command("unsubscribe", channels=["room"])
        self.heard(bob, ("join", "bob", 1), ("join", "ada", 2), ("state-change", "ada", 2),
                   ("leave", "ada", 1))
        self.assertEqual(self.users(), ["bob"])

    def test_a_session_sees_the_sdk_come_and_go(self):
        ada = self.present("ada")
        self.assertEqual(self.events(ada, 1), [("join", "ada", 1)], "Its own, too.")
        bob = self.client(self.daemon, "bob").subscribe("room")
        self.assertEqual(self.events(ada, 1), [("join", "bob", 2)])
        bob.sdk.set_state("room", state={"n": 1}).sync()
        self.assertEqual(self.events(ada, 1), [("state-change", "bob", 2)])
        self.assertEqual(
            ada.command("hereNow", channel="room", states=True),
            {"occupancy": 2, "users": [{"userId": "ada"}, {"userId": "bob", "state": {"n": 1}}]})
        self.assertEqual(
            ada.command("getState", channel="room", userId="bob"), {"state": {"n": 1}})
        bob.sdk.unsubscribe().channels("room").execute()
        self.assertEqual(self.events(ada, 1), [("leave", "bob", 1)])

    def test_a_session_that_is_killed_times_out_and_one_that_returns_was_never_gone(self):
        bob = self.present("bob")
        ada = self.present("ada")
        self.assertEqual(self.events(bob, 2), [("join", "bob", 1), ("join", "ada", 2)])
        ada.socket.close()
        again = self.present("ada")
        again.send(frame(CLOSE, b"\x03\xe8"))
        again.rest()
        self.assertEqual(bob.command("hereNow", channel="room")["occupancy"], 2)
        self.assertEqual(self.events(bob, 1), [("timeout", "ada", 1)])
        self.assertEqual(bob.command("hereNow", channel="room")["occupancy"], 1)

    def test_two_sessions_of_one_user_are_one_member(self):
        bob = self.present("bob")
        phone, tablet = (self.present("ada", device=name) for name in ("phone", "tablet"))
        self.present("eve")
        phone.command("unsubscribe", channels=["room"])
        tablet.command("unsubscribe", channels=["room"])
        self.assertEqual(self.events(bob, 4), [
            ("join", "bob", 1), ("join", "ada", 2), ("join", "eve", 3), ("leave", "ada", 2)])

    def test_a_session_and_an_sdk_of_one_user_are_one_member(self):
        bob = self.present("bob")
        ada = self.present("ada")
        web = self.rest(self.daemon, "ada")
        web.ok(f"{PRESENCE}/channel/room/heartbeat", {"heartbeat": "3000"})
        web.ok(f"{PRESENCE}/channel/room/leave")
        self.assertEqual(self.users(), ["ada", "bob"], "A session holds her.")
        ada.command("unsubscribe", channels=["room"])
        self.assertEqual(self.events(bob, 3), [
            ("join", "bob", 1), ("join", "ada", 2), ("leave", "ada", 1)])

    def test_to_watch_is_not_to_be_there(self):
        watcher = self.session("eve", name="room-pnpres")
        self.present("ada")
        self.assertEqual(self.events(watcher, 1), [("join", "ada", 1)])
        self.assertEqual(self.users(), ["ada"])

    def test_questions(self):
        ada = self.present("ada")
        for number in range(5):
            self.present(f"u{number}")
        found, offset = [], 0
        while offset is not None:
            page = ada.command("hereNow", channel="room", limit=2, offset=offset)
            self.assertEqual(page["occupancy"], 6)
            found += [it["userId"] for it in page["users"]]
            offset = page.get("next")
        self.assertEqual(found, ["ada", "u0", "u1", "u2", "u3", "u4"])
        self.assertEqual(
            ada.command("hereNow", channel="room", limit=0), {"occupancy": 6, "users": []})
        self.assertEqual(
            ada.command("hereNow", channel="nobody"), {"occupancy": 0, "users": []})
        self.assertEqual(ada.command("whereNow"), {"channels": ["room"]})
        self.assertEqual(ada.command("whereNow", userId="nobody"), {"channels": []})
        self.assertEqual(
            ada.command("setState", channel="later", state={"n": 1}), {"state": {"n": 1}})
        self.assertEqual(ada.command("getState", channel="later"), {"state": {"n": 1}})
        ada.command("subscribe", channels=[{"name": "later", "presence": True}])
        self.assertEqual(
            ada.command("hereNow", channel="later", states=True)["users"],
            [{"userId": "ada", "state": {"n": 1}}])

    def test_refusals(self):
        ada = self.session("ada")
        for entry in ({"presence": 1}, {"state": {}}, {"presence": True, "state": 7},
                      {"presence": True, "state": {"a": "x" * 4096}}):
            self.assertEqual(
                self.refusal(ada, "subscribe", channels=[{"name": "room", **entry}]),
                (400, "invalid_field"))
        self.assertEqual(
            self.refusal(ada, "setState", channel="room", state=[]), (400, "invalid_field"))
        # Another one's state, and that of what the daemon itself says.
        self.assertEqual(
            self.refusal(ada, "setState", channel="room", state={}, userId="bob"),
            (400, "invalid_field"))
        self.assertEqual(
            self.refusal(ada, "setState", channel="room-pnpres", state={}),
            (400, "invalid_channel"))
        self.assertEqual(
            self.refusal(ada, "hereNow", channel="room", limit=1001), (400, "invalid_field"))
        self.assertEqual(self.users(), [])

    def test_a_quota_is_said_and_the_channel_is_followed(self):
        ada = self.session("ada")
        ada.command("subscribe", channels=[
            {"name": f"c{number}", "presence": True} for number in range(40)])
        bob = self.present("bob")
        while "absent" not in (message := bob.message()):
            pass
        self.assertEqual(message["absent"]["channels"], ["room"])
        self.assertEqual(message["absent"]["error"]["code"], "quota_exceeded")
        ada.command("publish", channel="room", payload="hi")
        while not (push := bob.message()).get("m"):
            pass
        self.assertEqual(push["m"][0]["d"], "hi")
        self.assertEqual(self.users(), [])
        ada.command("unsubscribe", channels=[f"c{number}" for number in range(40)])
        bob.command("subscribe", channels=[{"name": "room", "presence": True}])
        self.assertEqual(self.users(), ["bob"])

    def test_where_nobody_is_to_be_seen(self):
        ada = self.present("ada", channel="quiet")
        self.assertEqual(
            ada.command("hereNow", channel="quiet"), {"occupancy": 0, "users": []})

    def test_very_many_channels(self):
        ada = self.session("ada")
        ada.command("subscribe", channels=[
            {"name": f"c{number}", "presence": True} for number in range(40)])
        self.assertEqual(len(ada.command("whereNow")["channels"]), 40)
        ada.socket.close()
        bob = self.session("bob")
        self.eventually(
            lambda: not bob.command("whereNow", userId="ada")["channels"], "Ada's timeouts")


if __name__ == "__main__":
    unittest.main()
