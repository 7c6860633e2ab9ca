"""The components of clients/web/ui in Chromium against the daemon: clicked, pressed, typed, read."""

import asyncio
import json
import os
import pathlib
import tempfile
import unittest

from browser import Pages
from daemon import ROOT
from hands import Hands
from test_web_client import WebCase
from waiting import Patience

MESSAGE = "sync-messages >>> [part~=message]"
BAR = f"{MESSAGE} >>> sync-reactions"
TOGGLE = "[part=toggle]"
PICKER = "sync-messages >>> sync-reaction-picker"
SHEET = "sync-messages >>> sync-reaction-authors"
FIELD = "sync-composer >>> [part=field]"
USUAL = ["👍", "❤️", "😂", "😲", "😢", "🔥"]
RULES = """
[keyset app]
subscribe_key = sub-app

[namespace one]
channels = one.*
reaction_values = 👍, 👎, 🎉, love
reaction_aliases = ❤️=love

[namespace quiet]
channels = quiet.*
reactions = no

[namespace flag]
channels = flag.*
reaction_mode = flag
"""

#: What clients/web/tests/ui.html has, for pages that have nothing for tests.
PATHS = """Object.assign(window, {
    all: (path) => path.split(' >>> ').reduce((places, selector) => places.flatMap((place) =>
        [...(place.shadowRoot ?? place).querySelectorAll(selector)]), [document])
        .filter((it) => it.getClientRects().length > 0),
    one: (path) => all(path)[0],
    texts: (path) => all(path).map((it) => it.textContent.trim()),
    center: (path) => {
        const box = one(path)?.getBoundingClientRect();
        return box && [box.left + box.width / 2, box.top + box.height / 2];
    },
}) && true"""


def label(value):
    """The button that reacts with a value."""
    return f"[part=toggle][aria-label='React with {value}']"


class UiCase(WebCase):
    """People at pages with all elements."""

    async def person(self, daemon, user, context=None, screen=None, **settings):
        """Somebody at a page of a new device, or of another one."""
        context = context or await self.browser.context()
        page = await self.browser.page(f"{self.pages.origin}/tests/ui.html", context)
        hands = Hands(page)
        await hands.be(**(screen or {}))
        await self.begin(hands, daemon, user, **settings)
        self.addAsyncCleanup(self.assert_no_problems, page)
        return hands

    async def begin(self, hands, daemon, user, **settings):
        await hands.page.run(
            f"start({json.dumps({'url': daemon.url, 'userId': user, **settings})})")
        await hands.page.until("room.isVerified && status_.state === 'verified'")

    async def assert_no_problems(self, page):
        with self.subTest("problems of a page"):
            self.assertEqual(await page.run("problems"), [])

    async def says(self, hands, path, texts):
        await hands.page.until(f"JSON.stringify(texts({path!r})) === JSON.stringify({texts!r})",
                               f"{path}: {texts}")


