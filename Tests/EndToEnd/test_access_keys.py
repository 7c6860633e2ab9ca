"""PubNub's Access Manager of old, version 2: rights that stand in the daemon, by the real SDK."""

import base64
import contextlib
import hashlib
import hmac
import sqlite3
import threading
import time
import unittest
import warnings

from pubnub.enums import PNStatusCategory

from disk import database, metric
from rest import Rest, quoted
from sdk import PubNubTestCase

KEYS = ("pub-app", "sub-app")
SECRET = "sec-of-the-tenant"
CONFIGURATION = f"""
    [keyset app]
    subscribe_key = sub-app
    publish_key = pub-app
    secret_key = {SECRET}
    access_control = yes
    """


class AccessKeys(PubNubTestCase):
    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.filterwarnings("ignore", "Access management v2", DeprecationWarning)
        self.daemon = self.start_daemon(configuration=CONFIGURATION)
        self.backend = self.client(self.daemon, "backend", KEYS, secret_key=SECRET)

    def grant(self, channels=(), groups=(), keys=(), ttl=None, **rights):
        """What `grant()` of the SDK returns."""
        builder = self.backend.sdk.grant().channels(list(channels))
        builder = builder.channel_groups(list(groups)).auth_keys(list(keys))
        for name, flag in (rights or {"read": True, "write": True}).items():
            builder = getattr(builder, name)(flag)
        if ttl is not None:
            builder = builder.ttl(ttl)
        return builder.sync().result

    def audit(self, channels=(), groups=(), keys=()):
        builder = self.backend.sdk.audit().channels(list(channels))
        return builder.channel_groups(list(groups)).auth_keys(list(keys)).sync().result

    def bearer(self, user, key=None, **settings):
        return self.client(self.daemon, user, KEYS, auth_key=key, **settings)

    def refused(self, status=403, text="Forbidden"):
        return self.sdk_refused(status, text)

    def denied(self, client):
        """Waits until a client's subscribe is refused."""
        client.heard.until(
            lambda: any(it.category == PNStatusCategory.PNAccessDeniedCategory
                        for it in client.heard.statuses), "the refusal")

    @contextlib.contextmanager
    def within(self, seconds):
        begun = time.monotonic()
        yield
        self.assertLess(time.monotonic() - begun, seconds)

    # What is granted

    def test_a_key_opens_what_was_granted_to_it_and_nothing_else(self):
        ada, bob = self.bearer("ada", "key-of-ada"), self.bearer("bob", "key-of-bob")
        with self.refused():
            ada.publish("room", "before")
        done = self.grant(["room"], keys=["key-of-ada"])

        self.assertEqual((done.level, done.subscribe_key, done.ttl), ("user", "sub-app", 1440))
        rights = done.channels["room"].auth_keys["key-of-ada"]
        self.assertEqual(
            (rights.read_enabled, rights.write_enabled, rights.manage_enabled,
             rights.delete_enabled), (True, True, False, False))
        ada.subscribe("room", presence=True)
        sent = ada.publish("room", "hello")
        ada.hear("hello")
        ada.add("room", sent, "👍")
        history = ada.sdk.fetch_messages().channels(["room"]).sync().result
        self.assertEqual([it.message for it in history.channels["room"]], ["hello"])
        self.assertEqual(ada.sdk.here_now().channels(["room"]).sync().result.total_channels, 1)
        for refused in (
                lambda: ada.publish("other", 1), lambda: bob.publish("room", 1),
                lambda: self.bearer("eve").publish("room", 1),
                lambda: self.bearer("eve", "KEY-OF-ADA").publish("room", 1),
                ada.sdk.delete_messages().channel("room").sync,
                lambda: ada.sdk.fetch_messages().channels(["room", "other"]).sync(),
                ada.sdk.here_now().sync):
            with self.refused():
                refused()
        eve = self.bearer("eve", "key-of-bob")
        eve.subscribe("room", timetoken=0)
        self.denied(eve)

    def test_levels(self):
        anybody, ada = self.bearer("anybody"), self.bearer("ada", "key")
        with self.subTest("a channel, for everybody"):
            done = self.grant(["lobby"])
            self.assertEqual(done.level, "channel")
            self.assertTrue(done.channels["lobby"].read_enabled)
            for client in (anybody, ada, self.bearer("bob", "never granted anything")):
                client.publish("lobby", 1)
                with self.refused():
                    client.publish("room", 1)
        with self.subTest("many names, many keys, spelled oddly"):
            # The SDK escapes no auth key when it shows one: only in grants may it be any text.
            names, keys = ["room 1", "a/b+c", "news.*"], ["k-1", "k.2", "three.dots.key"]
            done = self.grant(names, keys=[*keys, "k&4 =+%~*/"])
            self.assertEqual(sorted(done.channels), sorted(names))
            self.assertEqual(
                sorted(done.channels["a/b+c"].auth_keys), sorted([*keys, "k&4 =+%~*/"]))
            rest = self.rest(self.daemon, "ada", KEYS)
            rest.ok("/publish/{pub}/{sub}/0/room%201/0/1", {"auth": "k&4 =+%~*/"})
            for key in keys:
                bearer = self.bearer("ada", key)
                for channel in ("room 1", "a/b+c", "news.sport"):
                    bearer.publish(channel, 1)
                with self.refused():
                    bearer.publish("newspaper", 1)
        with self.subTest("a wildcard is followed by its own grant"):
            reader = self.bearer("ada", "k-1").subscribe("news.*")
            reader.publish("news.sport", "goal")
            reader.heard.until(lambda: "goal" in reader.texts(), "the message")
            with self.refused():
                self.bearer("ada", "k-1").sdk.here_now().channels(["other.x"]).sync()
        with self.subTest("a group"):
            done = self.grant(groups=["friends"], keys=["key"], read=True, manage=True)
            self.assertEqual(done.level, "channel-group+auth")
            self.assertTrue(done.groups["friends"].auth_keys["key"].manage_enabled)
            add = ada.sdk.add_channel_to_channel_group().channel_group("friends")
            add.channels(["lobby"]).sync()
            # What it may read itself, and no more.
            with self.refused():
                add.channels(["secret"]).sync()
            ada.subscribe(groups=["friends"])
            anybody.publish("lobby", "by the group")
            ada.hear("by the group")
        with self.subTest("the whole keyset"):
            with self.refused():
                anybody.publish("anything", 1)
            done = self.grant(read=True, write=True, delete=True)
            self.assertEqual((done.level, done.delete_enabled), ("subkey", True))
            anybody.publish("anything", 1)
            anybody.sdk.delete_messages().channel("anything").sync()
            # What stands about everything is the backend's for all that.
            with self.refused():
                anybody.sdk.here_now().sync()
            self.assertEqual(self.rest(self.daemon, "x", KEYS).get(
                "/v2/auth/grant/sub-key/{sub}", {"r": 1}).status, 403)

    # What ends

    def test_what_is_taken_back_ends_what_is_open(self):
        self.grant(["room", "den"], keys=["key", "other"])
        ada = self.bearer("ada", "key").subscribe("room")
        bob = self.bearer("bob", "other").subscribe("room")
        with self.within(5):
            done = self.grant(["room"], keys=["key"], read=False, write=False)
            self.assertFalse(done.channels["room"].auth_keys["key"].read_enabled)
            with self.refused():
                ada.publish("room", 1)
            self.denied(ada)
        self.bearer("ada", "key").publish("den", "still granted")
        bob.publish("room", "still there?")
        bob.hear("still there?")
        self.daemon.kill()
        self.daemon.start()
        with self.refused():
            self.bearer("ada", "key").publish("room", 1)
        self.bearer("bob", "other").publish("room", 1)

    def test_nothing_that_comes_after_a_revocation_is_heard(self):
        path, answers = "/v2/subscribe/{sub}/room/0", []
        with Rest(self.daemon, "ada", KEYS) as reader:
            for number in range(5):
                self.grant(["room"], keys=["key"])
                cursor = reader.ok(path, {"tt": 0, "auth": "key"})["t"]["t"]
                poll = threading.Thread(target=lambda: answers.append(
                    reader.ok(path, {"tt": cursor, "auth": "key"})))
                poll.start()
                self.eventually(
                    lambda: metric(self.daemon, "polls") == 1, "the poll to wait")
                self.grant(["room"], keys=["key"], read=False, write=False)
                self.backend.publish("room", f"secret {number}")
                poll.join(10)
                self.assertEqual(answers.pop()["m"], [])

    def test_a_later_grant_takes_the_former_ones_place(self):
        self.grant(["room"], keys=["key"])
        ada = self.bearer("ada", "key").subscribe("room")
        self.grant(["room"], keys=["key"], read=True)
        with self.refused():
            ada.publish("room", 1)
        self.backend.publish("room", "to readers")
        ada.hear("to readers")

    def test_grants_survive_restarts_and_end_with_their_time(self):
        self.grant(["room"], keys=["brief"], ttl=1)
        self.grant(["room"], keys=["long"], ttl=0)
        for end in (self.daemon.kill, self.daemon.stop):
            end()
            self.daemon.start()
            for key in ("brief", "long"):
                self.bearer("ada", key).publish("room", 1)
        self.daemon.stop()
        with contextlib.closing(sqlite3.connect(database(self.daemon))) as file, file:
            file.execute("UPDATE key_grant SET expiry = ?, forgettable = 1 WHERE auth_key = 'brief'",
                         (int(time.time()) + 4,))
        self.daemon.start()
        ada = self.bearer("ada", "brief").subscribe("room")
        bob = self.bearer("bob", "long").subscribe("room")
        with self.within(9):
            self.denied(ada)
        with self.refused():
            self.bearer("ada", "brief").publish("room", 1)
        bob.publish("room", "still there?")
        bob.hear("still there?")

        def kept():
            with contextlib.closing(sqlite3.connect(database(self.daemon))) as file:
                return [it for it, in file.execute("SELECT auth_key FROM key_grant")]
        self.eventually(lambda: kept() == ["long"], "the sweep")

    # Who may, and what is said

    def test_only_the_secret_key_grants(self):
        mallory = self.client(self.daemon, "mallory", KEYS, secret_key="another")
        for request in (mallory.sdk.grant().read(True).channels("room"),
                        mallory.sdk.audit().channels("room")):
            with self.refused(403, "Signature Does Not Match"):
                request.sync()
        rest = self.rest(self.daemon, "mallory", KEYS)
        self.grant(["room"], keys=["key"])
        for query in ({}, {"auth": "key"}, {"signature": "v2.AAAA", "timestamp": 1}):
            for path in ("/v2/auth/grant/sub-key/{sub}", "/v2/auth/audit/sub-key/{sub}"):
                answer = rest.get(path, {"channel": "room", "r": 1, **query})
                self.assertEqual(answer.status, 403)
        with self.refused():
            self.bearer("mallory").publish("room", 1)

    def test_by_wire_as_javascript_signs_it(self):
        def signed(path, query):
            query = {**query, "timestamp": str(int(time.time())), "uuid": "backend"}
            text = "&".join(f"{it}={quoted(query[it])}" for it in sorted(query))
            lines = ["GET", KEYS[0], path.replace("{sub}", KEYS[1]), text, ""]
            code = hmac.digest(SECRET.encode(), "\n".join(lines).encode(), hashlib.sha256)
            signature = "v2." + base64.urlsafe_b64encode(code).rstrip(b"=").decode()
            return self.rest(self.daemon, "backend", KEYS).get(
                path, {**query, "signature": signature})

        grant, audit = (f"/v2/auth/{it}/sub-key/{{sub}}" for it in ("grant", "audit"))
        query = {"channel": "room,röom 2", "auth": "k&y,schlüssel", "r": "1", "w": "1", "m": "0",
                 "d": "0", "g": "0", "u": "0", "j": "0", "ttl": "5"}
        answer = signed(grant, query)
        rights = {"r": 1, "w": 1, "m": 0, "d": 0, "g": 0, "u": 0, "j": 0}
        auths = {"auths": {"k&y": rights, "schlüssel": rights}}
        self.assertEqual((answer.status, answer.json()), (200, {
            "message": "Success", "service": "Access Manager", "status": 200,
            "payload": {"level": "user", "subscribe_key": "sub-app", "ttl": 5,
                        "channels": {"room": auths, "röom 2": auths}}}))
        shown = signed(audit, {"channel": "röom 2", "auth": "schlüssel"}).json()["payload"]
        self.assertEqual(shown, {
            "level": "user", "subscribe_key": "sub-app", "channel": "röom 2",
            "auths": {"schlüssel": {**rights, "ttl": 5}}})
        self.rest(self.daemon, "ada", KEYS).ok(
            "/publish/{pub}/{sub}/0/r%C3%B6om%202/0/1", {"auth": "schlüssel"})

    def test_a_keyset_without_a_secret_grants_nothing(self):
        daemon = self.start_daemon(configuration="""
            [keyset app]
            subscribe_key = sub-app
            """)
        backend = self.client(daemon, "backend", KEYS, secret_key=SECRET)
        with self.refused(403, "secret_key"):
            backend.sdk.grant().read(True).channels("room").sync()

    def test_what_is_wrong_with_a_grant_is_said(self):
        for settings, text in (
                ({"ttl": 525601}, "525600"), ({"keys": ["k" * 257]}, "256 bytes"),
                ({"channels": ["c" * 999]}, "Invalid channel"),
                ({"channels": [], "keys": ["k"]}, "Name the channels"),
                ({"channels": [f"c{it}" for it in range(201)]}, "at most 200")):
            with self.subTest(text), self.refused(400, text):
                self.grant(**{"channels": ["room"]} | settings)
        with self.refused(501, "grant_token"):
            self.backend.sdk.grant().get(True).uuids(["u"]).auth_keys(["k"]).sync()

    def test_an_audit_shows_what_stands(self):
        self.assertEqual(self.audit().channels, {})
        self.grant(["room-1"], keys=["key", "key-2"], ttl=10)
        self.grant(["room-1"], read=True, ttl=0)
        self.grant(groups=["friends"], keys=["key"], manage=True)

        shown = self.audit(["room-1"])
        self.assertEqual(shown.level, "channel")
        room = shown.channels["room-1"]
        self.assertEqual((room.read_enabled, room.write_enabled, room.ttl), (True, False, None))
        self.assertEqual(sorted(room.auth_keys), ["key", "key-2"])
        self.assertEqual(room.auth_keys["key"].ttl, 10)
        one = self.audit(["room-1"], keys=["key-2"])
        self.assertEqual((one.level, list(one.channels["room-1"].auth_keys)),
                         ("user", ["key-2"]))
        group = self.audit(groups=["friends"], keys=["key"])
        self.assertTrue(group.groups["friends"].auth_keys["key"].manage_enabled)
        everything = self.audit()
        self.assertEqual(
            (everything.level, list(everything.channels), list(everything.groups)),
            ("subkey", ["room-1"], ["friends"]))
        self.grant(["room-1"], keys=["key"], read=False)
        self.assertEqual(list(self.audit(["room-1"]).channels["room-1"].auth_keys), ["key-2"])

    def test_grants_leave_a_trail_without_the_keys(self):
        self.grant(["room", "den"], keys=["key-of-ada"])
        self.grant(["room"], keys=["key-of-ada"], read=False)
        log = self.daemon.log()
        for line in ("Grants are made. keyset=sub-app level=channel name=room grants=2 keys=1 "
                     "rights=rw minutes=1440", "Grants are taken back. keyset=sub-app"):
            self.assertIn(line, log)
        self.assertNotIn("key-of-ada", log)


if __name__ == "__main__":
    unittest.main()
