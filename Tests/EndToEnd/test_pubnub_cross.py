"""A WebSocket device, PubNub's SDK and a poll by hand on one channel end with one set."""

import asyncio
import json
import random
import unittest

from pubnub.exceptions import PubNubException

from device import Refused
from rows import Rows, Violation
from rows import action_row as wire_row
from sdk import PubNubTestCase, action_row

CHANNEL = "room"
#: Adds and removes of each of the three.
TURNS = (334, 333, 333)
VALUES = ("👍", "❤️", "😂", "😮", "😢", "🔥")


class SDKRows:
    """The reactions of a device that has only what the SDK's listener tells.

    It does not tell an added action from a removed one. But each is heard exactly once, and an
    action timetoken never comes back: the first time it was added, the second time removed.
    """

    def __init__(self):
        self.standing, self.seen = set(), {}

    def apply(self, action):
        row = action_row(action)
        self.seen[row] = self.seen.get(row, 0) + 1
        if self.seen[row] == 1:
            self.standing.add(row)
        elif self.seen[row] == 2:
            self.standing.remove(row)
        else:
            raise Violation(f"Heard for the third time: {row}")


class Cross(PubNubTestCase):
    """Two of the three belong to one user, so that they also get into each other's way."""

    async def test_all_end_with_the_same_set(self):
        rng = self.random()
        daemon = self.start_daemon()
        native = await self.device(daemon, "ada")
        sdk = self.client(daemon, "bob")
        web = self.rest(daemon, "ada")
        messages = [str(web.publish(CHANNEL, number)) for number in range(5)]
        await native.subscribe(CHANNEL)
        await asyncio.to_thread(sdk.subscribe, CHANNEL)
        poll = self.poll(daemon, "eve", CHANNEL)
        rows = Rows(CHANNEL)
        done = asyncio.Event()
        polling = asyncio.create_task(self.follow(poll, rows, done))

        seeds = [random.Random(rng.random()) for _ in TURNS]
        await asyncio.gather(
            self.write_natively(native, seeds[0], messages, TURNS[0]),
            asyncio.to_thread(self.write_with_the_sdk, sdk, seeds[1], messages, TURNS[1]),
            asyncio.to_thread(self.write_by_hand, web, seeds[2], messages, TURNS[2]))
        done.set()
        last = await asyncio.to_thread(web.publish, CHANNEL, "the end")
        await native.reach(CHANNEL, last)
        await polling
        await asyncio.to_thread(
            sdk.heard.until, lambda: "the end" in sdk.texts(), "the last message")

        listener = SDKRows()
        for action in sdk.heard.actions:
            listener.apply(action)
        truth = await native.all_actions(CHANNEL)
        self.assertGreater(len(truth), 0)
        over_http = [wire_row(it) for it in web.actions(CHANNEL)[0]]
        self.assertEqual(sorted(over_http), truth)
        self.assertEqual(native.rows[CHANNEL].action_rows(), truth)
        self.assertEqual(rows.action_rows(), truth)
        self.assertEqual(sorted(listener.standing), truth)
        self.assertEqual(sorted(map(action_row, self.read_with_the_sdk(sdk))), truth)

    @staticmethod
    async def follow(poll, rows, done):
        """Polls on until the last message has come."""
        while True:
            envelopes = await asyncio.to_thread(poll.turn)
            rows.apply({"t": {"t": str(poll.cursor)}, "m": envelopes})
            if done.is_set() and any(it["d"] == "the end" for it in envelopes):
                return

    @staticmethod
    async def write_natively(native, rng, messages, turns):
        """Adds or removes; natively neither can fail."""
        for _ in range(turns):
            write = rng.choice((native.add, native.remove))
            try:
                await write(CHANNEL, rng.choice(messages), rng.choice(VALUES))
            except Refused as refusal:
                raise Violation(f"{write.__name__} was refused: {refusal}") from None

    @staticmethod
    def write_with_the_sdk(sdk, rng, messages, turns):
        """Bob is alone with his reactions, and knows what stands: nothing may be refused."""
        own = {}
        for _ in range(turns):
            key = rng.choice(messages), rng.choice(VALUES)
            try:
                if key in own and rng.random() < 0.6:
                    sdk.remove(CHANNEL, key[0], own.pop(key))
                elif key in own:
                    sdk.add(CHANNEL, *key)
                    raise Violation(f"Added twice: {key}")
                else:
                    own[key] = sdk.add(CHANNEL, *key).action_timetoken
            except PubNubException as problem:
                if key not in own or problem.get_status_code() != 409:
                    raise

    @staticmethod
    def write_by_hand(web, rng, messages, turns):
        """Ada's second device: what her first one did meanwhile may be in its way."""
        own = {}
        for _ in range(turns):
            key = rng.choice(messages), rng.choice(VALUES)
            if key in own:
                answer = web.remove(CHANNEL, key[0], own.pop(key))
                allowed = (200, 400)
            else:
                answer = web.add(CHANNEL, *key)
                allowed = (200, 409)
                if answer.status == 200:
                    own[key] = answer.json()["data"]["actionTimetoken"]
            if answer.status not in allowed:
                raise Violation(f"{key}: {answer.status} {json.dumps(answer.json())}")

    @staticmethod
    def read_with_the_sdk(sdk):
        """Page by page; the SDK hides `more`, so the page's oldest leads to the next one."""
        found, options = [], {}
        while page := sdk.actions(CHANNEL, limit="50", **options):
            found += page
            options = {"start": page[0].action_timetoken}
        return found


if __name__ == "__main__":
    unittest.main()