class Reactions(UiCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.zoe = await self.device(self.daemon, "zoe")
        self.message = await self.zoe.publish("room", {"text": "Shall we meet at noon?"})

    async def test_a_tap_makes_a_reaction_mine_and_crosses(self):
        await self.zoe.add("room", self.message, "👍")
        ada = await self.person(self.daemon, "ada")
        bob = await self.person(self.daemon, "bob")
        await self.says(ada, f"{BAR} >>> [part=count]", ["1"])
        await ada.click(f"{BAR} >>> {label('👍')}")
        for person, pressed in ((ada, "true"), (bob, "false")):
            await self.says(person, f"{BAR} >>> [part=count]", ["2"])
            self.assertEqual(await person.page.run(
                f"one('{BAR} >>> [part=toggle]').getAttribute('aria-pressed')"), pressed)
        weight = f"getComputedStyle(one('{BAR} >>> .bubble')).fontWeight"
        colour = f"getComputedStyle(one('{BAR} >>> .bubble')).color"
        self.assertGreater(int(await ada.page.run(weight)), int(await bob.page.run(weight)))
        self.assertNotEqual(await ada.page.run(colour), await bob.page.run(colour))
        await ada.click(f"{BAR} >>> {label('👍')}")
        await self.says(bob, f"{BAR} >>> [part=count]", ["1"])
        await self.zoe.remove("room", self.message, "👍")
        await self.says(ada, f"{BAR} >>> .bubble", [])

    async def test_a_count_stops_at_99_and_says_who(self):
        people = [await self.device(self.daemon, f"user{n:03}") for n in range(3)]
        for one in people:
            await one.add("room", self.message, "❤️")
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, f"{BAR} >>> [part=count]", ["3"])
        await ada.page.run("list.setAttribute('max', '2')")
        await self.says(ada, f"{BAR} >>> [part=count]", ["2+"])
        await ada.page.run("list.removeAttribute('max')")
        # What a hundred say of a message, without a hundred connections.
        await ada.page.run("""(() => {
            window.many = document.createElement('sync-reactions');
            many.reactions = [99, 100].map((count, n) => ({ type: 'reaction', value: '👍🎉'.match(
                /./gu)[n], count, score: count, isMine: false, ownScore: 0, isPending: false,
                first: '1', last: '1', authors: [], clipped: true }));
            document.body.append(many);
        })()""")
        await self.says(ada, "body > sync-reactions >>> [part=count]", ["99+", "99"])

    async def test_order_is_any_and_never_flickers(self):
        for value in ("🔥", "👍", "❤️"):
            await self.zoe.add("room", self.message, value)
        ada = await self.person(self.daemon, "ada")
        icons = f"{BAR} >>> [part=icon]"
        await self.says(ada, icons, ["🔥", "👍", "❤️"])
        await ada.page.run("list.order = ['❤️', '🔥']")
        await self.says(ada, icons, ["❤️", "🔥", "👍"])
        await ada.page.run("list.order = (left, right) => left.value < right.value ? 1 : -1")
        await self.says(ada, icons, sorted(["🔥", "👍", "❤️"], reverse=True))
        await ada.page.run("list.order = 'count'")
        bob = await self.device(self.daemon, "bob")
        before = sorted(["🔥", "👍", "❤️"])
        await self.says(ada, icons, before)
        # A hand is on the bar: the last one, which has most now, stays where it is.
        await ada.hover(f"{BAR} >>> {label(before[2])}")
        await bob.add("room", self.message, before[2])
        await self.says(ada, f"{BAR} >>> [part=count]", ["1", "1", "2"])
        self.assertEqual(await ada.page.run(f"texts('{icons}')"), before)
        await ada.hover(FIELD)
        await self.says(ada, icons, [before[2], before[0], before[1]])

    async def test_the_picker_by_mouse_and_by_keyboard(self):
        ada = await self.person(self.daemon, "ada")
        await ada.hover(MESSAGE)
        await ada.click(f"{MESSAGE} >>> [part=react]")
        await self.says(ada, f"{PICKER} >>> [part~=choice]", USUAL)
        await ada.look("picker")
        await ada.click(f"{PICKER} >>> [part~=choice]:nth-child(2)")
        await self.says(ada, f"{BAR} >>> [part=icon]", ["❤️"])
        self.assertEqual(await ada.page.run(f"all('{PICKER} >>> [part~=choice]').length"), 0)
        # The right button; what is mine is marked, and goes.
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await self.says(ada, f"{PICKER} >>> [part~=own]", ["❤️"])
        await ada.press("Escape")
        await ada.page.until(f"all('{PICKER} >>> [part=row]').length === 0", "it to close")
        # The keyboard: to the last message, its picker, the third one.
        await ada.page.run("list.shadowRoot.querySelector('[part=log]').focus()")
        await ada.press("ArrowUp")
        await ada.press("Enter")
        await ada.page.until(f"one('{PICKER} >>> [part=row]')", "the picker")
        await ada.press("ArrowRight")
        await ada.press("ArrowRight")
        await ada.press("Enter")
        await self.says(ada, f"{BAR} >>> [part=icon]", ["❤️", "😂"])
        self.assertEqual(await ada.page.run(
            "list.shadowRoot.activeElement.getAttribute('role')"), "article", "Where it was.")
        await ada.press("F10", shift=True)
        await ada.page.until(f"one('{PICKER} >>> [part=row]')", "the picker by F10")

    async def test_everything_there_is_found_by_its_name(self):
        ada = await self.person(self.daemon, "ada")
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await ada.click(f"{PICKER} >>> [part=plus]")
        await ada.page.until(f"all('{PICKER} >>> [part=group]').length === 9", "all groups")
        await ada.type("thumbs up")
        await self.says(ada, f"{PICKER} >>> [part=grid] button", ["👍"])
        await ada.look("picker-search")
        await ada.click(f"{PICKER} >>> [part=tone]:nth-of-type(4)")
        await self.says(ada, f"{PICKER} >>> [part=grid] button", ["👍🏽"])
        await ada.click(f"{PICKER} >>> [part=search]")
        await ada.press("Enter")
        await self.says(ada, f"{BAR} >>> [part=icon]", ["👍🏽"])
        await ada.page.until("client.waiting === 0")
        actions = await self.zoe.all_actions("room")
        self.assertEqual([it[2] for it in actions], ["👍🏽"])
        # The tone is kept; arrows go through the grid.
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await ada.click(f"{PICKER} >>> [part=plus]")
        await ada.page.run(f"one('{PICKER} >>> [part=search]').value = ''")
        await ada.type("waving hand")
        await self.says(ada, f"{PICKER} >>> [part=grid] button", ["👋🏽"])
        await ada.press("ArrowDown")
        await ada.press("Enter")
        await self.says(ada, f"{BAR} >>> [part=icon]", ["👍🏽", "👋🏽"])

    async def test_a_finger_that_stays(self):
        await self.zoe.add("room", self.message, "👍")
        ada = await self.person(self.daemon, "ada", screen={"touch": True, "width": 390})
        await ada.down(f"{MESSAGE} >>> [part=text]")
        await self.says(ada, f"{PICKER} >>> [part~=choice]", USUAL)
        await ada.look("picker-phone")
        await ada.up()
        self.assertEqual(await ada.page.run(f"all('{PICKER} >>> [part=row]').length"), 1)
        self.assertGreaterEqual(await ada.page.run(
            f"one('{PICKER} >>> [part~=choice]').getBoundingClientRect().width"), 44)
        await ada.tap(f"{PICKER} >>> [part~=choice]:nth-child(6)")
        await self.says(ada, f"{BAR} >>> [part=icon]", ["👍", "🔥"])
        # On a bubble it says who reacted, and does not react.
        bubble = f"{BAR} >>> [part=toggle]"
        self.assertGreaterEqual(await ada.page.run(
            f"Math.min(...all('{BAR} >>> button').map((it) => it.getBoundingClientRect().height))"),
            44)
        await ada.down(bubble)
        await self.says(ada, f"{SHEET} >>> [part=name]", ["zoe"])
        # Some browsers click when the finger goes, and others do not.
        await ada.page.run(f"one({bubble!r}).click()")
        await ada.up()
        await ada.look("authors-phone")
        await self.says(ada, f"{BAR} >>> [part=count]", ["1", "1"])
        await ada.tap(f"{SHEET} >>> [part=close]")
        await ada.tap(bubble)
        await self.says(ada, f"{BAR} >>> [part=count]", ["2", "1"])
        # A finger that moves scrolls.
        await ada.stroke(f"{MESSAGE} >>> [part=text]", 60)
        self.assertEqual(await ada.page.run(f"all('{PICKER} >>> [part=row]').length"), 0)

    async def test_reactions_that_wait_are_dashed_and_stand_when_there_is_a_connection(self):
        ada = await self.person(self.daemon, "ada")
        self.daemon.listen = f"127.0.0.1:{self.daemon.port}"
        self.daemon.stop()
        await ada.page.until("status_.state === 'waiting' || status_.state === 'connecting'")
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await ada.click(f"{PICKER} >>> [part~=choice]")
        await self.says(ada, f"{BAR} >>> [part~=pending] [part=icon]", ["👍"])
        await self.says(ada, "sync-status >>> [part=unsent]", ["1 unsent"])
        await ada.look("offline")
        self.daemon.start()
        await ada.page.until(f"all('{BAR} >>> [part~=pending]').length === 0", "it to be sent")
        await self.says(ada, "sync-status >>> [part=word]", ["Up to date"])


