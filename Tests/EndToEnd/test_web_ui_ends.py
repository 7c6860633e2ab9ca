"""Lists that nobody sees or that become shorter, and what a page gives that cannot be used."""

import unittest

from test_web_ui import BAR, MESSAGE, PICKER, SHEET, UiCase

CHOICE = "[part~=choice]"
AT_END = ("(() => { const it = one('sync-messages >>> [part=log]');"
          " return it.scrollHeight - it.scrollTop - it.clientHeight < 2; })()")
FOCUS = ("(() => { let it = document.activeElement; while (it?.shadowRoot?.activeElement)"
         " it = it.shadowRoot.activeElement; return it?.getAttribute('part'); })()")


class Ends(UiCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.zoe = await self.device(self.daemon, "zoe")

    async def test_a_list_stays_at_its_end_when_many_messages_go(self):
        ada = await self.person(self.daemon, "ada")
        sent = [await self.zoe.publish("room", {"text": f"m{n}"}) for n in range(20)]
        await ada.page.until("room.items.length === 20", "some")
        for message in sent:
            await self.zoe.add("room", message, "👍")
        sent += [await self.zoe.publish("room", {"text": f"m{n}"}) for n in range(10)]
        await ada.page.until("room.items.length === 30", "all")
        await ada.page.until(AT_END, "the end")
        await self.zoe.settle_all([
            ("deleteMessage", {"channel": "room", "messageTimetoken": it}) for it in sent[20:]])
        await ada.page.until("room.items.length === 20", "those that are left")
        for _ in range(5):
            await ada.page.run("new Promise(requestAnimationFrame).then(() => 0)")
        self.assertTrue(await ada.page.run(AT_END))
        await self.zoe.publish("room", {"text": "next"})
        await ada.page.until("room.items.length === 21", "one more")
        await ada.page.until(AT_END, "it to be in sight")

    async def test_a_list_that_has_no_place_on_the_page_reads_nothing(self):
        """Found by an attack: it marked all as read, on all devices."""
        ada = await self.person(self.daemon, "ada", options={"unread": True})
        await ada.page.run("list.style.display = 'none'")
        await self.zoe.publish("room", {"text": "one"})
        await ada.page.until("room.unread.count === 1", "it to be unread")
        await self.zoe.publish("room", {"text": "two"})
        await ada.page.until("room.unread.count === 2", "both")
        await ada.page.run("list.style.display = ''")
        await ada.page.until("room.unread.count === 0", "them to be read")

    async def test_what_a_page_gives_may_be_of_any_kind(self):
        message = await self.zoe.publish("room", {"text": "hello"})
        for value in ("👍", "🔥"):
            await self.zoe.add("room", message, value)
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("document.documentElement.lang = 'en_US'; list.again()")
        await self.zoe.add("room", message, "🎉")
        await self.says(ada, f"{BAR} >>> [part=count]", ["1", "1", "1"])
        await ada.page.run("list.order = (a, b) => BigInt(b.first) - BigInt(a.first)")
        await ada.page.until(f"texts('{BAR} >>> [part=toggle]')[0] === '🎉'", "the newest first")
        for given in ("() => {}", "() => [null]", "null", "() => 'abc'"):
            with self.subTest(given):
                await ada.page.run(f"list.actions = {given}; list.openPicker(room.items[0], list)")
                await ada.page.until(f"texts('{PICKER} >>> [part~=action]').includes('Copy text')", "the usual")
        await ada.page.run("""list.actions = () => [
            { id: 'a"b', label: 'Odd', isDangerous: true, run: () => said.push('odd') }];
            list.openPicker(room.items[0], list)""")
        await ada.click(f"{PICKER} >>> [part~=action]")
        await ada.click(f"{PICKER} >>> [part~=action]")
        await ada.page.until("said.includes('odd')", "what was confirmed")

    async def test_a_piece_that_is_plain_again_is_plain(self):
        await self.zoe.publish("room", {"text": "hello"})
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("""list.pieces = { text: ({ payload }) => Object.assign(
            document.createElement('mark'), { textContent: payload.text }) }""")
        await ada.page.until(f"all('{MESSAGE} >>> mark').length === 1", "a piece of the page's")
        await ada.page.run("list.pieces = {}")
        await ada.page.until(f"all('{MESSAGE} >>> mark').length === 0", "none")

    async def test_a_bar_of_a_type_offers_and_shows_that(self):
        message = await self.zoe.publish("room", {"text": "vote"})
        await self.zoe.add("room", message, "👍")
        await self.zoe.add("room", message, "yes", type="vote")
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("""window.bar = Object.assign(
            document.createElement('sync-reactions'), { type: 'vote', item: room.items[0], client,
              channel: room }); document.querySelector('main').append(bar); bar.showAuthors('yes')""")
        sheet = "main > sync-reactions >>> sync-reaction-authors"
        await self.says(ada, f"{sheet} >>> [part=tab]", ["All1", "yes1"])
        await ada.page.run("bar.pick()")
        picker = "main > sync-reactions >>> sync-reaction-picker"
        await ada.click(f"{picker} >>> {CHOICE}")
        await ada.page.until("room.items[0].actions?.vote?.['👍']?.length === 1 || "
                             "sync.reactionsOf(room.items[0], 'ada').some((it) => "
                             "it.type === 'vote' && it.value === '👍' && it.isMine)", "a vote")

    async def test_the_focus_stays_near_what_goes_under_it(self):
        message = await self.zoe.publish("room", {"text": "hello"})
        await self.zoe.add("room", message, "🔥")
        ada = await self.person(self.daemon, "ada")
        await ada.page.until(f"all('{BAR} >>> [part=toggle]').length === 1", "a bubble")
        await ada.page.run(f"one('{BAR} >>> [part=toggle]').focus()")
        await self.zoe.remove("room", message, "🔥")
        await ada.page.until(f"all('{BAR} >>> [part=toggle]').length === 0", "it to go")
        self.assertEqual(await ada.page.run(FOCUS), "log")
        await ada.page.run("composer.parent = room.items[0]")
        await ada.click("sync-composer >>> [part=cancel]")
        await ada.page.until(f"{FOCUS} === 'field'", "the field")

    async def test_the_focus_stays_among_who_reacted(self):
        message = await self.zoe.publish("room", {"text": "hello"})
        for n in range(3):
            await self.zoe.add("room", message, f"v{n}")
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("room.react(room.items[0].timetoken, 'mine')")
        await ada.page.until("room.items[0].actions.length === 4", "all")
        await ada.page.run("list.root.querySelector('sync-reaction-authors')"
                           ".setAttribute('page', '3'); list.openAuthors(room.items[0])")
        await ada.page.until(f"one('{SHEET} >>> [part=more]')", "more")
        await ada.page.run(f"one('{SHEET} >>> [part=more]').focus()")
        await ada.press("Enter")
        await ada.page.until(f"all('{SHEET} >>> [part=more]').length === 0", "the last of them")
        self.assertEqual(await ada.page.run(FOCUS), "panel")
        await ada.page.run(f"one('{SHEET} >>> [part=take-back]').focus()")
        await ada.press("Enter")
        await ada.page.until(f"all('{SHEET} >>> [part=take-back]').length === 0", "it to go")
        self.assertEqual(await ada.page.run(FOCUS), "panel")

    async def test_the_focus_stays_among_further_bubbles(self):
        message = await self.zoe.publish("room", {"text": "hello"})
        for n in range(30):
            await self.zoe.add("room", message, f"v{n}")
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, f"{BAR} >>> [part=more]", ["+6"])
        await ada.page.run(f"one('{BAR} >>> [part=more]').focus()")
        await ada.press("Enter")
        await ada.page.until(f"all('{BAR} >>> [part=toggle]').length === 30", "all")
        self.assertEqual(await ada.page.run(FOCUS), "toggle")

    async def test_a_name_that_shows_nothing_is_none(self):
        await self.zoe.command("setUser", userId="zoe", set={"name": " \u200b\u2060"})
        await self.zoe.publish("room", {"text": "hello"})
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, f"{MESSAGE} >>> [part=author]", ["zoe"])

    async def test_a_picker_fits_a_small_page(self):
        await self.zoe.publish("room", {"text": "hello"})
        ada = await self.person(self.daemon, "ada", screen={"width": 320, "height": 200})
        await ada.page.until("room.items.length === 1", "it")
        await ada.page.run("list.openPicker(room.items[0], list)")
        await ada.click(f"{PICKER} >>> [part=plus]")
        await ada.page.until(f"one('{PICKER} >>> [part=search]')", "the search")
        await ada.page.until(f"(() => {{ const it = one('{PICKER} >>> [part=picker]')"
                             ".getBoundingClientRect(); return it.top >= 0 && it.left >= 0 && "
                             "it.bottom <= innerHeight && it.right <= innerWidth; })()", "it to fit")

    async def test_who_types_elsewhere_does_not_here(self):
        ada = await self.person(self.daemon, "ada")
        await self.zoe.command("signal", channel="room", payload={"typing": True})
        await ada.page.until("texts('sync-status >>> [part=typing]').join('') !== ''", "zoe")
        await ada.page.run("status_.channel = client.channel('other')")
        await ada.page.until("texts('sync-status >>> [part=typing]').join('') === ''", "nobody")

    async def test_a_reply_in_a_thread_stays_there(self):
        first, second = [await self.zoe.publish("room", {"text": it}) for it in ("one", "two")]
        ada = await self.person(self.daemon, "ada")
        await ada.page.run(f"composer.channel = ui.threadOf(room, '{first}');"
                           "composer.parent = room.items[0]")
        await self.says(ada, "sync-composer >>> [part=cancel]", ["Cancel"])
        await ada.page.run(f"composer.channel = ui.threadOf(room, '{second}')")
        await self.says(ada, "sync-composer >>> [part=cancel]", [])


if __name__ == "__main__":
    unittest.main()
