"""clients/web in a real browser against the real daemon: what it shows is what the daemon has."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import sqlite3
import unittest

import disk
from browser import Browser, Pages
from case import DaemonTestCase, eventually
from raw import RawClient
from rest import Rest

FACES = [chr(0x1F600 + n) for n in range(64)]


class WebCase(DaemonTestCase):
    """A browser whose contexts are devices, and a device of our own that writes beside them."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.pages = Pages()
        self.addCleanup(self.pages.close)
        self.browser = Browser()
        self.addAsyncCleanup(self.browser.close)
        await self.browser.start()

    def start_lasting_daemon(self, *arguments):
        """A daemon that keeps its port when it is started again."""
        daemon = self.start_daemon(*arguments)
        daemon.listen = f"127.0.0.1:{daemon.port}"
        return daemon

    async def web_device(self, daemon, user, context=None, **options):
        """A tab with a client that follows `room`."""
        page = await self.browser.page(f"{self.pages.origin}/tests/page.html", context)
        await self.start_client(page, daemon, user, **options)
        return page

    async def start_client(self, page, daemon, user, **options):
        settings = {"url": daemon.url, "userId": user, **options}
        await page.run(f"start({json.dumps(settings)})")

    async def web_user(self, daemon, user, **options):
        """A tab of a new device."""
        return await self.web_device(daemon, user, await self.browser.context(), **options)

    async def populate(self, writer, messages=4, faces=10, channel="room"):
        """Messages, each with reactions; returns the messages' timetokens."""
        published = await writer.settle_all(
            [("publish", {"channel": channel, "payload": n}) for n in range(messages)])
        timetokens = [it["timetoken"] for it in published]
        await writer.settle_all([
            ("addAction", {"channel": channel, "messageTimetoken": it, "value": face})
            for it in timetokens for face in FACES[:faces]])
        return timetokens

    async def assert_equal(self, page, writer):
        """Waits until the tab has all, and compares each row with the daemon's."""
        marker = await writer.publish("room", "marker")
        await page.until(f"room.items.some((it) => it.timetoken === '{marker}')", "the marker")
        await page.until("room.isVerified", "a verified state")
        expected = [[str(it) if isinstance(it, int) else it for it in row]
                    for row in await writer.all_actions("room")]
        self.assertEqual(sorted(await page.run("rows()")), sorted(expected))
        messages = [it["timetoken"] for it in await writer.all_messages("room")]
        self.assertEqual([it["timetoken"] for it in await page.run("view()")], messages)
        self.assertEqual(await page.run("problems"), [])

    async def assert_rungs(self, page, repairs, snapshots):
        """How often the client had to repair its cache, and to fetch it anew."""
        found = await page.run("[room.sync.repairs, room.sync.snapshots]")
        if found != [repairs, snapshots]:
            self._notes += (await page.run("traffic.slice(0, 40)"))
        self.assertEqual(found, [repairs, snapshots])