class Rules(UiCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = os.path.join(directory.name, "sync.ini")
        pathlib.Path(path).write_text(RULES, encoding="utf-8")
        self.daemon = self.start_daemon("--config", path)

    async def at(self, channel):
        zoe = await self.device(self.daemon, "zoe", f"zoe-{channel}", keyset="sub-app")
        await zoe.publish(channel, {"text": "Noon?"})
        return await self.person(
            self.daemon, "ada", channel=channel, keyset="sub-app", names=False)

    async def test_where_there_are_none_nothing_shows(self):
        ada = await self.at("quiet.a")
        await ada.page.until(f"one('{MESSAGE} >>> [part=text]')")
        await ada.hover(MESSAGE)
        self.assertEqual(await ada.page.run(f"all('{MESSAGE} >>> [part=react]').length"), 0)
        self.assertEqual(await ada.page.run(f"all('{BAR} >>> button').length"), 0)
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await self.says(ada, f"{PICKER} >>> [part~=action]", ["Copy text", "Reply"])
        self.assertEqual(await ada.page.run(f"all('{PICKER} >>> [part=row]').length"), 0)
        await ada.page.run("""(() => {
            const bar = document.createElement('sync-reactions');
            const picker = document.createElement('sync-reaction-picker');
            picker.setAttribute('inline', '');
            document.body.append(bar, picker);
            ui.connect(document.body, { client, channel: room, item: room.items[0] });
        })()""")
        self.assertEqual(await ada.page.run(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done("
            "all('body > sync-reactions >>> button, body > sync-reaction-picker >>> button')"
            ".length))))"), 0)

    async def test_the_channels_values_are_what_is_offered(self):
        ada = await self.at("one.a")
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await self.says(ada, f"{PICKER} >>> [part~=choice]", ["👍", "👎", "🎉", "❤️"])
        self.assertEqual(await ada.page.run(f"all('{PICKER} >>> [part=plus]').length"), 0)
        await ada.click(f"{PICKER} >>> [part~=choice]:nth-child(4)")
        await self.says(ada, f"{BAR} >>> [part=icon]", ["❤️"])
        self.assertEqual(await ada.page.run(
            "room.items[0].actions.map(({ value }) => value)"), ["love"])

    async def test_where_there_is_one_it_is_offered(self):
        ada = await self.at("flag.a")
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await self.says(ada, f"{PICKER} >>> [part~=choice]", ["👍"])
        await ada.click(f"{PICKER} >>> [part~=choice]")
        await self.says(ada, f"{BAR} >>> [part=count]", ["1"])


class Authors(UiCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.bob = await self.device(self.daemon, "bob")
        self.message = await self.bob.publish("room", {"text": "Cake?"})

    async def test_by_value_the_newest_first_with_names_and_pictures(self):
        eve = await self.device(self.daemon, "eve")
        picture = f"{self.pages.origin}/ui/docs/spark.svg"
        await self.bob.command("setUser", userId="bob", set={"name": "Bob", "profileUrl": picture})
        await self.bob.add("room", self.message, "👍")
        await eve.add("room", self.message, "👍")
        await eve.add("room", self.message, "🎉")
        ada = await self.person(self.daemon, "ada")
        await ada.click(f"{BAR} >>> [part=who]")
        await self.says(ada, f"{SHEET} >>> [part=name]", ["eve", "Bob"])
        await self.says(ada, f"{SHEET} >>> [part=tab]", ["All3", "👍2", "🎉1"])
        self.assertEqual(await ada.page.run(
            f"one('{SHEET} >>> [part=people] img').getAttribute('src')"), picture)
        await ada.look("authors")
        # Live: who comes is the first, and who is called otherwise is called so.
        await eve.command("setUser", userId="eve", set={"name": "Eve"})
        await self.says(ada, f"{SHEET} >>> [part=name]", ["Eve", "Bob"])
        await ada.page.run("room.react(room.items[0].timetoken, '👍')")
        await self.says(ada, f"{SHEET} >>> [part=name]", ["You", "Eve", "Bob"])
        await self.bob.remove("room", self.message, "👍")
        await self.says(ada, f"{SHEET} >>> [part=name]", ["You", "Eve"])
        # Tabs by keys; one's own is taken back there.
        await ada.press("ArrowRight")
        await self.says(ada, f"{SHEET} >>> [aria-selected=true]", ["🎉1"])
        await self.says(ada, f"{SHEET} >>> [part=name]", ["Eve"])
        await ada.press("Home")
        await self.says(ada, f"{SHEET} >>> [part=name]", ["You", "Eve", "Eve"])
        await ada.click(f"{SHEET} >>> [part=take-back]")
        await self.says(ada, f"{SHEET} >>> [part=tab]", ["All2", "🎉1", "👍1"])
        await ada.press("Escape")
        await ada.page.until(f"all('{SHEET} >>> [part=tabs]').length === 0", "it to close")

    async def test_page_by_page(self):
        await self.bob.settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": self.message,
                           "value": chr(0x1F600 + n)}) for n in range(60)])
        ada = await self.person(self.daemon, "ada")
        await ada.page.until("room.items[0]?.actions.length === 60")
        await ada.page.run("list.openAuthors(room.items[0])")
        await ada.page.until(f"texts('{SHEET} >>> [part=name]').length === 25", "a page")
        for count in (50, 60):
            # A wheel that turns while the page is not drawn yet is turned again.
            patience = Patience()
            while await ada.page.run(f"texts('{SHEET} >>> [part=name]').length") < count:
                patience.check(f"{count} of them")
                await ada.scroll(f"{SHEET} >>> [part=panel]", 4000)
                await asyncio.sleep(0.2)
        self.assertEqual(await ada.page.run(f"texts('{SHEET} >>> [part=name]').length"), 60)
        self.assertEqual(await ada.page.run(f"all('{SHEET} >>> [part=more]').length"), 0)


