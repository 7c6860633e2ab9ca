"""One page in Stream's words and one in Ably's: the same taps, the same rows, the same screen."""

import json
import re
import subprocess
import unittest

from browser import Pages
from daemon import ROOT
from test_reload import ReloadTestCase
from test_web_client import WebCase

CONFIGURATION = (ROOT / "examples/words/words.ini").read_text(encoding="utf-8").replace(
    # Something that the daemon refuses and a page cannot know before, and another name of the type.
    "reaction_mode = multiple",
    "reaction_mode = multiple\nactions_need_message = yes\nreaction_types = claps")
WORDS = ("stream", "ably")
KINDS = ("unique", "distinct", "multiple", "total", "flag")
ROWS = "[...document.querySelectorAll('#{} li p')].map((it) => it.innerText)"

#: Who taps what on which message of which room, one after the other.
SCENARIO = [
    ("ada", "unique", 0, "like"), ("ada", "unique", 0, "love"),  # In the other one's place.
    ("bob", "unique", 0, "love"), ("bob", "unique", 1, "haha"), ("bob", "unique", 1, "haha"),
    ("ada", "distinct", 0, "like"), ("ada", "distinct", 0, "love"), ("bob", "distinct", 0, "like"),
    ("ada", "distinct", 0, "like"),  # Taken back.
    ("bob", "distinct", 1, "haha"),
    ("ada", "multiple", 0, "clap"), ("ada", "multiple", 0, "clap five times"),
    ("bob", "multiple", 0, "clap five times"), ("ada", "multiple", 0, "clap"),
    ("bob", "multiple", 1, "clap"), ("bob", "multiple", 1, "no clap"),
    ("ada", "total", 0, "one more"), ("ada", "total", 0, "one more"),
    ("bob", "total", 0, "one more"), ("ada", "total", 0, "one less"),
    ("bob", "total", 1, "one more"), ("bob", "total", 1, "one less"),
    ("ada", "flag", 0, "flag"), ("bob", "flag", 0, "flag"), ("bob", "flag", 0, "flag"),
    ("bob", "flag", 1, "flag"),
]
#: What the daemon has of each room then: message, type, value, user and score.
ROWS_LEFT = {
    "unique": [(0, "reaction", "❤️", "ada", 1), (0, "reaction", "❤️", "bob", 1)],
    "distinct": [(0, "reaction", "❤️", "ada", 1), (0, "reaction", "👍", "bob", 1),
                 (1, "reaction", "😂", "bob", 1)],
    "multiple": [(0, "reaction", "👏", "ada", 7), (0, "reaction", "👏", "bob", 5)],
    "total": [(0, "reaction", "total", "ada", 1), (0, "reaction", "total", "bob", 1)],
    "flag": [(0, "reaction", "flag", "ada", 1), (1, "reaction", "flag", "bob", 1)],
}
#: And what ada sees.
SCREEN = {
    "unique": ["zoe: first ❤️ 2 (bob, ada) ✓", "zoe: second"],
    "distinct": ["zoe: first ❤️ 1 (ada) ✓ 👍 1 (bob)", "zoe: second 😂 1 (bob)"],
    "multiple": ["zoe: first 👏 12 (ada ×7, bob ×5) ✓", "zoe: second"],
    "total": ["zoe: first total 2", "zoe: second"],
    "flag": ["zoe: first flag 1 (ada) ✓", "zoe: second flag 1 (bob)"],
}


