"""Mobile push: devices are registered by PubNub's SDK, and an operator's sender hears of them."""

import unittest

from pubnub.enums import PNPushEnvironment, PNPushType
from pubnub.exceptions import PubNubException
from pubnub.models.consumer.v3.channel import Channel

from case import eventually
from rest import KEYS
from sdk import PubNubTestCase
from test_webhooks import WebhookTestCase

DEVICES = "/v1/push/sub-key/{sub}/devices"
APPLE = "/v2/push/sub-key/{sub}/devices-apns2"
TOKEN = "0123456789abcdef" * 4
MODIFIED, REMOVED = [1, "Modified Channels"], [1, "Removed Device"]


class Push(PubNubTestCase):
    """With the SDK and by hand."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.sdk = self.client(self.daemon, "ada").sdk
        self.web = self.rest(self.daemon)

    def channels(self, kind=PNPushType.FCM, token=TOKEN, **more):
        return self.sdk.list_push_channels(token, kind, **more).sync().result.channels

    def add(self, channels, kind=PNPushType.FCM, token=TOKEN, **more):
        self.sdk.add_channels_to_push(channels, token, kind, **more).sync()

    def test_add_remove_list_remove_the_device(self):
        self.assertEqual(self.channels(), [])
        self.add(["b", "a.b"])
        self.add(["b", "c"])
        self.assertEqual(self.channels(), ["a.b", "b", "c"])
        self.sdk.remove_channels_from_push(["b", "nobody"], TOKEN, PNPushType.FCM).sync()
        self.assertEqual(self.channels(PNPushType.GCM), ["a.b", "c"], "its former name")
        self.assertEqual(self.channels(PNPushType.APNS), [], "another vendor's")
        self.sdk.remove_device_from_push(TOKEN, PNPushType.FCM).sync()
        self.assertEqual(self.channels(), [])

    def test_environments_and_topics_are_devices_of_their_own(self):
        def place(environment, topic="com.example.app"):
            return {"kind": PNPushType.APNS2, "environment": environment, "topic": topic}

        here = place(PNPushEnvironment.DEVELOPMENT)
        there = place(PNPushEnvironment.PRODUCTION)
        other = place(PNPushEnvironment.PRODUCTION, "com.example.other")
        self.add(["a"], **here)
        self.add(["b"], **there)
        self.add(["c"], **other)
        self.sdk.remove_device_from_push(
            TOKEN, PNPushType.APNS2, here["topic"], here["environment"]).sync()
        self.assertEqual([self.channels(**it) for it in (here, there, other)], [[], ["b"], ["c"]])

    def test_bodies(self):
        device, fcm = f"{DEVICES}/{TOKEN}", {"type": "fcm"}
        self.assertEqual(self.web.ok(device, {"add": "a,b,c", **fcm}), MODIFIED)
        self.assertEqual(self.web.ok(device, {"remove": "b", **fcm}), MODIFIED)
        self.assertEqual(self.web.ok(device, fcm), ["a", "c"])
        self.assertEqual(self.web.ok(device, {"count": 1, **fcm}), ["a"])
        self.assertEqual(self.web.ok(device, {"start": "a", **fcm}), ["c"])
        self.assertEqual(self.web.ok(f"{device}/remove", fcm), REMOVED)
        self.assertEqual(self.web.ok(device, fcm), [])

    def test_errors(self):
        device, apple = f"{DEVICES}/{TOKEN}", f"{APPLE}/{TOKEN}"
        for path, query, problem in (
                (f"{DEVICES}/not-hexadecimal", {"type": "apns", "add": "a"},
                 "Invalid device token"),
                (f"{DEVICES}/%20", {"type": "fcm", "add": "a"}, "Invalid device token"),
                (f"{DEVICES}/{'f' * 1025}", {"type": "fcm"}, "Invalid device token"),
                (device, {"add": "a"}, "Invalid type argument"),
                (f"{device}/remove", {"type": "pigeon"}, "Invalid type argument"),
                (apple, {"environment": "production"}, "Invalid topic argument"),
                (apple, {"environment": "moon", "topic": "t"}, "Invalid environment argument"),
                (device, {"type": "fcm", "add": "foo.*"}, "Invalid channel name"),
                (device, {"type": "fcm", "add": "a-pnpres"}, "Invalid channel name"),
                (device, {"type": "fcm", "add": ","}, "Invalid channel name"),
                (device, {"type": "fcm", "add": ",".join(f"c{n}" for n in range(501))},
                 "At most 500 channels per call")):
            with self.subTest(path=path, query=query):
                answer = self.web.get(path, query)
                self.assertEqual((answer.status, answer.json()), (400, {"error": problem}))
        with self.assertRaises(PubNubException) as refused:
            self.add(["a"], PNPushType.APNS, "device_id_should_be_16_characters_long")
        self.assertEqual(
            (refused.exception.get_status_code(), refused.exception.get_error_message()),
            (400, "Invalid device token"))

    def test_limits(self):
        for start in (0, 500):
            self.add([f"c{number}" for number in range(start, start + 500)])
        with self.assertRaises(PubNubException) as refused:
            self.add(["one-more"])
        self.assertEqual(refused.exception.get_status_code(), 400)
        self.assertEqual(len(self.channels()), 1000)

    def test_what_was_said_holds_after_a_crash(self):
        self.add(["a"])
        self.daemon.kill()
        self.daemon.start()
        web = self.rest(self.daemon)
        self.assertEqual(web.ok(f"{DEVICES}/{TOKEN}", {"type": "fcm"}), ["a"])

    def test_tenants_have_their_own(self):
        daemon = self.start_daemon(configuration="""
            [keyset one]
            publish_key = p1
            subscribe_key = s1

            [keyset two]
            publish_key = p2
            subscribe_key = s2
            """)
        one = self.client(daemon, "ada", ("p1", "s1")).sdk
        two = self.client(daemon, "ada", ("p2", "s2")).sdk
        one.add_channels_to_push(["a"], TOKEN, PNPushType.FCM).sync()
        two.remove_device_from_push(TOKEN, PNPushType.FCM).sync()
        self.assertEqual(
            [it.list_push_channels(TOKEN, PNPushType.FCM).sync().result.channels
             for it in (one, two)], [["a"], []])


class Rights(PubNubTestCase):
    """What a token has to allow."""

    def test_read_to_add_and_nothing_to_take_away(self):
        daemon = self.start_daemon(configuration=f"""
            [keyset demo]
            publish_key = {KEYS[0]}
            subscribe_key = {KEYS[1]}
            secret_key = {"s" * 32}
            access_control = yes
            """)
        backend = self.client(daemon, "backend", secret_key="s" * 32).sdk
        token = backend.grant_token().authorized_uuid("ada").ttl(60).channels(
            [Channel.id("mine").read(), Channel.id("other").write()]).sync().result.token
        sdk = self.client(daemon, "ada").sdk
        sdk.set_token(token)
        sdk.add_channels_to_push(["mine"], TOKEN, PNPushType.FCM).sync()
        with self.assertRaises(PubNubException) as refused:
            sdk.add_channels_to_push(["mine", "other"], TOKEN, PNPushType.FCM).sync()
        self.assertEqual(refused.exception.get_status_code(), 403)
        backend.add_channels_to_push(["other"], TOKEN, PNPushType.FCM).sync()
        sdk.remove_channels_from_push(["other"], TOKEN, PNPushType.FCM).sync()
        self.assertEqual(
            sdk.list_push_channels(TOKEN, PNPushType.FCM).sync().result.channels, ["mine"])
        # Who knows the device's token and is somebody else finds nothing, and takes nothing away.
        other = self.client(daemon, "eve").sdk
        other.set_token(backend.grant_token().authorized_uuid("eve").ttl(60).channels(
            [Channel.id("mine").read()]).sync().result.token)
        self.assertEqual(
            other.list_push_channels(TOKEN, PNPushType.FCM).sync().result.channels, [])
        other.remove_channels_from_push(["mine"], TOKEN, PNPushType.FCM).sync()
        other.remove_device_from_push(TOKEN, PNPushType.FCM).sync()
        for user in (sdk, backend):
            self.assertEqual(
                user.list_push_channels(TOKEN, PNPushType.FCM).sync().result.channels, ["mine"])
        nobody = self.client(daemon, "eve").sdk
        with self.assertRaises(PubNubException) as refused:
            nobody.remove_device_from_push(TOKEN, PNPushType.FCM).sync()
        self.assertEqual(refused.exception.get_status_code(), 403)
        sdk.remove_device_from_push(TOKEN, PNPushType.FCM).sync()
        self.assertEqual(
            backend.list_push_channels(TOKEN, PNPushType.FCM).sync().result.channels, [])


class Sender(WebhookTestCase, PubNubTestCase):
    """A server of the operator's that pushes: one request has all that it needs."""

    async def test_events_come_with_the_devices_of_their_channel(self):
        receiver = self.receiver()
        daemon = self.start(self.section(receiver, devices="only", events="message"))
        # Where no keyset is configured all keys name one tenant.
        sdk = self.client(daemon, "bob", ("pub", "demo")).sdk
        sdk.add_channels_to_push(["room", "hall"], "fcm-1", PNPushType.FCM).sync()
        sdk.add_channels_to_push(
            ["room"], TOKEN, PNPushType.APNS2, "com.example.app", PNPushEnvironment.PRODUCTION
        ).sync()
        ada = await self.device(daemon, "ada")
        payload = {"text": "hi", "pn_apns": {"aps": {"alert": "hi"}}, "pn_gcm": {"data": {"n": 1}}}
        await ada.publish("silent", "nobody hears")
        await ada.publish("room", payload)
        sdk.remove_device_from_push("fcm-1", PNPushType.FCM).sync()
        await ada.publish("room", "again")
        await ada.publish("hall", "nobody hears any more")
        await eventually(lambda: len(receiver.events()) >= 2, "two events")

        first, second = receiver.events()
        apple = {"token": TOKEN, "gateway": "apns2", "environment": "production",
                 "topic": "com.example.app"}
        self.assertEqual(first["d"], payload)
        self.assertEqual(first["devices"], [apple, {"token": "fcm-1", "gateway": "fcm"}])
        self.assertEqual((second["d"], second["devices"]), ("again", [apple]))

    async def test_an_id_stands_for_the_same_devices(self):
        """Also when they changed between two attempts."""
        receiver = self.receiver(behave=lambda receiver, _: 200 if len(receiver.requests) > 1
                                 else 500)
        daemon = self.start(self.section(receiver, devices="yes"))
        sdk = self.client(daemon, "bob", ("pub", "default")).sdk
        sdk.add_channels_to_push(["room"], "fcm-1", PNPushType.FCM).sync()
        ada = await self.device(daemon, "ada")
        await ada.publish("room", "hi")
        await eventually(lambda: receiver.requests, "the first attempt")
        sdk.remove_device_from_push("fcm-1", PNPushType.FCM).sync()
        await eventually(lambda: len(receiver.requests) >= 2, "the second attempt")

        first, second = receiver.requests[:2]
        self.assertEqual((first["id"], first["json"]), (second["id"], second["json"]))
        self.assertEqual(second["json"]["events"][0]["devices"],
                         [{"token": "fcm-1", "gateway": "fcm"}])


if __name__ == "__main__":
    unittest.main()
