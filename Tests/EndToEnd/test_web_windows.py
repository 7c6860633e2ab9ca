"""Windows of clients/web in a real browser against the real daemon: the newest part, proven right."""

import asyncio
import signal

from test_web_client import FACES, WebCase


class WindowCase(WebCase):
    """Devices that hold the newest messages of `room`."""

    async def window(self, daemon, user, context=None, last=10, keeping=1000):
        page = await self.web_device(
            daemon, user, context or await self.browser.context(),
            channel={"window": {"last": last, "keeping": keeping}})
        # From then on it is stored, too.
        await page.run("room.whenVerified()")
        return page

    async def again(self, page, daemon, user, last=10, keeping=1000):
        """The page is loaded anew."""
        await page.reload()
        await self.start_client(
            page, daemon, user, channel={"window": {"last": last, "keeping": keeping}})

    async def assert_window(self, page, writer):
        """Each message and row of the window is the daemon's, and nothing of it is missing."""
        marker = await writer.publish("room", "marker")
        await page.until(f"room.items.some((it) => it.timetoken === '{marker}')", "the marker")
        await page.until("room.isVerified", "a verified state")
        # At one moment: a window that lost messages is filled by a page whenever that comes.
        after, rows, shown = await page.run("[room.sync.cache.rest.after, rows(), view()]")
        after = int(after)
        expected = [[str(it) if isinstance(it, int) else it for it in row]
                    for row in await writer.all_actions("room") if int(row[0]) > after]
        self.assertEqual(sorted(rows), sorted(expected))
        messages = [it["timetoken"] for it in await writer.all_messages("room")
                    if int(it["timetoken"]) > after]
        self.assertEqual([it["timetoken"] for it in shown], messages)
        self.assertEqual(await page.run("problems"), [])
        return after

    async def assert_never_doubted(self, page):
        self.assertEqual(await page.run("room.sync.failures"), 0)
        opened = [it for it in await page.run("asked()")
                  if it["op"] == "older" and "through" not in it]
        self.assertEqual(len(opened), 1, "It began once.")


