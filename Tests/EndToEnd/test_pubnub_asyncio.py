"""PubNub's Python SDK on asyncio: its event engine, with handshake, receive loop and heartbeats."""

import asyncio
import unittest
import warnings

from pubnub.models.consumer.message_actions import PNMessageAction
from pubnub.pubnub_asyncio import PubNubAsyncio

from case import eventually
from sdk import Heard, PubNubTestCase, configuration


class Asyncio(PubNubTestCase):
    """The other engine of the same SDK; JavaScript's and Swift's work alike."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.ada, self.heard = self.asyncio_client("ada")
        self.web = self.rest(self.daemon, "web")

    def asyncio_client(self, user, **settings):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of its own deprecations.
            made = PubNubAsyncio(configuration(self.daemon, user, **settings))
        heard = Heard()
        made.add_listener(heard)
        self.addAsyncCleanup(self.stop, made)
        return made, heard

    @staticmethod
    async def stop(client):
        await client.stop()
        client._subscription_manager.loop.close()  # The SDK makes one, and leaves it open.

    async def until(self, condition, what):
        await eventually(condition, what)

    async def test_requests(self):
        sent = (await self.ada.publish("room", {"n": 1}).future()).result.timetoken
        action = PNMessageAction().create(
            type="reaction", value="👍", message_timetoken=str(sent))
        added = (await self.ada.add_message_action("room", action).future()).result
        self.assertEqual((added.value, added.uuid), ("👍", "ada"))
        page = (await self.ada.fetch_messages(
            "room", include_message_actions=True).future()).result.channels["room"]
        self.assertEqual(page[0].message, {"n": 1})
        self.assertEqual(page[0].actions, {"reaction": {"👍": [
            {"uuid": "ada", "actionTimetoken": added.action_timetoken}]}})

    async def test_the_event_engine(self):
        self.ada.subscribe().channels(["a", "b"]).with_presence().execute()
        await self.until(lambda: self.heard.presences, "the join")
        for number in range(20):
            await asyncio.to_thread(self.web.publish, "ab"[number % 2], number)
        await self.until(lambda: len(self.heard.messages) >= 20, "the messages")
        self.assertEqual([it.message for it in self.heard.messages], list(range(20)))
        self.assertEqual(
            {(it.event, it.uuid) for it in self.heard.presences}, {("join", "ada")})

    async def test_a_channel_more_keeps_the_cursor(self):
        """It drops its poll and starts another with the same cursor, without a handshake."""
        self.ada.subscribe().channels("a").execute()
        await self.until(lambda: self.present("a"), "the first poll")
        await asyncio.to_thread(self.web.publish, "a", 0)
        await self.until(lambda: self.heard.messages, "the first message")
        self.ada.subscribe().channels("b").execute()
        for number in range(1, 9):
            await asyncio.to_thread(self.web.publish, "ab"[number % 2], number)
        await self.until(lambda: len(self.heard.messages) >= 9, "the messages")
        self.assertEqual([it.message for it in self.heard.messages], list(range(9)))

    def present(self, channel):
        return self.web.ok(f"/v2/presence/sub-key/{{sub}}/channel/{channel}")["occupancy"]

    async def test_from_an_old_cursor(self):
        first = self.web.publish("room", 0)
        for number in range(1, 5):
            self.web.publish("room", number)
        self.ada.subscribe().channels("room").with_timetoken(first).execute()
        await self.until(lambda: len(self.heard.messages) >= 4, "the messages")
        self.assertEqual([it.message for it in self.heard.messages], [1, 2, 3, 4])


if __name__ == "__main__":
    unittest.main()