class Words(WebCase, ReloadTestCase):
    """Both pages, on one daemon with their configuration, in rooms of their own."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.pages = Pages(folder=ROOT)
        self.addCleanup(self.pages.close)
        self.daemon = self.start(CONFIGURATION)
        self.zoe = await self.device(self.daemon, "zoe")
        self.messages = {}
        for room in (f"{kind}.{words}" for kind in KINDS for words in WORDS):
            self.messages[room] = [
                str(await self.zoe.publish(room, {"text": text})) for text in ("first", "second")]
        self.screens = {}
        for words in WORDS:
            for user in ("ada", "bob"):
                self.screens[words, user] = await self.open(words, user)

    async def open(self, words, user):
        page = await self.browser.page(
            f"{self.pages.origin}/examples/{words}-words/index.html"
            f"?daemon={self.daemon.host}:{self.daemon.port}&user={user}&room={words}",
            await self.browser.context())
        await self.until_shown(page)
        return page

    async def until_shown(self, page):
        for kind in KINDS:
            await page.until(f"document.querySelectorAll('#{kind} li').length === 2", kind)

    async def tap(self, page, kind, number, text):
        """Clicks, and waits until it shows and the daemon has it; returns what shows."""
        before = await page.run(ROWS.format(kind))
        await page.run(
            f"[...document.querySelectorAll('#{kind} li')[{number}].querySelectorAll('button')]"
            f".find((it) => it.innerText === '{text}').click()")
        await page.until(
            f"JSON.stringify({ROWS.format(kind)}) !== {json.dumps(json.dumps(before))}",
            f"{kind} {text} to show")
        await page.until("client.waiting === 0", f"{kind} {text} to be answered")
        return await page.run(ROWS.format(kind))

    async def play(self, words):
        for user, kind, number, text in SCENARIO:
            page = self.screens[words, user]
            shown = await self.tap(page, kind, number, text)
            # The other one sees it before the next tap, so that the story is one.
            other = self.screens[words, "bob" if user == "ada" else "ada"]
            unmarked = [it.replace(" ✓", "") for it in shown]
            await other.until(
                f"JSON.stringify({ROWS.format(kind)}.map((it) => it.replaceAll(' ✓', ''))) === "
                f"JSON.stringify({unmarked})", f"{unmarked} with the other one")
        for user in ("ada", "bob"):
            problem = "document.querySelector('#problem').innerText"
            self.assertEqual(await self.screens[words, user].run(problem), "")

    async def rows(self, words):
        found = {}
        for kind in KINDS:
            room = f"{kind}.{words}"
            places = {it: number for number, it in enumerate(self.messages[room])}
            reply = await self.zoe.command("actions", channel=room)
            found[kind] = sorted(
                (places[it["messageTimetoken"]], it["type"], it["value"], it["uuid"],
                 it.get("score", 1)) for it in reply["actions"])
        return found

    async def shown(self, words, user):
        page = self.screens[words, user]
        return {kind: await page.run(ROWS.format(kind)) for kind in KINDS}

    async def test_the_same_rows_and_the_same_screen(self):
        for words in WORDS:
            await self.play(words)
        by_stream, by_ably = [await self.rows(words) for words in WORDS]
        self.assertEqual(by_stream, by_ably)
        self.assertEqual(by_stream, ROWS_LEFT)
        for user in ("ada", "bob"):
            by_stream, by_ably = [await self.shown(words, user) for words in WORDS]
            self.assertEqual(by_stream, by_ably, user)
        self.assertEqual(await self.shown("ably", "ada"), SCREEN)
        # And after a reload, from the cache.
        before = await self.shown("stream", "ada")
        for words in WORDS:
            await self.screens[words, "ada"].reload()
            await self.until_shown(self.screens[words, "ada"])
            self.assertEqual(await self.shown(words, "ada"), before, words)
        await self.assert_words()

    async def assert_words(self):
        """What each SDK has, beside what a screen shows of it."""
        first = {kind: self.messages[f"{kind}.stream"][0] for kind in KINDS}
        page = self.screens["stream", "ada"]
        message = await page.run("rooms.multiple.state.messages[0]")
        self.assertEqual(message["reaction_counts"], {"clap": 2})
        self.assertEqual(message["reaction_scores"], {"clap": 12})
        self.assertEqual(message["reaction_groups"]["clap"]["sum_scores"], 12)
        self.assertEqual(
            [(it["user_id"], it["score"]) for it in message["latest_reactions"]],
            [("ada", 7), ("bob", 5)])
        self.assertEqual([it["type"] for it in message["own_reactions"]], ["clap"])
        found = await page.run(
            f"rooms.distinct.queryReactions('{first['distinct']}', {{ type: 'like' }})")
        self.assertEqual(
            [(it["type"], it["user_id"]) for it in found["reactions"]], [("like", "bob")])
        pages = await page.run(f"""(async () => {{
            const found = [];
            let next;
            do {{
                const page = await rooms.unique.queryReactions(
                    '{first["unique"]}', {{ user_id: {{ $in: ['ada', 'bob'] }} }},
                    [{{ created_at: 1 }}], {{ limit: 1, next }});
                found.push(...page.reactions.map((it) => it.user_id));
                next = page.next;
            }} while (next);
            return found;
        }})()""")
        self.assertEqual(pages, ["ada", "bob"])
        refused = await page.run(
            f"rooms.distinct.sendReaction('{first['distinct']}', {{ type: 'like' }}, "
            "{ enforce_unique: true }).catch((error) => error.message)")
        self.assertIn("reaction_mode", refused)
        # Bob's page was there all the time: what it heard of ada, one event for each tap.
        heard = await self.screens["stream", "bob"].run("heard")
        self.assertEqual(
            [it for it in heard if it.startswith("unique ") and " ada " in it],
            ["unique reaction.new like ada 1", "unique reaction.updated love ada 1"])
        self.assertEqual(
            [it for it in heard if it.startswith("multiple ") and " ada " in it],
            ["multiple reaction.new clap ada 1", "multiple reaction.updated clap ada 6",
             "multiple reaction.updated clap ada 7"])
        self.assertIn("distinct reaction.deleted like ada 1", heard)

        page = self.screens["ably", "bob"]
        heard = await page.run("heard")
        last = {it["kind"]: it["summary"] for it in heard
                if it["messageSerial"] == self.messages[f"{it['kind']}.ably"][0]}
        self.assertEqual(
            last["unique"]["unique"],
            {"❤️": {"total": 2, "clientIds": ["bob", "ada"], "clipped": False}})
        self.assertEqual(last["multiple"]["multiple"]["👏"]["clientIds"], {"ada": 7, "bob": 5})
        self.assertEqual(last["flag"]["flag"]["clientIds"], ["ada"])
        self.assertEqual(last["total"]["total"], {"total": 2})
        serial = self.messages["multiple.ably"][0]
        own = await page.run(f"rooms.multiple.messages.reactions.clientReactions('{serial}')")
        self.assertEqual(own["multiple"]["👏"]["clientIds"], {"bob": 5})
        items = await page.run(
            f"rooms.distinct.annotations.get('{self.messages['distinct.ably'][0]}')"
            ".then(({ items }) => items.map((it) => [it.type, it.name, it.clientId]))")
        self.assertCountEqual(items, [["reaction:distinct.v1", "❤️", "ada"],
                                      ["reaction:distinct.v1", "👍", "bob"]])
        for call in ("messages.reactions.send(SERIAL, { type: 'unique', name: '👍' })",
                     "messages.reactions.delete(SERIAL)",
                     "annotations.publish(SERIAL, { type: 'reaction:multiple.v1', name: '👍' })",
                     "annotations.publish(SERIAL, { type: 'reaction:most.v1', name: '👍' })"):
            serial = f"'{self.messages['distinct.ably'][0]}'"
            code = await page.run(
                f"rooms.distinct.{call.replace('SERIAL', serial)}.catch((error) => error.code)")
            self.assertEqual(code, 40001, call)

    async def test_what_is_refused_is_told(self):
        page = self.screens["stream", "ada"]
        self.assertTrue(
            await page.run("client.channel('multiple', 'stream') === rooms.multiple"))
        await page.run("""{
            window.refused = [];
            const note = (who) => ({ type, cid, message_id: id, wish, error }) =>
                refused.push([who, type, cid, id, wish.value, error.code]);
            client.on('refused', note('client'));
            rooms.multiple.on('refused', note('channel'));
            rooms.distinct.on('refused', note('another channel'));
        }""")
        await page.run("rooms.multiple.sendReaction('17', { type: 'clap' }).then(() => {})")
        await page.until("refused.length === 2 && client.waiting === 0")
        told = ["refused", "multiple:stream", "17", "👏", "no_such_message"]
        self.assertCountEqual(
            await page.run("refused"), [["client", *told], ["channel", *told]])
        message = await page.run(
            "rooms.multiple.state.messages[0].reaction_counts")
        self.assertEqual(message, {})

        page = self.screens["ably", "ada"]
        await page.run("""{
            window.refused = [];
            const note = (who) => ({ room, serial, error: { code, statusCode, reason } }) =>
                refused.push([who, room, serial, code, statusCode, reason]);
            client.on('refused', note('client'));
            rooms.multiple.on('refused', note('room'));
            rooms.distinct.on('refused', note('another room'));
        }""")
        await page.run("rooms.multiple.messages.reactions.send('17', { name: '👏' })")
        await page.until("refused.length === 2 && client.waiting === 0")
        told = ["multiple.ably", "17", 40400, 404, "no_such_message"]
        self.assertCountEqual(await page.run("refused"), [["client", *told], ["room", *told]])
        # Who has heard enough hears no more.
        await page.run("""{
            const heard = client.on('refused', () => refused.push('too much'));
            heard.off();
        }""")
        await page.run("rooms.distinct.messages.update('17', { text: 'whose?' })")
        await page.until("refused.length === 4 && client.waiting === 0")
        self.assertCountEqual(
            [it[:2] for it in (await page.run("refused"))[2:]],
            [["client", "distinct.ably"], ["another room", "distinct.ably"]])

    async def test_the_first_call_of_a_device_that_was_never_here(self):
        url = f"ws://{self.daemon.host}:{self.daemon.port}/v1/sync"
        eve = await self.device(self.daemon, "eve")
        await eve.command("addAction", channel="multiple.stream", value="👏", type="reaction",
                          messageTimetoken=self.messages["multiple.stream"][0], score=5)
        said = await self.screens["stream", "ada"].run(f"""(async () => {{
            const {{ StreamChat }} = await import('./stream.js');
            const client = new StreamChat({{ url: '{url}' }});
            await client.connectUser({{ id: 'eve' }});
            const [unique, multiple] = ['unique', 'multiple'].map((it) => client.channel(it, 'stream'));
            await Promise.all([unique.watch(), unique.watch(), multiple.watch()]);
            const found = [unique.state.messages.length];
            await unique.sendReaction('{self.messages["unique.stream"][0]}',
                {{ type: 'like' }}, {{ enforce_unique: true }});
            await multiple.sendReaction('{self.messages["multiple.stream"][0]}',
                {{ type: 'clap', score: 6 }});
            while (client.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 10));
            await client.disconnectUser();
            await unique.watch().catch((error) => found.push(error.message));
            return found;
        }})()""")
        self.assertEqual(said, [2, "The client is closed."])
        rows = await self.rows("stream")
        self.assertEqual(rows["unique"], [(0, "reaction", "👍", "eve", 1)])
        self.assertEqual(rows["multiple"], [(0, "reaction", "👏", "eve", 6)])

        said = await self.screens["ably", "ada"].run(f"""(async () => {{
            const {{ ChatClient }} = await import('./ably.js');
            const client = new ChatClient({{ url: '{url}', clientId: 'eve' }});
            const unique = await client.rooms.get('unique.ably');
            await unique.attach();
            const found = [];
            const note = (it) => it.then(() => 'nothing', (error) => error.code);
            const {{ reactions }} = unique.messages;
            const serial = '{self.messages["unique.ably"][0]}';
            found.push(await note(reactions.send(serial, {{ type: 'distinct', name: '👍' }})));
            found.push(await note(reactions.delete(serial)));
            const total = await client.rooms.get('total.ably');
            await total.attach();
            const message = '{self.messages["total.ably"][0]}';
            for (let i = 0; i < 3; i++) {{
                await total.annotations.publish(message, {{ type: 'reaction:total.v1' }});
            }}
            while (client.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 10));
            found.push(await total.messages.reactions.clientReactions(message));
            found.push(await total.messages.reactions.clientReactions(message, 'bob'));
            const flag = await client.rooms.get('flag.ably');
            await flag.attach();
            const flagged = '{self.messages["flag.ably"][0]}';
            await flag.annotations.publish(flagged, {{ type: 'reaction:flag.v1' }});
            while (client.waiting > 0) await new Promise((resolve) => setTimeout(resolve, 10));
            found.push(await flag.messages.reactions.clientReactions(flagged));
            return found;
        }})()""")
        own = {"total": 1, "clientIds": ["eve"], "clipped": False}
        self.assertEqual(said, [40001, "nothing", {"total": {"total": 3}}, {}, {"flag": own}])

    async def test_what_reactions_are_asked_for(self):
        ada, bob = self.screens["stream", "ada"], self.screens["stream", "bob"]
        message = self.messages["distinct.stream"][0]
        for page, score in ((ada, 9), (bob, 3)):
            await page.run(f"rooms.distinct.sendReaction('{message}', "
                           f"{{ type: 'like', score: {score} }}).then(() => {{}})")
            await page.until("client.waiting === 0")
        for order, users in (
                ("[{ score: -1 }]", ["ada", "bob"]), ("{ score: 1 }", ["bob", "ada"]),
                ("{ created_at: 1 }", ["ada", "bob"]), ("[]", ["bob", "ada"])):
            found = await ada.run(f"""(async () => {{
                const found = [];
                let next;
                do {{
                    const page = await rooms.distinct.queryReactions('{message}',
                        {{ type: {{ $in: ['like', 'love'] }}, user_id: {{ $in: ['ada', 'bob'] }} }},
                        {order}, {{ limit: 1, next }});
                    found.push(...page.reactions.map((it) => it.user_id));
                    next = page.next;
                }} while (next);
                return found;
            }})()""")
            self.assertEqual(found, users, order)
        found = await ada.run(
            f"rooms.distinct.queryReactions('{message}', {{ user_id: {{ $eq: 'bob' }} }})")
        self.assertEqual([(it["user_id"], it["score"]) for it in found["reactions"]], [("bob", 3)])
        for arguments, named in (
                ("{ created_at: { $gt: 'x' } }", "created_at"), ("{ type: { $ne: 'like' } }", "$ne"),
                ("{ type: { $in: [] } }", "type"), ("{ type: 5 }", "type"), ("null", "null"),
                ("{}, [{ user_id: 1 }]", "user_id"), ("{}, { score: 2 }", "2"),
                ("{}, [{ score: -1 }, { created_at: 1 }]", "one field"),
                ("{}, { score: -1, created_at: 1 }", "one field"),
                ("{}, [], { prev: 'x' }", "prev")):
            said = await ada.run(f"rooms.distinct.queryReactions('{message}', {arguments})"
                                 ".then(() => 'nothing', (error) => error.message)")
            self.assertRegex(said, "^queryReactions: .*" + named.replace("$", r"\$"), arguments)
        said = await ada.run(f"rooms.distinct.sendReaction('{message}', {{ type: 'like', "
                             "score: 0 }).catch((error) => error.message)")
        self.assertIn("score", said)

    async def test_a_lower_score_is_one_update(self):
        ada, bob = self.screens["stream", "ada"], self.screens["stream", "bob"]
        message = self.messages["multiple.stream"][0]
        for score in (5, 2):
            await ada.run(f"rooms.multiple.sendReaction('{message}', "
                          f"{{ type: 'clap', score: {score} }}).then(() => {{}})")
            await ada.until("client.waiting === 0")
            await bob.until(f"rooms.multiple.state.messages[0].reaction_scores.clap === {score}")
        events = [it for it in await ada.run("heard") if it.startswith("multiple ")]
        self.assertEqual(
            events, ["multiple reaction.new clap ada 5", "multiple reaction.updated clap ada 2"])
        # To bob it may be two.
        last = [it for it in await bob.run("heard") if it.startswith("multiple ")][-1]
        self.assertIn(last, ("multiple reaction.new clap ada 2",
                             "multiple reaction.updated clap ada 2"))
        self.assertEqual((await self.rows("stream"))["multiple"],
                         [(0, "reaction", "👏", "ada", 2)])

    async def test_a_type_by_its_other_names(self):
        """A value, another spelling, and any name where there is one reaction: the same one."""
        page = self.screens["stream", "ada"]
        for kind, names in (("multiple", ("clap", "👏", "❤", "❤️")),
                            ("total", ("like", "total")), ("flag", ("like",))):
            message = self.messages[f"{kind}.stream"][0]
            for name in names:
                said = await page.run(f"""(async () => {{
                    const room = rooms.{kind};
                    const type = '{name}';
                    const answered = async (call) => {{
                        const {{ reaction }} = await call;
                        while (client.waiting > 0) await new Promise((it) => setTimeout(it, 10));
                        const {{ reaction_scores: scores }} = room.state.messages[0];
                        return [reaction?.score ?? 0, ...Object.values(scores)];
                    }};
                    const said = [];
                    for (const score of '{kind}' === 'flag' ? [1, 1] : [5, 5, 3]) {{
                        said.push(await answered(room.sendReaction('{message}', {{ type, score }})));
                    }}
                    said.push(await answered(room.deleteReaction('{message}', type)));
                    return said;
                }})()""")
                scores = [1, 1] if kind == "flag" else [5, 5, 3]
                self.assertEqual(said, [*([it, it] for it in scores), [0]], (kind, name))
                self.assertEqual((await self.rows("stream"))[kind], [], (kind, name))

    async def test_annotations_are_no_versions(self):
        page = self.screens["ably", "ada"]
        room, (serial, _) = "distinct.ably", self.messages["distinct.ably"]
        for name in ("👍", "❤️"):
            await page.run(
                f"rooms.distinct.messages.reactions.send('{serial}', {{ name: '{name}' }})")
        await page.until("client.waiting === 0")
        await self.zoe.command(
            "editMessage", channel=room, messageTimetoken=serial, payload={"text": "first"})
        await self.zoe.command(
            "addAction", channel=room, messageTimetoken=serial, type="deleted", value=".")
        await self.zoe.command(
            "addAction", channel=room, messageTimetoken=serial, type="receipts", value="read")
        found = await page.run(f"""(async () => {{
            const found = [];
            let page = await rooms.distinct.annotations.get('{serial}', {{ limit: 1 }});
            while (page) {{
                found.push(...page.items.map((it) => [it.type, it.name]));
                if (page.hasNext() === page.isLast()) found.push('which?');
                page = await page.next();
            }}
            return found;
        }})()""")
        self.assertEqual(found, [["reaction:distinct.v1", "👍"], ["reaction:distinct.v1", "❤️"],
                                 ["receipts:distinct.v1", "read"]])
        # An annotation would be a version, and a version none.
        for call in ("publish", "delete"):
            for kind in ("edited", "deleted"):
                code = await page.run(
                    f"rooms.distinct.annotations.{call}('{serial}', "
                    f"{{ type: '{kind}:distinct.v1', name: 'mine' }})"
                    ".then(() => 0, (error) => error.code)")
                self.assertEqual(code, 40001, (call, kind))
        # Another name of the type is no name of annotations.
        room, serial = "rooms.multiple.annotations", self.messages["multiple.ably"][0]
        said = await page.run(f"""(async () => {{
            const publish = (type) => {room}.publish('{serial}', {{ type, name: 'clap' }})
                .then(() => 0, (error) => error.code);
            return [await publish('claps:multiple.v1'), await publish('claps:distinct.v1')];
        }})()""")
        self.assertEqual(said, [0, 40001])
        await page.until("client.waiting === 0")
        self.assertEqual(
            (await self.rows("ably"))["multiple"], [(0, "reaction", "👏", "ada", 1)])
        for count in ("0", "-1", "1.5", "'2'", "null", "1e10"):
            for call in (f"messages.reactions.send(SERIAL, {{ name: '👏', count: {count} }})",
                         "annotations.publish(SERIAL, { type: 'reaction:multiple.v1', "
                         f"name: '👏', count: {count} }})"):
                serial = f"'{self.messages['multiple.ably'][0]}'"
                code = await page.run(f"rooms.multiple.{call.replace('SERIAL', serial)}"
                                      ".then(() => 0, (error) => error.code)")
                self.assertEqual(code, 40001, call)

    async def test_errors_are_in_ablys_words(self):
        page = self.screens["ably", "ada"]
        serial = self.messages["distinct.ably"][0]
        nobodys, refused = [40001, 400, None], [40300, 403, "not_owner"]
        for call, expected in (
                ("messages.reactions.send(SERIAL, { name: '' })", nobodys),
                ("messages.reactions.send('x', { name: '👍' })", nobodys),
                ("messages.reactions.delete(SERIAL, { name: ' ' })", nobodys),
                ("messages.send({ text: 'x'.repeat(40000) })", nobodys),
                ("messages.update(null, { text: 'x' })", nobodys),
                ("messages.update(SERIAL, { text: 'x' })", refused),
                ("messages.delete(SERIAL)", refused),
                ("messages.reactions.clientReactions('x')", [40000, 400, "invalid_field"]),
                ("annotations.get(SERIAL, { limit: 0 })", [40000, 400, "invalid_field"]),
        ):
            said = await page.run(
                f"rooms.distinct.{call.replace('SERIAL', repr(serial))}.then(() => 'nothing', "
                "({ code, statusCode, reason }) => [code, statusCode, reason ?? null])")
            self.assertEqual(said, expected, call)


class Checks(unittest.TestCase):
    def test_the_words_that_are_named(self):
        """MIGRATING.md says which words the modules have: those are there."""
        text = (ROOT / "docs/MIGRATING.md").read_text(encoding="utf-8")
        for words, least in (("stream", 10), ("ably", 10)):
            folder = ROOT / f"examples/{words}-words"
            source = "".join(it.read_text(encoding="utf-8") for it in folder.glob("*.js"))
            (sentence,) = re.findall(
                rf"^\[examples/{words}-words\].*? has these of its words.*?: (.*)\. The other",
                text, re.MULTILINE)
            named = re.findall(r"`(\w+)`", sentence.replace("`refused`", ""))
            self.assertGreaterEqual(len(named), least)
            for it in named:
                self.assertRegex(source, rf"(?m)^  (async |get )?{it}( =|;|\()", words)

    def test_the_types(self):
        modules = [str(ROOT / "examples" / it) for it in (
            "stream-words/stream.js", "stream-words/query.js", "ably-words/ably.js",
            "ably-words/annotations.js", "ably-words/summaries.js", "words/screen.js")]
        done = subprocess.run(
            ["tsc", "--strict", "--noEmit", "--allowJs", "--checkJs", "--target", "es2022",
             "--lib", "es2022,dom", "--module", "es2022", "--moduleResolution", "node", *modules],
            capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)


if __name__ == "__main__":
    unittest.main()
