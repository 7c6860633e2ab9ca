"""PubNub publish, fire and signal: what is sent arrives as it was, or is refused as PubNub does."""

import json
import unittest
import zlib

from rest import quoted
from sdk import PubNubTestCase


class Publishing(PubNubTestCase):
    """Ada publishes with the SDK; Bob listens with another."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.client(self.daemon, "ada")
        self.bob = self.client(self.daemon, "bob").subscribe("room")

    PAYLOADS = (
        "text", "", 1, 0, -2.5, True, False, [], {}, [1, [None]], {"text": "hi", "n": [1, 2]},
        "ünï \U0001f44d / ? # & + % \\ \" ' \u2028", {"key with / and +": "a+b c%20d"})

    def test_payloads_arrive_as_they_were(self):
        sent = [self.ada.publish("room", payload) for payload in self.PAYLOADS]
        self.bob.hear(*self.PAYLOADS)
        self.assertEqual([it.timetoken for it in self.bob.heard.messages], sent)
        self.assertEqual({it.publisher for it in self.bob.heard.messages}, {"ada"})
        self.assertEqual({it.channel for it in self.bob.heard.messages}, {"room"})

    def test_the_same_by_post(self):
        for payload in self.PAYLOADS:
            self.ada.publish("room", payload, use_post=True)
        self.bob.hear(*self.PAYLOADS)

    def test_the_same_compressed(self):
        """The SDK sends a zlib stream and calls it gzip."""
        for payload in self.PAYLOADS:
            self.ada.sdk.publish("room", payload, use_post=True).use_compression().sync()
        self.bob.hear(*self.PAYLOADS)

    def test_timetokens_rise_and_are_where_the_message_is(self):
        sent = [self.ada.publish("room", number) for number in range(5)]
        self.assertEqual(sorted(set(sent)), sent)
        self.assertTrue(all(len(str(it)) == 17 for it in sent), sent)
        page = self.ada.sdk.history().channel("room").include_timetoken(True).sync().result
        self.assertEqual([it.timetoken for it in page.messages], sent)

    def test_meta_and_custom_type_come_along(self):
        for meta in ({"lang": "en", "n": 1, "deep": {"a": [1]}}, "text", 7):
            with self.subTest(meta=meta):
                heard = self.bob.heard
                count = len(heard.messages)
                self.ada.publish("room", "hi", meta=meta, custom_message_type="chat-text_1")
                heard.until(lambda n=count: len(heard.messages) > n, "it")
                last = heard.messages[-1]
                self.assertEqual(
                    (last.user_metadata, last.custom_message_type), (meta, "chat-text_1"))
        self.ada.publish("room", "plain")
        self.bob.heard.until(lambda: self.bob.texts()[-1] == "plain", "it")
        plain = self.bob.heard.messages[-1]
        self.assertEqual((plain.user_metadata, plain.custom_message_type), (None, None))

    def test_what_is_not_to_be_stored_is_only_heard(self):
        self.ada.publish("room", "gone", should_store=False)
        self.ada.publish("room", "kept", should_store=True)
        self.bob.hear("gone", "kept")
        page = self.ada.sdk.history().channel("room").sync().result
        self.assertEqual([it.entry for it in page.messages], ["kept"])

    def test_a_fire_reaches_nobody(self):
        """It is for functions in PubNub's cloud. The reply is that of a publish all the same."""
        fired = self.ada.sdk.fire("room", {"text": "hi"}).sync().result.timetoken
        self.ada.sdk.fire("room", {"text": "hi"}, use_post=True).sync()
        last = self.ada.publish("room", "after")
        self.assertLess(fired, last)
        self.bob.hear("after")
        page = self.ada.sdk.history().channel("room").sync().result
        self.assertEqual([it.entry for it in page.messages], ["after"])

    def test_the_author_hears_too(self):
        self.ada.subscribe("room")
        self.ada.publish("room", "mine")
        self.ada.hear("mine")

    def test_channels_with_odd_names(self):
        names = ["a b", "ü/ï", "x%2Fy", "plus+", "emoji\U0001f44d", "q?a=b&c#d", "semi;colon"]
        listener = self.client(self.daemon, "eve").subscribe(*names)
        for name in names:
            self.ada.publish(name, {"to": name})
        listener.hear(*({"to": name} for name in names))
        self.assertEqual([it.channel for it in listener.heard.messages], names)

    # Refusals

    def test_too_large(self):
        """32 KiB of JSON text is the most, by POST as by GET."""
        self.ada.publish("room", "x" * 32766, use_post=True)
        for post in (True, False):
            with self.subTest(post=post), self.sdk_refused(400, "Message Too Large"):
                self.ada.publish("room", "x" * 32767, use_post=post)
        with self.sdk_refused(400, "Message Too Large"):
            self.ada.sdk.publish("room", "x" * 32767, use_post=True).use_compression().sync()
        self.ada.publish("room", "after")
        self.bob.hear("x" * 32766, "after")

    def test_no_json(self):
        rest = self.rest(self.daemon)
        for text in ("hi", "{", "[1,]", "{\"a\":1}}", "\"\\ud800", "nul", "'a'"):
            with self.subTest(text):
                for answer in (
                        rest.get(f"/publish/{{pub}}/{{sub}}/0/room/0/{quoted(text)}"),
                        rest.ask("POST", "/publish/{pub}/{sub}/0/room/0", body=text.encode())):
                    self.assertEqual(answer.status, 400)
                    code, reason, timetoken = answer.json()
                    self.assertEqual((code, reason), (0, "Invalid JSON"))
                    self.assertRegex(timetoken, r"^\d{17}$")
        rest.publish("room", "after")
        self.bob.hear("after")

    def test_custom_types_that_are_none(self):
        rest = self.rest(self.daemon)
        for kind in ("ab", "x" * 51, "pn_mine", "-dash", "_under", "with space", "ü-type"):
            with self.subTest(kind):
                answer = rest.get(
                    "/publish/{pub}/{sub}/0/room/0/1", {"custom_message_type": kind})
                self.assertEqual(answer.status, 400)
                self.assertEqual(answer.json()[0], 0)

    def test_channels_that_cannot_be_published_to(self):
        for name in ("room-pnpres", "room.*", "a,b", "x" * 256):
            with self.subTest(name), self.sdk_refused(400, ""):
                self.ada.publish(name, 1)

    def test_compressed_bodies_by_their_first_bytes(self):
        """gzip, zlib or plain: what the header says is not believed."""
        squeeze = zlib.compressobj(wbits=31)
        gzip = squeeze.compress(b'"gzip"') + squeeze.flush()
        rest = self.rest(self.daemon)
        for body, header in ((gzip, "deflate"), (zlib.compress(b'"zlib"'), "gzip"),
                             (b'"plain"', "gzip"), (zlib.compress(b'"bare"'), None)):
            headers = [f"Content-Encoding: {header}"] if header else []
            answer = rest.ask(
                "POST", "/publish/{pub}/{sub}/0/room/0", body=body, headers=headers)
            self.assertEqual(answer.status, 200, answer)
        self.bob.hear("gzip", "zlib", "plain", "bare")