class Devices(WebCase):
    """Two devices, and one that was away."""

    async def test_a_reaction_crosses(self):
        daemon = self.start_daemon()
        ada = await self.web_user(daemon, "ada")
        bob = await self.web_user(daemon, "bob")
        await ada.run("room.publish({ text: 'Noon?' }, { meta: { mood: 1 } })")
        await bob.until("room.items.length === 1")
        (message,) = await bob.run("view()")
        self.assertEqual((message["uuid"], message["payload"]), ("ada", {"text": "Noon?"}))
        await bob.run("room.react(room.items[0].timetoken, '👍')")
        await ada.until("room.items[0].actions.length === 1")
        await ada.run("room.react(room.items[0].timetoken, '❤️')")
        await bob.until("room.items[0].actions.length === 2 && !client.waiting")
        self.assertEqual(await bob.run("view()"), await ada.run("view()"))
        await bob.run("room.react(room.items[0].timetoken, '👍', false)")
        await ada.until("room.items[0].actions.length === 1")
        await ada.until("room.isVerified")
        self.assertEqual((await ada.run("view()"))[0]["actions"][0][1:3], ["❤️", "ada"])
        self.assertNotIn("remove", await ada.run("seen"), "The own message stayed in the list.")

    async def test_what_is_wished_offline_is_applied_once(self):
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        (message,) = await self.populate(writer, messages=1, faces=0)
        ada = await self.web_user(daemon, "ada")
        await ada.until("room.items.length === 1")
        await asyncio.to_thread(daemon.stop)
        await ada.until("client.status === 'waiting' || client.status === 'connecting'")
        await ada.run(f"""(async () => {{
            await room.react('{message}', '👍');
            await room.react('{message}', '🔥');
            await room.react('{message}', '🔥', false);
            await room.publish('one');
            await room.publish('two');
        }})()""")
        # The cache and the wishes outlive the page, with no daemon in sight.
        await ada.reload()
        await self.start_client(ada, daemon, "ada")
        await ada.until("room.items.length === 3")
        self.assertEqual(
            [(it["payload"], it["pending"], [a[1] for a in it["actions"]])
             for it in await ada.run("view()")],
            [(0, False, ["👍"]), ("one", True, []), ("two", True, [])])
        self.assertEqual(await ada.run("client.waiting"), 3, "Opposite wishes canceled.")
        await asyncio.to_thread(daemon.start)
        await ada.until("client.waiting === 0 && room.items.every((it) => !it.pending)")
        await writer.connect()
        history = await writer.all_messages("room", actions=True)
        self.assertEqual([it["payload"] for it in history], [0, "one", "two"])
        self.assertEqual([it["value"] for it in history[0]["actions"]], ["👍"])
        # On a slow machine the daemon is away for long enough to be said so.
        await ada.run("problems = problems.filter((it) => !it.includes('could not be reached'))")
        await self.assert_equal(ada, writer)

    async def test_a_page_that_is_loaded_again_gets_only_what_it_missed(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer, messages=20, faces=20)
        ada = await self.web_user(daemon, "ada")
        await self.assert_equal(ada, writer)
        whole = await ada.run("client.stats.received")
        self.assertGreater(whole, 20_000)
        await ada.run("room.ready.then(() => client.close())")
        await writer.add("room", messages[3], FACES[40])
        await writer.remove("room", messages[4], FACES[4])
        await ada.reload()
        await self.start_client(ada, daemon, "ada")
        await self.assert_equal(ada, writer)
        self.assertLess(await ada.run("client.stats.received"), 3000)
        await self.assert_rungs(ada, 0, 0)

    async def test_tabs_are_one_device(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        (message,) = await self.populate(writer, messages=1, faces=3)
        context = await self.browser.context()
        first = await self.web_device(daemon, "ada", context)
        await self.assert_equal(first, writer)
        second = await self.web_device(daemon, "ada", context)
        await self.assert_equal(second, writer)
        self.assertEqual(await second.run("client.stats.connections"), 0, "One of them connects.")
        self.assertEqual(await first.run("client.deviceId"), await second.run("client.deviceId"))
        # A wish of either shows in both, and reaches the daemon.
        await second.run(f"room.react('{message}', '👍')")
        await first.until("room.items[0].actions.some((it) => it.value === '👍')")
        await self.until_waiting(second, 0)
        await first.run(f"room.react('{message}', '👍', false)")
        await second.until("!room.items[0].actions.some((it) => it.value === '👍')")
        await self.until_waiting(first, 0)
        await writer.add("room", message, FACES[9])
        await second.until(f"room.items[0].actions.some((it) => it.value === '{FACES[9]}')")
        # The one that connects goes, while both write.
        await second.run(f"void Promise.all({json.dumps(FACES[20:30])}.map("
                         f"(face) => room.react('{message}', face)))")
        await first.close()
        await second.until("client.stats.connections > 0", "the other tab to take over")
        await self.until_waiting(second, 0)
        await self.assert_equal(second, writer)
        own = [it for it in await second.run("rows()") if it[3] == "ada"]
        self.assertEqual(sorted(it[2] for it in own), FACES[20:30])

    async def test_a_tab_whose_leader_is_frozen_says_so(self):
        """Found by an attack: it went on saying that it was online and verified."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer)
        context = await self.browser.context()
        first = await self.web_device(daemon, "ada", context)
        await first.until("room.isVerified")
        second = await self.web_device(daemon, "ada", context)
        await second.until("room.isVerified && client.status === 'online'")
        # It has to hear the other one once, to know that it answers.
        await asyncio.sleep(4)
        await self.browser.command("Page.enable", first.session)
        await self.browser.command(
            "Page.setWebLifecycleState", first.session, state="frozen")
        await writer.publish("room", "what nobody brings")
        await second.until("client.status === 'waiting' && !room.isVerified")
        await second.run("room.publish('a wish')")
        await self.browser.command(
            "Page.setWebLifecycleState", first.session, state="active")
        await second.until("room.isVerified && client.status === 'online' && !client.waiting")
        await self.assert_equal(second, writer)

    async def test_a_message_of_either_tab_stays_the_same_item_in_both(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        context = await self.browser.context()
        first = await self.web_device(daemon, "ada", context)
        await first.until("client.status === 'online'")
        second = await self.web_device(daemon, "ada", context)
        await second.until("client.status === 'online'")
        for n in range(10):
            for page in (first, second):
                await page.run("room.publish('again and again')")
        await self.until_waiting(second, 0)
        await self.assert_equal(second, writer)
        await self.assert_equal(first, writer)
        for page in (first, second):
            self.assertNotIn("remove", await page.run("seen"))
            self.assertEqual(await page.run("seen.filter((it) => it === 'insert').length"),
                             await page.run("room.items.length"))

    async def test_a_client_that_is_closed_at_once_leaves_the_cache_to_the_next(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        (message,) = await self.populate(writer, messages=1, faces=3)
        page = await self.browser.page(f"{self.pages.origin}/tests/page.html")
        for _ in range(3):
            await self.start_client(page, daemon, "ada")
            await page.run("void client.close()")
        await self.start_client(page, daemon, "ada")
        await self.assert_equal(page, writer)
        # And what is wished in the moment of the end is stored.
        await page.run(f"""(async () => {{
            const wish = room.react('{message}', '👍');
            await client.close();
            await wish;
        }})()""")
        await self.start_client(page, daemon, "ada")
        await page.until("client.status === 'online' && client.waiting === 0")
        await self.assert_equal(page, writer)
        self.assertIn("👍", [row[2] for row in await page.run("rows()")])

    async def until_waiting(self, page, count):
        await page.until(f"client.waiting === {count}")


class Neighbours(WebCase):
    """What PubNub's SDKs cause, and what pages do to each other."""

    async def test_an_anonymous_publish_costs_nobody_anything(self):
        """curl 'http://H/publish/demo/default/0/poison/0/%22x%22' ended every page for good."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        await page.run("window.poison = client.channel('poison'); poison.ready")
        await asyncio.to_thread(self.curl, daemon, "/publish/demo/default/0/poison/0/%22x%22")
        await page.until("poison.items.length === 1", "the message of nobody")
        self.assertEqual(
            await page.run("poison.items.map(({ uuid, payload }) => [uuid, payload])"),
            [["", "x"]])
        await self.assert_equal(page, writer)
        self.assertEqual(await page.run("client.stats.connections"), 1)
        # Nor when it is caught up with.
        await page.reload()
        await self.start_client(page, daemon, "ada", cache=None)
        await page.run("window.poison = client.channel('poison')")
        await page.until("poison.items.length === 1", "the message of nobody")
        await self.assert_equal(page, writer)
        self.assertEqual(
            await page.run("[client.stats.connections, client.stats.unreadable]"), [1, 0])

    async def test_reactions_that_nobody_signed_are_shown_and_verified(self):
        """A store with two of them froze their channel: the digest never matched."""
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        await writer.subscribe("room")
        (message,) = await self.populate(writer, messages=1, faces=2)
        await writer.close()
        await asyncio.to_thread(daemon.stop)
        disk.unsign_actions(disk.database(daemon), "room", writer.rows["room"].key)
        await asyncio.to_thread(daemon.start)
        await writer.connect()
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        await page.run(f"room.react('{message}', '{FACES[0]}')")
        await page.until("client.waiting === 0 && room.items[0].actions.length === 3")
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 0, 1)
        self.assertEqual(await page.run("[room.items[0].actions.map((it) => it.uuid),"
                                        " client.stats.unreadable]"), [["", "", "ada"], 0])
        # A cache that could not take them, as earlier releases left it, is repaired.
        await page.run("""{ const { cache } = room.sync;
            for (const row of [...cache.rows]) if (row.uuid === '') cache.rows.drop(row); }""")
        await self.assert_equal(page, writer)

    async def test_names_that_an_earlier_release_let_in_cost_no_other_channel(self):
        """With half a character in its name a frame has no reply, and `room` beside it was dead."""
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        self.assertRegex(await page.run(
            "(() => { try { client.channel('team \\ud83d') } catch (it) { return String(it) } })()"),
            "A channel name has no .* half of a surrogate pair")
        await page.run("client.close()")
        # A write in the outbox; and a tab of that release that follows such a channel.
        await page.run("""database('outbox', (outbox) => outbox.put({
            kind: 'publish', channel: 'team \\ud83d', mutation: 'old', payload: 1, sent: true,
            acknowledged: null, observed: null }))""")
        await page.reload()
        await self.start_client(page, daemon, "ada")
        await page.until("client.status === 'online' && client.waiting === 0", "the refusal")
        self.assertEqual(await page.run("problems.splice(0).length"), 1)
        await page.run("""{ window.old = new BroadcastChannel('syncclient:test');
            old.postMessage({ kind: 'follow', names: ['den', 'team \\ud83d'] }); }""")
        await page.run("room.publish('mine')")
        await asyncio.to_thread(daemon.stop)
        await asyncio.to_thread(daemon.start)
        await writer.connect()
        await page.until("client.status === 'online' && client.waiting === 0", "what was mine")
        await self.assert_equal(page, writer)
        self.assertEqual(self.subscriptions(daemon), 2, "The room and the den.")
        self.assertEqual(await page.run("client.waiting"), 0)

    async def test_presence_and_signals_are_events(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        await page.run("""{
            window.events = [];
            client.on('event', ({ channel, event: { e, i, d } }) =>
                events.push([channel, e ?? 0, i ?? null, d.action ?? d]));
            window.presence = client.channel('room-pnpres');
        }""")
        await page.until("presence.sync.phase === 'live'", "the subscription")
        for path in ("/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=bob",
                     "/v2/presence/sub-key/demo/channel/room/leave?uuid=bob",
                     "/signal/demo/demo/0/room/0/%22typing%22?uuid=bob",
                     "/publish/demo/demo/0/room/0/%22gone%22?store=0"):
            await asyncio.to_thread(self.curl, daemon, path)
        await page.until("events.length === 4", "all four")
        self.assertEqual(sorted(await page.run("events"), key=str), sorted([
            ["room-pnpres", 0, None, "join"], ["room-pnpres", 0, None, "leave"],
            ["room", 1, "bob", "typing"], ["room", 0, None, "gone"]], key=str))
        await self.assert_equal(page, writer)
        self.assertEqual(await page.run("client.stats.connections"), 1)

    async def test_two_users_see_each_other_and_that_one_types(self):
        daemon = self.start_daemon()
        ada, bob = [await self.web_user(daemon, user) for user in ("ada", "bob")]
        await ada.run("globalThis.heard = []; client.on('event', (it) => heard.push(it))")
        await ada.run("client.channel('room', { presence: true })")
        await bob.run("client.channel('room', { presence: true })")
        await ada.until("heard.some(({ event }) => event.d.uuid === 'bob')", "Bob's join")
        self.assertEqual(
            await ada.run("room.hereNow()"),
            {"occupancy": 2, "users": [{"userId": "ada"}, {"userId": "bob"}]})
        await bob.run("room.signal({ typing: true })")
        await ada.until("heard.some(({ event }) => event.d.typing && event.e === 1)", "the signal")
        await bob.run("room.leave()")
        await ada.until("heard.some(({ event }) => event.d.action === 'leave')", "Bob's leave")
        channels = await ada.run("heard.map(({ channel }) => channel)")
        self.assertEqual(set(channels), {"room", "room-pnpres"})
        self.assertEqual((await ada.run("room.hereNow({ limit: 0 })"))["occupancy"], 1)

    async def test_a_tab_that_leaves_a_channel_leaves_it_to_the_others(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        context = await self.browser.context()
        first = await self.web_device(daemon, "ada", context)
        await self.assert_equal(first, writer)
        second = await self.web_device(daemon, "ada", context)
        await self.assert_equal(second, writer)
        self.assertEqual(await second.run("client.stats.connections"), 0, "The first connects.")
        await first.run("room.leave()")
        # Longer than the other tabs have to speak up.
        await first.run("new Promise((resolve) => setTimeout(resolve, 2000))")
        await self.assert_equal(second, writer)
        self.assertEqual(self.subscriptions(daemon), 1)
        await second.run("room.leave()")
        await eventually(lambda: self.subscriptions(daemon) == 0, "the channel to be left")
        # And back again, with what was missed.
        missed = await writer.publish("room", "missed")
        await second.run("window.room = client.channel('room')")
        await second.until(f"room.items.some((it) => it.timetoken === '{missed}')", "it again")
        self.assertEqual(self.subscriptions(daemon), 1)

    @staticmethod
    def curl(daemon, target):
        with RawClient(daemon.address) as raw:
            raw.send(raw.request("GET", target))
            answer = raw.answer()
            if answer.status != 200:
                raise AssertionError(f"{target}: {answer}")

    @staticmethod
    def subscriptions(daemon):
        """How many the daemon counts; the writer follows nothing."""
        with RawClient(daemon.address) as raw:
            raw.send(raw.request("GET", "/metrics"))
            text = raw.answer().body.decode()
        return sum(int(it) for it in re.findall(
            r"^syncdaemon_subscriptions(?:\{.*\})? (\d+)$", text, re.MULTILINE))


class Caches(WebCase):
    """What no delta can mend."""

    async def settled_device(self, daemon, writer, user="ada"):
        """A device that has all and is closed, on its page."""
        page = await self.web_user(daemon, user)
        await self.assert_equal(page, writer)
        await page.run("client.close()")
        return page

    async def come_back(self, page, daemon, user="ada"):
        await page.reload()
        await self.start_client(page, daemon, user)

    async def test_removals_that_are_forgotten(self):
        daemon = self.start_daemon("--tombstone-days", "0")
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer)
        page = await self.settled_device(daemon, writer)
        for face in FACES[:5]:
            await writer.remove("room", messages[0], face)
        await writer.add("room", messages[1], FACES[30])
        for n in range(20):  # Each commit forgets a few.
            await writer.publish("den", n)
        await self.come_back(page, daemon)
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 1, 0)

    async def test_a_damaged_database(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer)
        damages = {
            "lost": "rows.delete(keys[3])",
            "altered": "rows.put({ ...all[5], value: '👎' }, keys[5])",
            "invented": "rows.put({ ...all[5], uuid: 'ghost', actionTimetoken: '17' },"
                        " [...keys[5].slice(0, 4), 'ghost'])",
            "garbage": "rows.put('garbage', keys[7])",
        }
        page = await self.settled_device(daemon, writer)
        for name, damage in damages.items():
            with self.subTest(name):
                await page.run(f"""database('rows', (rows) => {{
                    const keys = rows.getAllKeys();
                    keys.onsuccess = () => rows.getAll().onsuccess = ({{ target }}) =>
                        ((keys, all) => {damage})(keys.result, target.result);
                }})""")
                await self.come_back(page, daemon)
                await self.assert_equal(page, writer)
                await self.assert_rungs(page, 1, 0)
                await page.run("client.close()")
        with self.subTest("healed for good"):
            await self.come_back(page, daemon)
            await self.assert_equal(page, writer)
            await self.assert_rungs(page, 0, 0)
            await page.run("client.close()")
        with self.subTest("head"):
            await page.run("database('channels', (heads) => heads.put({ cursor: 7 }, 'room'))")
            await self.come_back(page, daemon)
            await self.assert_equal(page, writer)
            await self.assert_rungs(page, 0, 1)

    async def test_a_database_that_is_deleted_under_the_client(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        (message, *_) = await self.populate(writer)
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        await self.delete_database(page)
        await page.run(f"room.react('{message}', '👍')")
        await page.until("client.waiting === 0")
        await self.assert_equal(page, writer)
        await page.run("client.close()")
        # What was stored since is not all, which is found out and mended.
        await self.come_back(page, daemon)
        await self.assert_equal(page, writer)

    async def delete_database(self, page):
        await page.run("""new Promise((resolve, reject) => {
            const request = indexedDB.deleteDatabase('test');
            request.onsuccess = () => resolve(null);
            request.onerror = () => reject(request.error);
        })""")

    async def two_tabs(self, daemon, writer):
        """Two tabs with all; the client of the second one is closed."""
        context = await self.browser.context()
        first = await self.web_device(daemon, "ada", context)
        await self.assert_equal(first, writer)
        second = await self.web_device(daemon, "ada", context)
        await self.assert_equal(second, writer)
        await second.run("client.close()")
        return context, first, second

    async def assert_verified_with(self, page, count):
        """Waits until a tab says that it is right; then it has all, without anything new."""
        self.assertEqual(await page.run("room.whenVerified().then(() => room.items.length)"), count)
        self.assertEqual(await page.run("client.stats.connections"), 0)

    async def test_a_database_that_is_deleted_under_two_tabs(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=1200, faces=1)
        context, first, second = await self.two_tabs(daemon, writer)
        await self.delete_database(second)
        await self.start_client(second, daemon, "ada")
        await self.assert_verified_with(second, 1202)
        device = await first.run("client.deviceId")
        self.assertEqual(await second.run("client.deviceId"), device)
        await second.run("client.close()")
        await self.delete_database(second)
        # Nothing but this would be in the new one.
        await writer.publish("room", "next")
        await first.until("room.items.length === 1203")
        await self.start_client(second, daemon, "ada")
        await self.assert_verified_with(second, 1203)
        third = await self.web_device(daemon, "ada", context)
        await self.assert_verified_with(third, 1203)
        for page in (first, second, third):
            await self.assert_equal(page, writer)
        await self.assert_rungs(first, 0, 1)
        # The store has all, too: who comes next fetches nothing.
        for page in (second, third, first):
            await page.run("client.close()")
        await self.come_back(second, daemon)
        await self.assert_equal(second, writer)
        await self.assert_rungs(second, 0, 0)
        self.assertEqual(await second.run("client.deviceId"), device)

    async def test_a_database_that_somebody_else_begins_anew(self):
        """Who signed in beside a tab of the user before wrote, and asked, through that one."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer)
        _, first, second = await self.two_tabs(daemon, writer)
        await self.delete_database(second)
        await self.start_client(second, daemon, "eve")
        await first.until("client.status === 'refused'", "the tab of before to leave")
        told = 'CacheOwnerError: The cache "test" belongs to the user eve of the first keyset.'
        self.assertIn(told, (await first.run("problems"))[-1])
        await second.until("client.status === 'online'", "the other user")
        await second.run("room.publish('by eve')")
        await second.until("client.waiting === 0")
        await self.assert_equal(second, writer)
        self.assertEqual(await second.run("client.stats.connections"), 1)
        written = [(it["uuid"], it["payload"]) for it in await writer.all_messages("room")]
        self.assertIn(("eve", "by eve"), written)

    async def test_damage_under_a_following_tab(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer)
        damages = {
            "a lost row": ("rows", "delete(keys[3])"),
            "an altered row": ("rows", "put({ ...all[5], value: '👎' }, keys[5])"),
            "an altered message": ("messages", "put({ ...all[2], payload: 'else' }, keys[2])"),
            "a lost message": ("messages", "delete(keys[1])"),
            "a head that is none": ("channels", "put({ cursor: 7 }, 'room')"),
        }
        _, first, second = await self.two_tabs(daemon, writer)
        for name, (store, damage) in damages.items():
            with self.subTest(name):
                await second.run(f"""database('{store}', (store) => {{
                    const keys = store.getAllKeys();
                    keys.onsuccess = () => store.getAll().onsuccess = ({{ target }}) =>
                        ((keys, all) => store.{damage})(keys.result, target.result);
                }})""")
                await second.reload()
                await self.start_client(second, daemon, "ada")
                await self.assert_verified_with(second, await first.run("room.items.length"))
                self.assertEqual(await second.run("view()"), await first.run("view()"))
                await self.assert_equal(second, writer)
                await second.run("client.close()")
        await self.assert_equal(first, writer)
        self.assertEqual(await first.run("client.stats.connections"), 1)
        await first.run("client.close()")
        await self.come_back(second, daemon)
        await self.assert_equal(second, writer)
        await self.assert_rungs(second, 0, 0)

    async def test_a_cache_is_of_one_user(self):
        """The next user of a shared machine wrote under the name of the one before."""
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        context = await self.browser.context()
        ada = await self.web_device(daemon, "ada", context)
        await self.assert_equal(ada, writer)
        await ada.run("database('meta', (meta) => meta.delete('owner'))")  # As it was before.
        await ada.run("client.close()")
        await self.come_back(ada, daemon)
        await ada.until("room.isVerified", "it again")
        await asyncio.to_thread(daemon.stop)
        await ada.run("room.publish('by ada, offline')")
        await ada.run("client.close()")
        await asyncio.to_thread(daemon.start)
        await writer.connect()
        refused = 'CacheOwnerError: The cache "test" belongs to the user ada of the first keyset.'
        for user, keyset in (("eve", None), ("ada", "den")):
            await ada.reload()
            await self.start_client(ada, daemon, user, keyset=keyset)
            await self.assert_refused(ada, refused)
        await self.come_back(ada, daemon)
        await ada.until("client.waiting === 0 && room.items.every((it) => !it.pending)")
        # Another one beside it, in a tab of its own.
        eve = await self.web_device(daemon, "eve", context)
        await self.assert_refused(eve, refused)
        await ada.run("room.publish('by ada, beside eve')")
        await ada.until("client.waiting === 0")
        await self.assert_equal(ada, writer)
        await self.assert_rungs(ada, 0, 0)
        written = [(it["uuid"], it["payload"]) for it in await writer.all_messages("room")]
        self.assertEqual([it for it in written if it[0] != "zoe"],
                         [("ada", "by ada, offline"), ("ada", "by ada, beside eve")])
        await eve.run("client.close()")
        await self.start_client(eve, daemon, "eve", cache="eve")
        await self.assert_equal(eve, writer)

    async def assert_refused(self, page, told):
        await page.until("client.status === 'refused'", "the refusal")
        for wish in ("publish('by eve')", "react('17952187953729999', '👍')"):
            self.assertIn(told, await page.run(f"room.{wish}.then(() => 'done', String)"))
        self.assertEqual(
            await page.run("[problems.length, client.stats.connections, client.waiting, view()]"),
            [1, 0, 0, []])
        self.assertIn(told, (await page.run("problems"))[0])

    async def test_damage_under_a_live_stream(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer)
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        await page.run("{ const { rows } = room.sync.cache; rows.drop([...rows][4]); }")
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 1, 1)

    async def test_a_new_device_gets_a_snapshot(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=1200, faces=1)
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 0, 1)

    async def test_a_store_that_was_replaced(self):
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer)
        page = await self.settled_device(daemon, writer)
        await asyncio.to_thread(daemon.stop)
        shutil.rmtree(daemon.data_dir)
        daemon.start()
        await writer.connect()
        await self.populate(writer, messages=2, faces=3)
        await self.come_back(page, daemon)
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 0, 1)
        self.assertEqual(len(await page.run("rows()")), 6)

    async def test_a_backup_that_was_put_back(self):
        """What the store lost goes: by a repair where the run is known, else by a snapshot.

        Also for who loaded the channel only after the backup.
        """
        for is_loaded, is_restarted, rungs in (
                (True, False, (1, 0)), (False, False, (1, 0)), (True, True, (0, 1))):
            with self.subTest(is_loaded=is_loaded, is_restarted=is_restarted):
                await self.put_back(is_loaded, is_restarted, rungs)

    async def put_back(self, is_loaded, is_restarted, rungs):
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer)
        page = await self.web_user(daemon, "ada") if is_loaded else None
        if is_loaded:
            await self.assert_equal(page, writer)
        backup = os.path.join(daemon.scratch, "backup.db")
        with contextlib.closing(sqlite3.connect(f"{daemon.data_dir}/syncdaemon.db")) as store:
            store.execute("VACUUM INTO ?", (backup,))
        if is_restarted:
            await asyncio.to_thread(daemon.restart)
            await writer.connect()
        await writer.remove("room", messages[0], FACES[0])
        await writer.add("room", messages[0], FACES[45])
        lost = await writer.publish("room", "lost")
        page = page or await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        await page.run("client.close()")
        await asyncio.to_thread(daemon.stop)
        shutil.rmtree(daemon.data_dir)
        os.mkdir(daemon.data_dir)
        shutil.copy(backup, f"{daemon.data_dir}/syncdaemon.db")
        daemon.start()
        await writer.connect()
        # Let the restored store go beyond what the device has.
        while int(await writer.publish("room", "new")) <= int(lost):
            pass
        await writer.add("room", messages[1], FACES[46])
        await self.come_back(page, daemon)
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, *rungs)

    async def record(self, page):
        """Notes each transaction of the page's cache when it ends, in `ended`."""
        await page.run("""{
            window.ended = [];
            const begin = IDBDatabase.prototype.transaction;
            IDBDatabase.prototype.transaction = function (names, ...options) {
                const transaction = begin.call(this, names, ...options);
                transaction.addEventListener('complete', () => ended.push([names].flat().join()));
                return transaction;
            };
        }""")

    async def tap(self, page, message, face):
        """Taps; returns how many transactions on rows ended before that was stored."""
        return await page.run(f"""(async () => {{
            const before = ended.length;
            await room.react('{message}', '{face}');
            return ended.slice(before).filter((it) => it.includes('rows')).length;
        }})()""")

    async def test_a_tap_does_not_wait_for_a_large_cache(self):
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        first, *_ = await self.populate(writer, messages=160, faces=63)
        page = await self.browser.page(
            f"{self.pages.origin}/tests/page.html", await self.browser.context())
        await self.record(page)
        await self.start_client(page, daemon, "ada")
        # All has come, and most of it is not stored.
        await page.until("[...room.sync.cache.rows].length === 160 * 63")
        self.assertLessEqual(await self.tap(page, first, "🔥"), 2)
        # Who leaves now has the tap all the same.
        await page.reload()
        await self.record(page)
        await self.start_client(page, daemon, "ada")
        await page.until("client.waiting === 0 && room.isVerified")
        await self.assert_equal(page, writer)
        self.assertIn("🔥", [row[2] for row in await page.run("rows()")])
        # A large channel that is stored anew is cut into parts.
        await page.run("room.sync.cache.replaceAll()")
        await writer.publish("room", "more")
        await page.until("room.items.length === 162")
        self.assertLessEqual(await self.tap(page, first, "🙂"), 2)
        await page.run("client.close()")
        self.assertGreater(await page.run("ended.filter((it) => it === 'rows').length"), 20)
        # Also the one in whose place it came is gone.
        stored = await page.run("database('rows', (rows) => rows.count())")
        self.assertEqual(stored, await page.run("[...room.sync.cache.rows].length"))
        await self.come_back(page, daemon)
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 0, 0)

    async def test_a_copy_that_was_not_finished_is_no_base(self):
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=30, faces=40)
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        # The whole channel is stored anew, beside the old one; its head is not.
        await page.run("""{
            const begin = IDBDatabase.prototype.transaction;
            IDBDatabase.prototype.transaction = function (names, ...options) {
                if ([names].flat().join() === 'channels,outbox') throw new Error('The end.');
                return begin.call(this, names, ...options);
            };
        }""")
        await page.run("room.sync.cache.replaceAll()")
        await writer.publish("room", "more")
        await page.until("problems.length === 1", "the copy to end")
        self.assertEqual(await page.run("problems"), ["Error: The end."])
        self.assertEqual(await page.run("database('rows', (rows) => rows.count())"), 2400)
        await page.reload()
        await self.start_client(page, daemon, "ada")
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 0, 0)
        # What was left of it goes with the next one.
        await page.run("room.sync.cache.replaceAll()")
        await self.assert_equal(page, writer)
        await page.run("client.close()")
        self.assertEqual(await page.run("database('rows', (rows) => rows.count())"), 1200)
        await self.come_back(page, daemon)
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 0, 0)

    async def test_ten_thousand_reactions_are_repaired_with_few_bytes(self):
        daemon = self.start_daemon("--tombstone-days", "0")
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer, messages=160, faces=63)
        await self.populate(writer, messages=1, faces=0)
        page = await self.settled_device(daemon, writer)
        whole = await page.run("client.stats.received")
        for n in range(10):
            await writer.remove("room", messages[7 * n], FACES[n])
        for n in range(20):  # Each commit forgets a few.
            await writer.publish("den", n)
        await self.come_back(page, daemon)
        await page.until("room.isVerified", "the repair")
        received = await page.run("client.stats.received")
        await self.assert_rungs(page, 1, 0)
        self.assertEqual(await page.run("rows().length"), 160 * 63 - 10)
        self.assertLess(received, 2048, f"The whole channel is {whole} bytes.")
        self.assertGreater(whole, 1_000_000)
        print(f"10 of 10,080 reactions differ: {received} bytes received, not {whole}.")
        await self.assert_equal(page, writer)