class Windows(WindowCase):
    """What a page shows, keeps and asks."""

    async def test_a_hot_message_in_the_window_and_one_before_it(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        # A segment is seldom eight times as long as on average.
        messages = await self.populate(writer, messages=400, faces=2)
        page = await self.window(daemon, "ada")
        self.assertLess(await page.run("room.items.length"), 350)
        self.assertEqual(await page.run("room.items.every((it) => it.actions.length === 2)"), True)
        after = int(await page.run("room.sync.cache.rest.after"))
        self.assertGreater(after, int(messages[0]))
        # The rest changes as often as the window does, and so does what a page back meets.
        for hot in (messages[0], messages[-1]):
            await writer.settle_all([
                ("addAction", {"channel": "room", "messageTimetoken": hot, "value": face})
                for face in FACES[2:52]])
        # Where the segment of the twentieth begins is by chance, too.
        answer, first = await page.run(
            "room.older(20).then((it) => [it, room.items[0].timetoken])")
        self.assertEqual(answer, "beginning" if first == messages[0] else "more")
        await writer.settle_all([
            ("removeAction", {"channel": "room", "messageTimetoken": hot, "value": face})
            for face in FACES[2:20] for hot in (messages[0], messages[-1])])
        await self.assert_window(page, writer)
        await page.run("room.verify()")
        await self.assert_never_doubted(page)

    async def test_more_is_said_of_few_messages_than_a_page_holds(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        messages = [await writer.publish("room", n) for n in range(4)]
        await writer.settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": message, "value": f"v{n}"})
            for n in range(2000) for message in messages])
        page = await self.window(daemon, "ada", last=4)
        await page.until("room.items.length === 4", "all messages")
        await self.assert_window(page, writer)
        await self.assert_never_doubted(page)

    async def test_a_long_scroll_holds_no_more_than_it_keeps(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer, messages=600, faces=1)
        page = await self.window(daemon, "ada", last=10, keeping=300)
        answers = []
        while not answers or answers[-1] == "more":
            answers.append(await page.run("room.older(40)"))
        self.assertEqual(answers[-1], "full")
        held = await page.run("room.items.length")
        self.assertGreaterEqual(held, 300)
        shown = [it["timetoken"] for it in await page.run("view()")]
        self.assertEqual(shown, messages[-held:], "In order, without a gap.")
        # What is before them can be looked at, and is not kept.
        looked = await page.run(
            f"room.page({{ before: '{shown[0]}', count: 100 }}).then((it) =>"
            " [it.items.map(({ timetoken }) => timetoken), it.items[0].actions.length,"
            " it.hasOlder, it.hasNewer])")
        self.assertEqual(looked, [messages[-held - 100:-held], 1, True, True])
        jumped = await page.run(f"room.jump('{messages[5]}', {{ around: 10 }}).then((it) =>"
                                " [it.items.map(({ payload }) => payload), it.hasOlder])")
        self.assertEqual(jumped, [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], True])
        self.assertEqual(await page.run("room.items.length"), held)
        # News push the oldest out, of the memory and of the database.
        await writer.settle_all([("publish", {"channel": "room", "payload": n})
                                 for n in range(200)])
        await self.assert_window(page, writer)
        self.assertLessEqual(await page.run("room.items.length"), 300 + 300 // 8 + 1)
        await page.run("client.close()")
        kept = await page.run("database('messages', (it) => it.count())")
        self.assertLessEqual(kept, 300 + 300 // 8 + 1)
        await self.assert_never_doubted(page)

    async def test_a_page_that_is_loaded_anew_asks_for_an_empty_catch_up_alone(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=200, faces=3)
        # Its page is of a commit that no push about the channel follows.
        await writer.publish("elsewhere", 1)
        page = await self.window(daemon, "ada")
        before = await page.run("[view(), room.sync.cache.rest.after]")
        # Right after the word: nothing is waited for.
        await self.again(page, daemon, "ada")
        # The newest 50 come first.
        await page.until(f"room.items.length >= {len(before[0])}", "what was stored")
        self.assertEqual(await page.run("[view(), room.sync.cache.rest.after]"), before)
        await page.until("room.isVerified", "a verified window")
        asked = await page.run("asked()")
        self.assertEqual([it["op"] for it in asked], ["subscribe"])
        self.assertIn("digest", asked[0]["channels"][0])
        self.assertEqual(asked[0]["channels"][0]["window"], {"after": before[1]})
        self.assertLess(await page.run("client.stats.received"), 1500)
        await self.assert_window(page, writer)

    async def test_a_page_that_goes_in_the_turn_of_the_word_has_all(self):
        """What is verified is stored: whole channels, too, which come in many pushes."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer, messages=1500, faces=1)
        for channel in ({}, {"window": {"last": 500, "keeping": 1000}}):
            page = await self.web_user(daemon, "ada", channel=channel)
            await page.run("void room.whenVerified().then(() => location.reload())")
            await page.until("window.isReady && !window.room", "the page anew")
            await self.start_client(page, daemon, "ada", channel=channel)
            await page.until("room.isVerified", "a verified state")
            asked = await page.run("asked()")
            self.assertEqual([it["op"] for it in asked], ["subscribe"])
            self.assertGreaterEqual(int(asked[0]["channels"][0]["cursor"]), int(messages[-1]))
            self.assertLess(await page.run("client.stats.received"), 1500)

    async def test_who_was_away_catches_up_with_the_window_alone(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer, messages=600, faces=1)
        page = await self.window(daemon, "ada")
        # It begins with a segment, wherever that does.
        after = int(await page.run("room.sync.cache.rest.after"))
        outside = [it for it in messages if int(it) <= after]
        self.assertGreater(len(outside), 100)
        await page.run("client.close()")
        await writer.settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": it, "value": face})
            for it in outside for face in FACES[10:20]])
        await writer.settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": messages[-1], "value": face})
            for face in FACES[10:20]])
        await self.again(page, daemon, "ada")
        await page.until("room.isVerified", "a verified window")
        self.assertLess(await page.run("client.stats.received"), 20_000)
        await self.assert_window(page, writer)
        self.assertEqual(await page.run("room.sync.failures"), 0)

    async def test_deletions_and_clearings_across_the_boundary(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        messages = await self.populate(writer, messages=200, faces=3)
        page = await self.window(daemon, "ada")
        held = await page.run("room.items.length")
        edge = len(messages) - held
        await writer.settle_all([
            ("deleteMessages", {"channel": "room", "after": messages[edge - 5],
                                "through": messages[edge + 3]}),
            ("removeActions", {"channel": "room", "value": FACES[1]}),
            ("removeActions", {"channel": "room", "messageTimetoken": messages[0]})])
        await self.assert_window(page, writer)
        # Where a segment is long its page has the beginning.
        self.assertIn(await page.run("room.older(30)"), ("more", "beginning"))
        await self.assert_window(page, writer)
        await page.run("room.verify()")
        await self.assert_never_doubted(page)


class Trouble(WindowCase):
    """Networks that fail, tabs that go, and what a browser damages."""

    async def test_tabs_share_a_window(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        # Segments of 32 on average begin by chance: two pages are far from the beginning.
        await self.populate(writer, messages=1000, faces=1)
        context = await self.browser.context()
        first = await self.window(daemon, "ada", context)
        second = await self.window(daemon, "ada", context)
        self.assertEqual(await second.run("client.stats.connections"), 0, "One of them connects.")
        before = await second.run("room.items.length")
        self.assertEqual(await second.run("room.older(30)"), "more")
        self.assertGreaterEqual(await second.run("room.items.length"), before + 30)
        self.assertEqual(await second.run("view()"), await first.run("view()"))
        self.assertEqual(await second.run("room.hasOlder"), True)
        await second.run("room.verify()")
        # The one that connects goes, with the other one's wish.
        await second.run("void (window.older = room.older(30))")
        await first.close()
        await second.until("client.stats.connections > 0", "the other tab to take over")
        self.assertEqual(await second.run("older"), "more")
        await self.assert_window(second, writer)
        await self.assert_no_new_beginning(second)

    async def assert_no_new_beginning(self, page):
        self.assertEqual([it for it in await page.run("asked()")
                          if it["op"] == "older" and "through" not in it], [])

    async def test_the_connection_ends_amid_a_page(self):
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=1000, faces=2)
        page = await self.window(daemon, "ada")
        held = await page.run("room.items.length")
        # The question is on its way, and nobody will answer it.
        daemon.process.send_signal(signal.SIGSTOP)
        await page.run("void (window.older = room.older(50))")
        await page.until("asked().at(-1).op === 'older' && 'through' in asked().at(-1)")
        await asyncio.to_thread(daemon.kill)
        await page.until("client.status !== 'online'")
        await page.run("void (window.more = room.older(50))")
        # Offline the page shows what it has, and so does the next one.
        self.assertGreaterEqual(await page.run("room.items.length"), held)
        await asyncio.to_thread(daemon.start)
        await writer.connect()
        self.assertEqual(await page.run("Promise.all([older, more])"), ["more", "more"])
        self.assertGreaterEqual(await page.run("room.items.length"), held + 50)
        await self.assert_window(page, writer)
        self.assertEqual(await page.run("room.sync.failures"), 0)

    async def test_offline_a_window_shows_what_it_has(self):
        daemon = self.start_lasting_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=100, faces=2)
        page = await self.window(daemon, "ada")
        shown = await page.run("view()")
        await asyncio.to_thread(daemon.stop)
        await self.again(page, daemon, "ada")
        # The newest is painted first.
        await page.until(f"room.items.length === {len(shown)}", "all that was stored")
        self.assertEqual(await page.run("view()"), shown)
        self.assertEqual(await page.run("room.isVerified"), False)
        await asyncio.to_thread(daemon.start)
        await writer.connect()
        await self.assert_window(page, writer)

    async def test_a_damaged_text_is_fetched_anew(self):
        """The digest does not cover it: the message's checksum does."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=100, faces=1)
        for window in (True, False):
            channel = {"window": {"last": 10, "keeping": 50}} if window else {}
            page = await self.web_user(daemon, "ada", channel=channel)
            await page.until("room.isVerified", "a verified state")
            right = await page.run("view()")
            await page.run("client.close()")
            await page.run("""database('messages', (it) => {
                it.openCursor(null, 'prev').onsuccess = ({ target: { result } }) =>
                    result.update({ ...result.value, payload: 'damaged' });
            })""")
            await page.reload()
            await self.start_client(page, daemon, "ada", channel=channel)
            await page.until("room.isVerified", "a verified state")
            self.assertEqual(await page.run("view()"), right)

    async def test_a_database_of_the_release_before(self):
        """It has no checksums: what it has is taken for what it is."""
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=30, faces=2)
        page = await self.web_user(daemon, "ada")
        await self.assert_equal(page, writer)
        await page.run("client.close()")
        self.assertEqual(await page.run(DOWNGRADE), 1)
        await page.reload()
        await self.start_client(page, daemon, "ada")
        await self.assert_equal(page, writer)
        await self.assert_rungs(page, 0, 0)
        self.assertLess(await page.run("client.stats.received"), 1500)
        # And a window is made of all of it, without asking for a page.
        await page.run("client.close()")
        await self.again(page, daemon, "ada", last=5, keeping=10)
        await page.until("room.isVerified && room.items.length === 10", "a window")
        await self.assert_window(page, writer)
        self.assertEqual([it["op"] for it in await page.run("asked()")], ["subscribe"])
        self.assertEqual(await page.run("room.items.length"), 11, "Ten, and the marker.")

    async def test_the_example_loads_older_messages(self):
        daemon = self.start_daemon()
        writer = await self.device(daemon, "zoe")
        await self.populate(writer, messages=1000, faces=0)
        page = await self.browser.page(
            f"{self.pages.origin}/example.html?daemon=127.0.0.1:{daemon.port}")
        lines = "document.querySelector('#left ol').children.length"
        await page.until(f"{lines} >= 30", "the newest messages")
        shown = await page.run(lines)
        self.assertLess(shown, 900)
        await page.run("document.querySelector('#left ol').scrollTop = 0")
        await page.until(f"{lines} > {shown}", "older messages, for who scrolls up")
        shown = await page.run(lines)
        await page.run("document.querySelector('#left button').click()")
        await page.until(f"{lines} > {shown}", "older messages, for who asks")
        texts = await page.run("[...document.querySelector('#left ol').children]"
                               ".map((it) => it.textContent.split(' ')[1])")
        self.assertEqual(texts, [str(n) for n in range(1000 - len(texts), 1000)])


#: Makes a database of the first layout of what there is; resolves with the layout.
DOWNGRADE = """(async () => {
  const answer = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const stores = ['meta', 'channels', 'rows', 'messages'];
  const database = await answer(indexedDB.open('test'));
  const kept = {};
  for (const name of stores) {
    const store = database.transaction(name).objectStore(name);
    const [keys, values] = [await answer(store.getAllKeys()), await answer(store.getAll())];
    kept[name] = keys.map((key, i) => [key, values[i]]);
  }
  database.close();
  await answer(indexedDB.deleteDatabase('test'));
  const opening = indexedDB.open('test', 1);
  opening.onupgradeneeded = () => {
    for (const name of stores) opening.result.createObjectStore(name);
    opening.result.createObjectStore('outbox', { keyPath: 'order', autoIncrement: true });
  };
  const old = await answer(opening);
  const transaction = old.transaction(stores, 'readwrite');
  for (const name of stores) {
    for (const [key, { ...value }] of kept[name]) {
      delete value.checksum;
      const whole = name === 'meta' ? kept.meta.find(([it]) => it === key)[1] : value;
      transaction.objectStore(name).put(whole, key);
    }
  }
  await new Promise((resolve) => transaction.oncomplete = resolve);
  const { version } = old;
  old.close();
  return version;
})()"""
