"""What goes, comes or becomes something else while somebody has a hand on it."""

import asyncio
import unittest

from daemon import free_port
from test_web_ui import BAR, FIELD, MESSAGE, PICKER, SHEET, UiCase

TEXT = f"{MESSAGE} >>> [part=text]"
#: A finger that stays is a long press after half of it.
PRESS = 1.0


class Turns(UiCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.zoe = await self.device(self.daemon, "zoe")

    async def test_another_channel_closes_what_was_open_over_the_one_before(self):
        """Found by an attack: a reply went there, to a message of the channel before."""
        message = await self.zoe.publish("room", {"text": "hello"})
        await self.zoe.add("room", message, "🔥")
        ada = await self.person(self.daemon, "ada")
        for opened, part in (("openPicker(room.items[0], list)", f"{PICKER} >>> [part=row]"),
                             ("openAuthors(room.items[0])", f"{SHEET} >>> [part=tabs]")):
            with self.subTest(opened):
                await ada.page.run(f"list.{opened}")
                await ada.page.until(f"all('{part}').length === 1", "it")
                await ada.page.run("list.channel = composer.channel = client.channel('other')")
                await ada.page.until(f"all('{part}').length === 0", "it to close")
                await ada.page.run("list.channel = composer.channel = room")
                await ada.page.until("list.items.length === 1", "the room")

    async def test_a_finger_stays_on_what_it_came_down_on(self):
        """Found by an attack: the picker of another message opened, with its "Delete"."""
        first = await self.zoe.publish("room", {"text": "first"})
        ada = await self.person(self.daemon, "ada", screen={"touch": True, "width": 390})
        await ada.down(TEXT)
        await self.zoe.command("deleteMessage", channel="room", messageTimetoken=first)
        await self.zoe.publish("room", {"text": "second"})
        await self.says(ada, TEXT, ["second"])
        await asyncio.sleep(PRESS)
        self.assertEqual(await ada.page.run(f"all('{PICKER} >>> [part=row]').length"), 0)
        await ada.up()
        await ada.down(TEXT)
        await ada.page.until(f"all('{PICKER} >>> [part=row]').length === 1", "that of the second")
        await ada.up()

    async def test_an_element_that_goes_under_a_finger_comes_back_whole(self):
        """Found by an attack: nothing opened in it any more."""
        await self.zoe.publish("room", {"text": "hello"})
        ada = await self.person(self.daemon, "ada", screen={"touch": True, "width": 390})
        await ada.down(TEXT)
        await ada.page.run("list.remove()")
        await asyncio.sleep(PRESS)
        await ada.up()
        await ada.page.run("document.querySelector('header').after(list)")
        await self.says(ada, TEXT, ["hello"])
        await ada.down(TEXT)
        await ada.page.until(f"all('{PICKER} >>> [part=row]').length === 1", "the picker")
        await ada.up()
        await ada.page.run("""window.alone = Object.assign(document.createElement(
            'sync-reaction-authors'), { client, channel: room, item: room.items[0] });
            alone.show(document.body); document.body.append(alone); alone.show(document.body)""")
        await ada.page.until("all('body > sync-reaction-authors >>> [part=tabs]').length === 1",
                             "who reacted")

    async def test_another_tab_moves_nobody(self):
        """Found by an attack: its message threw this one's reader to the end."""
        for n in range(40):
            await self.zoe.publish("room", {"text": f"m{n}"})
        context = await self.browser.context()
        first = await self.person(self.daemon, "ada", context=context)
        second = await self.person(self.daemon, "ada", context=context)
        await second.page.until("room.items.length === 40", "all")
        await second.page.run("one('sync-messages >>> [part=log]').scrollTop = 100")
        await second.page.until("!one('sync-messages >>> [part=newest]').hidden", "a way back")
        await first.page.run("room.publish({ text: 'from the other tab' })")
        await self.says(second, "sync-messages >>> [part~=newest]", ["1 new message"])
        self.assertLess(await second.page.run("one('sync-messages >>> [part=log]').scrollTop"), 200)
        # Who writes here is led there.
        await second.page.run("room.publish({ text: 'from here' })")
        await second.page.until(f"texts('{TEXT}').at(-1) === 'from here'", "the end")

    async def test_a_list_that_replaces_another_is_the_composers(self):
        await self.zoe.publish("room", {"text": "hello"})
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("""const other = document.createElement('sync-messages');
            list.replaceWith(other); window.list = other;
            ui.connect(document.body, { client, channel: room })""")
        self.assertTrue(await ada.page.run("composer.list === list && list.composer === composer"))

    async def test_a_list_has_a_size_wherever_it_is(self):
        await self.zoe.publish("room", {"text": "hello everybody"})
        ada = await self.person(self.daemon, "ada")
        await ada.page.until("room.items.length === 1", "it")
        for outer, inner, width, height in (
                ("", "height: 200px", None, 200), ("", "max-height: 150px", None, 150),
                ("", "", None, 240), ("display: flex", "flex: none", 320, 240), ("", "float: left", 320, 240),
                ("display: grid; justify-items: start", "", 320, 240)):
            with self.subTest(outer=outer, inner=inner):
                found = await ada.page.run(f"""(async () => {{
                    const box = document.createElement('div');
                    const it = Object.assign(document.createElement('sync-messages'),
                      {{ client, channel: room }});
                    box.style.cssText = '{outer}'; it.style.cssText = '{inner}';
                    box.append(it); document.body.append(box);
                    await new Promise(requestAnimationFrame);
                    const size = [it.offsetWidth, it.offsetHeight]; box.remove();
                    return size; }})()""")
                self.assertEqual(found[1], height)
                if width:
                    self.assertEqual(found[0], width)

    async def test_marks_stay_within_their_message(self):
        await self.zoe.publish("room", {"text": "e" + "\u0301" * 3000})
        ada = await self.person(self.daemon, "ada")
        await ada.page.until(f"all('{TEXT}').length === 1", "it")
        self.assertEqual(await ada.page.run(f"getComputedStyle(one('{TEXT}')).overflowY"), "clip")

    async def test_words_and_types_that_come_early_or_late(self):
        await self.zoe.publish("room", {"text": "hello"})
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("list.openPicker(room.items[0], list)")
        await ada.click(f"{PICKER} >>> [part=plus]")
        await ada.page.until(f"one('{PICKER} >>> [part=search]')", "the search")
        await ada.press("Escape")
        await ada.page.run("list.words = { search: 'Suche' }; list.openPicker(room.items[0], list)")
        await ada.click(f"{PICKER} >>> [part=plus]")
        await ada.page.until(f"one('{PICKER} >>> [part=search]').placeholder === 'Suche'", "German")
        # A page may say it before the element is defined.
        found = await ada.page.run("""['sync-reaction-picker', 'sync-reaction-authors'].map((it) => {
            const name = `early-${it.slice(5)}`;
            const early = document.createElement(name); early.type = 'vote';
            document.body.append(early);
            customElements.define(name, class extends customElements.get(it) {});
            return early.type; })""")
        self.assertEqual(found, ["vote", "vote"])

    async def test_nobody_else_is_called_you(self):
        await self.zoe.command("setUser", userId="zoe", set={"name": " you"})
        await self.zoe.publish("room", {"text": "hello"})
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, f"{MESSAGE} >>> [part=author]", ["zoe"])

    async def test_a_page_of_the_past_that_does_not_come_is_asked_for_once(self):
        daemon = self.start_daemon(listen=f"127.0.0.1:{free_port()}")
        zoe = await self.device(daemon, "zoe")
        told = await zoe.settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"message {n}"}})
            for n in range(400)])
        ada = await self.person(daemon, "ada", options={"window": {"last": 20, "keeping": 50}})
        await ada.page.run(f"list.jump('{told[200]['timetoken']}')")
        await ada.page.until("list.isInPast", "the past")
        await ada.page.run("""new Promise(requestAnimationFrame).then(() => {
            room.page = () => { window.asked = (window.asked ?? 0) + 1;
              return Promise.reject(new Error('There is no connection.')); } })""")
        log = "one('sync-messages >>> [part=log]')"
        for n in range(12):
            await ada.page.run(f"""(async () => {{ {log}.scrollTop = {n % 2};
                for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame); }})()""")
        self.assertEqual(await ada.page.run("asked"), 1)
        # With the next connection it comes.
        before = await ada.page.run("delete room.page; list.items.length")
        daemon.restart()
        await ada.page.until(f"list.items.length > {before}", "the page")
        self.assertEqual(await ada.page.run("problems.splice(0)"),
                         ["Error: There is no connection."])

    async def test_an_edit_that_is_deeper_than_any_payload_is_a_text(self):
        """Found by an attack: what others said meanwhile did not show, verified."""
        message = await self.zoe.publish("room", {"text": "hello"})
        await self.zoe.add("room", message, "[" * 16000 + "]" * 16000, type="edited")
        ada = await self.person(self.daemon, "ada")
        await self.zoe.add("room", message, "🔥")
        await self.zoe.publish("room", {"text": "after it"})
        await self.says(ada, f"{BAR} >>> [part=icon]", ["🔥"])
        await ada.page.until(f"texts('{TEXT}').at(-1) === 'after it'", "what came after it")
        await ada.click(FIELD)


if __name__ == "__main__":
    unittest.main()
