"""Namespaces: what holds for some channels of a keyset, through every door, until a reload."""

import contextlib
import sqlite3
import unittest

from disk import database
from rest import Rest
from test_reload import ReloadTestCase

KEYSETS = """
[keyset web]
subscribe_key = sub-web
retention_hours = 24

[keyset app]
subscribe_key = sub-app
"""
BEFORE = KEYSETS + """
[namespace typing]
channels = typing.*
store = no
delete = no

[namespace chat]
keyset = web
channels = chat.*
channels = chat.kept
retention_hours = 72
"""
AFTER = KEYSETS + """
[namespace chat]
channels = chat.*
store = no
presence = no

[namespace typing]
keyset = web
channels = typing.*
retention_hours = 48
"""


class Namespaces(ReloadTestCase):
    def setUp(self):
        super().setUp()
        self.daemon = self.start(BEFORE)

    async def doors(self, key, number):
        """A WebSocket and an SDK's requests in one keyset."""
        native = await self.device(self.daemon, "ada", f"phone-{number}", keyset=key)
        rest = Rest(self.daemon, "ada", keys=("pub", key))
        self.addCleanup(rest.close)
        return native, rest

    def hours(self, channel, message):
        """For how many hours the store keeps a message; None: for ever."""
        with contextlib.closing(sqlite3.connect(database(self.daemon))) as connection:
            rows = connection.execute(
                "SELECT expires FROM message JOIN channel ON channel.id = message.channel"
                " WHERE channel.name = ? AND timetoken = ?", (channel, int(message))).fetchall()
        self.assertEqual(len(rows), 1, f"{channel} holds {message}")
        (expires,) = rows[0]
        return expires and round((expires - int(message)) / 36e9)

    async def check(self, doors, channel, hours):
        """What both doors say of a channel that keeps messages so long; False: not at all."""
        native, rest = doors
        with self.subTest(channel=channel, keyset=rest.subscribe_key):
            sent = (await native.command("publish", channel=channel, payload=1))["timetoken"]
            also = rest.publish(channel, 2)
            page = f"/v3/history/sub-key/{{sub}}/channel/{channel}"
            if hours is not False:
                self.assertEqual([self.hours(channel, it) for it in (sent, also)], [hours] * 2)
                history = (await native.command("history", channel=channel))["messages"]
                self.assertEqual([it["timetoken"] for it in history][-2:], [sent, str(also)])
                self.assertEqual(len(rest.ok(page)["channels"][channel]), len(history))
                return
            async with self.refused(403, "history_disabled"):
                await native.command("history", channel=channel)
            # One of several is enough.
            for names in (channel, f"room,{channel}"):
                answer = rest.get(f"/v3/history/sub-key/{{sub}}/channel/{names}")
                self.assertEqual(answer.status, 403, answer)

    async def occupancy(self, rest, channel):
        where = f"/v2/presence/sub-key/{{sub}}/channel/{channel}"
        return rest.ok(where)["occupancy"]

    async def test_store_and_retention_hold_by_name_until_a_reload(self):
        web, app = await self.doors("sub-web", 1), await self.doors("sub-app", 2)
        for channel, in_web, in_app in (
                ("room", 24, None), ("typing.a", False, False), ("chat.a", 72, None),
                ("chat.kept", 72, None), ("chat", 24, None), ("typing", 24, None)):
            await self.check(web, channel, in_web)
            await self.check(app, channel, in_app)

        log = await self.reload(self.daemon, AFTER)

        self.assertIn('changed="[namespace chat], [namespace typing]"', log)
        for channel, in_web, in_app in (
                ("room", 24, None), ("typing.a", 48, None), ("chat.a", False, False),
                ("chat.kept", False, False)):
            await self.check(web, channel, in_web)
            await self.check(app, channel, in_app)

        await self.reload(self.daemon, KEYSETS)
        await self.check(web, "chat.a", 24)
        await self.check(app, "chat.a", None)

    async def test_deleting_and_presence_hold_by_name_until_a_reload(self):
        native, rest = await self.doors("sub-web", 1)
        for channel in ("room", "chat.a"):
            rest.ok(f"/v2/presence/sub-key/{{sub}}/channel/{channel}/heartbeat")
            self.assertEqual(await self.occupancy(rest, channel), 1)
        whole = {"after": "0", "through": "99999999999999999"}
        async with self.refused(403, "deleting_disabled"):
            await native.command("deleteMessages", channel="typing.a", **whole)
        answer = rest.ask("DELETE", "/v3/history/sub-key/{sub}/channel/typing.a")
        self.assertEqual(answer.status, 403, answer)
        await native.command("deleteMessages", channel="chat.a", **whole)

        await self.reload(self.daemon, AFTER)

        rest.ok("/v2/presence/sub-key/{sub}/channel/chat.a/heartbeat")
        self.assertEqual(await self.occupancy(rest, "chat.a"), 0)
        self.assertEqual(await self.occupancy(rest, "room"), 1)
        await native.command("deleteMessages", channel="typing.a", **whole)

    async def test_a_wrong_namespace_changes_nothing(self):
        web = await self.doors("sub-web", 1)
        log = await self.reload(
            self.daemon, BEFORE + "[namespace more]\nkeyset = wep\nchannels = chat.*\n",
            outcome="The configuration was not reloaded: the old one holds.")

        self.assertIn("there is no section [keyset wep]. Did you mean [keyset web]?", log)
        await self.check(web, "typing.a", False)


if __name__ == "__main__":
    unittest.main()
