"""`syncctl chat` as a person sees it, in a pseudo-terminal with a screen of its own."""

import os
import re
import signal
import unittest

from case import DaemonTestCase
from daemon import binary, clean_environment
from terminal import Terminal

UP, PAGE_UP, END, ESCAPE, ENTER = "\x1bOA", "\x1b[5~", "\x1bOF", "\x1b", "\r"
RIGHT, LEFT, CTRL_C, CTRL_U, CTRL_R = "\x1bOC", "\x1bOD", "\x03", "\x15", "\x12"

COLOUR = re.compile(rb"\x1b\[([0-9;]*;)?[34][0-7](;[0-9;]*)?m")


class ChatTestCase(DaemonTestCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()

    async def chat(self, user, *arguments, columns=80, rows=24, **environment):
        """A chat in `room` that has connected."""
        terminal = self.opened(user, *arguments, columns=columns, rows=rows, **environment)
        await terminal.shows("online")
        return terminal

    def opened(self, user, *arguments, columns=80, rows=24, **environment):
        settings = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC"} | environment
        kept = clean_environment()
        kept.pop("NO_COLOR", None)
        terminal = Terminal(
            [binary("syncctl"), "chat", "room", "--url", self.daemon.url, "--user", user,
             *arguments], columns, rows, kept | settings)

        async def close():
            terminal.close()

        self.addAsyncCleanup(close)
        self.addCleanup(lambda: self._notes.append(f"{user}'s screen:\n{terminal.text}"))
        return terminal

    async def restart(self):
        """At the same address, as an operator's daemon."""
        self.daemon.listen = f"127.0.0.1:{self.daemon.port}"
        self.daemon.start()


class Chat(ChatTestCase):
    async def test_two_chats_side_by_side(self):
        ada, bob = await self.chat("ada"), await self.chat("bob", columns=40, rows=10)
        await ada.shows("2 here")
        ada.type("Shall we meet at n")
        await bob.shows("ada is typing…")
        ada.type("oon? 漢字 👍" + ENTER)
        for each in ada, bob:
            await each.shows("ada: Shall we meet at noon?")
        await ada.hides("not sent yet")
        await bob.hides("is typing")

        # A reaction crosses; each sees their own highlighted.
        bob.type(UP)
        await bob.shows(">")
        bob.type("r")
        await bob.shows("React:")
        bob.type(ENTER)
        await bob.shows("[👍 1]")
        await ada.shows(" 👍 1")
        self.assertTrue(bob.looks("[👍 1]", "reverse"))
        ada.type(UP + "r1")
        for each in ada, bob:
            await each.shows("[👍 2]")
        ada.type("w")
        await ada.shows("👍 2", "   bob", "   ada")
        ada.type(ESCAPE)
        await ada.shows("Shall we meet")
        ada.type("+" + RIGHT + RIGHT + ENTER)
        await bob.shows(" 😂 1")
        ada.type("r3")
        await bob.hides("😂")

        # An edit, of the own alone.
        bob.type("e")
        await bob.shows("Only your own messages")
        ada.type("e")
        await ada.shows("edit> Shall we meet at noon? 漢字 👍")
        ada.type(CTRL_U + "At one?" + ENTER)
        for each in ada, bob:
            await each.shows("ada: At one? (edited)")
        await bob.shows("[👍 2]")

        # A deletion asks first.
        ada.type(UP + "d")
        await ada.shows("Delete this message for everybody?")
        ada.type("n")
        await ada.hides("Delete this message")
        ada.type("dy")
        for each in ada, bob:
            await each.shows("Nothing has been said here.")
            await each.hides("At one?")

    async def test_a_paste_of_lines_is_one_message_and_steers_no_terminal(self):
        ada, bob = await self.chat("ada"), await self.chat("bob")
        device = await self.device(self.daemon, "eve")
        await device.publish("room", "evil\x1b[2J\x1b]0;title\x07 \u202egnp")
        await bob.shows("eve: evil\\u{1b}[2J")
        ada.type("\x1b[200~first\rsecond\x1b[201~")
        await ada.shows("> first⏎second")
        ada.type(ENTER)
        await bob.shows("ada: first", "       second")
        self.assertEqual(bob.text.count("ada:"), 1)
        self.assertNotIn(b"\x1b]0;", bytes(bob.written))

    async def test_without_a_connection(self):
        ada, bob = await self.chat("ada"), await self.chat("bob")
        ada.type("before" + ENTER)
        await bob.shows("ada: before")
        self.daemon.kill()
        await ada.shows("offline, reconnecting")
        ada.type("meanwhile" + ENTER)
        await ada.shows("meanwhile (not sent yet)")
        self.assertTrue(ada.looks("meanwhile", "blink"))
        self.assertFalse(ada.looks("before", "blink"))
        ada.type(UP + UP + "r6")
        await ada.shows("[🔥 1]")
        self.assertTrue(ada.looks("🔥", "blink"))
        # To leave now would lose both.
        ada.type(CTRL_C)
        await ada.shows("2 unsent get lost")
        ada.type("j")
        await ada.hides("get lost")

        await self.restart()
        ada.type(CTRL_R)
        bob.type(CTRL_R)
        await ada.shows("online")
        await bob.shows("ada: meanwhile", " 🔥 1")
        await ada.hides("not sent yet")
        await ada.until(lambda: not ada.looks("🔥", "blink"), "the reaction to be confirmed")
        self.assertFalse(ada.looks("meanwhile", "blink"))

    async def test_a_cache_keeps_the_channel_and_what_was_not_sent(self):
        cache = os.path.join(self.daemon.scratch, "ada.cache")
        ada = await self.chat("ada", "--cache", cache)
        ada.type("kept" + ENTER)
        await ada.until(lambda: ada.line("kept") and "not sent" not in ada.text, "the message")
        self.daemon.kill()
        await ada.shows("offline")
        ada.type("later" + ENTER)
        await ada.shows("later (not sent yet)")
        ada.type(CTRL_C)
        self.assertEqual(await ada.ended(), 0)
        again = self.opened("ada", "--cache", cache)
        await again.shows("ada: kept", "ada: later (not sent yet)")
        await self.restart()
        again.type(CTRL_R)
        await again.shows("online")
        await again.hides("not sent yet")

    async def test_older_messages_and_what_is_new(self):
        eve = await self.device(self.daemon, "eve")
        for number in range(120):
            await eve.publish("room", f"old {number}.")
        ada = await self.chat("ada")
        await ada.shows("old 119.")
        self.assertIsNone(ada.line("old 90."))

        async def back():
            while ada.line(": old 0.") is None:
                seen = len(ada.written)
                ada.type(PAGE_UP)
                await ada.until(lambda: len(ada.written) > seen, "another page")
        await back()
        await eve.publish("room", "fresh")
        await ada.shows("1 new (End)")
        self.assertIsNone(ada.line("fresh"))
        ada.type(END)
        await ada.shows("eve: fresh", "─ new ─")
        self.assertEqual(ada.line("─ new ─") + 1, ada.line("eve: fresh"))


class Leaving(ChatTestCase):
    async def test_the_terminal_is_as_it_was(self):
        for keys, number, code in (
                (CTRL_C, None, 0), (UP + "q", None, 0), ("", signal.SIGTERM, -signal.SIGTERM),
                ("", signal.SIGHUP, -signal.SIGHUP), ("", signal.SIGSEGV, -signal.SIGSEGV),
                ("", signal.SIGILL, -signal.SIGILL)):
            with self.subTest(keys=keys, signal=number):
                ada = await self.chat("ada")
                if number is None:
                    # Another text each time: the one before is there from the start.
                    ada.type(f"hello {len(keys)}" + ENTER)
                    await ada.shows(f"ada: hello {len(keys)}")
                    await ada.hides("not sent yet")
                    ada.type(keys)
                else:
                    ada.process.send_signal(number)
                self.assertEqual(await ada.ended(), code, ada.text)
                self.assertTrue(ada.is_restored, bytes(ada.written[-400:]))

    async def test_a_terminal_that_goes_away_ends_it(self):
        ada = await self.chat("ada")
        ada.hang_up()
        self.assertEqual(await ada.ended(), -signal.SIGHUP)

    async def test_suspended_and_continued(self):
        ada = await self.chat("ada")
        ada.type("draft")
        await ada.shows("> draft")
        ada.type("\x1a")
        await ada.until(self.stopped(ada), "it to stop")
        await ada.until(lambda: ada.is_restored, "the terminal to be given back")
        ada.screen.reset()
        ada.process.send_signal(signal.SIGCONT)
        await ada.shows("> draft", "online")

    @staticmethod
    def stopped(terminal):
        def look():
            with open(f"/proc/{terminal.process.pid}/stat", encoding="ascii") as stat:
                return stat.read().rpartition(")")[2].split()[0] == "T"
        return look

    async def test_sizes(self):
        ada = await self.chat("ada")
        ada.type("a message that is longer than forty columns are" + ENTER)
        await ada.shows("a message that is longer than forty columns are")
        for columns, rows in ((40, 10), (10, 3), (120, 40), (80, 24)):
            ada.resize(columns, rows)
            if columns < 20:
                await ada.shows("Too small")
                continue
            await ada.until(
                lambda: ada.lines[0].endswith("online") and ada.lines[rows - 1] == ">"
                and len(ada.lines[0]) == columns - 1, f"{columns} × {rows}")
            await ada.shows("ada: a message", "columns are")

    async def test_without_colour(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "vt100"}):
            with self.subTest(environment):
                ada = await self.chat("ada", columns=40, rows=10, **environment)
                ada.type("hello" + ENTER)
                await ada.shows("ada: hello")
                await ada.hides("not sent yet")
                self.assertIsNone(COLOUR.search(ada.written))
                ada.type(UP + "dy")
                await ada.hides("hello")
                ada.type(CTRL_C)
                self.assertEqual(await ada.ended(), 0)

    async def test_where_there_is_no_such_terminal(self):
        for kind in "no-such-terminal", "dumb":
            ada = self.opened("ada", TERM=kind)
            self.assertEqual(await ada.ended(), 1)
            self.assertIn("This terminal cannot show a screen.", ada.text.replace("\n", ""))
        for wrong, words in (("--json", "chat is for people"), ("den", "Name one channel")):
            ada = self.opened("ada", wrong)
            self.assertEqual(await ada.ended(), 2)
            self.assertIn(words, ada.text.replace("\n", ""))

    async def test_a_locale_without_utf8(self):
        ada = await self.chat("ada", LC_ALL="C")
        ada.type("漢字 é" + ENTER)
        await ada.shows("ada: 漢字 é")


if __name__ == "__main__":
    unittest.main()