class Messages(UiCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.zoe = await self.device(self.daemon, "zoe")

    async def test_writing_editing_and_deleting(self):
        ada = await self.person(self.daemon, "ada")
        bob = await self.person(self.daemon, "bob")
        await self.says(ada, "sync-messages >>> [part=empty]", ["No messages yet."])
        await ada.click(FIELD)
        await ada.type("Noon?")
        await self.says(bob, "sync-status >>> [part=typing]", ["ada is typing…"])
        await ada.press("Enter", shift=True)
        await ada.type("At the usual place.")
        await ada.press("Enter")
        await self.says(bob, f"{MESSAGE} >>> [part=text]", ["Noon?\nAt the usual place."])
        await self.says(bob, "sync-status >>> [part=typing]", [])
        self.assertEqual(await ada.page.run("composer.value"), "")
        # One's own is edited, and deleted when that is confirmed; another's is not.
        await bob.click(f"{MESSAGE} >>> [part=text]", "right")
        await self.says(bob, f"{PICKER} >>> [part~=action]", ["Copy text", "Reply"])
        await bob.click(f"{PICKER} >>> [data-id=reply]")
        await self.says(bob, "sync-composer >>> [part=about-text]", ["ada: Noon?\nAt the usual place."])
        await bob.type("Yes.")
        await bob.press("Enter")
        await self.says(ada, f"{MESSAGE} >>> [part=quote]", ["ada: Noon?\nAt the usual place."])
        await self.says(ada, f"{MESSAGE} >>> [part=thread]", ["1 reply"])
        await bob.page.run("room.delete(room.items[1].timetoken)")
        await self.says(ada, f"{MESSAGE} >>> [part=thread]", [])
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await ada.click(f"{PICKER} >>> [data-id=edit]")
        await self.says(ada, "sync-composer >>> [part=about-text]", ["Editing a message"])
        await ada.press("End")
        await ada.type(" Yes?")
        await ada.press("Enter")
        await self.says(bob, f"{MESSAGE} >>> [part=state]", ["edited"])
        await self.says(bob, f"{MESSAGE} >>> [part=text]", ["Noon?\nAt the usual place. Yes?"])
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await ada.click(f"{PICKER} >>> [data-id=delete]")
        await self.says(ada, f"{PICKER} >>> [data-id=delete]", ["Really? Delete"])
        self.assertEqual(await ada.page.run("room.items.length"), 1)
        await ada.click(f"{PICKER} >>> [data-id=delete]")
        await self.says(bob, "sync-messages >>> [part=empty]", ["No messages yet."])

    async def test_a_thread_has_a_page_of_its_own(self):
        first = await self.zoe.publish("room", {"text": "Who brings the cake?"})
        await self.zoe.publish("room", {"text": "Something else"})
        await self.zoe.publish("room", {"text": "I do"}, parent=first)
        ada = await self.person(self.daemon, "ada")
        bob = await self.person(self.daemon, "bob")
        text = f"{MESSAGE} >>> [part=text]"
        await self.says(ada, text, ["Who brings the cake?", "Something else", "I do"])
        await ada.page.run("list.addEventListener('sync-thread', ({ detail: { item } }) => "
                           "ui.connect(document.body, { channel: ui.threadOf(room, item.timetoken) }))")
        await ada.click(f"{MESSAGE} >>> [part=thread]")
        await self.says(ada, text, ["Who brings the cake?", "I do"])
        await self.says(ada, f"{MESSAGE} >>> [part=quote]", [])
        # A reply to one of them would be one to the first.
        await ada.page.run("list.openPicker(room.items[2], list)")
        await self.says(ada, f"{PICKER} >>> [part~=action]", ["Copy text"])
        await ada.press("Escape")
        await ada.click(FIELD)
        await ada.type("Thank you!")
        await ada.press("Enter")
        await self.says(ada, text, ["Who brings the cake?", "I do", "Thank you!"])
        await self.says(bob, text, ["Who brings the cake?", "Something else", "I do", "Thank you!"])
        await self.says(bob, f"{MESSAGE} >>> [part=thread]", ["2 replies"])
        await self.zoe.publish("room", {"text": "News"})
        await self.zoe.publish("room", {"text": "With cream?"}, parent=first)
        await self.says(ada, text, ["Who brings the cake?", "I do", "Thank you!", "With cream?"])
        await self.zoe.add("room", first, "🎂")
        await self.says(ada, f"{BAR} >>> [part=count]", ["1"])
        await ada.click(f"{BAR} >>> {label('🎂')}")
        await self.says(bob, f"{BAR} >>> [part=count]", ["2"])

    async def test_tab_stops_once_in_a_list(self):
        for n in range(3):
            message = await self.zoe.publish("room", {"text": f"message {n}"})
            for value in ("👍", "🔥"):
                await self.zoe.add("room", message, value)
        ada = await self.person(self.daemon, "ada")
        await ada.page.until(f"all('{BAR} >>> [part=toggle]').length === 6")
        stops = (f"[...all('{BAR} >>> button'), ...all('{MESSAGE} >>> [part=react]')]"
                 ".filter((it) => it.tabIndex === 0).length")
        self.assertEqual(await ada.page.run(stops), 0)
        await ada.page.run("one('sync-messages >>> [part=log]').focus()")
        await ada.press("ArrowUp")
        # The message, the first of its bubbles, and the button beside it; arrows do the rest.
        self.assertEqual(await ada.page.run(stops), 2)
        at = ("(() => { let it = document.activeElement; while (it?.shadowRoot?.activeElement) "
              "it = it.shadowRoot.activeElement; return it.getAttribute('part').split(' ')[0]; })()")
        seen = [await ada.page.run(at)]
        for key in ("Tab", "ArrowRight", "ArrowRight", "Tab", "Tab"):
            await ada.press(key)
            seen.append(await ada.page.run(at))
        self.assertEqual(seen[:5], ["message", "toggle", "who", "toggle", "react"])
        self.assertNotIn(seen[5], ("toggle", "who", "message"))
        await ada.page.until(f"{stops} === 0")

    async def test_what_others_wrote_is_reported(self):
        await self.zoe.publish("room", {"text": "Buy my pills"})
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("list.setAttribute('flags', '')")
        text = f"{MESSAGE} >>> [part=text]"
        await self.says(ada, text, ["Buy my pills"])
        await ada.click(text, "right")
        await self.says(ada, f"{PICKER} >>> [part~=action]", ["Copy text", "Reply", "Report"])
        await ada.click(f"{PICKER} >>> [data-id=flag]")
        await self.says(ada, f"{PICKER} >>> [data-id=flag]", ["Really? Report"])
        await ada.click(f"{PICKER} >>> [data-id=flag]")
        await self.says(ada, f"{MESSAGE} >>> [part=state]", ["you reported this"])
        # Nobody reacted: no bubble, and nobody to look at.
        self.assertEqual(await ada.page.run(f"all('{MESSAGE} >>> [part=count]').length"), 0)
        moderator = await self.person(self.daemon, "bob")
        self.assertEqual(await moderator.page.run(
            "room.actions({ type: 'flag' }).then(({ actions }) => "
            "actions.map(({ uuid, value }) => [uuid, value]))"), [["ada", "flag"]])
        await self.says(moderator, f"{MESSAGE} >>> [part=state]", [])
        await ada.click(text, "right")
        await self.says(ada, f"{PICKER} >>> [part~=action]",
                        ["Copy text", "Reply", "Take the report back"])
        await ada.click(f"{PICKER} >>> [data-id=flag]")
        await self.says(ada, f"{MESSAGE} >>> [part=state]", [])

    async def test_a_long_channel_has_few_rows_and_older_pages(self):
        await self.zoe.settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"message {n}"}})
            for n in range(400)])
        ada = await self.person(self.daemon, "ada", options={
            "window": {"last": 50, "keeping": 1000}, "unread": True})
        last = f"texts('{MESSAGE} >>> [part=text]').at(-1)"
        await ada.page.until(f"{last} === 'message 399'")
        self.assertLess(await ada.page.run(f"all('{MESSAGE}').length"), 80)
        # It begins with a segment, of which one has 32 messages on average.
        self.assertLess(await ada.page.run("room.items.length"), 400)
        log = "sync-messages >>> [part=log]"
        await ada.scroll(log, -1200)
        # What is in sight stays there while older ones come.
        for _ in range(60):
            await ada.scroll(log, -1500)
            if await ada.page.run("!room.hasOlder"):
                break
        await ada.page.until("room.items.length === 400", "all of them")
        await ada.page.until(
            f"(one('{log}').scrollTop = 0, texts('{MESSAGE} >>> [part=text]')[0] === 'message 0')")
        await self.says(ada, "sync-messages >>> [part=notice]", ["The beginning"])
        self.assertLess(await ada.page.run(f"all('{MESSAGE}').length"), 80)
        await self.zoe.publish("room", {"text": "news"})
        await self.says(ada, "sync-messages >>> [part~=newest]", ["1 new message"])
        await ada.page.until("room.unread.count === 1", "it to be unread")
        await ada.look("scrolled-up")
        await ada.click("sync-messages >>> [part~=newest]")
        await ada.page.until(f"{last} === 'news'")
        await ada.page.until("room.unread.count === 0", "it to be read")
        await self.zoe.publish("room", {"text": "more news"})
        await ada.page.until(f"{last} === 'more news'", "what comes at the end to show")
        self.assertLess(await ada.page.run(
            f"Math.abs(one('{log}').scrollHeight - one('{log}').scrollTop - "
            f"one('{log}').clientHeight)"), 2)

    async def test_what_is_in_sight_stays_while_older_messages_come(self):
        await self.zoe.settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"message {n} " + "long " * (n % 40)}})
            for n in range(300)])
        ada = await self.person(self.daemon, "ada",
                                options={"window": {"last": 50, "keeping": 1000}})
        await ada.page.until("room.items.length >= 50")
        # Its place in the list changes as soon as older ones come.
        key, token = await ada.page.run(
            "[room.items[5].payload.text, room.items[5].timetoken]")
        row = (f"all('{MESSAGE}').find((it) => it.querySelector('[part=text]').textContent"
               f" === {key!r})")
        where = f"{row}.getBoundingClientRect().top"
        count = await ada.page.run("room.items.length")
        # Where it is in each frame that is painted.
        moved = await ada.page.run(f"""(async () => {{
            const painted = () => new Promise((done) => requestAnimationFrame(() => {{
                const {{ port1, port2 }} = new MessageChannel();
                port1.onmessage = done;
                port2.postMessage(null);
            }}));
            list.reveal({token!r});
            do await painted(); while (!{row});
            await painted();
            const before = {where};
            let moved = 0;
            for (let rest = 10; rest > 0; room.items.length > {count} && rest--) {{
                await painted();
                moved = Math.max(moved, Math.abs({where} - before));
            }}
            return moved;
        }})()""")
        self.assertLess(moved, 2)

    async def test_a_reply_leads_to_what_the_device_does_not_hold(self):
        told = await self.zoe.settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"message {n}"}})
            for n in range(400)])
        asked = told[100]["timetoken"]
        await self.zoe.add("room", asked, "👍")
        await self.zoe.publish("room", {"text": "Yes."}, parent=asked)
        ada = await self.person(self.daemon, "ada", options={
            "window": {"last": 50, "keeping": 100}})
        text, quote = f"{MESSAGE} >>> [part=text]", f"{MESSAGE} >>> [part=quote]"
        await self.says(ada, quote, ["An earlier message"])
        await ada.click(quote)
        await self.says(ada, "sync-messages >>> [part~=found] >>> [part=text]", ["message 100"])
        await self.says(ada, "sync-messages >>> [part=past] span", ["Older messages, as they are now"])
        # It is in sight, and does not change: nobody reacts there, or asks who did.
        await ada.page.until("""(() => {
            const [row, log] = ['[part~=found]', '[part=log]'].map((it) =>
                one(`sync-messages >>> ${it}`).getBoundingClientRect());
            return row.top >= log.top && row.bottom <= log.bottom;
        })()""", "the message in sight")
        await ada.look("past")
        await self.says(ada, f"{BAR} >>> [part=count]", ["1"])
        self.assertEqual(await ada.page.run(f"all('{MESSAGE} >>> [part=react]').length"), 0)
        await ada.click(f"{BAR} >>> {TOGGLE}")
        await ada.click("sync-messages >>> [part~=found] >>> [part=text]", "right")
        await self.says(ada, f"{PICKER} >>> [part~=action]", ["Copy text", "Reply"])
        self.assertEqual(await ada.page.run(f"all('{PICKER} >>> [part=row]').length"), 0)
        await ada.press("Escape")
        self.assertEqual(await ada.page.run(f"all('{SHEET} >>> [part=sheet]').length"), 0)
        # Both ways from there, to both ends; and nothing is left out.
        log = "sync-messages >>> [part=log]"
        for way, last in ((-1, "message 0"), (1, "Yes.")):
            for _ in range(60):
                await ada.scroll(log, 1500 * way)
                if last in await ada.page.run(f"texts('{text}')"):
                    break
            await ada.page.until(f"texts('{text}').includes({last!r})", last)
        self.assertEqual(await ada.page.run("list.items.map((it) => it.payload.text)"),
                         [f"message {n}" for n in range(400)] + ["Yes."])
        await ada.page.until("room.items.length < 200", "that it keeps none of it")
        # What comes meanwhile is counted, and the bar leads there.
        await self.zoe.publish("room", {"text": "And now?"})
        await self.says(ada, "sync-messages >>> [part=back]", ["1 new message"])
        await ada.click("sync-messages >>> [part=back]")
        await ada.page.until(f"texts('{text}').at(-1) === 'And now?'")
        await self.says(ada, "sync-messages >>> [part=past]", [])
        self.assertTrue(await ada.page.run("list.items === room.items"))

    async def test_who_writes_in_the_past_is_back(self):
        told = await self.zoe.settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"message {n}"}})
            for n in range(200)])
        ada = await self.person(self.daemon, "ada", options={
            "window": {"last": 20, "keeping": 50}})
        held, gone, far = (told[n]["timetoken"] for n in (195, 50, 20))
        self.assertEqual(await ada.page.run(f"list.jump('{held}')"), True)
        self.assertFalse(await ada.page.run("list.isInPast"), "It is in the list.")
        await self.zoe.command("deleteMessages", channel="room", after=told[49]["timetoken"],
                               through=gone)
        # A window that begins early holds it until it hears of the deletion.
        patience = Patience()
        while await ada.page.run(f"list.jump('{gone}')"):
            patience.check("the deletion")
            await asyncio.sleep(0.05)
        self.assertFalse(await ada.page.run("list.isInPast"), "There is nothing to go to.")
        # What is asked for last shows, wherever it is.
        found = "sync-messages >>> [part~=found] >>> [part=text]"
        await ada.page.run(f"Promise.all([list.jump('{gone}'), list.jump('{far}')])")
        await self.says(ada, found, ["message 20"])
        await ada.page.run("list.toNewest()")
        await ada.page.run(f"Promise.all([list.jump('{far}'), list.jump('{held}')])")
        await self.says(ada, found, ["message 195"])
        self.assertFalse(await ada.page.run("list.isInPast"))
        await ada.page.run(f"list.jump('{far}')")
        await self.says(ada, found, ["message 20"])
        await ada.click(FIELD)
        await ada.type("Here I am.")
        await ada.press("Enter")
        await ada.page.until(f"texts('{MESSAGE} >>> [part=text]').at(-1) === 'Here I am.'")
        self.assertFalse(await ada.page.run("list.isInPast"))
        self.assertTrue(await ada.page.run("document.activeElement === composer"))

    async def test_days_and_groups(self):
        await self.zoe.publish("room", {"text": "one"})
        await self.zoe.publish("room", {"text": "two"})
        bob = await self.device(self.daemon, "bob")
        await bob.publish("room", {"text": "three"})
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, f"{MESSAGE} >>> [part=text]", ["one", "two", "three"])
        await self.says(ada, f"{MESSAGE} >>> [part=author]", ["zoe", "bob"])
        await self.says(ada, f"{MESSAGE} >>> [part=day]", ["Today"])
        await ada.page.run("document.documentElement.lang = 'de';"
                           "list.words = { react: 'Reagieren' }")
        await self.says(ada, f"{MESSAGE} >>> [part=day]", ["Heute"])

    async def test_it_is_read_as_a_log(self):
        message = await self.zoe.publish("room", {"text": "Noon?"})
        await self.zoe.add("room", message, "👍")
        ada = await self.person(self.daemon, "ada")
        await ada.click(f"{BAR} >>> {label('👍')}")
        await self.says(ada, f"{BAR} >>> [part=count]", ["2"])
        await ada.page.until(f"all('{BAR} >>> [part~=pending]').length === 0")
        lines = await ada.read()
        found = {(role, name) for role, name, _ in lines}
        for line in (("log", "Messages"), ("group", "Reactions"), ("button", "Add a reaction"),
                     ("button", "2: who reacted with 👍"), ("textbox", "Message"),
                     ("button", "Send"), ("status", "")):
            self.assertIn(line, found)
        (toggle,) = [it for it in lines if it[:2] == ("button", "React with 👍")]
        self.assertEqual(toggle[2]["pressed"], "true")
        (article,) = [it for it in lines if it[0] == "article"]
        self.assertRegex(article[1], r"^zoe, \d\d:\d\d")
        await ada.click(f"{BAR} >>> [part=who]")
        await ada.page.until(f"one('{SHEET} >>> [part=tabs]')")
        found = {(role, name) for role, name, _ in await ada.read()}
        for line in (("dialog", "Who reacted"), ("tab", "All 2"), ("tab", "👍 2"),
                     ("tabpanel", "👍"), ("button", "Close"), ("button", "Remove")):
            self.assertIn(line, found)

    async def test_pieces_and_slots_are_the_pages(self):
        await self.zoe.publish("room", {"text": "<b>bold</b>"})
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, f"{MESSAGE} >>> [part=text]", ["<b>bold</b>"])
        await ada.page.run("""list.pieces = {
            text: (item) => Object.assign(document.createElement('em'),
                { textContent: item.payload.text.length }),
            footer: () => 'below' }""")
        await self.says(ada, f"{MESSAGE} >>> [part=text] em", ["11"])
        await self.says(ada, f"{MESSAGE} >>> [part=footer]", ["below"])
        await ada.page.run("list.pieces = {}")
        await self.says(ada, f"{MESSAGE} >>> [part=footer]", [])
        await ada.page.run("list.setAttribute('no-reactions', '')")
        await ada.page.until(f"all('{MESSAGE} >>> [part=react]').length === 0")
        await ada.page.run("list.removeAttribute('no-reactions')")
        # The page acts itself, and its own picture is shown.
        await ada.page.run("""list.icons = { '👍': '/none.svg' };
            list.actions = () => [{ id: 'pin', label: 'Pin', run: () => said.push('pinned') }];
            document.addEventListener('sync-react', (event) => event.preventDefault());""")
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await self.says(ada, f"{PICKER} >>> [part~=action]", ["Pin"])
        await ada.page.until(f"one('{PICKER} >>> [part~=choice] img')")
        await ada.click(f"{PICKER} >>> [part~=choice]")
        await ada.click(f"{MESSAGE} >>> [part=text]", "right")
        await ada.click(f"{PICKER} >>> [part~=action]")
        self.assertEqual(await ada.page.run("said.filter((it) => it === 'pinned').length"), 1)
        self.assertEqual(await ada.page.run("room.items[0].actions.length"), 0)


