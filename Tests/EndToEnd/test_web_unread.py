"""What clients/web shows as unread, in a real browser against the real daemon."""

import asyncio

from test_web_client import WebCase

COUNT = "room.unread && [room.unread.count, room.unread.atLeast, room.unread.through]"


class UnreadCase(WebCase):
    """Devices that count what others said behind the read mark of their user."""

    async def counting(self, daemon, user, context=None, cache="test", **channel):
        page = await self.web_device(
            daemon, user, context or await self.browser.context(), cache=cache,
            channel={"unread": True, **channel})
        await page.until("room.isVerified && room.unread", "what is unread")
        return page

    async def again(self, page, daemon, user, **channel):
        """The page is loaded anew."""
        await page.reload()
        await self.start_client(page, daemon, user, channel={"unread": True, **channel})

    async def messages(self, writer, count):
        published = await writer.settle_all(
            [("publish", {"channel": "room", "payload": n}) for n in range(count)])
        return [it["timetoken"] for it in published]

    async def mark(self, page):
        """Where the daemon has the mark of a tab's user, and what it counts."""
        return await page.run(
            "client.unread(['room']).then(([it]) => [it.through, it.count])")

    async def until_marked(self, page, expected):
        """The daemon was told: each look is a question to it."""
        found = None
        for _ in range(1000):
            found = await self.mark(page)
            if found == expected:
                return
        self.fail(f"{found}, not {expected}")

    async def assert_unread(self, page, count, at_least, through):
        await page.until(
            f"JSON.stringify({COUNT}) === JSON.stringify({_json([count, at_least, through])})",
            f"{count} unread messages")
        self.assertEqual(await page.run("problems"), [])

    def begin(self):
        self.daemon = self.start_lasting_daemon()
        return self.daemon


def _json(value):
    words = {None: "null", True: "true", False: "false"}
    return "[" + ", ".join(
        words[it] if it is None or isinstance(it, bool) else repr(it) for it in value) + "]"


