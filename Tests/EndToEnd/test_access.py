"""Tenants that admit only who shows a token, at both doors; PubNub's own SDK has them made."""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import textwrap
import time
import unittest

from pubnub.enums import PNReconnectionPolicy, PNStatusCategory
from pubnub.models.consumer.v3.channel import Channel
from pubnub.models.consumer.v3.group import Group
from pubnub.models.consumer.v3.uuid import UUID

from daemon import binary
from live import LiveList
from rest import LongPoll
from sdk import PubNubTestCase

KEYS = ("pub-app", "sub-app")
SECRET = "sec-of-the-tenant"
SHARED = os.urandom(32)
CONFIGURATION = """
    [keyset app]
    subscribe_key = sub-app
    publish_key = pub-app
    secret_key = {secret}
    access_control = yes
    jwks_file = {keys}
    jwt_issuer = https://id.example
    """


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def web_token(seconds=300, key=SHARED, **claims):
    """A JSON Web Token, by nothing but RFC 7515 and 7519."""
    claims = {
        "sub": "ada", "keyset": "sub-app", "iss": "https://id.example",
        "exp": int(time.time()) + seconds,
        "permissions": {"channels": {"room": ["read", "write", "react", "history"]}},
    } | claims
    parts = ({"alg": "HS256", "kid": "one"}, claims)
    signed = ".".join(base64url(json.dumps(it).encode()) for it in parts)
    return f"{signed}.{base64url(hmac.digest(key, signed.encode(), hashlib.sha256))}"