class Example(UiCase):
    """examples/web: a room in 40 lines."""

    async def test_two_people_in_a_room(self):
        daemon = self.start_daemon()
        pages = Pages(folder=ROOT)
        self.addCleanup(pages.close)
        source = (ROOT / "examples" / "web" / "index.html").read_text(encoding="utf-8")
        self.assertLessEqual(len(source.splitlines()), 40)
        host, port = daemon.address
        people = []
        for user in ("ada", "bob"):
            page = await self.browser.page(
                f"{pages.origin}/examples/web/?user={user}&daemon={host}:{port}",
                await self.browser.context())
            await page.run(PATHS)
            people.append(Hands(page))
        ada, bob = people
        await bob.page.until("one('sync-status').state === 'verified'")
        await ada.click(FIELD)
        await ada.type("Noon?")
        await ada.press("Enter")
        await self.says(bob, f"{MESSAGE} >>> [part=text]", ["Noon?"])
        await bob.click(f"{MESSAGE} >>> [part=text]", "right")
        await bob.click(f"{PICKER} >>> [part~=choice]")
        await self.says(ada, f"{BAR} >>> [part=icon]", ["👍"])
        await ada.look("example")


class Alone(UiCase):
    """One element in a page that has nothing else of the kind."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.page = await self.browser.page(f"{self.pages.origin}/tests/page.html")
        self.hands = Hands(self.page)
        await self.page.run(PATHS)

    async def test_what_a_page_sets_before_the_element_is_known(self):
        await self.page.run("""(async () => {
            window.bar = document.createElement('sync-reactions');
            bar.order = 'count';
            bar.reactions = [['👍', 1], ['🔥', 2]].map(([value, count]) => ({ type: 'reaction',
                value, count, score: count, isMine: value === '👍', ownScore: 0, isPending: false,
                first: String(count), last: '3', authors: ['ada'], clipped: false }));
            document.body.append(bar);
            await import('/ui/sync-reactions.js');
        })()""")
        await self.says(self.hands, "body > sync-reactions >>> [part=icon]", ["🔥", "👍"])
        # Without a channel the page is told, and does what it wants.
        await self.page.run("bar.addEventListener('sync-react', ({ detail }) => "
                            "{ window.wished = [detail.value, detail.present]; })")
        await self.hands.click(f"body > sync-reactions >>> {label('👍')}")
        self.assertEqual(await self.page.run("wished"), ["👍", False])
        self.assertEqual(await self.page.run(
            "!!customElements.get('sync-messages') || !!customElements.get('sync-composer')"), False)

    async def test_slots_parts_and_motion(self):
        await self.page.run("""(async () => {
            await import('/ui/sync-composer.js');
            await import('/ui/sync-reactions.js');
            document.body.innerHTML = `<style>sync-composer::part(field) { color: rgb(1, 2, 3); }
                </style><sync-composer><b slot="send">Go</b><i slot="before">A</i></sync-composer>
                <sync-reactions style="--sync-line: rgb(4, 5, 6)"><b slot="add">Add</b></sync-reactions>`;
            one('sync-composer').channel = { name: 'x' };
        })()""")
        for text in ("Go", "A", "Add"):
            await self.page.until(f"all('b, i').some((it) => it.textContent === '{text}')", text)
        field = "getComputedStyle(one('sync-composer >>> [part=field]'))"
        self.assertEqual(await self.page.run(f"{field}.color"), "rgb(1, 2, 3)")
        add = "getComputedStyle(one('sync-reactions >>> [part=add]'))"
        self.assertEqual(await self.page.run(f"{add}.borderTopColor"), "rgb(4, 5, 6)")
        await self.page.run("""document.querySelector('sync-reactions').reactions = [{
            type: 'reaction', value: '👍', count: 1, score: 1, isMine: false, ownScore: 0,
            isPending: false, first: '1', last: '1', authors: [], clipped: false }]""")
        bubble = "getComputedStyle(one('sync-reactions >>> .bubble')).transitionDuration"
        await self.page.until("one('sync-reactions >>> .bubble')")
        await self.hands.be(motion="no-preference")
        self.assertIn("0.12s", await self.page.run(bubble))
        await self.hands.be(motion="reduce")
        self.assertEqual(set((await self.page.run(bubble)).split(", ")), {"0s"})


    async def test_colours_and_what_is_behind(self):
        await self.page.run("""(async () => {
            await import('/ui/sync-reactions.js');
            document.body.innerHTML = `<div style="--sync-own: rgb(1, 2, 3); --sync-own-ground:
                transparent; --sync-backdrop: rgb(7, 8, 9); --sync-backdrop-filter: blur(2px)">
                <sync-reactions></sync-reactions><sync-reaction-picker></sync-reaction-picker></div>`;
            one('sync-reactions').reactions = [{ type: 'reaction', value: '👍', count: 1, score: 1,
                isMine: true, ownScore: 1, isPending: false, first: '1', last: '1', authors: [],
                clipped: false }];
            document.querySelector('sync-reaction-picker').show(one('sync-reactions'));
        })()""")
        await self.page.until("one('sync-reactions >>> .bubble')")
        own = "getComputedStyle(one('sync-reactions >>> .bubble'))"
        self.assertEqual(await self.page.run(f"[{own}.color, {own}.backgroundColor]"),
                         ["rgb(1, 2, 3)", "rgba(0, 0, 0, 0)"])
        await self.page.until("one('sync-reaction-picker >>> .float')")
        behind = "getComputedStyle(one('sync-reaction-picker >>> .float'), '::backdrop')"
        self.assertEqual(await self.page.run(f"[{behind}.backgroundColor, {behind}.backdropFilter]"),
                         ["rgb(7, 8, 9)", "blur(2px)"])


class Elements(UiCase):
    """ui/index.html: the knobs do what they say."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        page = await self.browser.page(f"{self.pages.origin}/ui/index.html")
        self.hands = Hands(page)
        await self.hands.be(width=1200, height=1000)
        await page.run(PATHS)

    async def turn(self, piece, knob, value):
        """Turns a knob as its reader does: a choice, or a box that is checked."""
        await self.hands.page.run(f"""(() => {{
            const label = [...document.querySelectorAll('{piece} label')]
                .find((it) => it.textContent.startsWith({json.dumps(knob)}));
            const field = label.querySelector('select, input');
            if (field.type === 'checkbox') field.checked = {json.dumps(bool(value))};
            else field.value = {json.dumps(value)};
            field.dispatchEvent(new Event('change', {{ bubbles: true }}));
            field.dispatchEvent(new Event('input', {{ bubbles: true }}));
        }})()""")

    async def test_knobs(self):
        icons = "main sync-reactions >>> [part=icon]"
        bar = "#sync-reactions"
        await self.says(self.hands, icons, ["👍", "❤️", "🔥"])
        await self.turn(bar, "order", "count")
        await self.says(self.hands, icons, ["❤️", "👍", "🔥"])
        counts = "main sync-reactions >>> [part=count]"
        await self.says(self.hands, counts, ["99+", "3", "1"])
        await self.turn(bar, "max", "999")
        await self.says(self.hands, counts, ["140", "3", "1"])
        await self.turn(bar, "icons", True)
        await self.says(self.hands, icons, ["❤️", "Like", ""])
        height = "one('main sync-reactions').getBoundingClientRect().height"
        before = await self.hands.page.run(height)
        await self.turn(bar, "axis", "column")
        await self.hands.page.until(f"{height} > 2 * {before}")
        await self.turn("#sync-reaction-picker", "values", "twelve")
        choices = "main sync-reaction-picker[inline] >>> [part~=choice]"
        await self.hands.page.until(f"all('{choices}').length === 12")
        row = "one('main sync-reaction-picker[inline] >>> [part=row]')"
        self.assertTrue(await self.hands.page.run(f"{row}.scrollWidth > {row}.clientWidth"))
        self.assertEqual(await self.hands.page.run(f"{row}.clientWidth"), 300)
        await self.turn("#sync-reaction-picker", "--sync-picker-max-width", "200px")
        await self.hands.page.until(f"{row}.clientWidth === 200")
        sheet = "one('main sync-reaction-authors[inline] >>> [part=sheet]')"
        await self.turn("#sync-reaction-authors", "--sync-authors-max-height", "200px")
        await self.hands.page.until(f"{sheet}.clientHeight <= 200")
        await self.turn("#page-knobs", "Values of the channel", "flag")
        await self.says(self.hands, choices, ["👍"])
        await self.turn("#page-knobs", "Reactions are off", True)
        await self.says(self.hands, icons, [])
        await self.says(self.hands, choices, [])


if __name__ == "__main__":
    unittest.main()