class Unread(UnreadCase):
    """Devices, tabs, and a network that goes."""

    async def test_two_devices_of_one_user(self):
        daemon = self.begin()
        writer = await self.device(daemon, "zoe")
        messages = await self.messages(writer, 5)
        first = await self.counting(daemon, "ada")
        second = await self.counting(daemon, "ada")
        bob = await self.counting(daemon, "bob")
        for page in (first, second, bob):
            await self.assert_unread(page, 5, False, None)
        await first.run(f"room.markRead('{messages[2]}')")
        for page in (first, second):
            await self.assert_unread(page, 2, False, messages[2])
        await second.run("room.publish('mine')")
        await second.until("client.waiting === 0", "the daemon to have it")
        (last,) = await self.messages(writer, 1)
        await first.until(f"room.items.at(-1)?.timetoken === '{last}'", "the last message")
        await self.assert_unread(first, 3, False, messages[2])
        self.assertEqual(await self.mark(second), [messages[2], 3], "As the daemon counts.")
        await writer.command(
            "deleteMessages", channel="room", after=messages[3], through=messages[4])
        await self.assert_unread(first, 2, False, messages[2])
        await first.run("room.markRead()")
        for page in (first, second):
            await self.assert_unread(page, 0, False, last)
        await self.assert_unread(bob, 6, False, None)

    async def test_what_is_read_offline_outlives_the_page_and_is_sent(self):
        daemon = self.begin()
        writer = await self.device(daemon, "zoe")
        messages = await self.messages(writer, 4)
        away = await self.counting(daemon, "ada")
        await asyncio.to_thread(daemon.stop)
        await away.until("client.status !== 'online'")
        # The page goes in the turn in which the wish is stored.
        await away.run(f"void room.markRead('{messages[2]}').then(() => location.reload())")
        await away.until("window.isReady && !window.room", "the page anew")
        await self.start_client(away, daemon, "ada", channel={"unread": True})
        await self.assert_unread(away, 1, False, messages[2])
        await asyncio.to_thread(daemon.start)
        await away.until("client.status === 'online' && room.isVerified")
        await self.until_marked(away, [messages[2], 1])
        marks = await away.run("commands.filter(({ op }) => op === 'markRead')"
                               ".map(({ through }) => through)")
        self.assertEqual(marks, [messages[2]])
        # Who was away does not undo it.
        other = await self.counting(daemon, "ada")
        await other.run(f"room.markRead('{messages[0]}')")
        await self.assert_unread(other, 1, False, messages[2])

    async def test_tabs_share_a_mark(self):
        daemon = self.begin()
        writer = await self.device(daemon, "zoe")
        messages = await self.messages(writer, 3)
        context = await self.browser.context()
        first = await self.counting(daemon, "ada", context)
        second = await self.counting(daemon, "ada", context)
        self.assertEqual(await second.run("client.stats.connections"), 0, "One of them connects.")
        await second.run(f"room.markRead('{messages[0]}')")
        for page in (first, second):
            await self.assert_unread(page, 2, False, messages[0])
        await self.until_marked(second, [messages[0], 2])
        found = await second.run("client.unread(['room', 'den'])")
        self.assertEqual([[it["name"], it["count"], it["more"]] for it in found],
                         [["room", 2, False], ["den", 0, False]])
        # The one that connects goes.
        await first.close()
        await second.until("client.stats.connections > 0 && client.status === 'online'",
                           "the other tab to take over")
        await second.run("room.markRead()")
        await self.until_marked(second, [messages[2], 0])
        await self.assert_unread(second, 0, False, messages[2])

    async def test_a_window_that_does_not_reach_back(self):
        daemon = self.begin()
        writer = await self.device(daemon, "zoe")
        messages = await self.messages(writer, 600)
        ada = await self.device(daemon, "ada")
        # Not `unread`: nobody tells it of marks.
        await ada.command("markRead", channel="room", through=messages[9])
        page = await self.counting(daemon, "ada", window={"last": 10, "keeping": 1000})
        # Where segments begin is by chance: rarely as far apart as this.
        held = await page.run("room.items.length")
        self.assertLess(held, 590)
        await self.assert_unread(page, held, True, messages[9])
        self.assertEqual(await self.mark(page), [messages[9], 590])
        self.assertEqual(await page.run("room.older(600)"), "beginning")
        await self.assert_unread(page, 590, False, messages[9])
        await page.run("room.whenVerified()")
        # From the cache alone it is the same.
        await asyncio.to_thread(daemon.stop)
        await self.again(page, daemon, "ada", window={"last": 10, "keeping": 1000})
        await self.assert_unread(page, 590, False, messages[9])

    async def test_who_does_not_ask_pays_nothing(self):
        daemon = self.begin()
        writer = await self.device(daemon, "zoe")
        await self.messages(writer, 3)
        page = await self.web_user(daemon, "ada")
        await page.until("room.isVerified")
        other = await self.counting(daemon, "ada")
        await other.run("room.markRead()")
        await self.assert_equal(page, writer)
        self.assertEqual(await page.run("room.unread"), None)
        self.assertEqual(await page.run("traffic.filter((it) => /unread|markRead|\"read\"/.test(it))"),
                         [])
        self.assertEqual(await page.run("database('meta', (it) => it.count())"), 2,
                         "The owner, and the device's id.")

    async def test_an_empty_channel_has_nothing_unread(self):
        daemon = self.begin()
        page = await self.counting(daemon, "ada")
        await self.assert_unread(page, 0, False, None)
        await page.run("room.markRead()")
        windowed = await self.counting(daemon, "ada", window={"last": 5})
        await self.assert_unread(windowed, 0, False, None)

    async def test_the_example_counts_and_reads(self):
        daemon = self.begin()
        writer = await self.device(daemon, "zoe")
        messages = await self.messages(writer, 200)
        page = await self.browser.page(
            f"{self.pages.origin}/example.html?daemon=127.0.0.1:{daemon.port}")
        title = "document.querySelector('#left h2').textContent"
        # Who sees the newest message has read it.
        await page.until(f"{title} === 'ada'")
        for user in ("ada", "bob"):
            asking = await self.web_user(daemon, user)
            await asking.until("client.status === 'online'")
            await self.until_marked(asking, [messages[-1], 0])
        await page.run("document.querySelector('#left ol').scrollTop = 60")
        await page.until("document.querySelector('#left ol').scrollTop < 200")
        await self.messages(writer, 3)
        await page.until(f"{title} === 'ada (3)'", "three unread messages")
        await page.run("void (document.querySelector('#left ol').scrollTop = 1e6)")
        await page.until(f"{title} === 'ada'", "none")
