"""The bots of examples/ answer each question once, through restarts of the daemon and their own."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from case import DaemonTestCase, eventually
from daemon import ROOT, clean_environment


class BotCase(DaemonTestCase):
    #: What starts it.
    program = ()

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.daemon.listen = f"127.0.0.1:{self.daemon.port}"
        self.scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.said = self.scratch / "said"
        # Short enough to be read at a glance.
        self.assertLess(len(pathlib.Path(self.program[-1]).read_text("utf-8").splitlines()), 90)
        self.addCleanup(lambda: self._notes.append(
            f"bot:\n{self.said.read_text(encoding='utf-8')}"))
        self.ada = await self.device(self.daemon, "ada")
        await self.ada.subscribe("room")

    def start_bot(self, address, channel="room", **environment):
        """The bot as a person starts it."""
        with open(self.said, "ab") as output:
            bot = subprocess.Popen(
                [*self.program, address, channel], cwd=self.scratch, stdin=subprocess.DEVNULL,
                stdout=output, stderr=output,
                env=clean_environment(LC_ALL="C.UTF-8", **environment))
        self.addCleanup(bot.wait)
        self.addCleanup(bot.kill)
        return bot

    async def ask(self, text):
        return await self.ada.publish("room", {"text": text})

    def answers(self, asked):
        """What the bot replied to a message, as far as ada knows."""
        return [event["d"]["text"] for push in self.ada.pushes for event in push["m"]
                if event.get("parent") == asked]

    async def assert_answered(self, asked, text):
        await self.ada.until(lambda: self.answers(asked), f"an answer to {asked}")
        self.assertEqual(self.answers(asked), [text])

    async def restart(self):
        """The daemon was away, and ada is back."""
        self.daemon.restart()
        await self.ada.connect()


class PythonBot(BotCase):
    program = (sys.executable, str(ROOT / "examples/python-bot/bot.py"))

    def start(self, *arguments, **environment):
        address = "http://{}:{}".format(*self.daemon.address)
        return self.start_bot(address, *arguments, **environment)

    async def test_what_trying_again_cannot_mend_ends_it(self):
        for arguments, environment, reason in (
                (["a,b"], {}, 'HTTP Error 400: {"error":{"status":400,'),
                ([], {"SYNC_KEY": "wrong"}, 'HTTP Error 401: {"error":{"status":401,')):
            with self.subTest(reason):
                self.said.write_bytes(b"")
                bot = self.start(*arguments, **environment)
                await eventually(lambda: bot.poll() is not None, "the bot to give up")
                self.assertEqual(bot.returncode, 1)
                (line,) = self.said.read_text(encoding="utf-8").splitlines()
                self.assertTrue(line.startswith(f"topbot: {reason}"), line)

    async def test_it_answers_once_and_keeps_its_place(self):
        bot, place = self.start(), self.scratch / "bot.place"
        await eventually(place.exists, "its place")
        question = await self.ask("Shall we meet at noon?")
        cake = await self.ask("Cake?")
        for message, value in ((question, "👍"), (cake, "👍"), (cake, "🎂")):
            await self.ada.add("room", message, value)
        best = "2 × Cake?\n1 × Shall we meet at noon?"
        asked = [await self.ask("!top")]
        await self.assert_answered(asked[0], best)
        # The daemon goes and comes.
        await self.restart()
        asked.append(await self.ask("!top"))
        await self.assert_answered(asked[1], best)
        # The bot does, and was killed before it had kept its place.
        before = self.scratch / "before"
        shutil.copy(place, before)
        asked.append(await self.ask("!top"))
        await self.assert_answered(asked[2], best)
        bot.kill()
        bot.wait()
        shutil.copy(before, place)
        asked.append(await self.ask("!top"))
        self.start()
        await self.assert_answered(asked[3], best)
        self.assertEqual([self.answers(it) for it in asked], [[best]] * 4)


class NodeBot(BotCase):
    program = ("node", "--experimental-websocket", str(ROOT / "examples/node-bot/bot.mjs"))

    def start(self):
        return self.start_bot(self.daemon.url)

    async def test_a_poll_without_a_question_is_told_how_to_ask(self):
        self.start()
        for text in ("!poll", "!poll  "):
            await self.assert_answered(await self.ask(text), "Ask something: !poll Lunch at noon?")
        # It is no poll that could have a result.
        await self.ask("!result")
        await self.assert_answered(await self.ask("!poll Cake?"), "📊 Cake? React to vote.")
        await self.assert_answered(await self.ask("!result"), "Cake? Nobody has voted yet.")

    async def test_it_counts_what_people_say(self):
        asked = [await self.ask("!poll Lunch at noon?")]
        bot = self.start()
        question = "📊 Lunch at noon? React to vote."
        await self.assert_answered(asked[0], question)
        (poll,) = [event["p"]["t"] for push in self.ada.pushes for event in push["m"]
                   if event.get("parent") == asked[0]]
        asked.append(await self.ask("!result"))
        await self.assert_answered(asked[1], "Lunch at noon? Nobody has voted yet.")
        for value in ("👍", "👎"):
            await self.ada.add("room", poll, value)
        bob = await self.device(self.daemon, "bob")
        await bob.add("room", poll, "👍")
        # The daemon goes and comes.
        await self.restart()
        asked.append(await self.ask("!result"))
        result = "Lunch at noon? 👍 2  👎 1"
        await self.assert_answered(asked[2], result)
        # The bot does.
        bot.kill()
        bot.wait()
        asked.append(await self.ask("!result"))
        self.start()
        await self.assert_answered(asked[3], result)
        self.assertEqual([len(self.answers(it)) for it in asked], [1] * 4)
        self.assertEqual(len(await self.ada.all_messages("room")), 8)