class TokenCase(PubNubTestCase):
    """A tenant that asks for tokens, and its backend."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="syncdaemon-test-")
        self.addCleanup(directory.cleanup)
        self.key_file = pathlib.Path(directory.name) / "jwks.json"
        self.write_keys(SHARED)
        self.daemon = self.start_daemon(configuration=self.configuration())
        self.backend = self.client(self.daemon, "backend", KEYS, secret_key=SECRET)

    def configuration(self, secret=SECRET):
        return CONFIGURATION.format(secret=secret, keys=self.key_file)

    def write_keys(self, *keys):
        names = ["one", "two"]
        self.key_file.write_text(json.dumps({"keys": [
            {"kty": "oct", "kid": name, "alg": "HS256", "k": base64url(key)}
            for name, key in zip(names, keys)]}))
        self.key_file.chmod(0o600)

    def grant(self, ttl=15, user=None, channels=(), groups=(), uuids=()):
        """A token, as a backend gets it."""
        builder = self.backend.sdk.grant_token().ttl(ttl).channels(list(channels))
        builder = builder.groups(list(groups)).uuids(list(uuids))
        if user:
            builder = builder.authorized_uuid(user)
        return builder.sync().result.token

    def bearer(self, user, token, **settings):
        client = self.client(self.daemon, user, KEYS, **settings)
        client.sdk.set_token(token)
        return client

    async def device(self, token, user="ada", **fields):
        """A WebSocket after its hello."""
        device = self.offline_device(self.daemon, user, "phone")
        device.keyset = "sub-app"
        await device.open()
        device.welcome = await device.command(
            "hello", userId=user, deviceId="phone", keyset="sub-app", publishKey="pub-app",
            token=token, **fields)
        return device


class Access(TokenCase):
    def test_who_names_nobody_is_whom_the_token_names(self):
        token = self.grant(user="ada", channels=[Channel.id("room").read().write()])
        anonymous = self.rest(self.daemon, "", KEYS)

        def ask(method, path, body=None, **query):
            return anonymous.ask(method, path, {"auth": token, **query}, body)

        sent = ask("GET", "/publish/{pub}/{sub}/0/room/0/%22x%22")
        self.assertEqual(sent.status, 200, sent)
        timetoken = sent.json()[2]
        page = ask("GET", "/v3/history/sub-key/{sub}/channel/room", include_uuid="true")
        self.assertIn(page.status, (200, 403))
        actions = "/v1/message-actions/{sub}/channel/room"
        added = ask("POST", f"{actions}/message/{timetoken}", {"type": "reaction", "value": "x"})
        self.assertEqual((added.status, added.json()["data"]["uuid"]), (200, "ada"))
        beat = ask("GET", "/v2/presence/sub-key/{sub}/channel/room/heartbeat")
        self.assertEqual(beat.status, 200, beat)
        # Whoever names somebody has to be that one, and nobody's token names nobody.
        self.assertEqual(ask("GET", "/publish/{pub}/{sub}/0/room/0/1", uuid="bob").status, 403)
        token = self.grant(channels=[Channel.id("room").read().write()])
        self.assertEqual(
            ask("POST", f"{actions}/message/{timetoken}",
                {"type": "reaction", "value": "y"}).status, 400)
        token = token[:-8] + "AAAAAAAA"
        self.assertEqual(ask("GET", "/publish/{pub}/{sub}/0/room/0/1").status, 403)

    # PubNub's SDK

    def test_a_granted_token_opens_what_it_names(self):
        token = self.grant(user="ada", channels=[
            Channel.id("room").read().write().delete(), Channel.pattern("^news-[0-9]+$").read()])
        ada = self.bearer("ada", token)

        parsed = ada.sdk.parse_token(token)
        self.assertEqual(parsed["authorized_uuid"], "ada")
        self.assertEqual(
            (parsed["resources"]["channels"]["room"]["read"],
             parsed["resources"]["channels"]["room"]["manage"]), (True, False))
        ada.subscribe("room", "news-7")
        sent = ada.publish("room", "hello")
        ada.hear("hello")
        action = ada.add("room", sent, "👍")
        self.assertEqual(len(ada.actions("room")), 1)
        ada.remove("room", sent, action.action_timetoken)
        for channel in ("other", "news-x", "my-news-7"):
            with self.sdk_refused(403, "Forbidden"):
                ada.publish(channel, 1)
        with self.sdk_refused(403, "Forbidden"):
            ada.publish("news-7", "may only be read")
        with self.sdk_refused(403, "Forbidden"):
            self.bearer("bob", token).publish("room", "not his token")
        history = self.backend.sdk.fetch_messages().channels(["room", "news-7"]).sync().result
        self.assertEqual(
            [it.message for it in history.channels.get("room", [])], ["hello"])
        self.assertFalse(history.channels.get("news-7"))

    def test_without_a_token_or_with_another_nothing_is_open(self):
        for token in (None, "", "x", "qEF2AkF0GmFLd-NDdHRs", "a.b.c",
                      web_token(key=os.urandom(32)), web_token(-1),
                      web_token(iss="https://elsewhere.example"), web_token(keyset="sub-other")):
            with self.subTest(token):
                rest = self.rest(self.daemon, "ada", KEYS)
                query = {"auth": token} if token is not None else {}
                for path in ("/v2/subscribe/{sub}/room/0", "/publish/{pub}/{sub}/0/room/0/1",
                             "/v3/history/sub-key/{sub}/channel/room"):
                    self.assertEqual(rest.get(path, query).status, 403)
        self.assertEqual(self.rest(self.daemon, "ada", KEYS).get("/time/0").status, 200)

    def test_a_subscription_is_refused_and_the_sdk_says_so(self):
        token = self.grant(channels=[Channel.id("room").read()])
        bob = self.bearer("bob", token, reconnect_policy=PNReconnectionPolicy.NONE)
        bob.subscribe("secret", timetoken=0)

        bob.heard.until(
            lambda: any(it.category == PNStatusCategory.PNAccessDeniedCategory
                        for it in bob.heard.statuses), "the refusal")

    def test_groups_and_presence(self):
        token = self.grant(
            channels=[Channel.id("room").read().write()],
            groups=[Group.id("friends").read().manage()], uuids=[UUID.id("ada").get()])
        ada = self.bearer("ada", token)
        add = ada.sdk.add_channel_to_channel_group().channel_group("friends")

        add.channels(["room"]).sync()
        with self.sdk_refused(403, "Forbidden"):
            add.channels(["secret"]).sync()
        ada.subscribe(groups=["friends"], presence=True)
        ada.publish("room", "by the group")
        ada.hear("by the group")
        here = ada.sdk.here_now().channels(["room"]).include_uuids(True).sync().result
        self.assertEqual(here.channels[0].channel_name, "room")
        with self.sdk_refused(403, "Forbidden"):
            ada.sdk.here_now().channels(["secret"]).sync()
        with self.sdk_refused(403, "Forbidden"):
            ada.sdk.here_now().sync()
        self.backend.sdk.here_now().sync()

    def test_only_the_secret_key_makes_tokens(self):
        mallory = self.client(self.daemon, "mallory", KEYS, secret_key="another")
        with self.sdk_refused(403, "Signature Does Not Match"):
            mallory.sdk.grant_token().ttl(5).channels([Channel.id("room").read()]).sync()
        rest = self.rest(self.daemon, "mallory", KEYS)
        body = {"ttl": 5, "permissions": {"resources": {"channels": {"room": 255}}}}
        for query in ({}, {"auth": self.grant(channels=[Channel.id("room").read()])}):
            answer = rest.ask("POST", "/v3/pam/{sub}/grant", query, body)
            self.assertEqual(answer.status, 403)

    async def test_a_revoked_token_ends_what_is_open_and_opens_nothing(self):
        token = self.grant(channels=[Channel.id("room").read().write()])
        other = self.grant(channels=[Channel.id("room").read()])
        device = await self.device(token)
        await device.command("subscribe", channels=[{"name": "room"}])
        staying = await self.device(other)
        waiting = self.bearer("ada", token).subscribe("room")
        refused = web_token()
        web = await self.device(refused)

        for it in (token, refused, token):
            done = await asyncio.to_thread(self.backend.sdk.revoke_token(it).sync)
            self.assertEqual(done.status.status_code, 200)

        for ended in (device, web):
            self.assertEqual(await ended.closed(), 1008)
            self.assertTrue(ended.close_reason.startswith("token_revoked: "))
        await asyncio.to_thread(waiting.heard.until, lambda: any(
            it.category == PNStatusCategory.PNAccessDeniedCategory
            for it in waiting.heard.statuses), "the refusal")
        await staying.command("ping")
        self.daemon.kill()
        self.daemon.start()
        for it in (token, refused):
            async with self.refused(401, "token_revoked"):
                await self.device(it)
        answer = self.rest(self.daemon, "ada", KEYS).get(
            "/publish/{pub}/{sub}/0/room/0/1", {"auth": token})
        self.assertEqual((answer.status, answer.json()["message"]), (403, "Token is revoked"))
        self.assertEqual(answer.headers["x-pn-cause"], "4001")
        await (await self.device(other)).command("ping")

    def test_what_cannot_be_revoked_is_said(self):
        sdk = self.backend.sdk
        for token, detail in (
                (web_token(-1), "Token is expired."), ("token", "This is no token."),
                (web_token(key=os.urandom(32)), "None of this keyset's keys made the token.")):
            with self.sdk_refused(400, detail):
                sdk.revoke_token(token).sync()
        mallory = self.client(self.daemon, "mallory", KEYS, secret_key="another")
        with self.sdk_refused(403, "Signature Does Not Match"):
            mallory.sdk.revoke_token("token").sync()
        bearer = self.rest(self.daemon, "ada", KEYS)
        token = self.grant(channels=[Channel.id("room").read()])
        self.assertEqual(bearer.ask(
            "DELETE", f"/v3/pam/{{sub}}/grant/{token}", {"auth": token}, None).status, 403)

    def test_what_is_wrong_with_a_grant_is_said(self):
        for change, message, location in (
                ({"ttl": 0}, "Invalid ttl", "ttl"), ({"ttl": 43201}, "Invalid ttl", "ttl"),
                ({"permissions": 1}, "Invalid permissions", "permissions"),
                ({"permissions": {"patterns": {"channels": {"(a": 1}}}}, "Invalid permissions",
                 "permissions"),
                ({"permissions": {"resources": {"channels": {"a": 256}}}}, "Invalid permissions",
                 "permissions.resources.channels.a"),
                ({"permissions": {"meta": {"a": []}}}, "Invalid meta", "permissions.meta.a")):
            with self.subTest(change):
                answer = self.signed_grant({"ttl": 5, "permissions": {}} | change)
                error = answer.json()["error"]
                self.assertEqual(
                    (answer.status, error["message"], error["source"],
                     error["details"][0]["location"]), (400, message, "grant", location))

    def signed_grant(self, body):
        """By hand: the SDK refuses some of these itself."""
        rest = self.rest(self.daemon, "backend", KEYS)
        text = json.dumps(body)
        query = {"timestamp": str(int(time.time()))}
        lines = [
            "POST", "pub-app", "/v3/pam/sub-app/grant",
            "&".join(f"{k}={v}" for k, v in sorted({**query, "uuid": "backend"}.items())), text]
        code = hmac.digest(SECRET.encode(), "\n".join(lines).encode(), hashlib.sha256)
        query["signature"] = "v2." + base64url(code)
        return rest.ask("POST", "/v3/pam/{sub}/grant", query, text.encode())

    def test_an_overheard_signature_is_good_for_a_minute(self):
        self.assertEqual(self.signed_grant({"ttl": 5, "permissions": {}}).status, 200)
        real = time.time
        try:
            for shift in (-120, 120):
                time.time = lambda: real() + shift
                answer = self.signed_grant({"ttl": 5, "permissions": {}})
                self.assertEqual(
                    (answer.status, json.loads(answer.body)["message"]), (400, "Invalid Timestamp"))
        finally:
            time.time = real
        # Whoever operates it need not look for another key.
        self.assertIn("compare the clocks", self.daemon.log())

    def reload(self):
        before = self.daemon.log().count("Configuration reloaded.")
        self.daemon.process.send_signal(signal.SIGHUP)
        self.eventually(
            lambda: self.daemon.log().count("Configuration reloaded.") > before, "the reload")

    # WebSockets

    async def test_a_web_token_opens_what_it_names(self):
        ada = await self.device(web_token())
        await ada.command("subscribe", channels=[{"name": "room"}])
        sent = await ada.publish("room", "hello")
        await ada.command(
            "addAction", channel="room", messageTimetoken=str(sent), value="👍")
        await ada.command("history", channel="room")
        for op, fields in (
                ("publish", {"payload": 1}), ("history", {}), ("actions", {}),
                ("addAction", {"messageTimetoken": "17", "value": "x"}),
                ("deleteMessages", {"through": "17"})):
            async with self.refused(403, "forbidden", "right"):
                await ada.command(op, channel="other", **fields)
        async with self.refused(403, "forbidden", "right"):
            await ada.command("deleteMessages", channel="room", through=str(sent))
        async with self.refused(403, "forbidden", "right"):
            await ada.command("subscribe", channels=[{"name": "room"}, {"name": "other"}])

    async def test_moderating_takes_a_right_of_its_own(self):
        every = ["read", "write", "manage", "delete", "react", "history", "presence", "update"]
        for words in (every, ["moderate"]):
            device = await self.device(
                web_token(permissions={"channels": {"room": words}}))
            with self.subTest(words=words):
                if words == every:
                    async with self.refused(403, "forbidden", "moderate"):
                        await device.command("removeActions", channel="room", userId="ada")
                else:
                    self.assertEqual(
                        await device.command("removeActions", channel="room", userId="ada"),
                        {"applied": "absent"})
                    async with self.refused(403, "forbidden", "moderate"):
                        await device.command("removeActions", channel="other", userId="ada")
            await device.close()

    async def test_syncctl_shows_a_token(self):
        def syncctl(*arguments, **variables):
            return subprocess.run(
                [binary("syncctl"), *arguments, "--url", self.daemon.url, "--user", "ada",
                 "--keyset", "sub-app", "--publish-key", "pub-app"],
                env={**os.environ, **variables}, capture_output=True, text=True, check=False)

        for arguments, variables in (
                (["--token", web_token()], {}), ([], {"SYNCCTL_TOKEN": web_token()})):
            done = await asyncio.to_thread(
                syncctl, "publish", "room", '"by hand"', *arguments, **variables)
            self.assertEqual(done.returncode, 0, done.stderr)
        refused = await asyncio.to_thread(syncctl, "publish", "room", "1")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("token", refused.stderr)

    async def test_hello_says_what_is_wrong_with_a_token(self):
        for token, status, code, user in (
                (None, 401, "token_missing", "ada"), ("x", 401, "token_invalid", "ada"),
                (web_token(key=os.urandom(32)), 401, "token_invalid", "ada"),
                (web_token(-1), 401, "token_expired", "ada"),
                (web_token(), 403, "token_of_another", "bob"),
                (web_token(device="tablet"), 403, "token_of_another", "ada")):
            with self.subTest(code):
                async with self.refused(status, code):
                    await self.device(token, user)

    async def test_what_is_open_ends_with_its_token(self):
        ada = await self.device(web_token(3))
        await ada.command("subscribe", channels=[{"name": "room"}])
        poll = self.rest(self.daemon, "ada", KEYS)
        now = poll.ok("/time/0")[0]
        brief = web_token(3)
        answer = poll.get("/v2/subscribe/{sub}/room/0", {"tt": now, "auth": brief})
        # An SDK that is refused listens no more: so the next poll is, which may have another token.
        self.assertEqual((answer.status, answer.json()["m"]), (200, []))
        self.assertEqual(answer.json()["t"]["t"], str(now))
        answer = poll.get("/v2/subscribe/{sub}/room/0", {"tt": now, "auth": brief})
        self.assertEqual((answer.status, answer.json()["message"]), (403, "Token is expired."))
        self.assertEqual(await ada.closed(), 1008)

    async def test_an_sdk_that_gets_another_token_in_time_goes_on_listening(self):
        ada = self.bearer("ada", web_token(4))
        waiting = ada.subscribe("room")
        ada.sdk.set_token(web_token(600))
        # Its poll still has the old one, until that is over.
        await asyncio.sleep(6)
        self.bearer("bob", web_token(sub="bob")).publish("room", "still there?")
        await asyncio.to_thread(waiting.heard.until, lambda: any(
            it.message == "still there?" for it in waiting.heard.messages), "the message")

    async def test_a_write_token_takes_back_its_users_own_reactions_alone(self):
        rights = {"channels": [Channel.id("room").read().write()]}
        named, nameless = self.grant(user="ada", **rights), self.grant(**rights)
        ada, mallory = await self.device(named), await self.device(nameless)
        message = await ada.publish("room", "hello")
        added = await ada.add("room", message, "+1")
        async with self.refused(403, "forbidden"):
            await mallory.remove("room", message, "+1")
        await ada.remove("room", message, "+1")
        self.assertTrue(added)

    def test_a_token_of_nobody_moves_and_finds_nobody(self):
        elsewhere = self.grant(channels=[Channel.id("zzz").read()])
        here = self.grant(channels=[Channel.id("room").read()])
        bob = self.rest(self.daemon, "bob", KEYS)
        presence = "/v2/presence/sub-key/{sub}"
        self.assertEqual(bob.get(f"{presence}/channel/room/heartbeat", {
            "auth": here, "heartbeat": 300}).status, 200)
        where = f"{presence}/uuid/bob"
        for token, seen in ((elsewhere, []), (here, ["room"])):
            self.assertEqual(
                bob.get(where, {"auth": token}).json()["payload"]["channels"], seen)
        for token, seen in ((elsewhere, ["room"]), (here, [])):
            left = bob.get(f"{presence}/channel/room/leave", {"auth": token})
            self.assertEqual(left.status, 200)
            self.assertEqual(
                bob.get(where, {"auth": here}).json()["payload"]["channels"], seen)

    async def test_another_token_keeps_the_session_open(self):
        ada = await self.device(web_token(4))
        self.assertLessEqual(ada.welcome["tokenExpires"], 4)
        await ada.command("subscribe", channels=[{"name": "room"}])
        shown = await ada.command("token", token=web_token(600))
        self.assertGreater(shown["tokenExpires"], 300)
        brief = await self.device(web_token(4))
        self.assertEqual(await brief.closed(), 1008)
        self.assertTrue(brief.close_reason.startswith("token_expired: "))
        await ada.publish("room", "still here")
        async with self.refused(401, "token_expired"):
            await ada.command("token", token=web_token(-1))
        narrow = web_token(600, permissions={"channels": {"other": ["read"]}})
        await ada.command("token", token=narrow)
        self.assertEqual(await ada.closed(), 1008)
        self.assertTrue(ada.close_reason.startswith("forbidden: "))

    async def test_a_window_ends_with_the_right_to_what_is_before(self):
        both = web_token(600, permissions={"channels": {"room": ["read", "history"]}})
        less = web_token(600, permissions={"channels": {"room": ["read"]}})
        for window, is_over in (({"window": {}}, True), ({}, False)):
            with self.subTest(window):
                ada = await self.device(both)
                await ada.command("subscribe", channels=[{"name": "room", **window}])
                await ada.command("token", token=less)
                if is_over:
                    self.assertEqual(await ada.closed(), 1008)
                    self.assertTrue(ada.close_reason.startswith("forbidden: "))
                else:
                    await ada.command("ping")

    async def test_a_live_query_ends_with_the_right_to_it(self):
        both = {it: ["read", "history", "react"] for it in ("room", "den")}
        ada = await self.device(web_token(600, permissions={"channels": both}))
        room = await LiveList(ada, channel="room").begin()
        den = await LiveList(ada, channel="den").begin()
        narrow = web_token(600, permissions={"channels": both | {"room": ["history"]}})
        await ada.command("token", token=narrow)
        await ada.until(lambda: room.catch_up().ended, "the end of it")
        self.assertEqual(room.ended, "forbidden")
        async with self.refused(403, "forbidden"):
            await LiveList(ada, channel="room").begin()
        self.assertEqual((await ada.command("actions", channel="room"))["actions"], [])
        await ada.add("den", "5", "👍")
        await ada.until(lambda: den.catch_up().actions, "what is allowed still")
        self.assertIsNone(den.ended)

    def test_two_secrets_are_good_while_one_is_replaced(self):
        new = "sec-that-is-new"
        granted = {"channels": [Channel.id("room").read().write()]}
        old_token = self.grant(**granted)
        newer = self.client(self.daemon, "newer", KEYS, secret_key=new)
        with self.sdk_refused(403, "Signature Does Not Match"):
            newer.sdk.revoke_token("token").sync()
        line = f"secret_key = {new}\n"
        both = self.configuration(new).replace(line, f"{line}    secret_key_previous = {SECRET}\n")
        waiting = self.bearer("ada", old_token).subscribe("room")
        self.configure(both)

        self.bearer("ada", old_token).publish("room", "with the old one")
        waiting.hear("with the old one")
        for backend in (newer, self.backend):
            token = backend.sdk.grant_token().ttl(5).channels(
                granted["channels"]).sync().result.token
            self.bearer("ada", token).publish("room", "as good")
        self.configure(self.configuration(new))

        # Whoever signed the request, it was made with the new one.
        self.bearer("ada", token).publish("room", "made meanwhile")
        with self.sdk_refused(403, "Forbidden"):
            self.bearer("ada", old_token).publish("room", "over")
        with self.sdk_refused(403, "Signature Does Not Match"):
            self.backend.sdk.revoke_token(token).sync()

    def configure(self, text):
        self.configuration_path.write_text(textwrap.dedent(text), encoding="utf-8")
        self.reload()

    async def test_new_keys_end_what_was_opened_with_the_old(self):
        old = await self.device(web_token())
        await old.command("ping")
        new = os.urandom(32)
        waiting = self.bearer("ada", web_token()).subscribe("room")
        self.write_keys(SHARED, new)
        self.reload()
        await old.command("publish", channel="room", payload="still here")
        waiting.hear("still here")
        self.write_keys(new)
        self.reload()

        self.assertEqual(await old.closed(), 1008)
        waiting.heard.until(
            lambda: any(it.category == PNStatusCategory.PNAccessDeniedCategory
                        for it in waiting.heard.statuses), "the refusal")
        async with self.refused(401, "token_invalid"):
            await self.device(web_token())
        await (await self.device(web_token(key=new))).command("ping")

    async def test_what_is_done_and_refused_leaves_a_trail(self):
        token = self.grant(user="ada", channels=[Channel.id("room").read().delete()])
        ada = self.rest(self.daemon, "ada", KEYS)
        answer = ada.get("/v2/subscribe/{sub}/room,den,cellar/0", {"auth": token})
        self.assertEqual(answer.json()["payload"], {"channels": ["den", "cellar"]})
        device = await self.device(web_token())
        async with self.refused(403, "forbidden", 'lacks write on channel "den"'):
            await device.command("publish", channel="den", payload=1)
        for user, shown in (("ada", None), ("ada", "x"), ("bob\nReady. \x1b[31m", token)):
            self.assertEqual(self.rest(self.daemon, user, KEYS).get(
                "/publish/{pub}/{sub}/0/room/0/1", {"auth": shown} if shown else {}).status, 403)
        message = await asyncio.to_thread(self.backend.publish, "room", 1)
        # What was done is told, and not what found nothing.
        for _ in range(2):
            self.assertEqual(ada.ask("DELETE", "/v3/history/sub-key/{sub}/channel/room",
                                     {"auth": token}, None).status, 200)
        await asyncio.to_thread(self.backend.sdk.revoke_token(token).sync)
        for _ in range(50):
            ada.get("/publish/{pub}/{sub}/0/room/0/1", {"auth": token})

        log = self.daemon.log()
        for line in ("A token was made. keyset=sub-app token=", "user=ada minutes=15",
                     "Messages are deleted. keyset=sub-app channel=room after=0 through=",
                     "A token is taken back. keyset=sub-app token=",
                     r'Refused: forbidden. keyset=sub-app user=ada device="" '
                     r'lacking="read on channel \"den\"" places=2',
                     "Refused: token_missing.", "Refused: token_invalid.",
                     r'Refused: token_of_another. keyset=sub-app user="bob\nReady. \u{1b}[31m"'
                     ' device="" token_user=ada connection=',
                     "Refused: token_revoked."):
            self.assertIn(line, log)
        (deleted,) = re.findall(r"Messages are deleted\. .* through=(\d+) user=ada device", log)
        self.assertGreaterEqual(int(deleted), message)
        for secret in (SECRET, token, token[20:60], web_token().split(".")[1][:40]):
            self.assertNotIn(secret, log)
        self.assertLess(log.count("Refused: token_revoked."), 50)
        for line in log.splitlines():
            if "Refused: " in line and "suppressed" not in line:
                self.assertRegex(line, r" connection=\d+-\d+-\d+ peer=127\.0\.0\.1\b")
        metrics = self.rest(self.daemon, "ada", KEYS).get("/metrics").body.decode()
        for code, count in (("token_revoked", 50), ("token_of_another", 1), ("forbidden", 2)):
            self.assertIn(f'syncdaemon_refusals_total{{code="{code}"}} {count}\n', metrics)

    async def test_what_ends_with_its_token_leaves_a_trail(self):
        over, taken = web_token(3), web_token()
        sessions = [await self.device(over), await self.device(taken)]
        polls = []
        for token in (over, taken):
            poll = LongPoll(self.daemon, "ada", "room", keys=KEYS, query={"auth": token})
            self.addCleanup(poll.rest.close)
            poll.handshake()
            poll.begin()
            polls.append(poll)
        await asyncio.to_thread(self.backend.sdk.revoke_token(taken).sync)
        for session, poll in zip(sessions, polls):
            self.assertEqual(await session.closed(), 1008)
            self.assertEqual(await asyncio.to_thread(poll.finish), [])

        ended = [line.split(" notice  ")[1] for line in self.daemon.log().splitlines()
                 if "Ended: " in line]
        for code in ("token_expired", "token_revoked"):
            for what, device in (("session", "phone"), ("poll", '""')):
                pattern = (rf"Ended: {code}\. what={what} keyset=sub-app user=ada device={device} "
                           r"token=[\w-]{10} token_user=ada connection=\d+-\d+-\d+ "
                           r"peer=127\.0\.0\.1")
                self.assertEqual(
                    len([it for it in ended if re.fullmatch(pattern, it)]), 1, ended)
        self.assertEqual(len(ended), 4, ended)
        for token in (over, taken):
            for part in token.split("."):
                self.assertNotIn(part, self.daemon.log())

    async def test_a_secret_that_others_could_read_is_not_printed(self):
        log = self.daemon.log()
        token = web_token()
        await self.device(token)
        self.assertNotIn(token.split(".")[2], self.daemon.log())
        self.assertNotIn(SECRET, log)


if __name__ == "__main__":
    unittest.main()
