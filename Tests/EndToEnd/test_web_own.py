"""Messages of one's own and threads in clients/web, beside a device that is not ours."""

import asyncio
import json
import unittest

from test_web_client import WebCase

SHOWN = """room.items.map((it) =>
    [it.payload, it.versions, it.isEdited, it.isDeleted, it.threadCount, it.pending])"""


class OwnMessages(WebCase):
    """Ada has a page, bob another one, and ada a phone, too."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_lasting_daemon()
        self.phone = await self.device(self.daemon, "ada", "phone")
        self.message = str(await self.phone.publish("room", {"text": "hi"}))
        self.ada = await self.web_user(self.daemon, "ada")
        self.bob = await self.web_user(self.daemon, "bob")
        for page in (self.ada, self.bob):
            await page.until("room.items.length === 1 && room.isVerified")

    async def shows(self, page, *expected):
        """Waits until a page shows this and nothing else."""
        text = json.dumps(json.dumps(expected, separators=(",", ":")))
        await page.until(f"JSON.stringify({SHOWN}) === {text}", f"{expected}")

    async def test_edited_on_either_side_and_deleted(self):
        await self.ada.run(f"room.edit('{self.message}', {{ text: 'hello' }})")
        for page in (self.ada, self.bob):
            await self.shows(page, [{"text": "hello"}, 1, True, False, 0, False])
        await self.ada.until("client.waiting === 0")
        (row,) = await self.phone.all_messages("room")
        self.assertEqual((row["payload"], row["edited"]["payload"]),
                         ({"text": "hi"}, {"text": "hello"}))
        # The phone says what was said before, and what chat SDKs say.
        for payload in ("once more", {"text": "hello"}):
            await self.phone.command(
                "editMessage", channel="room", messageTimetoken=self.message, payload=payload)
        await self.phone.command(
            "addAction", channel="room", messageTimetoken=self.message, type="deleted", value=".")
        for page in (self.ada, self.bob):
            await self.shows(page, [{"text": "hello"}, 2, True, True, 0, False])
            await self.assert_verified(page)
        # Bob may not, and is told at the call.
        for call in (f"edit('{self.message}', 1)", f"delete('{self.message}')"):
            code = await self.bob.run(f"room.{call}.then(() => null, (error) => error.code)")
            self.assertEqual(code, "not_owner")
        await self.ada.run(f"room.delete('{self.message}')")
        for page in (self.ada, self.bob):
            await self.shows(page)
        await self.ada.until("client.waiting === 0")
        self.assertEqual(await self.phone.all_messages("room"), [])
        self.assertEqual(await self.phone.all_actions("room"), [])
        for page in (self.ada, self.bob):
            await self.assert_equal(page, self.phone)

    async def assert_verified(self, page):
        await page.until("room.isVerified", "a verified state")
        self.assertEqual(await page.run("problems"), [])

    async def test_offline_over_a_reload(self):
        second = str(await self.phone.publish("room", "second"))
        await self.ada.until("room.items.length === 2")
        await asyncio.to_thread(self.daemon.stop)
        await self.ada.run(f"room.edit('{self.message}', 'edited on a train')")
        await self.ada.run(f"room.delete('{second}')")
        await self.ada.reload()
        await self.start_client(self.ada, self.daemon, "ada")
        await self.shows(self.ada, ["edited on a train", 1, True, False, 0, False])
        self.assertEqual(await self.ada.run("client.waiting"), 2)
        await asyncio.to_thread(self.daemon.start)
        await self.ada.until("client.waiting === 0")
        await self.shows(self.bob, ["edited on a train", 1, True, False, 0, False])
        await self.phone.connect()
        (row,) = await self.phone.all_messages("room")
        self.assertEqual(row["edited"]["payload"], "edited on a train")
        # And it is the cache's, from now on.
        await asyncio.to_thread(self.daemon.stop)
        await self.bob.reload()
        await self.start_client(self.bob, self.daemon, "bob")
        await self.shows(self.bob, ["edited on a train", 1, True, False, 0, False])

    async def test_what_the_daemon_refuses_comes_back(self):
        # The page does not know yet that the message has gone.
        await self.ada.run("""{
            const taken = WebSocket.prototype.send;
            window.held = [];
            WebSocket.prototype.send = function (text) {
                if (text.includes('editMessage')) held.push(() => taken.call(this, text));
                else taken.call(this, text);
            };
        }""")
        await self.ada.run(f"room.edit('{self.message}', 'too late')")
        await self.shows(self.ada, ["too late", 1, True, False, 0, False])
        await self.ada.until("held.length === 1")
        await self.phone.command("deleteMessage", channel="room", messageTimetoken=self.message)
        await self.ada.run("held[0]()")
        await self.shows(self.ada)
        await self.ada.until("client.waiting === 0 && problems.length === 1")
        self.assertIn("message", (await self.ada.run("problems"))[0])
        self.assertEqual(await self.phone.all_actions("room"), [], "It is an action of nothing.")

    async def test_a_thread(self):
        await self.bob.run(f"room.publish('me, too', {{ parent: '{self.message}' }})")
        reply = await self.phone.publish("room", "and I", parent=self.message)
        first = [{"text": "hi"}, 0, False, False, 2, False]
        replies = [[it, 0, False, False, 0, False] for it in ("me, too", "and I")]
        for page in (self.ada, self.bob):
            await page.until("room.items.length === 3 && room.items.every((it) => !it.pending)")
            shown = await page.run(SHOWN)
            self.assertEqual(shown[0], first)
            self.assertCountEqual(shown[1:], replies)
            self.assertEqual(await page.run("room.items.map((it) => it.parent ?? null)"),
                             [None, self.message, self.message])
        rows = await self.phone.all_messages("room")
        self.assertEqual(rows[0]["threadCount"], 2)
        await self.ada.run(f"room.delete('{reply}')")
        for page in (self.ada, self.bob):
            await page.until("room.items.length === 2 && room.items[0].threadCount === 1")
        # A page that was away reads the thread from its cache, and what it missed.
        await self.ada.run("client.close()")
        await self.phone.publish("room", "later", parent=self.message)
        await self.ada.reload()
        await self.start_client(self.ada, self.daemon, "ada")
        await self.ada.until("room.items.length === 3 && room.items[0].threadCount === 2")
        # One's own counts from when it shows.
        await asyncio.to_thread(self.daemon.stop)
        await self.ada.run(f"room.publish('on a train', {{ parent: '{self.message}' }})")
        await self.ada.until("room.items.length === 4 && room.items[3].pending")
        self.assertEqual(await self.ada.run("room.items[0].threadCount"), 3)
        await asyncio.to_thread(self.daemon.start)
        await self.bob.until("room.items.length === 4 && room.items[0].threadCount === 3")
        await self.ada.until("client.waiting === 0")
        self.assertEqual(await self.ada.run("room.items[0].threadCount"), 3)


class People(WebCase):
    """The list of people who reacted, beside two devices that are not ours."""

    async def test_a_list_tells_how_it_changes(self):
        daemon = self.start_lasting_daemon()
        bob, eve = [await self.device(daemon, user) for user in ("bob", "eve")]
        message = str(await bob.publish("room", "hi"))
        await bob.add("room", message, "👍")
        page = await self.web_user(daemon, "ada")
        await page.until("room.items.length === 1 && room.items[0].actions.length === 1")
        await page.run(f"""{{
            window.shown = [];
            window.sheet = room.people('{message}');
            sheet.observe((changes) => {{
                for (const {{ kind, index, from, person }} of changes) {{
                    if (kind === 'remove') shown.splice(index, 1);
                    if (kind === 'move') shown.splice(from, 1);
                    if (kind === 'update') shown[index] = person;
                    else if (kind !== 'remove') shown.splice(index, 0, person);
                }}
            }});
        }}""")

        async def shows(*expected):
            names = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
            await page.until(
                "JSON.stringify(shown.map((it) => `${it.uuid} ${it.value} ${it.score}`)) === "
                f"{json.dumps(names)}", names)
            self.assertEqual(await page.run("shown"), await page.run("sheet.people"))

        await shows("bob 👍 1")
        await eve.add("room", message, "❤️")
        await shows("eve ❤️ 1", "bob 👍 1")
        await bob.command(
            "addAction", channel="room", messageTimetoken=message, value="👍", score=5)
        await shows("bob 👍 5", "eve ❤️ 1")
        await eve.remove("room", message, "❤️")
        await shows("bob 👍 5")
        # The daemon's sum is the same.
        summary, *more = await page.run(f"room.summaries(['{message}'])")
        self.assertEqual(more, [])
        self.assertEqual(
            [(it["value"], it["count"], it["score"], it["authors"]) for it in summary["reactions"]],
            [("👍", 1, 5, ["bob"])])
        known = {"messageTimetoken": message, "hash": summary["hash"]}
        self.assertEqual(await page.run(f"room.summaries([{json.dumps(known)}])"), [])
        # Also without a connection.
        await asyncio.to_thread(daemon.stop)
        await page.run(f"room.react('{message}', '🔥')")
        await shows("ada 🔥 1", "bob 👍 5")
        self.assertTrue(await page.run("shown[0].pending"))
        await asyncio.to_thread(daemon.start)
        await page.until("client.waiting === 0 && !shown[0].pending")
        await shows("ada 🔥 1", "bob 👍 5")


if __name__ == "__main__":
    unittest.main()
