"""`syncdaemon salvage`: what can be read of a damaged file is saved, and the rest is counted."""

import asyncio
import contextlib
import os
import pathlib
import re
import shlex
import sqlite3
import subprocess
import tempfile
import unittest

from daemon import binary, clean_environment, run_to_end
from disk import PAGE, DiskTestCase, database, flip, settle, table_pages, zero
from manual import blocks

#: Enough that each channel's rows fill many pages of their own.
ROWS = 400


class Salvage(DiskTestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="syncdaemon-salvage-")
        self.addCleanup(scratch.cleanup)
        self.saved = os.path.join(scratch.name, "saved.db")

    async def filled(self):
        """A stopped daemon with two channels of messages and reactions, all in the database."""
        daemon = self.start_daemon()
        device = await self.device(daemon, "ada", "writer")
        device.heals = True
        await self.fill(device, ("one", "two"), ROWS)
        await device.subscribe({"name": "one", "cursor": "0"})
        await device.reach("one", self.messages_of["one"][-1])
        await self.stop_settled(daemon, device)
        self.device_before = device
        return daemon

    def sql(self, path, statement):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            return connection.execute(statement).fetchall()

    def salvage(self, daemon):
        return run_to_end("salvage", "--data-dir", daemon.data_dir, self.saved)

    def lost(self, said):
        """Rows that are said to be lost, by table."""
        return {table: int(count) for count, table in
                re.findall(r"(\d+) rows of the table (\w+)", said)}

    def texts_on(self, path, table, marker, pages):
        """The markers of the rows that stand on some pages."""
        data = pathlib.Path(path).read_bytes()
        return {text for number in pages
                for text in re.findall(marker, data[number * PAGE:(number + 1) * PAGE])}

    async def test_the_documented_lines_save_all_that_can_be_read(self):
        daemon = await self.filled()
        path = database(daemon)
        pages = table_pages(path, "message", b"one-00200x")
        self.assertEqual(len(pages), 1)
        on_page = self.texts_on(path, "message", rb"one-\d{5}(?=x)", pages)
        flipped = b"two-00100"
        self.assertEqual(flip(path, flipped, table_pages(path, "message", flipped + b"x")), 1)
        for message in self.messages_of["two"][ROWS // 2:]:
            leaves = table_pages(path, "action", f"two+{message}".encode())
            if len(leaves) == 1:
                break
        reactions = self.texts_on(path, "action", rb"two\+\d{17}", leaves)
        zero(path, pages + leaves)
        damaged = pathlib.Path(path).read_bytes()

        # As documented, but for the places and what takes the part of systemd.
        lines, = blocks("When the file is damaged")
        begun, *copies, ended = lines.splitlines()
        self.assertEqual(
            (begun, ended), ("systemctl stop syncdaemon.socket syncdaemon.service",
                             "systemctl start syncdaemon.socket syncdaemon.service"))
        said = []
        for line in copies:
            words = shlex.split(
                line.split("#")[0].replace("/var/lib/syncdaemon", daemon.data_dir)
                .replace("/var/backups/saved.db", self.saved))
            self.assertEqual(words[0], "syncdaemon")
            done = subprocess.run(
                [binary(), *words[1:]], capture_output=True, text=True, check=False,
                env=clean_environment())
            self.assertEqual(done.returncode, 0, done.stderr)
            said.append(done.stdout)
        self.assertEqual(
            self.lost(said[0]), {"message": len(on_page) + 1, "action": len(reactions)}, said[0])
        self.assertEqual(pathlib.Path(path + ".replaced").read_bytes(), damaged)

        await asyncio.to_thread(daemon.start)
        await self.readiness(daemon, 200)
        device = await self.device(daemon, "bob")
        for channel in ("one", "two"):
            await device.subscribe({"name": channel, "cursor": "0"})
            kept = {it["payload"][:9].encode() for it in await device.all_messages(channel)}
            gone = on_page if channel == "one" else {flipped}
            self.assertEqual(
                kept, {f"{channel}-{number:05}".encode() for number in range(ROWS)} - gone)
            # Its digest is that of the rows: the device compares them with each push.
            rows = {row[2].encode() for row in await device.all_actions(channel)}
            self.assertEqual(
                rows, {f"{channel}+{it}".encode() for it in self.messages_of[channel]}
                - (reactions if channel == "two" else set()))
            new = await device.publish(channel, "new")
            await device.reach(channel, new)
            self.assertFalse(device.rows[channel].is_wrong)

        # A device from before the damage is made equal, and its writes are not applied twice.
        before = self.device_before
        await before.connect()
        await before.subscribe({"name": "one", **before.rows["one"].base()})
        await before.until(
            lambda: set(before.rows["one"].messages) == set(device.rows["one"].messages),
            "the snapshot")
        again = await before.command(
            "publish", channel="one", payload="one-00000" + "x" * 200, mutation="writer-1")
        self.assertEqual(again["timetoken"], self.messages_of["one"][0])

    async def test_the_file_is_as_a_daemon_makes_it(self):
        daemon = await self.filled()
        path = database(daemon)
        said = self.salvage(daemon)
        self.assertEqual((said[0], said[2]), (0, ""))
        self.assertIn("800 messages and 800 reactions", said[1])
        self.assertIn("Nothing is lost", said[1])
        self.assertEqual(os.stat(self.saved).st_mode & 0o777, 0o600)
        self.assertEqual(os.listdir(os.path.dirname(self.saved)), ["saved.db"])
        for statement in ("PRAGMA user_version", "PRAGMA auto_vacuum",
                          "SELECT name, sql FROM sqlite_schema ORDER BY name",
                          "SELECT * FROM message", "SELECT * FROM action",
                          "SELECT * FROM channel", "SELECT * FROM mutation",
                          "SELECT name, value FROM meta WHERE name <> 'epoch'"):
            self.assertEqual(self.sql(self.saved, statement), self.sql(path, statement), statement)
        self.assertNotEqual(*(self.sql(it, "SELECT value FROM meta WHERE name = 'epoch'")
                              for it in (self.saved, path)))
        self.assertEqual(self.sql(self.saved, "PRAGMA integrity_check"), [("ok",)])

    async def test_names_come_from_an_index_when_their_table_is_lost(self):
        daemon = await self.filled()
        path = database(daemon)
        roots = dict(self.sql(path, "SELECT name, rootpage - 1 FROM sqlite_schema"))
        zero(path, [roots["channel"], roots["device"], roots["clock"]])
        code, said, error = self.salvage(daemon)
        self.assertEqual(code, 0, error)
        self.assertIn("2 channels, 800 messages and 800 reactions", said)
        self.assertNotIn("channel,", said.partition("Lost")[2])
        # Positions go on behind what is there.
        last, count = self.sql(self.saved, "SELECT last, mutations FROM clock")[0]
        self.assertGreaterEqual(
            last, self.sql(self.saved, "SELECT max(changed) FROM action")[0][0])
        self.assertEqual(count, 1600)

    async def test_what_cannot_be_saved_leaves_no_file(self):
        daemon = await self.filled()
        with self.subTest("a daemon runs"):
            daemon.start()
            code, _, error = self.salvage(daemon)
            self.assertEqual(code, 1)
            self.assertIn("systemctl stop", error)
            await asyncio.to_thread(daemon.stop)
        settle(database(daemon))
        zero(database(daemon), [0])
        code, said, error = self.salvage(daemon)
        self.assertEqual((code, said), (1, ""))
        self.assertIn(database(daemon), error)
        self.assertEqual(os.listdir(os.path.dirname(self.saved)), [])
        pathlib.Path(self.saved).write_bytes(b"precious")
        self.assertIn("exists already", self.salvage(daemon)[2])
        self.assertEqual(pathlib.Path(self.saved).read_bytes(), b"precious")
        code, _, error = run_to_end("salvage", "--data-dir", self.saved + ".d", self.saved + "2")
        self.assertEqual(code, 1)
        self.assertIn("no such file", error)
        self.assertFalse(os.path.exists(self.saved + ".d"))


if __name__ == "__main__":
    unittest.main()