class Manual(WebCase):
    """What clients/web/README.md shows."""

    async def test_the_example_has_two_devices(self):
        daemon = self.start_daemon()
        page = await self.browser.page(
            f"{self.pages.origin}/example.html?daemon={daemon.host}:{daemon.port}")
        await page.run("""{
            const form = document.querySelector('#left form');
            form.elements.text.value = 'Shall we meet at noon?';
            form.requestSubmit();
        }""")
        await page.until("document.querySelector('#right li')")
        await page.run("document.querySelector('#right li button').click()")
        await page.until("document.querySelector('#left li button').textContent.includes('1')")
        text = await page.run("document.querySelector('#left li').textContent")
        self.assertIn("Shall we meet at noon?", text)
        await page.run("document.querySelector('#right li button').click()")
        await page.until("!document.querySelector('#left li button').textContent.includes('1')")
        # What the other examples write shows as a text, not as JSON.
        with Rest(daemon, "ada", ("demo", "demo")) as sdk:
            await asyncio.to_thread(sdk.publish, "room", "Shall we meet at one?")
        await page.until("document.querySelectorAll('#right li').length === 2")
        text = await page.run("document.querySelector('#right li:last-child').textContent")
        self.assertTrue(text.startswith("ada: Shall we meet at one? "), text)


if __name__ == "__main__":
    unittest.main()
