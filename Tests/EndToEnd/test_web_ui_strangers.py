"""The components and what strangers send, and what pages get wrong: nothing is fetched that somebody
else names, nothing grows without bound, nothing that was typed is lost."""

import asyncio
import http.server
import json
import pathlib
import tempfile
import unittest

from browser import LocalServer
from test_console import ConsoleCase
from test_web_client import WebCase
from test_web_ui import BAR, FIELD, MESSAGE, PICKER, SHEET, UiCase
from waiting import Patience

TEXT = f"{MESSAGE} >>> [part=text]"
QUOTE = f"{MESSAGE} >>> [part=quote]"
WORD = "sync-status >>> [part=word]"
UNSENT = "sync-status >>> [part=unsent]"
ABOUT = "sync-composer >>> [part=about-text]"
FRAMES = ("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => "
          "done(true))))")
#: A name that would write from right to left whatever is behind it.
TURNED = "x\u202eeve"


class Elsewhere(LocalServer):
    """Another server, which has nothing, and tells what it was asked for."""

    def __init__(self):
        self.paths = paths = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                paths.append((self.path, self.headers.get("Referer")))
                self.send_error(404)

            def log_message(self, *_):
                pass

        super().__init__(Handler)


class StrangersCase(UiCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.zoe = await self.device(self.daemon, "zoe")

    async def forget_problems(self, hands, count):
        """What was to be refused was, and was said."""
        await hands.page.until(f"problems.length === {count}", f"{count} problems")
        return await hands.page.run("problems.splice(0)")


class Fetched(StrangersCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.elsewhere = Elsewhere()
        self.addCleanup(self.elsewhere.close)

    async def test_what_a_reaction_says_is_not_fetched(self):
        message = await self.zoe.publish("room", {"text": "Noon?"})
        values = [f"{self.elsewhere.origin}/who.png", "/ui/docs/spark.svg", "./a",
                  f"{self.elsewhere.origin}/\U0001f44d"]
        for value in values:
            await self.zoe.add("room", message, value)
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, f"{BAR} >>> [part=icon]", values)
        await ada.page.run("list.openAuthors(room.items[0])")
        await self.says(ada, f"{SHEET} >>> [part=value]", values[::-1])
        self.assertEqual(await ada.page.run(
            f"[...all('{BAR} >>> img'), ...all('{SHEET} >>> img')].length"), 0)
        # As pages write it: their own picture, else what came.
        await ada.press("Escape")
        await ada.page.run("list.icons = (value) => ({ '👍': '/none.svg' })[value] ?? value")
        await self.zoe.add("room", message, "👍")
        await ada.page.until(f"all('{BAR} >>> img').length === 1")
        self.assertEqual(await ada.page.run(f"one('{BAR} >>> img').referrerPolicy"), "no-referrer")
        self.assertEqual(self.elsewhere.paths, [])

    async def test_a_picture_that_is_not_there_is_asked_for_once(self):
        picture = f"{self.elsewhere.origin}/zoe.png"
        await self.zoe.command("setUser", userId="zoe", set={"name": "Zoe", "profileUrl": picture})
        # Several groups: another one says something in between.
        for n in range(3):
            await self.zoe.publish("room", {"text": f"message {n}"})
            bob = await self.device(self.daemon, "bob", f"bob-{n}")
            await bob.publish("room", {"text": "Hm."})
        ada = await self.person(self.daemon, "ada")
        faces = f"texts('{MESSAGE} >>> .face').filter((it) => it !== '')"
        # Letters show until the names are there, and once more when the picture is not.
        patience = Patience()
        while not self.elsewhere.paths:
            patience.check("the picture's being asked for")
            await asyncio.sleep(0.05)
        await ada.page.until(f"{faces}.join() === 'Z,B,Z,B,Z,B'", "letters")
        seen = await ada.page.run(f"""(async () => {{
            const seen = new Set();
            for (let round = 0; round < 10; round++) {{
                list.words = {{}};
                await {FRAMES};
                seen.add({faces}.join());
            }}
            return [...seen];
        }})()""")
        self.assertEqual(seen, ["Z,B,Z,B,Z,B"], "No flicker.")
        self.assertEqual(self.elsewhere.paths, [("/zoe.png", None)])

    async def test_a_picture_is_of_the_web_or_there_is_none(self):
        bad = ["/ui/docs/spark.svg", "javascript:problems.push('run')", "//127.0.0.1/x.png"]
        for n, address in enumerate(bad):
            one = await self.device(self.daemon, f"u{n}")
            await one.command(
                "setUser", userId=f"u{n}", set={"name": f"U{n}", "profileUrl": address})
            await one.publish("room", {"text": address})
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, f"{MESSAGE} >>> .face", ["U"] * 3)
        self.assertEqual(await ada.page.run(f"all('{MESSAGE} >>> img').length"), 0)


