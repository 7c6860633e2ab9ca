"""Messages of one's own: edited and deleted natively, and as PubNub's chat SDKs do it."""

import json
import sqlite3
import unittest

from pubnub.exceptions import PubNubException
from pubnub.models.consumer.v3.channel import Channel

from sdk import PubNubTestCase


class OwnMessages(PubNubTestCase):
    """Ada writes, on the WebSocket and with an SDK; bob looks, and may not change anything."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.ada = await self.device(self.daemon, "ada", "phone")
        self.bob = await self.device(self.daemon, "bob", "phone")
        for device in (self.ada, self.bob):
            await device.subscribe({"name": "room", "cursor": "0"})

    async def history(self, device):
        return (await device.command("history", channel="room"))["messages"]

    async def test_edited_and_deleted(self):
        message = str(await self.ada.publish("room", {"text": "hi"}))
        reply = await self.ada.command(
            "editMessage", channel="room", messageTimetoken=message, payload={"text": "hello"},
            mutation="e1")
        self.assertEqual(reply["applied"], "added")
        action = reply["action"]
        self.assertEqual(
            (action["type"], json.loads(action["value"]), action["uuid"]),
            ("edited", {"text": "hello"}, "ada"))
        again = await self.ada.command(
            "editMessage", channel="room", messageTimetoken=message, payload={"text": "hello"},
            mutation="e1")
        self.assertEqual(again, reply)
        await self.bob.until(lambda: len(self.bob.rows["room"].actions) == 1, "the version")
        (row,) = await self.history(self.bob)
        self.assertEqual(row["payload"], {"text": "hi"})
        self.assertEqual(
            row["edited"], {"payload": {"text": "hello"}, "timetoken": action["actionTimetoken"]})
        # Across a restart.
        self.daemon.restart()
        await self.ada.connect()
        await self.bob.connect()
        versions = await self.bob.command(
            "actions", channel="room", messageTimetoken=message, type="edited", userId="ada")
        self.assertEqual(versions["actions"], [action])
        for op, fields in (("editMessage", {"payload": 1}), ("deleteMessage", {})):
            with self.subTest(op):
                async with self.refused(403, "not_owner"):
                    await self.bob.command(
                        op, channel="room", messageTimetoken=message, **fields)
        async with self.refused(404, "no_such_message"):
            await self.ada.command(
                "editMessage", channel="room", messageTimetoken=str(int(message) + 1), payload=1)

        gone = await self.ada.command(
            "deleteMessage", channel="room", messageTimetoken=message, mutation="d1")
        self.assertEqual(gone["applied"], "removed")
        self.assertEqual(gone, await self.ada.command(
            "deleteMessage", channel="room", messageTimetoken=message, mutation="d1"))
        self.assertEqual({"applied": "absent"}, await self.ada.command(
            "deleteMessage", channel="room", messageTimetoken=message))
        # What was done, by whom, and nothing besides: not who was refused, nor a retry.
        deletions = [line for line in self.daemon.log().splitlines() if "deletes a mes" in line]
        self.assertEqual(len(deletions), 1, deletions)
        self.assertIn(
            "An author deletes a message. keyset=default channel=room "
            f"message={message} user=ada device=phone", deletions[0])
        await self.bob.reach("room", int(gone["timetoken"]))
        self.assertEqual(self.bob.rows["room"].messages, {})
        self.assertEqual(self.bob.rows["room"].actions, {})
        self.assertEqual(await self.history(self.bob), [])

    async def test_a_version_that_was_said_before_is_said_again(self):
        message = str(await self.ada.publish("room", "one"))
        for text in ("two", "three", "two"):
            await self.ada.command(
                "editMessage", channel="room", messageTimetoken=message, payload=text)
        (row,) = await self.history(self.bob)
        self.assertEqual(row["edited"]["payload"], "two")
        await self.bob.until(
            lambda: any(key[2] == '"two"' and int(added) == int(row["edited"]["timetoken"])
                        for key, added in self.bob.rows["room"].actions.items()), "the version")

    async def test_as_chat_sdks_do_it(self):
        """An edit is an action `edited` with the bare text, a soft deletion one `deleted`."""
        sdk = self.client(self.daemon, "ada")
        message = sdk.publish("room", {"text": "hi"})
        edited = sdk.add("room", message, "so \"it\" is", kind="edited")
        (row,) = await self.history(self.bob)
        self.assertEqual(
            row["edited"], {"payload": 'so "it" is', "timetoken": edited.action_timetoken})
        self.assertNotIn("deleted", row)
        # The same user on the WebSocket, and then the SDK reads it.
        await self.ada.command(
            "editMessage", channel="room", messageTimetoken=str(message), payload="natively")
        self.assertEqual(
            [it.value for it in sdk.actions("room")], ['so "it" is', '"natively"'])
        # Bob's version means nothing.
        self.client(self.daemon, "bob").add("room", message, "not his", kind="edited")
        deleted = sdk.add("room", message, ".", kind="deleted")
        (row,) = await self.history(self.bob)
        self.assertEqual(row["edited"]["payload"], "natively")
        self.assertEqual(row["deleted"], deleted.action_timetoken)
        # What was said with an SDK is taken back there, and the version before is the newest.
        sdk.remove("room", message, deleted.action_timetoken)
        (row,) = await self.history(self.bob)
        self.assertNotIn("deleted", row)

    async def test_what_was_deleted_by_its_author_is_in_the_file_no_more(self):
        message = str(await self.ada.publish("room", "secret"))
        await self.ada.command(
            "editMessage", channel="room", messageTimetoken=message, payload="secret, too")
        await self.ada.command("deleteMessage", channel="room", messageTimetoken=message)
        self.daemon.stop()
        with sqlite3.connect(f"{self.daemon.data_dir}/syncdaemon.db") as file:
            for table in ("message", "action", "action_count"):
                (count,) = file.execute(f"SELECT count(*) FROM {table}").fetchone()
                self.assertEqual(count, 0, table)


class CappedOwnMessages(PubNubTestCase):
    """Caps of actions hold for versions: to edit on, an author takes an old one back."""

    async def test_an_old_version_makes_room(self):
        for cap in ("actions_per_user_max", "actions_per_message_max", "values_per_message_max"):
            with self.subTest(cap):
                daemon = self.start_daemon(configuration=f"""
                    [namespace capped]
                    channels = room
                    {cap} = 2
                    """)
                ada = await self.device(daemon, "ada")
                message = str(await ada.publish("room", "v0"))

                def write(op, device=ada, about=message, **fields):
                    return device.command(op, channel="room", messageTimetoken=about, **fields)

                for payload in ("v1", "v2"):
                    await write("editMessage", payload=payload)
                async with self.refused(409, "too_many_actions"):
                    await write("editMessage", payload="v3")
                # Another text is one more; what was said before takes its own place.
                self.assertEqual((await write("editMessage", payload="v1"))["applied"], "added")
                removed = await write("removeAction", type="edited", value='"v2"')
                self.assertEqual(removed["applied"], "removed")
                self.assertEqual((await write("editMessage", payload="v3"))["applied"], "added")
                (row,) = (await ada.command("history", channel="room"))["messages"]
                self.assertEqual(row["edited"]["payload"], "v3")


class GuardedOwnMessages(PubNubTestCase):
    """Where tokens are asked for, WRITE is enough for one's own, and for nothing else."""

    KEYS = ("pub-app", "sub-app")
    CONFIGURATION = """
        [keyset app]
        subscribe_key = sub-app
        publish_key = pub-app
        secret_key = sec-of-the-tenant
        access_control = yes
        """

    def setUp(self):
        self.daemon = self.start_daemon(configuration=self.CONFIGURATION)
        self.backend = self.client(
            self.daemon, "backend", keys=self.KEYS, secret_key="sec-of-the-tenant")

    def user(self, name):
        grant = self.backend.sdk.grant_token().ttl(5).authorized_uuid(name)
        token = grant.channels([Channel.id("room").read().write()]).sync().result.token
        client = self.client(self.daemon, name, keys=self.KEYS)
        client.sdk.set_token(token)
        return client

    def delete(self, client, start, end):
        client.sdk.delete_messages().channel("room").start(start).end(end).sync()

    def test_one_message_that_is_ones_own(self):
        ada, bob = self.user("ada"), self.user("bob")
        first, second = ada.publish("room", 1), ada.publish("room", 2)
        bobs = bob.publish("room", 3)
        for start, end in ((first - 1, second), (bobs - 1, bobs)):
            with self.subTest(end=end), self.assertRaises(PubNubException) as refused:
                self.delete(ada, start, end)
            self.assertEqual(refused.exception._status_code, 403)
        self.assertNotIn("deletes a message.", self.daemon.log())
        for _ in range(2):
            self.delete(ada, first - 1, first)
        self.assertEqual(self.daemon.log().count("An author deletes a message."), 1)
        self.assertIn(
            f"An author deletes a message. keyset=sub-app channel=room message={first} user=ada ",
            self.daemon.log())
        left = [it.entry for it in self.backend.sdk.history().channel("room").sync().result.messages]
        self.assertEqual(left, [2, 3])


if __name__ == "__main__":
    unittest.main()
