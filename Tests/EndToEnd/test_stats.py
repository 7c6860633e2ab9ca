"""`syncctl stats` and `syncctl top`: what an operator sees of a daemon that works."""

import asyncio
import json
import subprocess
import unittest

from daemon import binary, clean_environment
from device import Refused
from disk import metric
from terminal import Terminal
from test_chat import CTRL_C, ChatTestCase


class Stats(ChatTestCase):
    async def write_on(self):
        """A device that follows a channel and reacts in it, until the test ends."""
        ada = await self.device(self.daemon, "ada")
        await ada.subscribe("room")
        message = await ada.publish("room", "hello")
        number = 0

        async def write():
            nonlocal number
            while True:
                await ada.add("room", message, f"v{number}")
                number += 1
                await asyncio.sleep(0.01)

        task = asyncio.create_task(write())
        self.addCleanup(task.cancel)
        return lambda: number

    async def stats(self, *arguments):
        tool = await asyncio.create_subprocess_exec(
            binary("syncctl"), "stats", "--data-dir", self.daemon.data_dir, *arguments,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean_environment())
        output, errors = await tool.communicate()
        return tool.returncode, output.decode(), errors.decode()

    async def test_figures_are_those_of_the_interval(self):
        written = await self.write_on()
        before = written()
        code, output, errors = await self.stats("--watch", "--count", "3", "--json")
        self.assertEqual(code, 0, errors)
        rows = [json.loads(line) for line in output.splitlines()]
        self.assertEqual(len(rows), 3)
        for row in rows:
            self.assertEqual((row["sessions"], row["subscriptions"]), (1, 1))
            self.assertGreater(row["commitMilliseconds"], 0)
            self.assertGreater(row["residentBytes"], 1 << 20)
        # What was written in three seconds is not less than what was seen in them.
        seen = sum(row["writesPerSecond"] for row in rows)
        self.assertGreater(seen, 0)
        self.assertLessEqual(seen, (written() - before) * 1.5 + 3)
        self.assertGreater(sum(row["deliveriesPerSecond"] for row in rows), 0)

    async def test_a_write_that_is_refused_is_not_one_that_became_durable(self):
        ada, bob = await self.device(self.daemon, "ada"), await self.device(self.daemon, "bob")
        message = await ada.publish("room", "hello")
        before = metric(self.daemon, "writes_committed_total")
        for _ in range(3):
            with self.assertRaises(Refused):
                await bob.command(
                    "editMessage", channel="room", messageTimetoken=message, payload="mine")
        self.assertEqual(metric(self.daemon, "writes_committed_total"), before)
        await ada.command("editMessage", channel="room", messageTimetoken=message, payload="hi")
        self.assertEqual(metric(self.daemon, "writes_committed_total"), before + 1)

    async def test_one_interval_is_told_line_by_line_and_a_row_below_titles(self):
        await self.write_on()
        code, output, errors = await self.stats()
        self.assertEqual(code, 0, errors)
        self.assertRegex(output, r"(?m)^sessions +1  connections of devices$")
        code, output, errors = await self.stats("--watch", "--count", "2")
        self.assertEqual(code, 0, errors)
        titles, *rows = output.splitlines()
        self.assertTrue(titles.startswith("time "))
        self.assertEqual({len(row) for row in rows}, {len(titles)})
        for row in rows:
            self.assertRegex(row, r"^\d\d:\d\d:\d\d    1    1 ")

    async def test_who_watches_sees_the_daemon_come_again(self):
        tool = await asyncio.create_subprocess_exec(
            binary("syncctl"), "stats", "--watch", "--count", "3", "--json", "--data-dir",
            self.daemon.data_dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=clean_environment())
        await tool.stdout.readline()
        self.daemon.stop()
        told = json.loads(await tool.stderr.readline())["error"]
        self.assertEqual(told["code"], "no_socket")
        self.assertIn("Is the daemon running?", told["advice"])
        await self.restart()
        output, _ = await tool.communicate()
        self.assertEqual(tool.returncode, 0)
        for line in output.splitlines():
            # Counts that begin anew are no rates below zero, nor of a moment before.
            row = json.loads(line)
            self.assertGreaterEqual(row["commandsPerSecond"], 0)
            self.assertLess(row["commandsPerSecond"], 100)

    async def test_without_a_daemon_it_says_what_to_do(self):
        self.daemon.stop()
        for command in ("stats",), ("stats", "--watch"):
            code, _, errors = await self.stats(*command[1:], "--json")
            self.assertEqual((code, json.loads(errors)["error"]["code"]), (1, "no_socket"))


class Top(ChatTestCase):
    def top(self, *arguments, columns=100, rows=24):
        terminal = Terminal(
            [binary("syncctl"), "top", "--data-dir", self.daemon.data_dir, *arguments],
            columns, rows,
            clean_environment() | {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})

        async def close():
            terminal.close()

        self.addAsyncCleanup(close)
        self.addCleanup(lambda: self._notes.append(f"the screen:\n{terminal.text}"))
        return terminal

    async def test_sessions_come_and_go_on_the_screen(self):
        ada, bob = await self.device(self.daemon, "ada"), await self.device(self.daemon, "bob")
        await ada.subscribe("room")
        for channel in "room", "den", "hall":
            await bob.subscribe(channel)
        top = self.top()
        await top.shows(f"process {self.daemon.process.pid}", "ada", "bob", "default")
        self.assertLess(top.line("ada "), top.line("bob "))
        top.type("s")
        await top.shows("sessions by follows")
        await top.until(lambda: top.line("bob ") < top.line("ada "), "who follows most to be first")
        # Rates are there with the second look.
        await top.until(lambda: top.lines[2].split()[:2] == ["2", "4"], "figures")
        await bob.close()
        await top.hides("bob ")

        top.resize(40, 10)
        await top.until(lambda: len(top.lines) == 10 and "leave" in top.lines[9], "a smaller screen")
        top.type("q")
        self.assertEqual(await top.ended(), 0)
        self.assertTrue(top.is_restored)

    async def test_a_daemon_that_is_gone_and_comes_again(self):
        top = self.top()
        await top.shows("default")
        self.daemon.stop()
        await top.shows("Is the daemon running?")
        await self.restart()
        await top.hides("Is the daemon running?")
        await top.shows(f"process {self.daemon.process.pid}")
        top.type(CTRL_C)
        self.assertEqual(await top.ended(), 0)

    async def test_what_is_held_stays(self):
        top = self.top()
        await top.shows("default")
        top.type("p")
        await top.shows("held")
        ada = await self.device(self.daemon, "ada")
        code, output, _ = await Stats.stats(self, "--watch", "--count", "2", "--json")
        self.assertEqual(code, 0)
        self.assertEqual(json.loads(output.splitlines()[-1])["sessions"], 1)
        self.assertNotIn("ada ", top.text)
        top.type("p")
        await top.shows("ada ")
        await ada.close()

    async def test_names_of_others_do_not_steer_the_terminal(self):
        await self.device(self.daemon, "e\x1b[2Jve")
        top = self.top()
        await top.shows("e\\u{1b}[2Jve")
        self.assertNotIn(b"[2Jve", bytes(top.written).replace(b"\\u{1b}[2Jve", b""))


if __name__ == "__main__":
    unittest.main()