class Failing(StrangersCase):
    async def test_a_piece_that_fails_is_as_it_is_without_it(self):
        for n in range(3):
            await self.zoe.publish("room", {"text": f"message {n}"})
        message = await self.zoe.publish("room", {"text": "Yes."})
        await self.zoe.publish("room", {"text": "A reply."}, parent=message)
        await self.zoe.add("room", message, "👍")
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("""(() => {
            window.warned = [];
            console.warn = (...words) => warned.push(String(words[0]));
            const fails = (name) => () => { throw new Error(name); };
            list.pieces = { text: (item) => item.payload.kind.length, author: fails('author'),
                avatar: () => ({}), time: () => 'then', footer: () => 7 };
            list.order = fails('order');
            list.icons = fails('icons');
            list.words = { replies: fails('replies'), people: fails('people'), edited: 7 };
        })()""")
        await self.says(ada, f"{MESSAGE} >>> [part=footer]", ["7"] * 5)
        await self.says(ada, TEXT, ["message 0", "message 1", "message 2", "Yes.", "A reply."])
        await self.says(ada, f"{MESSAGE} >>> [part=author]", ["zoe"])
        await self.says(ada, f"{MESSAGE} >>> [part=thread]", ["1 reply"])
        await self.says(ada, f"{BAR} >>> [part=icon]", ["👍"])
        await self.zoe.add("room", message, "🔥")
        await self.says(ada, f"{BAR} >>> [part=icon]", ["👍", "🔥"])
        await self.says(ada, f"{MESSAGE} >>> .face", ["Z", "", "", "", ""])
        await ada.page.run(f"list.again() ?? {FRAMES}")
        names = await ada.page.run("warned.map((it) => it.split(' ')[2]).sort()")
        self.assertEqual(names, ["icons", "order", "pieces.author", "pieces.avatar",
                                 "pieces.text", "words.edited", "words.people", "words.replies"])

    async def test_wrong_numbers_are_as_if_nobody_said_them(self):
        message = await self.zoe.publish("room", {"text": "Noon?"})
        for value in ("👍", "🔥"):
            await self.zoe.add("room", message, value)
        ada = await self.person(self.daemon, "ada")
        for wrong in ("-5", "0", "x", "1.5", ""):
            await ada.page.run(f"list.setAttribute('max', '{wrong}')")
            await ada.page.run(f"list.setAttribute('limit', '{'-1' if wrong == '0' else wrong}')")
            await ada.page.run(FRAMES)
            await self.says(ada, f"{BAR} >>> [part=count]", ["1", "1"])


