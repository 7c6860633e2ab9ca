"""Live queries: what pushes make of a list is what the same question finds when it is asked anew."""

import asyncio
import itertools
import random
import socket

from case import DaemonTestCase
from live import LiveList
from raw import RawClient
from test_reload import ReloadTestCase
from waiting import Patience

USERS = ("ada", "bob", "cy", "dee")
VALUES = ("👍", "🎉", "❤️", "e\u0301", "é")


class LiveQueries(DaemonTestCase):
    """Writers beside somebody who watches."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.writers = [await self.device(self.daemon, user) for user in USERS]
        self.ada = self.writers[0]
        self.watcher = await self.device(self.daemon, "eve")

    async def follow(self, **query):
        return await LiveList(self.watcher, channel="room", **query).begin()

    async def comes_to(self, live):
        """Waits until a list is what there is, which nothing else may need to happen for."""
        expected = await live.asked_afresh(self.ada)
        patience = Patience(lambda: self.watcher.frames)
        while live.catch_up().actions != expected:
            patience.check(f"{live.query}: {live.actions} to become {expected}")
            await asyncio.sleep(0.005)
            expected = await live.asked_afresh(self.ada)
        self.assertIsNone(live.ended)

    async def test_all_who_reacted_with_one_value(self):
        message = await self.ada.publish("room", "hi")
        other = await self.ada.publish("room", "ho")
        await self.ada.add("room", message, "👍")
        live = await self.follow(messageTimetoken=message, value="👍")
        self.assertEqual([it["uuid"] for it in live.actions], ["ada"])
        bob = (await self.writers[1].add("room", message, "👍"))["action"]
        # Nothing of these is its business.
        await self.writers[1].add("room", message, "🎉")
        await self.writers[1].add("room", other, "👍")
        await self.writers[1].publish("room", "more")
        removed = (await self.ada.remove("room", message, "👍"))
        self.assertEqual(removed["applied"], "removed")
        await self.watcher.until(
            lambda: len(self.watcher.live_frames[live.number]) == 3, "two frames")
        _, first, second = self.watcher.live_frames[live.number]
        self.assertEqual(first, {"live": live.number, "changes": [{"add": bob}]})
        self.assertEqual([list(it) for it in second["changes"]], [["remove"]])
        self.assertEqual(live.catch_up().actions, [bob])
        self.assertEqual(await live.end(), {"live": live.number})
        # Also of one that is over.
        self.assertEqual(await live.end(), {"live": live.number})
        await self.writers[2].add("room", message, "👍")
        await self.watcher.command("ping")
        self.assertEqual(len(self.watcher.live_frames[live.number]), 3)

    async def test_another_score_takes_another_place(self):
        message = await self.ada.publish("room", "hi")
        for score, writer in enumerate(self.writers, 1):
            await writer.add("room", message, "👍", score=score)
        lists = [await self.follow(messageTimetoken=message, sort=sort, descending=descending)
                 for sort in ("score", "value", "time") for descending in (False, True)]
        self.assertEqual([it["uuid"] for it in lists[1].actions], list(reversed(USERS)))
        await self.ada.add("room", message, "👍", score=1_000_000_000)
        await self.writers[3].add("room", message, "👍", score=2)
        for live in lists:
            await self.comes_to(live)
        self.assertEqual([it["uuid"] for it in lists[1].actions], ["ada", "cy", "dee", "bob"])

    async def test_rows_of_what_is_on_screen_and_summaries_of_the_rest(self):
        messages = [await self.ada.publish("room", n) for n in range(4)]
        await self.watcher.command(
            "subscribe", channels=[{"name": "room", "cursor": "0", "actions": "summary"}])
        on_screen = [await self.follow(messageTimetoken=it, descending=True)
                     for it in messages[:2]]
        for message, writer in itertools.product(messages, self.writers):
            await writer.add("room", message, "👍")
        await self.ada.remove("room", messages[0], "👍")
        for live in on_screen:
            await self.comes_to(live)
        self.assertEqual([len(it.actions) for it in on_screen], [3, 4])

        def counts():
            found = {}
            for frame in self.watcher.pushes:
                for summary in frame.get("g", []):
                    found[summary["m"]] = [it["n"] for it in summary["g"]]
            return found
        await self.watcher.until(
            lambda: counts() == dict(zip(messages, [[3], [4], [4], [4]])), "all summaries")
        # No row came with the channel.
        self.assertFalse([it for frame in self.watcher.pushes for it in frame.get("m", [])
                          if it.get("e") == 3])

    async def test_what_is_deleted_goes(self):
        messages = [await self.ada.publish("room", n) for n in range(4)]
        for message, writer in itertools.product(messages, self.writers):
            await writer.add("room", message, "👍")
        lists = [await self.follow(messageTimetoken=it, sort="score") for it in messages]
        lists.append(await self.follow(descending=True))
        await self.ada.command("deleteMessage", channel="room", messageTimetoken=messages[1])
        # What is said of a message that is gone stands, as without a live query.
        await self.ada.add("room", messages[1], "🎉")
        await self.ada.command("deleteMessages", channel="room", after="0", through=messages[0])
        for live in lists:
            await self.comes_to(live)
        self.assertEqual([len(it.actions) for it in lists], [0, 1, 4, 4, 9])

    async def test_what_a_moderator_removes_goes(self):
        messages = [await self.ada.publish("room", n) for n in range(3)]
        for message, writer, value in itertools.product(messages, self.writers, VALUES[:2]):
            await writer.add("room", message, value)
        lists = [await self.follow(messageTimetoken=it, sort="score") for it in messages]
        lists.append(await self.follow(descending=True))
        lists.append(await self.follow(value=VALUES[0]))
        for wish in ({"messageTimetoken": messages[0]},
                     {"type": "reaction", "value": VALUES[1], "messageTimetoken": messages[1]},
                     {"userId": USERS[0]}):
            await self.ada.command("removeActions", channel="room", **wish)
            await self.ada.add("room", messages[0], "🎉")
            for live in lists:
                await self.comes_to(live)
        count = len(USERS)
        self.assertEqual(
            [len(it.actions) for it in lists],
            [1, count - 1, 2 * (count - 1), 1 + 3 * (count - 1), 2 * (count - 1)])

    async def test_pages_and_what_comes_behind_them(self):
        message = await self.ada.publish("room", "hi")
        for value in VALUES[:3]:
            for writer in self.writers:
                await writer.add("room", message, value)
        for descending in (False, True):
            live = await self.follow(messageTimetoken=message, limit=5, descending=descending)
            self.assertEqual(len(live.actions), 5)
            await live.more()
            self.assertEqual(len(live.actions), 10)
            # Behind the pages of one, at the head of the other.
            await self.ada.add("room", message, f"new{descending}")
            await self.ada.remove("room", message, live.actions[0]["value"])
            await self.comes_to(live)
            self.assertEqual(any(it["value"] == "newTrue" for it in live.actions), descending)
            while live.next is not None:
                await live.more()
            await self.ada.add("room", message, f"last{descending}")
            await self.comes_to(live)
            self.assertIn(f"last{descending}", [it["value"] for it in live.actions])

    async def test_whatever_happens_a_list_is_what_is_found_anew(self):
        """Each sort, direction, filter and window of pages, beside random changes."""
        seed = random.randrange(2**32)
        self._notes.append(f"seed {seed}")
        dice = random.Random(seed)
        messages = [await self.ada.publish("room", n) for n in range(3)]
        for _ in range(60):
            await self.change(dice, messages, deletes=False)
        lists = []
        for sort, descending in itertools.product(("time", "value", "score"), (False, True)):
            for filters in ({}, {"value": "👍"}, {"userId": ["ada", "bob"], "value": list(VALUES)}):
                lists.append((filters | {
                    "messageTimetoken": messages[0], "sort": sort, "descending": descending,
                    "limit": (1, 3, 1000)[(len(lists) + len(lists) // 3) % 3]}))
        for descending in (False, True):
            lists.append({"type": "reaction", "descending": descending, "limit": 7})
        # A session has 20.
        watchers = [await self.device(self.daemon, f"w{n}") for n in range(2)]
        lists = [LiveList(watchers[n % 2], channel="room", **query)
                 for n, query in enumerate(lists)]
        for live in lists:
            # They begin, and have their next pages, while much happens.
            begun = asyncio.ensure_future(live.begin())
            for _ in range(3):
                await self.change(dice, messages, deletes=False)
            await begun
        for turn in range(40):
            crowd = [self.change(dice, messages, writer) for writer in self.writers]
            more = [it for it in lists if it.next is not None and dice.random() < 0.1]
            await asyncio.gather(*crowd, *(it.more() for it in more))
            for live in lists if turn % 8 == 7 else dice.sample(lists, 4):
                await self.comes_to_with(live)
        self.assertTrue(any(it.pages > 2 for it in lists))
        self.assertGreater(sum(it.heard for it in lists), 200)

    async def comes_to_with(self, live):
        self.watcher = live.device
        await self.comes_to(live)

    async def change(self, dice, messages, writer=None, deletes=True):
        """What somebody does; without deletions, lists are long enough to have several pages."""
        writer = writer or dice.choice(self.writers)
        message = dice.choice((messages[0], dice.choice(messages)))
        kind = dice.random()
        value = dice.choice(VALUES)
        if kind < 0.5:
            score = {} if dice.random() < 0.4 else {"score": dice.randrange(1, 6)}
            await writer.add("room", message, value, **score)
        elif kind < 0.97:
            await writer.remove("room", message, value)
        elif kind < 0.985 and deletes:
            await writer.command("deleteMessages", channel="room", after="0", through=message)
        else:
            await writer.publish("room", value)

    async def test_a_session_has_so_many(self):
        lists = [await self.follow() for _ in range(20)]
        async with self.refused(400, "too_many_live_queries"):
            await self.follow()
        self.assertEqual(self.metric("live_queries"), 20)
        await lists[7].end()
        await self.follow()
        await self.watcher.close()
        patience = Patience()
        while self.metric("live_queries") != 0:
            patience.check("its queries to end with the session")
            await asyncio.sleep(0.02)

    async def test_what_cannot_be_asked(self):
        message = await self.ada.publish("room", "hi")
        for writer in self.writers:
            await writer.add("room", message, "👍")
        live = await self.follow(messageTimetoken=message, limit=2)
        asked = {"channel": "room", "messageTimetoken": message, "limit": 2, "after": live.next}
        for wrong, status, code in (
                ({"live": live.number + 1}, 409, "no_live_query"),
                ({"live": live.number, "after": "1"}, 400, "invalid_field"),
                ({"live": live.number, "after": None}, 400, "missing_field"),
                ({"live": live.number, "value": "👍"}, 400, "invalid_field"),
                ({"live": live.number, "descending": True}, 400, "invalid_field"),
                ({"live": "1"}, 400, "invalid_field")):
            async with self.refused(status, code):
                await self.watcher.command("actions", **asked | wrong)
        # None of it has hurt the query.
        await live.more()
        self.assertIsNone(live.next)
        await self.comes_to(live)

    async def test_without_messages_or_people_it_waits(self):
        live = await self.follow(messageTimetoken="17952187953729999", sort="score")
        self.assertEqual(live.actions, [])
        await self.ada.add("room", "17952187953729999", "👍", score=3)
        await self.comes_to(live)
        self.assertEqual(len(live.actions), 1)
        # Presence has no actions, and never will.
        presence = await LiveList(self.watcher, channel="room-pnpres").begin()
        self.assertEqual(presence.actions, [])

    async def test_another_session_knows_nothing_of_it(self):
        await self.follow()
        again = await self.device(self.daemon, "eve", "tablet")
        async with self.refused(409, "no_live_query"):
            await again.command("actions", channel="room", live=1, after="0")
        await again.add("room", "5", "👍")
        self.assertEqual(again.live_frames, {})

    async def test_who_does_not_read_is_told_that_it_is_over(self):
        daemon = self.daemon
        # Long values cost a session as much as many commands.
        writers = [await self.device(daemon, f"w{n}") for n in range(8)]
        reader = await self.device(daemon, "bob")
        fast = await LiveList(reader, channel="room", type="note", descending=True).begin()
        with RawClient(daemon.address, receive_buffer=4096) as slow:
            await asyncio.to_thread(slow.hello, "slow", "slow-phone")
            page = await asyncio.to_thread(
                lambda: slow.command("actions", channel="room", live=True))
            # The kernel takes up to some megabytes before the daemon hears that nothing is read.
            # So much at once has room in any queue: one who reads is not told so, however busy
            # the readers of this process are.
            last = 0
            while last < 4000 and self.metric("live_queries") == 2:
                first, last = last + 1, last + 40
                await asyncio.gather(*(
                    writer.settle_all(
                        [("addAction", {"channel": "room", "messageTimetoken": str(n),
                                        "type": "note", "value": "x" * 4000})
                         for n in range(first + turn, last + 1, len(writers))])
                    for turn, writer in enumerate(writers)))
                await reader.until(
                    lambda: len(fast.catch_up().actions) == last, "the reader who reads")
            # Else its kernel waits longer and longer before it asks again for room.
            slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            frames = []
            while not frames or "ended" not in frames[-1]:
                frames.append(await asyncio.to_thread(slow.message))
            self.assertEqual(frames[-1], {"live": page["live"], "ended": "too_slow"})
            # What came before is whole, and the session goes on.
            told = [it["add"]["messageTimetoken"] for frame in frames[:-1]
                    for it in frame["changes"]]
            self.assertEqual(len(told), len(set(told)))
            self.assertLess(len(told), last)
            again = await asyncio.to_thread(
                lambda: slow.command("actions", channel="room", live=True, limit=1))
            self.assertEqual(again["live"], page["live"] + 1)
        self.assertIsNone(fast.ended)

    def metric(self, name):
        with RawClient(self.daemon.address) as client:
            for line in client.get("/metrics").body.decode().splitlines():
                if line.startswith(f"syncdaemon_{name} "):
                    return int(line.split()[1])
        self.fail(f"no metric {name}")


RULES = """[keyset app]
subscribe_key = sub-app

[namespace one]
channels = one.*
"""


class LiveQueriesAndRules(ReloadTestCase):
    """What a name means may change while a query by that name is open."""

    async def test_a_question_that_means_something_else_now_is_over(self):
        daemon = self.start(RULES)
        ada = await self.device(daemon, "ada", keyset="sub-app")
        love = await LiveList(ada, channel="one.a", value="love").begin()
        other = await LiveList(ada, channel="one.a", value="👍").begin()
        elsewhere = await LiveList(ada, channel="two", value="love").begin()
        await self.reload(daemon, RULES + "reaction_aliases = love=❤️\n")
        await ada.until(lambda: love.catch_up().ended, "the end of it")
        self.assertEqual(love.ended, "rules_changed")
        again = await LiveList(ada, channel="one.a", value="love").begin()
        for channel in ("one.a", "two"):
            await ada.add(channel, "5", "love")
        for live, value in ((again, "❤️"), (elsewhere, "love")):
            await ada.until(lambda live=live: live.catch_up().actions, "a reaction")
            self.assertEqual([it["value"] for it in live.actions], [value])
        self.assertEqual((other.catch_up().actions, other.ended), ([], None))