class Signals(PubNubTestCase):
    """Small, quick, never stored."""

    def setUp(self):
        self.daemon = self.start_daemon()
        self.ada = self.client(self.daemon, "ada")
        self.bob = self.client(self.daemon, "bob").subscribe("room")

    def test_a_signal_arrives_as_one(self):
        sent = self.ada.sdk.signal("room", {"typing": True}, "typing-on").sync().result.timetoken
        heard = self.bob.heard
        heard.until(lambda: heard.signals, "the signal")
        (signal,) = heard.signals
        self.assertEqual(
            (signal.message, signal.publisher, signal.channel, str(signal.timetoken),
             signal.custom_message_type),
            ({"typing": True}, "ada", "room", str(sent), "typing-on"))
        self.assertEqual(heard.messages, [])
        page = self.ada.sdk.history().channel("room").sync().result
        self.assertEqual(page.messages, [])

    def test_64_bytes_are_the_most(self):
        fits, large = "x" * 62, "é" * 32
        self.assertEqual(len(json.dumps(large, ensure_ascii=False).encode()), 66)
        self.ada.sdk.signal("room", fits).sync()
        with self.sdk_refused(400, "Signal size too large"):
            self.ada.sdk.signal("room", fits + "x").sync()
        answer = self.rest(self.daemon).get(
            f"/signal/{{pub}}/{{sub}}/0/room/0/{quoted(json.dumps(large, ensure_ascii=False))}")
        self.assertEqual((answer.status, answer.json()[:2]), (400, [0, "Signal size too large"]))
        self.bob.heard.until(lambda: self.bob.heard.signals, "the signal that fits")
        self.assertEqual([it.message for it in self.bob.heard.signals], [fits])

    def test_signals_and_messages_keep_their_order(self):
        """A signal waits for no disk, and yet never overtakes what was sent before it."""
        poll = self.poll(self.daemon, "eve", "room")
        rest = self.rest(self.daemon)
        for number in range(30):
            rest.publish("room", number)
            rest.ok(f"/signal/{{pub}}/{{sub}}/0/room/0/{number}")
        events = poll.collect(60)
        self.assertEqual([it["d"] for it in events], [n // 2 for n in range(60)])
        self.assertEqual([it.get("e") for it in events], [None, 1] * 30)


if __name__ == "__main__":
    unittest.main()
