"""The components read by axe: no violation of WCAG 2.2 AA, in light and dark, from right to left, on
a phone; and pictures of all that for people to look at."""

import importlib.util
import json
import pathlib
import unittest

from hands import Hands
from test_web_ui import BAR, FIELD, MESSAGE, PICKER, SHEET, UiCase

#: The script alone; what else the package has drives browsers of its own.
AXE = pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).parent / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SCREENS = {
    "light": {}, "dark": {"scheme": "dark"}, "rtl": {}, "phone": {"width": 360, "touch": True},
    "phone-dark": {"width": 360, "touch": True, "scheme": "dark"},
}
#: Messages of several people, of several kinds.
SAID = [
    ("bob", "Shall we meet at noon?", {"👍": 3, "❤️": 2, "🔥": 1}),
    ("zoe", "Yes, at the usual place. I bring the printouts, and the cake if there is any left.",
     {"😂": 2}),
    ("zoe", "Cake!", {}),
    ("eve", "مرحبا، هل الاجتماع في موعده؟", {"👏": 1, "🎉": 1, "😲": 1, "😢": 1, "🙏": 2}),
]


async def violations(page):
    """What axe has to say, each as a line."""
    if not await page.run("!!window.axe"):
        await page.run(AXE.read_text(encoding="utf-8") + "; true")
    script = f"""axe.run(document, {{ runOnly: {{ type: 'tag', values: {json.dumps(TAGS)} }} }})
        .then(({{ violations, passes }}) => ({{ passes: passes.length, found: violations.flatMap(
            ({{ id, nodes }}) => nodes.map(({{ target, failureSummary }}) =>
                `${{id}} ${{JSON.stringify(target)}} ${{failureSummary}}`)) }}))"""
    answer = await page.run(script)
    if answer["passes"] < 10:
        raise AssertionError(f"axe looked at {answer['passes']} rules only.")
    return answer["found"]


class Access(UiCase):
    async def populate_room(self, daemon):
        people = {name: await self.device(daemon, name) for name in ("bob", "zoe", "eve", "kim")}
        for name in people:
            await people[name].command("setUser", userId=name, set={"name": name.title()})
        for author, text, reactions in SAID:
            message = await people[author].publish("room", {"text": text})
            for value, count in reactions.items():
                for name in list(people)[:count]:
                    await people[name].add("room", message, value)

    async def test_a_room(self):
        daemon = self.start_daemon()
        await self.populate_room(daemon)
        for name, screen in SCREENS.items():
            with self.subTest(name):
                await self.look_at(name, await self.person(daemon, "ada", screen=screen))

    async def look_at(self, name, ada):
        page = ada.page
        if name == "rtl":
            await page.run("document.documentElement.dir = 'rtl'")
        await page.until(f"texts('{MESSAGE} >>> [part=text]').length === {len(SAID)}")
        await page.run("room.react(room.items[0].timetoken, '👍')")
        await page.until(f"one('{BAR} >>> [part~=own]') && client.waiting === 0")
        await page.run("room.publish({ text: 'At last, something of my own.' })")
        await page.until(f"texts('{MESSAGE} >>> [part=text]').length >= {len(SAID) + 1} && "
                         "client.waiting === 0")
        await self.assert_accessible(ada, f"{name}-room")
        # The picker, everything that there is, and who reacted.
        await page.run("list.openPicker(room.items[3], "
                       f"all('{MESSAGE} >>> .said')[3])")
        await page.until(f"one('{PICKER} >>> [part=row]')")
        await self.assert_accessible(ada, f"{name}-picker")
        await page.run(f"one('{PICKER} >>> [part=plus]').click()")
        await page.until(f"all('{PICKER} >>> [part=group]').length >= 3")
        await self.assert_accessible(ada, f"{name}-emoji")
        await ada.press("Escape")
        await page.run("list.openAuthors(room.items[0], '👍')")
        await page.until(f"texts('{SHEET} >>> [part=name]').length >= 3")
        await self.assert_accessible(ada, f"{name}-authors")
        await ada.press("Escape")
        await page.run(f"one('{FIELD}').focus(); composer.parent = room.items[0]")
        await page.until("one('sync-composer >>> [part=about]')")
        await self.assert_accessible(ada, f"{name}-reply")
        await page.run("room.delete(room.items.at(-1).timetoken)")
        await page.until("client.waiting === 0")
        await page.run("client.close()")

    async def assert_accessible(self, hands, name):
        # Everything has been painted.
        await hands.page.run("new Promise((done) => requestAnimationFrame(() => "
                             "requestAnimationFrame(done)))")
        await hands.look(name)
        self.assertEqual(await violations(hands.page), [], name)

    async def test_what_waits_is_readable_too(self):
        daemon = self.start_lasting_daemon()
        await self.populate_room(daemon)
        people = [(name, await self.person(daemon, f"ada-{name}", screen=SCREENS[name]))
                  for name in ("light", "dark")]
        daemon.stop()
        for name, ada in people:
            await ada.page.until(f"texts('{MESSAGE} >>> [part=text]').length === {len(SAID)}")
            await ada.page.run("""(() => {
                room.publish({ text: 'On its way.' });
                room.react(room.items[1].timetoken, '🔥');
            })()""")
            await ada.page.until(f"one('{BAR} >>> [part~=pending]')")
            await self.says(ada, f"{MESSAGE} >>> [part=state]", ["Sending…"])
            await self.assert_accessible(ada, f"{name}-waiting")
        daemon.start()
        for _, ada in people:
            await ada.page.until("client.waiting === 0")

    async def test_the_page_of_the_elements(self):
        for name, screen in SCREENS.items():
            page = await self.browser.page(
                f"{self.pages.origin}/ui/index.html", await self.browser.context())
            hands = Hands(page)
            await hands.be(**{"width": 1200, "height": 1600, **screen})
            if name == "rtl":
                await page.run("document.documentElement.dir = 'rtl'")
            await page.until("docs.messages.shadowRoot.querySelector('[part=text]')")
            await page.run("document.querySelector('details').open = true")
            with self.subTest(name):
                await self.assert_accessible(hands, f"{name}-elements")


if __name__ == "__main__":
    unittest.main()
