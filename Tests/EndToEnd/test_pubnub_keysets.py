"""Keysets are tenants: nothing crosses between them, and each has rules of its own."""

import unittest

from pubnub.enums import PNReconnectionPolicy, PNStatusCategory

from case import eventually
from sdk import PubNubTestCase

CONFIGURATION = """
    [keyset main]
    subscribe_key = sub-main
    publish_key = pub-main

    [keyset dry]
    subscribe_key = sub-dry
    publish_key = pub-dry
    store = no
    delete = no
    presence = no

    [keyset locked]
    subscribe_key = sub-locked
    publish_key = pub-locked
    secret_key = sec-locked
    access_control = yes
    """
MAIN, DRY, LOCKED = (
    (f"pub-{name}", f"sub-{name}") for name in ("main", "dry", "locked"))


TWO = """
    [keyset first]
    subscribe_key = one
    [keyset second]
    subscribe_key = two
    """


class WithoutConfiguration(PubNubTestCase):
    """Every pair of keys names the one tenant."""

    async def test_all_keys_meet(self):
        """What somebody finds who tries the examples one after the other."""
        daemon = self.start_daemon()
        native = await self.device(daemon, "nat")
        await native.subscribe("room")
        bob = self.client(daemon, "bob", ("demo", "demo")).subscribe("room", presence=True)
        ada = self.client(daemon, "ada", ("p1", "one"))
        sent = ada.publish("room", "noon?")
        ada.add("room", sent, "👍")
        ada.sdk.heartbeat().channels(["room"]).sync()
        bob.hear("noon?")
        bob.heard.until(lambda: bob.heard.actions, "the reaction")
        bob.heard.until(
            lambda: {it.uuid for it in bob.heard.presences} == {"ada", "bob"}, "both joins")
        await native.reach("room", sent)
        (row,) = await native.all_actions("room")
        self.assertEqual(row[2:4], ("👍", "ada"))
        ada.sdk.add_channel_to_channel_group(["room"], "team").sync()
        self.assertEqual(
            bob.sdk.list_channels_in_channel_group("team").sync().result.channels, ["room"])


class Tenants(PubNubTestCase):
    """Two that are configured have nothing in common."""

    async def test_two_tenants_never_meet(self):
        daemon = self.start_daemon(configuration=TWO)
        worlds = []
        for keys in (("p1", "one"), ("p2", "two")):
            worlds.append((
                keys, self.client(daemon, "ada", keys), self.client(daemon, "bob", keys),
                self.rest(daemon, "ada", keys)))
        for keys, ada, bob, _ in worlds:
            ada.sdk.add_channel_to_channel_group(["room"], "team").sync()
            bob.subscribe("room", "chat.*", groups=["team"], presence=True)
        natives = [await self.device(daemon, "nat", keyset=keys[1]) for keys, *_ in worlds]
        for native in natives:
            await native.subscribe("room")

        for keys, ada, bob, _ in worlds:
            message = ada.publish("room", keys[1])
            ada.publish("chat.x", keys[1])
            ada.sdk.signal("room", keys[1]).sync()
            ada.add("room", message, keys[1])
            ada.sdk.heartbeat().channels(["room"]).state({"room": {"of": keys[1]}}).sync()
        for (keys, ada, bob, web), native in zip(worlds, natives):
            own = keys[1]
            bob.hear(own, own)
            bob.heard.until(
                lambda b=bob: b.heard.signals and b.heard.actions and
                {it.uuid for it in b.heard.presences} >= {"ada", "bob"}, "the rest")
            self.assertEqual([it.message for it in bob.heard.signals], [own])
            self.assertEqual([it.value for it in bob.heard.actions], [own])
            self.assertEqual([it.value for it in ada.actions("room")], [own])
            self.assertEqual(
                [it.entry for it in ada.sdk.history().channel("room").sync().result.messages],
                [own])
            state = web.ok("/v2/presence/sub-key/{sub}/channel/room/uuid/ada")["payload"]
            self.assertEqual(state, {"of": own})
            await native.reach("room", max(row[4] for row in await native.all_actions("room")))
            self.assertEqual(
                [it["d"] for push in native.pushes for it in push["m"] if it.get("e") is None],
                [own])
        worlds[0][1].sdk.delete_messages("room").sync()
        worlds[0][1].sdk.remove_channel_group().channel_group("team").sync()
        keys, ada, *_ = worlds[1]
        self.assertEqual(len(ada.sdk.history().channel("room").sync().result.messages), 1)
        self.assertEqual(
            ada.sdk.list_channels_in_channel_group("team").sync().result.channels, ["room"])

    def test_the_publish_key_does_not_matter(self):
        daemon = self.start_daemon(configuration=TWO)
        bob = self.client(daemon, "bob", ("p1", "one")).subscribe("room")
        self.client(daemon, "ada", ("another", "one")).publish("room", 1)
        bob.hear(1)


