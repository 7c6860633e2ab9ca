"""`syncctl cache verify`: whose cache it is, damage on the daemon's side, and another store."""

import asyncio
import contextlib
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

from daemon import binary, clean_environment
from test_chat import CTRL_C, ChatTestCase

#: Where the state of a whole channel is kept, beside those of its segments.
WHOLE = 2**63 - 1
CONFIGURATION = """
    [keyset first]
    subscribe_key = sub-first
    [keyset second]
    subscribe_key = sub-second
    """


class CacheTool(ChatTestCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.cache = pathlib.Path(self.daemon.scratch) / "ada.cache"

    async def fill(self, count, keyset=None):
        eve = await self.device(self.daemon, "eve", keyset=keyset)
        for number in range(count):
            message = await eve.publish("room", f"said {number}.")
            await eve.add("room", message, "👍")

    async def keep(self, *more, shows):
        """A cache of the newest messages, as a person leaves it."""
        ada = await self.chat("ada", "--cache", self.cache, *more)
        await ada.shows(shows)
        ada.type(CTRL_C)
        self.assertEqual(await ada.ended(), 0)

    async def verify(self, *more):
        tool = await asyncio.create_subprocess_exec(
            binary("syncctl"), "cache", "verify", "--cache", self.cache, "--url", self.daemon.url,
            "--json", *more, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=clean_environment())
        output, errors = await tool.communicate()
        return tool.returncode, output.decode(), errors.decode()

    async def test_a_device_that_names_no_tenant_is_compared_with_the_first(self):
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
            file.write(CONFIGURATION)
            file.flush()
            self.daemon = self.start_daemon("--config", file.name)
            await self.fill(3, keyset="sub-first")
            await self.keep(shows="said 2.")
            for more in (), ("--keyset", "sub-first"):
                code, output, errors = await self.verify(*more)
                # The file is of who names no tenant.
                self.assertEqual(code, 0 if not more else 1, (output, errors))
            await asyncio.to_thread(os.remove, self.cache)
            await self.keep("--keyset", "sub-first", shows="said 2.")
            code, output, errors = await self.verify()
            self.assertEqual(code, 0, (output, errors))

    async def test_damage_of_the_daemons_is_told_by_the_tool_and_by_a_chat(self):
        # More than a part of the newest 50 can hold: what is before it is compared with the sums.
        await self.fill(320)
        await self.keep(shows="said 319.")
        self.assertEqual((await self.verify())[0], 0)
        self.daemon.stop()
        path = pathlib.Path(self.daemon.data_dir) / "syncdaemon.db"
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            changed = database.execute(
                "UPDATE segment SET lane1 = lane1 + 1 WHERE after < ?", (WHOLE,))
            self.assertGreater(changed.rowcount, 0)
        await self.restart()
        code, _, errors = await self.verify()
        self.assertEqual((code, json.loads(errors)["error"]["code"]), (1, "store_damaged"))
        ada = self.opened("ada", "--cache", f"{self.cache}.new")
        await ada.shows("The database is damaged here")
        ada.type(CTRL_C)
        await ada.ended()

    async def test_a_total_that_is_less_than_its_parts_is_not_served(self):
        # More messages than one segment has: a channel of one has no total.
        await self.fill(300)
        self.daemon.stop()
        path = pathlib.Path(self.daemon.data_dir) / "syncdaemon.db"
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            deleted = database.execute("DELETE FROM segment WHERE after = ?", (WHOLE,))
            self.assertEqual(deleted.rowcount, 1)
        await self.restart()
        ada = self.opened("ada", "--cache", self.cache)
        await ada.shows("The database is damaged here")
        ada.type(CTRL_C)
        await ada.ended()

    async def test_a_part_that_is_equal_to_what_another_store_has_is_equal(self):
        # So many that some are before the window, wherever a segment begins.
        await self.fill(400)
        await self.keep(shows="said 399.")
        export = pathlib.Path(self.daemon.scratch) / "all.jsonl"
        target = pathlib.Path(self.daemon.scratch) / "target"
        for arguments in (
                ["export", "--all", "--tombstones", "--data-dir", self.daemon.data_dir,
                 "--output", export],
                ["import", export, "--data-dir", target]):
            await asyncio.to_thread(
                subprocess.run, [binary("syncctl"), *arguments], check=True,
                capture_output=True, env=clean_environment())
        self.daemon.stop()
        self.daemon.data_dir = str(target)
        await self.restart()
        code, output, errors = await self.verify()
        self.assertEqual(code, 0, (output, errors))
        told = [json.loads(line) for line in output.splitlines()]
        self.assertTrue(any("window" in it for it in told), told)
        # One that says something else of what is before it is not.
        with contextlib.closing(sqlite3.connect(self.cache)) as database, database:
            [(rest,)] = database.execute("SELECT rest FROM channel WHERE name = 'room'")
            number, digest = rest.split(" ", 1)
            changed = f"{number} {'0' * 4}{digest[4:]}"
            database.execute("UPDATE channel SET rest = ? WHERE name = 'room'", (changed,))
        self.assertEqual((await self.verify())[0], 1)


if __name__ == "__main__":
    unittest.main()
