"""`syncctl subscribe --last`: the newest messages of a channel, and then what happens in it."""

import asyncio
import json
import unittest

from case import DaemonTestCase, eventually
from daemon import binary, clean_environment


class Windows(DaemonTestCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.daemon = self.start_daemon()
        self.ada = await self.device(self.daemon, "ada")

    async def fill(self, count):
        """So many messages, each with a reaction of ada's."""
        messages = []
        for number in range(count):
            messages.append(await self.ada.publish("room", f"old {number}"))
            await self.ada.add("room", messages[-1], "👍")
        return messages

    async def syncctl(self, *arguments):
        return await asyncio.create_subprocess_exec(
            binary("syncctl"), *arguments, "--url", self.daemon.url, "--user", "bob",
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env=clean_environment())

    async def lines(self, tool, count, lines):
        """Reads until there are so many lines."""
        async def read():
            while len(lines) < count:
                line = await tool.stdout.readline()
                if not line:
                    break
                lines.append(line.decode().rstrip("\n"))

        task = asyncio.create_task(read())
        await eventually(task.done, f"{count} lines are written")
        await task
        self.assertEqual(len(lines), count, lines)

    @staticmethod
    async def errors(tool):
        return (await tool.communicate())[1].decode()

    async def test_the_newest_come_first_and_what_happens_then(self):
        messages = await self.fill(120)
        tool = await self.syncctl("subscribe", "--last", "5", "--count", "4", "room")
        lines = []
        await self.lines(tool, 10, lines)
        self.assertEqual(
            lines, [line for number in range(115, 120)
                    for line in (f"{messages[number]}  ada: old {number}", "    👍 1")])

        new = await self.ada.publish("room", "new")
        await self.ada.add("room", messages[119], "🎉")
        # One that was shown, one that the window may hold, and one that it does not.
        await self.ada.remove("room", messages[118], "👍")
        await self.ada.add("room", messages[2], "🎉")
        await self.lines(tool, 14, lines)
        self.assertEqual(lines[10].split("  ")[:2], [new, "ada: new"])
        self.assertTrue(lines[11].endswith(f'🎉 to "old 119" {messages[119]}  👍 1  🎉 1'), lines)
        self.assertTrue(lines[12].endswith(f'👍 from "old 118" {messages[118]}'), lines)
        # What stood before is counted, too. (Now and then no segment begins among all of these, and
        # then the window has this message, and its text is there.)
        self.assertTrue(lines[13].endswith(f"{messages[2]}  👍 1  🎉 1"), lines)
        self.assertEqual(await self.errors(tool), "")
        self.assertEqual(tool.returncode, 0)

    async def test_programs_tell_messages_and_events_apart(self):
        messages = await self.fill(3)
        await self.ada.command(
            "editMessage", channel="room", messageTimetoken=messages[2], payload="better")
        tool = await self.syncctl("subscribe", "room", "--last", "2", "--count", "1", "--json")
        lines = []
        await self.lines(tool, 3, lines)
        await self.ada.publish("room", "new")
        await self.lines(tool, 4, lines)
        connected, first, second, event = map(json.loads, lines)
        self.assertEqual(connected, {"event": "connected"})
        self.assertEqual(
            [(it["timetoken"], it["payload"]) for it in (first, second)],
            [(messages[1], "old 1"), (messages[2], "old 2")])
        self.assertEqual([it["value"] for it in first["actions"]], ["👍"])
        self.assertEqual(second["edited"]["payload"], "better")
        self.assertNotIn("event", first)
        self.assertEqual((event["event"], event["payload"]), ("message", "new"))
        self.assertEqual(await self.errors(tool), "")

    async def test_messages_that_are_more_than_a_page(self):
        for number in range(40):
            await self.ada.publish("room", f"{number} " + "x" * 20_000)
        tool = await self.syncctl("subscribe", "--last", "30", "room")
        lines = []
        await self.lines(tool, 30, lines)
        self.assertEqual(
            [line.split("ada: ")[1].split()[0] for line in lines], [str(n) for n in range(10, 40)])
        tool.terminate()
        await self.errors(tool)

    async def test_a_channel_without_messages_and_what_makes_no_sense(self):
        tool = await self.syncctl("subscribe", "--last", "5", "--json", "room")
        lines = []
        await self.lines(tool, 1, lines)
        # Whether it is shown first or happens then.
        await self.ada.publish("room", "first")
        await self.lines(tool, 2, lines)
        self.assertEqual(json.loads(lines[1])["payload"], "first")
        tool.terminate()
        self.assertEqual(await self.errors(tool), "")
        for arguments in (("room", "den"), ("room", "--since", "0")):
            tool = await self.syncctl("subscribe", "--last", "5", *arguments)
            self.assertIn("--last is for one channel", await self.errors(tool))
            self.assertEqual(tool.returncode, 2)


if __name__ == "__main__":
    unittest.main()