class WithConfiguration(PubNubTestCase):
    """Only the keys of the file, each with its rules."""

    def setUp(self):
        self.daemon = self.start_daemon(configuration=CONFIGURATION)

    def test_right_keys(self):
        bob = self.client(self.daemon, "bob", MAIN).subscribe("room")
        self.client(self.daemon, "ada", MAIN).publish("room", 1)
        bob.hear(1)

    def test_a_subscribe_key_that_nobody_has(self):
        """Every endpoint says so, in the form that the SDK reads there."""
        web = self.rest(self.daemon, "ada", ("pub-main", "blah"))
        paths = (
            "/v2/subscribe/{sub}/room/0", "/publish/{pub}/{sub}/0/room/0/1",
            "/signal/{pub}/{sub}/0/room/0/1", "/v2/presence/sub-key/{sub}/channel/room",
            "/v2/presence/sub-key/{sub}/channel/room/heartbeat",
            "/v2/history/sub-key/{sub}/channel/room", "/v3/history/sub-key/{sub}/channel/room",
            "/v1/channel-registration/sub-key/{sub}/channel-group/team")
        for path in paths:
            with self.subTest(path):
                answer = web.get(path)
                self.assertEqual((answer.status, answer.json()), (400, {
                    "message": "Invalid Subscribe Key", "error": True,
                    "service": "Access Manager", "status": 400}))
        for method, path, body in (
                ("POST", "/v3/pam/{sub}/grant", {"ttl": 1, "permissions": {}}),
                ("DELETE", "/v3/pam/{sub}/grant/token", None)):
            with self.subTest(path):
                answer = web.ask(method, path, {"signature": "v2.x", "timestamp": "1"}, body)
                self.assertEqual(
                    (answer.status, answer.json()["message"]), (400, "Invalid Subscribe Key"))
        answer = web.get("/v1/message-actions/{sub}/channel/room")
        self.assertEqual((answer.status, answer.json()), (400, {
            "status": 400, "error": {"source": "actions", "message": "Invalid Subkey"}}))
        self.assertEqual(web.get("/time/0").status, 200)
        client = self.client(self.daemon, "ada", ("pub-main", "blah"))
        with self.sdk_refused(400, "Invalid Subscribe Key"):
            client.publish("room", 1)

    def test_a_publish_key_of_someone_else(self):
        for key in ("fake", "pub-dry"):
            client = self.client(self.daemon, "ada", (key, "sub-main"))
            with self.sdk_refused(400, "Invalid Key"):
                client.publish("room", 1)
            with self.sdk_refused(400, "Invalid Key"):
                client.sdk.signal("room", 1).sync()
        answer = self.rest(self.daemon, keys=("fake", "sub-main")).get(
            "/publish/{pub}/{sub}/0/room/0/1")
        self.assertEqual(answer.json()[:2], [0, "Invalid Key"])

    async def test_the_publish_key_on_the_websocket(self):
        """Whatever changes something needs it, and nothing else does."""
        ada = self.client(self.daemon, "ada", MAIN)
        sent = ada.publish("room", 1)
        ada.add("room", sent, "by ada")
        for number, key in enumerate((None, "fake", "pub-dry")):
            with self.subTest(key):
                native = await self.device(
                    self.daemon, "nat", f"phone-{number}", keyset="sub-main", publish_key=key)
                for options in ({}, {"store": False}):
                    async with self.refused(403, "invalid_publish_key", "publishKey"):
                        await native.command("publish", channel="room", payload=2, **options)
                action = {"messageTimetoken": str(sent), "value": f"{number}"}
                for op, fields in (
                        ("addAction", action), ("removeAction", action),
                        ("deleteMessages", {"through": str(sent)})):
                    async with self.refused(403, "invalid_publish_key", "publishKey"):
                        await native.command(op, channel="room", **fields)
                self.assertEqual(
                    [it["payload"] for it in await native.all_messages("room")], [1])
                self.assertEqual(
                    [row[2:4] for row in await native.all_actions("room")], [("by ada", "ada")])
        native = await self.device(
            self.daemon, "nat", "the right one", keyset="sub-main", publish_key="pub-main")
        await native.add("room", str(sent), "👍")
        await native.command("deleteMessages", channel="room", through=str(sent))

    def test_pubnubs_urls_without_a_publish_key(self):
        """PubNub asks for it in publish and signal alone, and so SDKs name it nowhere else."""
        ada = self.client(self.daemon, "ada", MAIN)
        sent = ada.publish("room", 1)
        bob = self.client(self.daemon, "bob", ("fake", "sub-main"))
        bob.add("room", sent, "👍")
        bob.sdk.add_channel_to_channel_group(["room"], "team").sync()
        self.assertEqual([it.value for it in ada.actions("room")], ["👍"])
        bob.sdk.delete_messages("room").sync()
        self.assertEqual(ada.sdk.history().channel("room").sync().result.messages, [])

    def test_a_keyset_that_stores_nothing(self):
        ada = self.client(self.daemon, "ada", DRY)
        bob = self.client(self.daemon, "bob", DRY).subscribe("room")
        ada.publish("room", 1)
        bob.hear(1)
        for request in (ada.sdk.fetch_messages("room"), ada.sdk.history().channel("room"),
                        ada.sdk.message_counts("room", [1]), ada.sdk.delete_messages("room")):
            with self.sdk_refused(403, "not enabled"):
                request.sync()

    async def test_both_doors_store_as_the_keyset_says(self):
        """A message that is not stored reaches who listens, and no history."""
        for keys, stored in ((DRY, False), (MAIN, True)):
            with self.subTest(keys):
                native = await self.device(
                    self.daemon, "nat", keyset=keys[1], publish_key=keys[0])
                await native.subscribe("room")
                bob = self.client(self.daemon, "bob", keys).subscribe("room")
                sent = await native.command("publish", channel="room", payload="native")
                self.client(self.daemon, "ada", keys).publish("room", "by SDK")
                await native.command(
                    "publish", channel="room", payload="kept by nobody", store=False)
                bob.hear("native", "by SDK", "kept by nobody")
                await eventually(lambda n=native: "kept by nobody" in {
                    it["d"] for push in n.pushes for it in push["m"]}, "the last one")
                events = {it["d"]: it for push in native.pushes for it in push["m"]}
                self.assertEqual(events["native"]["p"]["t"], sent["timetoken"])
                self.assertEqual(
                    [events[it]["f"] for it in ("native", "by SDK", "kept by nobody")],
                    [0 if stored else 1] * 2 + [1])
                if not stored:
                    async with self.refused(403, "history_disabled"):
                        await native.command("history", channel="room")
                    continue
                page = await native.command("history", channel="room")
                self.assertEqual(
                    [it["payload"] for it in page["messages"]], ["native", "by SDK"])

    def test_a_keyset_without_presence(self):
        ada = self.client(self.daemon, "ada", DRY).subscribe("room")
        web = self.rest(self.daemon, "bob", DRY)
        answer = web.get("/v2/presence/sub-key/{sub}/channel/room")
        if answer.status == 200:
            self.assertEqual(answer.json()["occupancy"], 0)
        else:
            self.assertEqual((answer.status, answer.json()["error"]), (400, 1))
        web.publish("room", 1)
        ada.hear(1)

    def test_presence_events_of_a_keyset_without_presence(self):
        """They may be subscribed to, as at PubNub, and never come: a refusal would end the SDK's
        whole loop, with all its other channels."""
        ada = self.client(self.daemon, "ada", DRY).subscribe("room", presence=True)
        bob = self.client(self.daemon, "bob", DRY).subscribe("room", presence=True)
        bob.sdk.heartbeat().channels(["room"]).sync()
        bob.publish("room", 1)
        ada.hear(1)
        bob.publish("room", 2)
        ada.hear(1, 2)
        self.assertEqual(ada.heard.presences, [])

    def test_access_control_refuses_everyone(self):
        web = self.rest(self.daemon, "ada", LOCKED)
        for path in ("/v2/subscribe/{sub}/room,den/0", "/publish/{pub}/{sub}/0/room/0/1",
                     "/signal/{pub}/{sub}/0/room/0/1", "/v3/history/sub-key/{sub}/channel/room",
                     "/v2/presence/sub-key/{sub}/channel/room"):
            with self.subTest(path):
                answer = web.get(path)
                body = answer.json()
                self.assertEqual(answer.status, 403, answer)
                self.assertEqual(
                    (body["message"], body["error"], body["service"], body["status"]),
                    ("Forbidden", True, "Access Manager", 403))
                self.assertIn("room", body["payload"]["channels"])
        answer = web.add("room", 1700, "👍")
        self.assertEqual((answer.status, answer.json()["status"]), (403, 403))
        self.assertEqual(web.get("/time/0").status, 200)

    def test_access_control_and_the_sdk(self):
        ada = self.client(self.daemon, "ada", LOCKED)
        with self.sdk_refused(403, "Forbidden"):
            ada.publish("room", 1)
        with self.sdk_refused(403, ""):
            ada.add("room", 1700, "👍")
        bob = self.client(
            self.daemon, "bob", LOCKED, reconnect_policy=PNReconnectionPolicy.NONE)
        bob.subscribe("room", timetoken=0)
        bob.heard.until(
            lambda: any(it.category == PNStatusCategory.PNAccessDeniedCategory
                        for it in bob.heard.statuses), "the refusal")


if __name__ == "__main__":
    unittest.main()