class Network(StrangersCase):
    async def test_without_a_network_it_says_so_at_once(self):
        await self.zoe.publish("room", {"text": "Noon?"})
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, WORD, ["Up to date"])
        no_network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        await ada.do("Network.enable")
        await ada.do("Network.emulateNetworkConditions", offline=True, **no_network)
        await ada.page.until("navigator.onLine === false")
        self.assertEqual(await ada.page.run(f"{FRAMES}.then(() => texts('{WORD}'))"), ["Offline"])
        # It is not green.
        self.assertEqual(await ada.page.run("all('sync-status >>> [part~=good]').length"), 0)
        await ada.do("Network.emulateNetworkConditions", offline=False, **no_network)
        await self.says(ada, WORD, ["Up to date"])

    async def test_what_is_unsent_is_not_up_to_date(self):
        await self.zoe.publish("room", {"text": "Noon?"})
        ada = await self.person(self.daemon, "ada")
        # What is written is not heard of, and nobody has noticed.
        await ada.page.run("""(() => {
            const { send } = WebSocket.prototype;
            window.heal = () => { WebSocket.prototype.send = send; };
            WebSocket.prototype.send = () => {};
            window.states = [];
            setInterval(() => states.push([texts('%s'), texts('%s')].flat().join(', ')), 10);
            room.react(room.items[0].timetoken, '👍');
        })()""" % (WORD, UNSENT))
        await self.says(ada, UNSENT, ["1 unsent"])
        await self.says(ada, WORD, ["Catching up"])
        seen = set(await ada.page.run("states"))
        self.assertLessEqual(seen, {"Up to date", "Catching up, 1 unsent"})
        await ada.page.run("heal()")

    async def test_what_nobody_keeps_is_said_to_who_sent_it(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        path = pathlib.Path(directory, "sync.ini")
        path.write_text("[keyset app]\nsubscribe_key = sub-app\n"
                        "[namespace live]\nchannels = live.*\nstore = no\n", encoding="utf-8")
        daemon = self.start_daemon("--config", str(path))
        ada = await self.person(daemon, "ada", channel="live.a", keyset="sub-app", names=False)
        await ada.click(FIELD)
        await ada.type("Does anybody hear me?")
        await ada.press("Enter")
        (problem,) = await self.forget_problems(ada, 1)
        self.assertIn("keeps no messages", problem)


class Writing(StrangersCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.ada = await self.person(self.daemon, "ada")

    async def write(self, text):
        await self.ada.click(FIELD)
        await self.ada.type(text)

    async def choose(self, action, message=""):
        await self.ada.click(f"{MESSAGE}{message} >>> [part=text]", "right")
        await self.ada.click(f"{PICKER} >>> [data-id={action}]")

    async def assert_field(self, text):
        await self.ada.page.until(
            f"composer.value === {json.dumps(text)}", f"{text!r} in the field")

    async def test_what_was_typed_outlives_an_edit_and_a_reply(self):
        ada = self.ada
        await self.write("Noon?")
        await ada.press("Enter")
        await self.says(ada, TEXT, ["Noon?"])
        await ada.page.until("client.waiting === 0")
        await self.write("A long thought")
        await self.choose("edit")
        await self.assert_field("Noon?")
        await ada.press("Escape")
        await self.assert_field("A long thought")
        await self.says(ada, ABOUT, [])
        # After the edit, too.
        await self.choose("edit")
        await ada.press("End")
        await ada.type(" Yes?")
        await ada.press("Enter")
        await self.says(ada, TEXT, ["Noon? Yes?"])
        await self.assert_field("A long thought")
        # Who replies to nobody after all says the same.
        await self.choose("reply")
        await self.says(ada, ABOUT, ["ada: Noon? Yes?"])
        await self.choose("edit")
        await ada.press("Escape")
        await self.says(ada, ABOUT, ["ada: Noon? Yes?"])
        await ada.press("Escape")
        await self.says(ada, ABOUT, [])
        await self.assert_field("A long thought")

    async def test_the_text_stays_when_its_message_is_deleted(self):
        ada = self.ada
        await self.write("Noon?")
        await ada.press("Enter")
        await self.says(ada, TEXT, ["Noon?"])
        await ada.page.until("client.waiting === 0")
        await self.write("A draft")
        await self.choose("edit")
        await ada.press("End")
        await ada.type(" Or at one?")
        token = await ada.page.run("room.items[0].timetoken")
        other = await self.device(self.daemon, "ada", "ada-phone")
        await other.command("deleteMessage", channel="room", messageTimetoken=token)
        await self.assert_field("A draft\nNoon? Or at one?")
        await self.says(ada, ABOUT, [])
        (problem,) = await self.forget_problems(ada, 1)
        self.assertIn("deleted", problem)
        self.assertEqual(await ada.page.run("said.includes('sync-problem')"), True)

    async def test_an_edit_that_is_refused_comes_back(self):
        ada = self.ada
        await self.write("Noon?")
        await ada.press("Enter")
        await self.says(ada, TEXT, ["Noon?"])
        await ada.page.until("client.waiting === 0")
        await self.choose("edit")
        # At once, by the client.
        await ada.page.run("composer.payloadOf = (text) => ({ text, more: 1n })")
        await ada.press("End")
        await ada.type(" Hm.")
        await ada.press("Enter")
        await self.forget_problems(ada, 1)
        await self.assert_field("Noon? Hm.")
        await self.says(ada, ABOUT, ["Editing a message"])
        # Later, by the daemon.
        await ada.page.run("""(() => {
            composer.payloadOf = (text) => ({ text });
            const { send } = WebSocket.prototype;
            WebSocket.prototype.send = function (text) {
                const command = JSON.parse(text);
                if (command.op === 'editMessage') command.messageTimetoken = '1';
                send.call(this, JSON.stringify(command));
            };
        })()""")
        await ada.press("Enter")
        await self.forget_problems(ada, 1)
        await self.assert_field("Noon? Hm.")
        await self.says(ada, ABOUT, ["Editing a message"])
        await self.says(ada, TEXT, ["Noon?"])

    async def test_only_a_text_is_edited(self):
        ada = self.ada
        await ada.page.run("room.publish({ kind: 'image', file: 'a.png' })")
        await ada.page.until("room.items[0]?.timetoken")
        await ada.click(TEXT, "right")
        await self.says(ada, f"{PICKER} >>> [part~=action]", ["Copy text", "Reply", "Delete"])


class Bounds(StrangersCase):
    async def flood(self, count):
        message = await self.zoe.publish("room", {"text": "Noon?"})
        await self.zoe.settle_all([
            ("addAction", {"channel": "room", "messageTimetoken": message, "value": f"v{n:04}"})
            for n in range(count)])
        return message

    async def test_of_thousands_of_values_some_show_and_the_others_are_asked_for(self):
        message = await self.flood(4899)
        ada = await self.person(self.daemon, "ada")
        bubbles = f"all('{BAR} >>> .bubble').length"
        await ada.page.until("room.items[0]?.actions.length === 4899")
        await ada.page.until(f"{bubbles} === 24")
        await self.says(ada, f"{BAR} >>> [part=more]", ["+4875"])
        # One's own shows, wherever it stands.
        await ada.page.run(f"room.react('{message}', 'mine')")
        await ada.page.until(f"texts('{BAR} >>> [part=icon]').at(-1) === 'mine'")
        await ada.click(f"{BAR} >>> [part=more]")
        await ada.page.until(f"{bubbles} === 124")
        await self.says(ada, f"{BAR} >>> [part=more]", ["+4776"])
        # Who reacted: some have a tab, the chosen one among them.
        await ada.page.run("list.openAuthors(room.items[0], 'v3000')")
        await self.says(ada, f"{SHEET} >>> [part=name]", ["zoe"])
        await self.says(ada, f"{SHEET} >>> [aria-selected=true]", ["v30001"])
        tabs = f"all('{SHEET} >>> [part=tab]').length"
        self.assertLess(await ada.page.run(tabs), 30)
        before = await ada.page.run(tabs)
        await ada.click(f"{SHEET} >>> [part=more-tabs]")
        await ada.page.until(f"{tabs} > {before}")
        self.assertLess(await ada.page.run(tabs), 130)

    async def test_a_bubble_is_no_wider_than_it_may_be_and_has_its_count(self):
        message = await self.zoe.publish("room", {"text": "Noon?"})
        for value in ("W" * 500, "👍" * 150, " ", "\u200b", "A\u202eb"):
            await self.zoe.add("room", message, value)
        for screen in ({}, {"width": 320, "touch": True}):
            ada = await self.person(self.daemon, "ada", screen=screen)
            await ada.page.until(f"all('{BAR} >>> .bubble').length === 5")
            await ada.look(f"long-values-{screen.get('width', 'wide')}")
            boxes = await ada.page.run(
                f"[...all('{BAR} >>> .bubble'), ...all('{BAR} >>> [part=count]')]"
                ".map((it) => it.getBoundingClientRect())"
                ".map((it) => [it.left, it.right, it.height])")
            width = await ada.page.run("document.documentElement.clientWidth")
            for left, right, height in boxes:
                self.assertGreaterEqual(left, 0)
                self.assertLessEqual(right, width)
                self.assertLess(right - left, 280)
                self.assertLess(height, 50)
            icons = await ada.page.run(f"texts('{BAR} >>> [part=icon]')")
            self.assertEqual(icons[2:4], ["U+0020", "U+200B"])
            # The digits of a font of emoji are as wide as pictures.
            self.assertEqual(await ada.page.run(f"""all('{BAR} >>> [part=icon]').map((it) =>
                getComputedStyle(it).fontFamily.includes('Emoji'))"""),
                             [False, True, False, False, False])
            await ada.page.run("list.openAuthors(room.items[0])")
            await ada.page.until(f"all('{SHEET} >>> [part=value]').length === 5")
            self.assertEqual(await ada.page.run(f"""all('{SHEET} >>> [part=value]').map((it) =>
                getComputedStyle(it).fontFamily.includes('Emoji'))"""),
                             [False, False, False, True, False])

    async def test_the_plus_is_in_sight_on_the_smallest_phone(self):
        await self.zoe.publish("room", {"text": "Noon?"})
        ada = await self.person(self.daemon, "ada", screen={"touch": True, "width": 320})
        await ada.down(TEXT)
        await ada.page.until(f"one('{PICKER} >>> [part=plus]')")
        await ada.look("picker-320")
        await ada.up()
        await ada.page.until(f"""(() => {{
            const [row, plus] = ['row', 'plus'].map((it) =>
                one('{PICKER} >>> [part=' + it + ']').getBoundingClientRect());
            return plus.width >= 44 && plus.left >= row.left && plus.right <= row.right;
        }})()""", "the whole plus")
        # It can be pressed, and so can the last one before it.
        await ada.page.run(f"one('{PICKER} >>> [part~=choice]').focus()")
        for _ in range(5):
            await ada.press("ArrowRight")
        await ada.page.until(f"""(() => {{
            const [last, plus] = [all('{PICKER} >>> [part~=choice]')[5],
                one('{PICKER} >>> [part=plus]')].map((it) => it.getBoundingClientRect());
            return last.right <= plus.left + 1;
        }})()""", "the last one beside it")
        await ada.tap(f"{PICKER} >>> [part=plus]")
        await ada.page.until(f"one('{PICKER} >>> [part=search]')")


class Directions(StrangersCase):
    async def test_a_name_turns_nothing_round(self):
        await self.zoe.command("setUser", userId="zoe", set={"name": TURNED})
        message = await self.zoe.publish("room", {"text": "Noon at the usual place"})
        await self.zoe.publish("room", {"text": "Or at one?"}, parent=message)
        await self.zoe.add("room", message, "👍")
        ada = await self.person(self.daemon, "ada")
        await self.says(ada, QUOTE, [f"{TURNED}: Noon at the usual place"])
        # The name, then what was said, each from left to right.
        places = await ada.page.run(f"""all('{QUOTE} >>> bdi').map((it) => {{
            const range = document.createRange();
            range.setStart(it.firstChild, 0);
            range.setEnd(it.firstChild, 1);
            return range.getBoundingClientRect().left;
        }})""")
        self.assertLess(places[0], places[1])
        ends = await ada.page.run(f"""(() => {{
            const text = all('{QUOTE} >>> bdi')[1].firstChild;
            return [0, text.length - 1].map((at) => {{
                const range = document.createRange();
                range.setStart(text, at);
                range.setEnd(text, at + 1);
                return range.getBoundingClientRect().left;
            }});
        }})()""")
        self.assertLess(ends[0], ends[1])
        await self.zoe.command("signal", channel="room", payload={"typing": True})
        typing = "sync-status >>> [part=typing]"
        await self.says(ada, typing, ["\u2068xeve\u2069 is typing…"])
        self.assertEqual(await ada.page.run(f"one('{BAR} >>> .bubble').title"), "\u2068xeve\u2069")
        await ada.page.run("composer.parent = room.items[0]")
        await self.says(ada, f"{ABOUT} >>> bdi", [TURNED, "Noon at the usual place"])

    async def test_a_count_is_read_from_left_to_right(self):
        message = await self.zoe.publish("room", {"text": "Noon?"})
        await self.zoe.add("room", message, "👍")
        await (await self.device(self.daemon, "bob")).add("room", message, "👍")
        ada = await self.person(self.daemon, "ada")
        await ada.page.run("document.documentElement.dir = 'rtl'; list.setAttribute('max', '1')")
        await self.says(ada, f"{BAR} >>> [part=count]", ["1+"])
        number, plus = await ada.page.run(f"""[0, 1].map((at) => {{
            const range = document.createRange();
            const text = one('{BAR} >>> [part=count]').firstChild;
            range.setStart(text, at);
            range.setEnd(text, at + 1);
            return range.getBoundingClientRect().left;
        }})""")
        self.assertLess(number, plus)

    async def test_of_a_message_that_is_gone_that_is_said(self):
        told = await self.zoe.settle_all([
            ("publish", {"channel": "room", "payload": {"text": f"message {n}"}})
            for n in range(200)])
        gone = told[50]["timetoken"]
        await self.zoe.publish("room", {"text": "Yes."}, parent=gone)
        await self.zoe.command("deleteMessages", channel="room", after=told[49]["timetoken"],
                               through=gone)
        ada = await self.person(self.daemon, "ada", options={"window": {"last": 20, "keeping": 50}})
        await self.says(ada, QUOTE, ["An earlier message"])
        await ada.click(QUOTE)
        bar = "sync-messages >>> [part=past]"
        await self.says(ada, f"{bar} >>> [role=status]", ["That message is not here any more."])
        self.assertFalse(await ada.page.run("list.isInPast"))
        self.assertEqual(await ada.page.run(f"texts('{TEXT}').at(-1)"), "Yes.")
        await ada.look("gone")
        await ada.click(f"{bar} >>> [part=back]")
        await self.says(ada, bar, [])
        # From the past as well: what shows there stays.
        far = told[20]["timetoken"]
        self.assertTrue(await ada.page.run(f"list.jump('{far}')"))
        self.assertFalse(await ada.page.run(f"list.jump('{gone}')"))
        await self.says(ada, f"{bar} >>> [role=status]", ["That message is not here any more."])
        self.assertIn("message 20", await ada.page.run(f"texts('{TEXT}')"))
        await ada.click(f"{bar} >>> [part=back]")
        await ada.page.until("list.items === room.items")


class Served(ConsoleCase, WebCase):
    async def test_the_example_finds_the_daemon_that_serves_it(self):
        daemon = self.start_console()
        host, port = daemon.admin_address
        page = await self.browser.page(f"http://{host}:{port}/web/example.html")
        await page.until("[...document.querySelectorAll('section > p')]"
                         ".every((it) => it.textContent === 'online')", "both devices online")
        for path in ("/web/example.html", "/web/ui/"):
            _, _, body = self.get(daemon.admin_address, path)
            self.assertRegex(body.decode(), '<link rel="icon" href="[^"]+svg">')
        # Of the elements' page as well, each file is there.
        await (await self.browser.page(f"http://{host}:{port}/web/ui/")).until("window.isReady")


if __name__ == "__main__":
    unittest.main()
